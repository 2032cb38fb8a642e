import type { Failure } from "./retry.ts";

/** What one attempt failed with, before it is known whether another one follows. */
export class AttemptError extends Error implements Failure {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly final: boolean;
  readonly hint: string | undefined;
  /** What the system says where we have no words; it may differ each time, so it is no part of the message. */
  readonly detail: string | undefined;

  /** @param message what happened, without any URL */
  constructor(
    message: string,
    details: Partial<Failure> & {
      hint?: string;
      detail?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.status = details.status ?? 0;
    this.retryAfterMs = details.retryAfterMs;
    this.final = details.final ?? false;
    this.hint = details.hint;
    this.detail = details.detail;
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
  const code = codeOf(error);
  // A certificate does not become right by asking again.
  const final = /CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_VERIFY/.test(code);
  const reason = reasons[code];
  if (reason !== undefined) return new AttemptError(reason, { final, cause: error });
  const detail = error instanceof Error ? error.message.trim() : undefined;
  return new AttemptError(`no complete answer (${code})`, { final, detail, cause: error });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
