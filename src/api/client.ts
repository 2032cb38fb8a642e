import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import type { Config } from "../config.ts";
import { ApiError, exitCodes, Interrupted } from "../errors.ts";
import { sha256Stream } from "../lib/digest.ts";
import { isOriginHost } from "../lib/hosts.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { printable } from "../lib/secrets.ts";
import { createGovernor, type Headers } from "./governor.ts";
import { retryDelay } from "./retry.ts";

/** An answer in JSON: the text as it came, and what JSON.parse makes of it. */
export interface JsonAnswer {
  text: string;
  value: unknown;
}

/** A finished download: the file lies complete and synced at the path that was given. */
export interface Downloaded {
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Content-Type without parameters, lower case; undefined where the answer had none. */
  type: string | undefined;
}

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
   * GET of an API URL with the token, answered in JSON.
   * @throws ApiError with the status when it is refused, fails for good, or is no JSON
   */
  json(url: string): Promise<JsonAnswer>;
  /**
   * GET of a signed link, without the token, streamed to a file.
   * @throws ApiError with the status; 403 means that the link has expired
   */
  download(url: string, path: string, options?: DownloadOptions): Promise<Downloaded>;
  readonly stats: Readonly<ClientStats>;
  /** Milliseconds in which nothing could start because the origin said so. */
  readonly pausedMs: number;
  close(): Promise<void>;
}

export interface ClientOptions {
  config: Pick<Config, "origin" | "crawl">;
  /** Bearer token; sent to the origin of `baseUrl` only. */
  token: string;
  reporter?: Reporter;
  /** Stops new attempts and waits. */
  signal?: AbortSignal;
  now?: () => number;
}

const maxJsonBytes = 64 << 20;
const maxDownloadBytes = 16 * 2 ** 30;
const maxHops = 3;
const jsonTimeoutMs = 60_000;
const idleTimeoutMs = 30_000;
/** A download slower than this after its first half minute is taken for a drip and cut. */
const minBytesPerSecond = 1024;
/** A wait that the origin asks for beyond this ends the run, to be resumed later. */
const maxWaitMs = 3_600_000;

/** An answer whose status is a success, with its body still to be read. */
type Answer = Dispatcher.ResponseData;

export function createClient(options: ClientOptions): ApiClient {
  const { config, token, signal, reporter = silent, now = Date.now } = options;
  const base = new URL(config.origin.baseUrl);
  const agent = new Agent({
    connections: config.crawl.concurrency,
    pipelining: 1,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
  const governor = createGovernor(config.origin.rate, config.crawl.concurrency, now);
  const stats: ClientStats = { requests: 0, downloads: 0, retries: 0, bytes: 0 };

  /** One attempt, redirects followed by hand; `use` must read or destroy the body. */
  async function attempt<T>(
    url: URL,
    headers: Record<string, string>,
    timeout: AbortSignal,
    use: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    let target = url;
    for (let hop = 0; ; hop++) {
      stats.requests++;
      const answer = await agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: "GET",
        headers,
        signal: timeout,
      });
      governor.observe(answer.headers);
      const { statusCode } = answer;
      if (statusCode >= 200 && statusCode < 300) return await use(answer);
      const location = header(answer.headers, "location");
      await answer.body.dump();
      if (statusCode < 300 || statusCode >= 400 || location === undefined) {
        throw new HttpFailure(statusCode, header(answer.headers, "retry-after"));
      }
      const next = new URL(location, target);
      if (hop >= maxHops) throw new HttpFailure(statusCode, undefined, "too many redirects");
      const downgraded = target.protocol === "https:" && next.protocol !== "https:";
      const withToken = "authorization" in headers;
      if (downgraded || (withToken ? next.origin !== base.origin : !allowed(next))) {
        throw new HttpFailure(statusCode, undefined, `redirect to ${next.origin} is not allowed`);
      }
      target = next;
    }
  }

  async function withRetries<T>(url: URL, run: () => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      if (signal?.aborted)
        throw signal.reason instanceof Error ? signal.reason : new Interrupted("SIGINT");
      try {
        return await governor.run(async () => {
          if (signal?.aborted) throw signal.reason;
          return await run();
        });
      } catch (error) {
        if (error instanceof Interrupted) throw error;
        const failure =
          error instanceof HttpFailure ? error : new HttpFailure(0, undefined, reason(error));
        const delay = retryDelay(failure, attempts, new Date(now()));
        if (delay === undefined || delay > maxWaitMs) {
          throw apiError(url, failure, attempts, error, delay);
        }
        stats.retries++;
        reporter.info(
          `GET ${shown(url)}: ${failure.message}, again in ${(delay / 1000).toFixed(1)} s`,
        );
        if (failure.status === 429 || failure.status === 503) governor.pauseUntil(now() + delay);
        else await sleep(delay, signal);
      }
    }
  }

  function apiError(
    url: URL,
    failure: HttpFailure,
    attempts: number,
    cause: unknown,
    delay: number | undefined,
  ): ApiError {
    const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
    const hint =
      delay !== undefined
        ? `the origin asks to wait ${Math.round(delay / 60_000)} minutes; run again after that`
        : hintFor(failure.status, config.origin.tokenEnv);
    return new ApiError(`GET ${shown(url)}: ${failure.message} after ${times}`, {
      url: printable(url),
      status: failure.status,
      attempts,
      cause,
      ...(hint === undefined ? {} : { hint }),
      ...(delay === undefined ? {} : { exitCode: exitCodes.budget }),
    });
  }

  function shown(url: URL): string {
    const text = printable(url);
    return text.startsWith(config.origin.baseUrl) ? text.slice(config.origin.baseUrl.length) : text;
  }

  function allowed(url: URL): boolean {
    return isOriginHost(url, base, config.origin.allowHosts);
  }

  return {
    stats,
    get pausedMs() {
      return governor.pausedMs;
    },
    async json(text) {
      const url = new URL(text);
      if (url.origin !== base.origin) throw new TypeError(`the token is not for ${url.origin}`);
      const headers = {
        accept: "application/json",
        "content-type": "application/json",
        "accept-encoding": "gzip, deflate, br",
        "user-agent": userAgent,
        authorization: `Bearer ${token}`,
      };
      return await withRetries(url, () =>
        attempt(url, headers, deadline(signal, jsonTimeoutMs), async (answer) => {
          const body = await readText(answer, maxJsonBytes);
          stats.bytes += Buffer.byteLength(body);
          return parseAnswer(body);
        }),
      );
    },
    async download(text, path, { maxBytes = maxDownloadBytes } = {}) {
      const url = new URL(text, base);
      // A link with http to a host that speaks https would carry its signature in the open.
      if (url.host === base.host && base.protocol === "https:") url.protocol = "https:";
      if (!allowed(url)) {
        throw new ApiError(`${printable(url)}: host is not allowed`, {
          url: printable(url),
          status: 0,
          attempts: 0,
          hint: `add "${url.host}" to origin.allowHosts if the service keeps its binaries there`,
        });
      }
      const headers = { accept: "*/*", "accept-encoding": "identity", "user-agent": userAgent };
      return await withRetries(url, () =>
        attempt(url, headers, deadline(signal), async (answer) => {
          const result = await saveBody(answer, path, maxBytes, now);
          stats.downloads++;
          stats.bytes += result.bytes;
          return result;
        }),
      );
    },
    async close() {
      await agent.destroy();
    },
  };
}

const userAgent = "stillpress (static archive of a media publishing service)";

/** What an attempt failed with, before it is known whether another one follows. */
class HttpFailure extends Error {
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(status: number, retryAfter?: string, detail?: string) {
    super(detail ?? (status === 0 ? "no answer" : String(status)));
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

function hintFor(status: number, tokenEnv: string): string | undefined {
  if (status === 401) return `the token in ${tokenEnv} was refused`;
  if (status === 403) return `the token in ${tokenEnv} may not read this`;
  if (status === 404) return "check origin.baseUrl and origin.paths in the configuration";
  if (status === 0) return "check origin.baseUrl, and that the service can be reached from here";
  return undefined;
}

function parseAnswer(text: string): JsonAnswer {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    // An answer cut short by a proxy looks like this too, so it is worth another attempt.
    throw new HttpFailure(0, undefined, "answer is not JSON");
  }
}

async function readText(answer: Answer, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded(answer)) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes)
      throw new HttpFailure(413, undefined, `answer is above ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function saveBody(
  answer: Answer,
  path: string,
  maxBytes: number,
  now: () => number,
): Promise<Downloaded> {
  const hash = sha256Stream();
  const started = now();
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      const seconds = (now() - started) / 1000;
      if (bytes > maxBytes)
        done(new HttpFailure(413, undefined, `file is above ${maxBytes} bytes`));
      else if (seconds > 30 && bytes / seconds < minBytesPerSecond) {
        done(new HttpFailure(0, undefined, "download is too slow"));
      } else done(null, chunk);
    },
  });
  await pipeline(decoded(answer), meter, createWriteStream(path));
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  const type = header(answer.headers, "content-type")?.split(";")[0]?.trim().toLowerCase();
  return { bytes, sha256: hash.digest("hex"), type: type === "" ? undefined : type };
}

/** The body without its content encoding; undici hands it over as it travelled. */
function decoded(answer: Answer): Readable {
  const encoding = header(answer.headers, "content-encoding")?.trim().toLowerCase() ?? "identity";
  const decoder =
    encoding === "gzip" || encoding === "x-gzip"
      ? createGunzip()
      : encoding === "deflate"
        ? createInflate()
        : encoding === "br"
          ? createBrotliDecompress()
          : undefined;
  if (decoder === undefined) {
    if (encoding !== "identity" && encoding !== "") {
      answer.body.destroy();
      throw new HttpFailure(415, undefined, `content encoding "${encoding}" is not known`);
    }
    return answer.body;
  }
  answer.body.on("error", (error) => decoder.destroy(error));
  return answer.body.pipe(decoder);
}

function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function deadline(signal: AbortSignal | undefined, timeoutMs?: number): AbortSignal {
  const signals = [
    ...(signal ? [signal] : []),
    ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
  ];
  return AbortSignal.any(signals);
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return "no answer";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return `no complete answer (${code})`;
}

async function sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, delayMs);
    signal?.addEventListener("abort", done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
