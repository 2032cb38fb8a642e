import { setMaxListeners } from "node:events";
import type { LookupFunction } from "node:net";
import { Agent } from "undici";
import type { Config } from "../config.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { isOriginHost } from "../lib/hosts.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { isSigned } from "../lib/urls.ts";
import { createAttempts } from "./attempts.ts";
import { createConnector } from "./connect.ts";
import { type Ask, createExchange } from "./exchange.ts";
import { type Downloaded, fileSink } from "./file-sink.ts";
import { createGovernor } from "./governor.ts";
import { type JsonAnswer, type JsonBody, jsonSink } from "./json-sink.ts";
import { type ClientLimits, defaultLimits } from "./limits.ts";
import { hostHint, linkName, refusedLink, requestName, withoutQuery } from "./messages.ts";
import { openRateMemory } from "./rate-memory.ts";
import { createServerClock } from "./server-clock.ts";
import { raisedAfter } from "./time-limit.ts";
import { tokenCutter } from "./token.ts";
import { conditionsOf, type Validators } from "./validators.ts";

export type { ClientLimits, Downloaded, JsonAnswer, Validators };

export interface DownloadOptions {
  /** Bytes after which the download is given up. */
  maxBytes?: number;
  /**
   * Gives the link to ask with, in the place of the one that was given, when the request's turn has come. Where it
   * throws, that is thrown, and no request is made.
   */
  linkAtTurn?: () => string;
}

export interface JsonOptions {
  /** Over a connection of its own, on which nothing can be in the way that was meant for other requests. */
  apart?: boolean;
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
  json(url: string, options?: JsonOptions): Promise<JsonAnswer>;
  /**
   * GET of a file, streamed to disk: of a signed link without the token, of an unsigned URL of the API with it.
   * Where it fails, no file stays behind.
   *
   * @throws ApiError with the status; 403, or 401, means that the link has expired
   * @throws BudgetError as above
   * @throws StoreError when the file cannot be written
   */
  download(url: string, path: string, options?: DownloadOptions): Promise<Downloaded>;
  /** The same, or undefined, and no file, where the origin says (304) that nothing has changed since it gave the validators. */
  downloadUnless(
    url: string,
    path: string,
    validators: Validators,
    options?: DownloadOptions,
  ): Promise<Downloaded | undefined>;
  readonly stats: Readonly<ClientStats>;
  /** Milliseconds in which nothing could start because the origin said so. */
  readonly pausedMs: number;
  /** Milliseconds since the epoch by the origin's clock, as its answers show it; our own until they do. */
  serverNow(): number;
  /** Closes connections and keeps what the next run must know of the rate. */
  close(): Promise<void>;
}

export interface ClientOptions {
  config: Pick<Config, "origin" | "crawl">;
  /** Bearer token; sent to the origin of `baseUrl` only. */
  token: string;
  reporter?: Reporter;
  /**
   * Ends waits at once, and what is underway after `drainMs`; what they were for is rejected with its reason. What
   * comes to its end by then is given out as ever.
   */
  signal?: AbortSignal | undefined;
  /** File in which the governor's state outlives the run; none where undefined. */
  rateFile?: string | undefined;
  limits?: Partial<ClientLimits>;
  /** Of rate, pauses and waits; how long a transfer may take is measured in real time. */
  clock?: Clock;
  /** How the names of hosts become addresses. */
  lookup?: LookupFunction;
}

const userAgent = "stillpress (static archive of a media publishing service)";

export function createClient(options: ClientOptions): ApiClient {
  const { config, token, signal, reporter = silent, clock = systemClock } = options;
  const { origin, crawl } = config;
  const { allowHosts } = origin;
  const limits = { ...defaultLimits, ...options.limits };
  const base = new URL(origin.baseUrl);
  const memory = openRateMemory({
    file: options.rateFile,
    origin: base.origin,
    rate: origin.rate,
    clock,
  });
  const connection = {
    connections: crawl.concurrency,
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
    connect: createConnector({ base, allowHosts, lookup: options.lookup }),
  };
  const agent = new Agent({ ...connection, pipelining: 1 });
  // Keeps no connection open.
  const apart = new Agent({ ...connection, pipelining: 0 });
  const governor = createGovernor({
    rate: origin.rate,
    concurrency: crawl.concurrency,
    signal,
    state: memory.state,
    maxPauseMs: limits.maxPauseMs,
    refusalMs: limits.firstDelayMs,
    onPause: () => memory.paused(governor),
    clock,
  });
  const stats: ClientStats = { requests: 0, downloads: 0, retries: 0, bytes: 0 };
  const serverClock = createServerClock(clock.now);
  const drained = signal && raisedAfter(signal, limits.drainMs);
  // Every request and every wait listens: their number is bounded by the concurrency, not by Node's ten.
  if (signal && drained) setMaxListeners(0, signal, drained);
  const exchange = createExchange({
    dispatcherOf: (ask) => (ask.apart ? apart : agent),
    governor,
    signal: drained,
    headersMs: limits.idleMs,
    clock,
    onRequest() {
      stats.requests++;
      memory.started(governor);
    },
    onAnswer({ headers }, url) {
      // Other hosts have other clocks, and nothing to do with the links.
      if (url.origin === base.origin) serverClock.heard(headers);
    },
  });
  const withRetries = createAttempts({
    exchange,
    governor,
    limits,
    clock,
    reporter,
    signal,
    onRetry: () => stats.retries++,
  });

  const cutToken = tokenCutter(token);
  let repeated = false;

  function withoutToken(text: string): string {
    const clean = cutToken(text);
    if (clean !== text && !repeated) {
      repeated = true;
      reporter.warn("the origin repeats the access token in its content; the token is cut out");
    }
    return clean;
  }

  const allowed = (url: URL): boolean => isOriginHost(url, base, allowHosts);

  /** A link as it may be requested. @throws ApiError where it leads to no host that may be asked */
  function linkOf(text: string): URL {
    const url = URL.canParse(text, base.href) ? new URL(text, base.href) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") {
      throw refusedLink("link is not an http(s) URL");
    }
    // A link with http to a host that speaks https would carry its signature in the open.
    if (url.host === base.host && base.protocol === "https:") url.protocol = "https:";
    if (allowed(url)) return url;
    throw refusedLink(`${withoutQuery(url)}: host is not in origin.allowHosts`, url);
  }

  function jsonAsk(url: URL): Ask<JsonBody> {
    return {
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
    };
  }

  /** Whether a file is at an address of the API that no signature opens. */
  function needsToken(url: URL): boolean {
    const isBelow = url.pathname.startsWith(`${base.pathname.replace(/\/+$/, "")}/`);
    return url.origin === base.origin && isBelow && !isSigned(url);
  }

  function fileAsk(url: URL, path: string, options: DownloadOptions): Ask<Downloaded> {
    const { maxBytes = limits.maxDownloadBytes, linkAtTurn } = options;
    let endsAt: number | undefined;
    return {
      url,
      urlAtTurn: linkAtTurn && (() => linkOf(linkAtTurn())),
      // Links age, and lists of them do not.
      urgent: true,
      headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": userAgent },
      headersFor: (target): Record<string, string> =>
        needsToken(target) ? { authorization: `Bearer ${token}` } : {},
      mayGo: allowed,
      redirectHint: hostHint,
      bodyMs: undefined,
      open(head, stop) {
        endsAt ??= performance.now() + limits.downloadMs;
        const leftMs = endsAt - performance.now();
        const clean = cutToken;
        return fileSink(head, path, { ...limits, maxBytes, leftMs, clean, stop, signal: drained });
      },
    };
  }

  function saved<T extends Downloaded | undefined>(file: T): T {
    if (file === undefined) return file;
    stats.downloads++;
    stats.bytes += file.bytes;
    return file;
  }

  /** An API URL as it may be requested with the token. */
  function apiUrlOf(text: string): URL {
    const url = new URL(text);
    if (url.origin !== base.origin) throw new TypeError(`the token is not for ${url.origin}`);
    return url;
  }

  return {
    stats,
    get pausedMs() {
      return governor.pausedMs;
    },
    async json(text, { apart = false } = {}) {
      const url = apiUrlOf(text);
      const body = await withRetries({ ...jsonAsk(url), apart }, requestName(url, origin));
      stats.bytes += body.bytes;
      return { text: body.text, value: body.value, damaged: body.damaged };
    },
    async download(text, path, options = {}) {
      const url = linkOf(text);
      return saved(await withRetries(fileAsk(url, path, options), linkName(url, origin)));
    },
    async downloadUnless(text, path, validators, options = {}) {
      const url = linkOf(text);
      const ask = unless(validators, fileAsk(url, path, options));
      return saved(await withRetries(ask, linkName(url, origin)));
    },
    serverNow: serverClock.now,
    async close() {
      memory.ended(governor);
      await Promise.all([agent.destroy(), apart.destroy()]);
    },
  };
}

/** The same request, which is answered by undefined where nothing has changed since the validators were given. */
function unless<T>(validators: Validators, ask: Ask<T>): Ask<T | undefined> {
  const conditions = conditionsOf(validators);
  if (Object.keys(conditions).length === 0) return ask;
  return {
    ...ask,
    headers: { ...ask.headers, ...conditions },
    unchanged: () => undefined,
  };
}
