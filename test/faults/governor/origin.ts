import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Ways in which an origin tells of its limit. */
export const dialects = {
  "X-RateLimit, reset as a time": ({ limit, remaining, freeAt }: Allowed) => ({
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(Math.ceil(freeAt / 1000)),
  }),
  "X-RateLimit, reset in seconds": ({ limit, remaining, freeAt, now }: Allowed) => ({
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(Math.ceil((freeAt - now) / 1000)),
  }),
  "RateLimit-* fields": ({ limit, remaining, freeAt, now }: Allowed) => ({
    "RateLimit-Limit": String(limit),
    "RateLimit-Remaining": String(remaining),
    "RateLimit-Reset": String(Math.ceil((freeAt - now) / 1000)),
  }),
  "RateLimit and RateLimit-Policy, draft 7": ({
    limit,
    remaining,
    freeAt,
    now,
    windowMs,
  }: Allowed) => ({
    "RateLimit-Policy": `${limit};w=${windowMs / 1000}`,
    RateLimit: `limit=${limit}, remaining=${remaining}, reset=${Math.ceil((freeAt - now) / 1000)}`,
  }),
  "RateLimit and RateLimit-Policy, draft 8": ({
    limit,
    remaining,
    freeAt,
    now,
    windowMs,
  }: Allowed) => ({
    "RateLimit-Policy": `"default";q=${limit};w=${windowMs / 1000}`,
    RateLimit: `"default";r=${remaining};t=${Math.ceil((freeAt - now) / 1000)}`,
  }),
  "nothing but 429 and Retry-After": () => ({}),
  "nothing but 429": () => ({}),
} satisfies Record<string, (allowed: Allowed) => Record<string, string>>;
export type Dialect = keyof typeof dialects;

/** What the window allows after a request; times in milliseconds since the epoch. */
export interface Allowed {
  limit: number;
  windowMs: number;
  remaining: number;
  /** When the next place becomes free. */
  freeAt: number;
  now: number;
}

export interface StrictOptions {
  /** Requests in any window; null for no limit. */
  limit: { requests: number; windowMs: number } | null;
  dialect: Dialect | null;
  now: () => number;
  /** Sees each request that the window admits; returns true where it answered it itself. */
  answer?: (response: ServerResponse, at: number) => boolean;
}

/** An origin that counts every request when it arrives, in a window of its own that slides. */
export interface StrictOrigin {
  baseUrl: string;
  /** When each request arrived. */
  readonly arrivals: readonly number[];
  /** Requests above the window. */
  readonly refused: number;
  /** Milliseconds that the worst of them came too early by. */
  readonly worstMs: number;
  close(): Promise<void>;
}

export async function startStrictOrigin(options: StrictOptions): Promise<StrictOrigin> {
  const { limit, dialect, now, answer } = options;
  const arrivals: number[] = [];
  let admitted: number[] = [];
  let refused = 0;
  let worstMs = 0;
  const server = createServer((_, response) => {
    const at = now();
    arrivals.push(at);
    const headers: Record<string, string> = { "content-type": "application/json" };
    // Its own clock, which need not be the machine's.
    response.setHeader("Date", new Date(at).toUTCString());
    let status = 200;
    if (limit !== null) {
      const { requests, windowMs } = limit;
      admitted = admitted.filter((time) => time > at - windowMs);
      if (admitted.length < requests) admitted.push(at);
      else status = 429;
      const freeAt = (admitted[0] as number) + windowMs;
      const remaining = requests - admitted.length;
      if (dialect !== null) {
        const allowed = { limit: requests, windowMs, remaining, freeAt, now: at };
        Object.assign(headers, dialects[dialect](allowed));
      }
      if (status === 429) {
        refused++;
        worstMs = Math.max(worstMs, freeAt - at);
        if (dialect !== "nothing but 429") {
          headers["Retry-After"] = String(Math.ceil((freeAt - at) / 1000));
        }
      }
    }
    if (status === 200 && answer?.(response, at)) return;
    response.writeHead(status, headers).end('{"data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    arrivals,
    get refused() {
      return refused;
    },
    get worstMs() {
      return worstMs;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
