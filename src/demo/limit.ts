import type { OriginOptions } from "./options.ts";

/** What the limiter says about one request. */
export interface Verdict {
  admitted: boolean;
  /** Headers to send with the answer, whichever it is. */
  headers: Record<string, string>;
}

/**
 * A strict sliding window: at most `requests` are admitted in any `perSeconds` seconds, whoever
 * sends them. Refused requests take no place in the window, so that Retry-After is the truth.
 */
export function createLimiter(
  options: Pick<OriginOptions, "rate" | "rateHeaders" | "retryAfter" | "now">,
): () => Verdict {
  const { rate, now } = options;
  if (!rate) return () => ({ admitted: true, headers: {} });
  const windowMs = rate.perSeconds * 1000;
  let admittedAt: number[] = [];
  let oldest = 0;
  return () => {
    const time = now().getTime();
    while (oldest < admittedAt.length && (admittedAt[oldest] ?? 0) <= time - windowMs) oldest += 1;
    if (oldest > 1000) {
      admittedAt = admittedAt.slice(oldest);
      oldest = 0;
    }
    const admitted = admittedAt.length - oldest < rate.requests;
    if (admitted) admittedAt.push(time);
    const freeAt = (admittedAt[oldest] ?? time) + windowMs;
    const remaining = rate.requests - (admittedAt.length - oldest);
    const headers = rateHeaders(options, remaining, freeAt, time);
    if (!admitted) Object.assign(headers, retryAfter(options.retryAfter, freeAt, time));
    return { admitted, headers };
  };
}

function rateHeaders(
  options: Pick<OriginOptions, "rate" | "rateHeaders">,
  remaining: number,
  freeAt: number,
  time: number,
): Record<string, string> {
  const { rate } = options;
  if (!rate || options.rateHeaders === "none") return {};
  if (options.rateHeaders === "x-ratelimit") {
    return {
      "X-RateLimit-Limit": String(rate.requests),
      "X-RateLimit-Remaining": String(remaining),
      "X-RateLimit-Reset": String(Math.ceil(freeAt / 1000)),
    };
  }
  return {
    "RateLimit-Policy": `${rate.requests};w=${rate.perSeconds}`,
    "RateLimit-Limit": String(rate.requests),
    "RateLimit-Remaining": String(remaining),
    "RateLimit-Reset": String(Math.ceil((freeAt - time) / 1000)),
  };
}

function retryAfter(
  form: OriginOptions["retryAfter"],
  freeAt: number,
  time: number,
): Record<string, string> {
  if (form === "none") return {};
  if (form === "seconds") return { "Retry-After": String(Math.ceil((freeAt - time) / 1000)) };
  // Dates have whole seconds: round up, or the client would come back too early.
  return { "Retry-After": new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString() };
}
