import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import type { Config } from "../config.ts";
import { StillpressError } from "../errors.ts";
import { isOriginHost } from "../lib/hosts.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { type Ask, createExchange } from "./exchange.ts";
import { transportFailure } from "./failure.ts";
import { type Downloaded, fileSink } from "./file-sink.ts";
import { createGovernor } from "./governor.ts";
import { type JsonAnswer, jsonSink } from "./json-sink.ts";
import {
  finalError,
  hostHint,
  type Name,
  nameOf,
  nameOfLink,
  refusedLink,
  withoutQuery,
} from "./messages.ts";
import { openRateMemory } from "./rate-memory.ts";
import { retryDelay, toldToWait } from "./retry.ts";
import { tokenCutter } from "./token.ts";

export type { Downloaded, JsonAnswer };

export interface DownloadOptions {
  /** Bytes after which the download is given up. */
  maxBytes?: number;
}

/** How the requests of a run were spent. */
export interface ClientStats {
  requests: number;
  downloads: number;
  retries: number;
  /** Bytes of bodies received. */
  bytes: number;
}

/** All traffic with the origin goes through here: authorisation, governor, retries, redirects, limits. */
export interface ApiClient {
  /**
   * GET of an API URL with the token, answered in JSON, from which the token is cut out where it is repeated.
   *
   * @throws ApiError with the status when it is refused, fails for good, or is no JSON
   * @throws BudgetError when the origin wants a longer pause than a run sits out
   */
  json(url: string): Promise<JsonAnswer>;
  /**
   * GET of a signed link, without the token, streamed to a file; where it fails, no file stays behind.
   *
   * @throws ApiError with the status; 403 means that the link has expired
   * @throws BudgetError as above
   * @throws StoreError when the file cannot be written
   */
  download(url: string, path: string, options?: DownloadOptions): Promise<Downloaded>;
  readonly stats: Readonly<ClientStats>;
  /** Milliseconds in which nothing could start because the origin said so. */
  readonly pausedMs: number;
  /** Closes connections and keeps what the next run must know of the rate. */
  close(): Promise<void>;
}

export interface ClientOptions {
  config: Pick<Config, "origin" | "crawl">;
  /** Bearer token; sent to the origin of `baseUrl` only. */
  token: string;
  reporter?: Reporter;
  /** Ends requests and waits at once; what they were for is rejected with its reason. */
  signal?: AbortSignal | undefined;
  /** File in which the governor's state outlives the run; none where undefined. */
  rateFile?: string | undefined;
  limits?: Partial<ClientLimits>;
  now?: () => number;
}

export interface ClientLimits {
  maxJsonBytes: number;
  maxDownloadBytes: number;
  /** Until the headers are there, and between two pieces of a body. */
  idleMs: number;
  /** Until a JSON answer is complete, counted from its headers. */
  jsonMs: number;
  /** A download that stays below this on average of `slowAfterMs` is taken for a drip and cut. */
  minBytesPerSecond: number;
  slowAfterMs: number;
  /** First wait before another attempt where the origin does not say how long. */
  firstDelayMs: number;
  /** A pause that the origin asks for beyond this ends the run, to be resumed later. */
  maxPauseMs: number;
}

const defaultLimits: ClientLimits = {
  maxJsonBytes: 64 << 20,
  maxDownloadBytes: 16 * 2 ** 30,
  idleMs: 30_000,
  jsonMs: 60_000,
  minBytesPerSecond: 1024,
  slowAfterMs: 30_000,
  firstDelayMs: 500,
  maxPauseMs: 3_600_000,
};

const userAgent = "stillpress (static archive of a media publishing service)";

export function createClient(options: ClientOptions): ApiClient {
  const { config, token, signal, reporter = silent, now = Date.now } = options;
  const { origin, crawl } = config;
  const limits = { ...defaultLimits, ...options.limits };
  const base = new URL(origin.baseUrl);
  const memory = openRateMemory({
    file: options.rateFile,
    origin: base.origin,
    rate: origin.rate,
    now,
  });
  const agent = new Agent({
    connections: crawl.concurrency,
    pipelining: 1,
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
  });
  const governor = createGovernor({
    rate: origin.rate,
    concurrency: crawl.concurrency,
    signal,
    state: memory.state,
    maxPauseMs: limits.maxPauseMs,
    now,
  });
  const stats: ClientStats = { requests: 0, downloads: 0, retries: 0, bytes: 0 };
  const exchange = createExchange({
    dispatcher: agent,
    governor,
    signal,
    headersMs: limits.idleMs,
    onRequest() {
      stats.requests++;
      memory.started(governor);
    },
  });

  const cutToken = tokenCutter(token);
  let repeated = false;

  function withoutToken(text: string): string {
    const clean = cutToken(text);
    if (clean !== text && !repeated) {
      repeated = true;
      reporter.warn("the origin repeats the access token in its content: it is cut out");
    }
    return clean;
  }

  /** Asks until there is an answer or no use in asking; `name` stands for the URL in messages. */
  async function withRetries<T>(ask: Ask<T>, name: Name): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      signal?.throwIfAborted();
      try {
        return await exchange(ask);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof StillpressError) throw error;
        const failure = transportFailure(error);
        const delayMs = retryDelay(failure, attempts, new Date(now()), limits.firstDelayMs);
        if (delayMs !== undefined && toldToWait(failure)) governor.pauseUntil(now() + delayMs);
        if (delayMs === undefined || delayMs > limits.maxPauseMs) {
          throw finalError(name, failure, attempts, delayMs);
        }
        stats.retries++;
        const seconds = (delayMs / 1000).toFixed(1);
        reporter.info(`GET ${name.short}: ${failure.message}, again in ${seconds} s`);
        if (!toldToWait(failure)) await sleepUnless(signal, delayMs);
      }
    }
  }

  const allowed = (url: URL): boolean => isOriginHost(url, base, origin.allowHosts);

  /** A link as it may be requested. @throws ApiError where it leads to no host that may be asked */
  function linkOf(text: string): URL {
    const url = URL.canParse(text, base.href) ? new URL(text, base.href) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") {
      throw refusedLink("link is no http(s) URL");
    }
    // A link with http to a host that speaks https would carry its signature in the open.
    if (url.host === base.host && base.protocol === "https:") url.protocol = "https:";
    if (allowed(url)) return url;
    throw refusedLink(`${withoutQuery(url)}: host is not in origin.allowHosts`, url);
  }

  return {
    stats,
    get pausedMs() {
      return governor.pausedMs;
    },
    async json(text) {
      const url = new URL(text);
      if (url.origin !== base.origin) throw new TypeError(`the token is not for ${url.origin}`);
      const name = nameOf(url, origin);
      const answer = await withRetries(
        {
          url,
          headers: {
            accept: "application/json",
            "content-type": "application/json",
            "accept-encoding": "gzip, deflate, br",
            "user-agent": userAgent,
            authorization: `Bearer ${token}`,
          },
          mayGo: (target) => target.origin === base.origin,
          redirectHint: () => "check origin.baseUrl: the token is sent to no other address",
          bodyMs: limits.jsonMs,
          open: (head) => jsonSink(head, limits.maxJsonBytes, withoutToken),
        },
        name,
      );
      stats.bytes += answer.bytes;
      if (answer.damaged) {
        reporter.warn(`GET ${name.short}: bytes that are no UTF-8, replaced by \uFFFD`);
      }
      return { text: answer.text, value: answer.value };
    },
    async download(text, path, { maxBytes = limits.maxDownloadBytes } = {}) {
      const url = linkOf(text);
      const file = await withRetries(
        {
          url,
          headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": userAgent },
          mayGo: allowed,
          redirectHint: hostHint,
          bodyMs: undefined,
          open: (head, stop) => fileSink(head, path, { ...limits, maxBytes, stop, signal }),
        },
        nameOfLink(url, origin),
      );
      stats.downloads++;
      stats.bytes += file.bytes;
      return file;
    },
    async close() {
      memory.ended(governor);
      await agent.destroy();
    },
  };
}

async function sleepUnless(signal: AbortSignal | undefined, delayMs: number): Promise<void> {
  try {
    await sleep(delayMs, undefined, signal === undefined ? {} : { signal });
  } catch {
    // The caller sees for itself that the signal was raised.
  }
}
