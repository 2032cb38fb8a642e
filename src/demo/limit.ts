import type { OriginOptions } from "./options.ts";

/**
 * A strict sliding window over the requests of all clients. Refused requests take no place in it, so that Retry-After is
 * the truth. Returns whether a request is admitted, and the headers of its answer.
 */
export function createLimiter({ rate, rateHeaders, retryAfter, now }: OriginOptions) {
  const admittedAt: number[] = [];
  return (): { admitted: boolean; headers: Record<string, string> } => {
    if (!rate) return { admitted: true, headers: {} };
    const time = now().getTime();
    const windowMs = rate.perSeconds * 1000;
    while ((admittedAt[0] ?? time) <= time - windowMs) admittedAt.shift();
    const admitted = admittedAt.length < rate.requests;
    if (admitted) admittedAt.push(time);
    const freeAt = (admittedAt[0] ?? time) + windowMs;
    const waitSeconds = Math.ceil((freeAt - time) / 1000);
    const headers: Record<string, string> = {};
    if (rateHeaders !== "none") {
      const standard = rateHeaders === "ratelimit";
      const prefix = standard ? "RateLimit" : "X-RateLimit";
      headers[`${prefix}-Limit`] = `${rate.requests}`;
      headers[`${prefix}-Remaining`] = `${rate.requests - admittedAt.length}`;
      headers[`${prefix}-Reset`] = `${standard ? waitSeconds : Math.ceil(freeAt / 1000)}`;
      if (standard) headers["RateLimit-Policy"] = `${rate.requests};w=${rate.perSeconds}`;
    }
    if (!admitted && retryAfter !== "none") {
      // Round up to whole seconds, or the client would come back too early.
      const date = new Date(Math.ceil(freeAt / 1000) * 1000).toUTCString();
      headers["Retry-After"] = retryAfter === "seconds" ? `${waitSeconds}` : date;
    }
    return { admitted, headers };
  };
}
