import type { ExitCode } from "../errors.ts";

/** A failed attempt, as far as it decides about the next one. */
export interface Failure {
  /** HTTP status; 0 when no answer arrived that could be used. */
  status: number;
  /** Milliseconds that the origin asks to wait; undefined where it does not say. */
  retryAfterMs?: number | undefined;
  /** True where the answer arrived whole and another attempt would bring the same. */
  final?: boolean;
}

interface Details extends Partial<Failure> {
  /** What the reader can do. */
  hint?: string | undefined;
  /** What the system says where we have no words; it may differ each time, so it is no part of the message. */
  detail?: string | undefined;
  /** Of the error if no other attempt follows; undefined where its status tells. */
  exitCode?: ExitCode;
  cause?: unknown;
}

/** What one attempt failed with, before it is known whether another one follows. Its message names no URL. */
export class AttemptError extends Error implements Failure {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly final: boolean;
  readonly hint: string | undefined;
  readonly detail: string | undefined;
  readonly exitCode: ExitCode | undefined;

  constructor(message: string, { cause, ...details }: Details = {}) {
    super(message, { cause });
    this.status = details.status ?? 0;
    this.retryAfterMs = details.retryAfterMs;
    this.final = details.final ?? false;
    this.hint = details.hint;
    this.detail = details.detail;
    this.exitCode = details.exitCode;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host not found",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "answer stopped coming",
  UND_ERR_SOCKET: "connection closed before the answer was complete",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "answer is shorter than its Content-Length",
  Z_BUF_ERROR: "compressed answer is cut short",
  Z_DATA_ERROR: "compressed answer is damaged",
};

/** A failure of the connection or of the body on its way, as an attempt's. */
export function transportFailure(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error;
  if (!(error instanceof Error)) return new AttemptError("no complete answer", { cause: error });
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // A certificate does not become right by asking again.
  const final = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY/.test(code);
  const reason = reasons[code];
  if (reason !== undefined) return new AttemptError(reason, { final, cause: error });
  const detail = error.message.trim();
  return new AttemptError(`no complete answer (${code})`, { final, detail, cause: error });
}

const retried = new Set([0, 408, 425, 429, 500, 502, 503, 504]);
const maxBackoffMs = 30_000;
const maxAttempts = 5;
/** The same for attempts that were told to wait, which is no fault of the item. */
const maxRefusals = 20;

/** Whether to try again: the failure may pass, and there were not too many attempts. */
export function isRetried({ status, retryAfterMs = 0, final }: Failure, attempts: number): boolean {
  if (final || !retried.has(status)) return false;
  const isRefusal = status === 429 || (status === 503 && retryAfterMs > 0);
  return attempts < (isRefusal ? maxRefusals : maxAttempts);
}

/** Milliseconds before another attempt, if the origin does not say how long: doubled by each attempt, up to 30 s. */
export function backoffMs(attempts: number, firstDelayMs: number): number {
  return Math.min(firstDelayMs * 2 ** (attempts - 1), maxBackoffMs);
}

/** Whether a failure is about everybody's requests, not about this one alone. */
export function toldToWait({ status, retryAfterMs }: Failure): boolean {
  return status === 429 || (status === 503 && retryAfterMs !== undefined);
}
