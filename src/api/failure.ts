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
  hint?: string | undefined;
  /** The host that `origin.allowHosts` has to name first. */
  host?: string | undefined;
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
  readonly host: string | undefined;
  readonly detail: string | undefined;
  readonly exitCode: ExitCode | undefined;

  constructor(message: string, { cause, ...details }: Details = {}) {
    super(message, { cause });
    this.status = details.status ?? 0;
    this.retryAfterMs = details.retryAfterMs;
    this.final = details.final ?? false;
    this.hint = details.hint;
    this.host = details.host;
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

/** Certificates of an authority that this machine does not know. */
const unknownAuthority =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_\w+|CERT_UNTRUSTED|INVALID_CA)$/;
const authorityHint =
  "if the authority that signed the certificate is your organisation's own, name its certificate in the variable NODE_EXTRA_CA_CERTS";
const otherHint =
  "the certificate is out of date, or of another host: its owner must renew it, or origin.baseUrl must name the host that it is for";

export const proxyHint =
  "check the address, the name and the password of the proxy in HTTPS_PROXY and HTTP_PROXY, or list the host in NO_PROXY";

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
  const [, refused] = /^Proxy \D*\((\d+)\)/.exec(detail) ?? [];
  if (refused !== undefined) return proxyFailure(Number(refused));
  const certificateHint = unknownAuthority.test(code) ? authorityHint : otherHint;
  const hint = final ? certificateHint : undefined;
  return new AttemptError(`no complete answer (${code})`, { final, hint, detail, cause: error });
}

function proxyFailure(status: number): AttemptError {
  const final = status === 407 || status === 403;
  return new AttemptError(`the proxy answers ${status}`, { final, hint: proxyHint });
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
