import { setMaxListeners } from "node:events";
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import type { Config } from "../config.ts";
import { ApiError, exitCodes, StillpressError } from "../errors.ts";
import { type Clock, sleepOn, systemClock } from "../lib/clock.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { tokenCutter } from "../lib/token.ts";
import { isOriginHost } from "../lib/urls.ts";
import { isPage, typeOf } from "./body.ts";
import { createConnector } from "./connect.ts";
import { createDispatcher } from "./dispatcher.ts";
import { type Ask, attempt, type ExchangeOptions } from "./exchange.ts";
import { AttemptError, backoffMs, isRetried, toldToWait, transportFailure } from "./failure.ts";
import { isAnswerAddress, tokenScope } from "./file-address.ts";
import { type Downloaded, fileSink } from "./file-sink.ts";
import { Governor } from "./governor.ts";
import { notAllowed } from "./hosts.ts";
import { type JsonAnswer, jsonSink } from "./json-sink.ts";
import { type ClientLimits, defaultLimits, raisedAfter } from "./limits.ts";
import {
  finalError,
  linkName,
  type Name,
  refusedLink,
  requestName,
  withoutQuery,
} from "./messages.ts";
import { createOriginClock } from "./origin-clock.ts";
import { createRateMemory } from "./rate-memory.ts";
import { createRequestHeaders } from "./request-headers.ts";
import { conditionsOf, type Validators } from "./validators.ts";

export type { ClientLimits, Downloaded, JsonAnswer, Validators };

export interface DownloadOptions {
  /** Id of the item whose file it is. The token is for addresses that name it, and for `origin.tokenPaths`. */
  id?: string;
  /** What the last answer gave: where nothing has changed since, there is no file. */
  validators?: Validators | undefined;
  maxBytes?: number;
  /** Bytes of the file, as its record says. */
  knownBytes?: number;
  /** Gives a newer link when the request's turn has come. If it throws, no request is made. */
  linkAtTurn?: () => string;
}

export interface ClientOptions {
  config: Pick<Config, "origin" | "crawl">;
  /** Bearer token; sent to the origin of `baseUrl` only. */
  token: string;
  reporter?: Reporter;
  /** Ends waits at once, and requests that are underway after `drainMs`; both are rejected with its reason. */
  signal?: AbortSignal | undefined;
  /** File in which the governor's state outlives the run; none where undefined. */
  rateFile?: string | undefined;
  limits?: Partial<ClientLimits>;
  /** Of rate, pauses and waits; how long a transfer may take is measured in real time. */
  clock?: Clock;
  lookup?: LookupFunction;
}

const noFile = "its address is one of the API's answers";

export function createClient(options: ClientOptions): ApiClient {
  return new ApiClient(options);
}

/** All traffic with the origin goes through here: authorisation, governor, retries, redirects, limits. */
export class ApiClient {
  /** How the requests of a run were spent; `bytes` are those of the bodies received, `pauses` what the origin wanted. */
  readonly stats = { requests: 0, downloads: 0, retries: 0, pauses: 0, bytes: 0 };
  readonly #origin: Config["origin"];
  readonly #base: URL;
  readonly #headers: ReturnType<typeof createRequestHeaders>;
  readonly #cutToken: (text: string) => string;
  readonly #limits: ClientLimits;
  readonly #maxValues: number;
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  readonly #signal: AbortSignal | undefined;
  readonly #agent: Dispatcher;
  /** Keeps no connection open. */
  readonly #apart: Dispatcher;
  readonly #memory: ReturnType<typeof createRateMemory>;
  readonly #governor: Governor;
  readonly #exchange: ExchangeOptions;
  readonly originClock: ReturnType<typeof createOriginClock>;
  #warnedOfToken = false;
  /** Where files were refused without the token, and came with it. */
  readonly #scopes = new Set<string>();
  /** Downloads that were given up because they took too long. */
  #slow = 0;

  constructor(options: ClientOptions) {
    const { config, token, signal, reporter = silent, clock = systemClock } = options;
    const { origin, crawl } = config;
    this.#origin = origin;
    this.#base = new URL(origin.baseUrl);
    this.#headers = createRequestHeaders(origin, token);
    this.#cutToken = tokenCutter(token);
    this.#maxValues = crawl.limits.values;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#clock = clock;
    this.originClock = createOriginClock(clock, reporter);
    this.#reporter = reporter;
    this.#signal = signal;
    // Raised when what is underway must end too.
    const drained = signal && raisedAfter(signal, this.#limits.drainMs);
    // Every request and every wait listens: their number is bounded by the concurrency, not by Node's ten.
    if (signal && drained) setMaxListeners(0, signal, drained);
    const { idleMs, maxPauseMs, firstDelayMs } = this.#limits;
    const { allowHosts } = origin;
    const connection = {
      connections: crawl.concurrency,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      connect: createConnector({ base: this.#base, allowHosts, lookup: options.lookup }),
    };
    this.#agent = createDispatcher({ ...connection, pipelining: 1 });
    this.#apart = createDispatcher({ ...connection, pipelining: 0 });
    const memory = { file: options.rateFile, origin: this.#base.origin, rate: origin.rate, clock };
    this.#memory = createRateMemory(memory);
    this.#governor = new Governor({
      rate: origin.rate,
      concurrency: crawl.concurrency,
      signal,
      state: this.#memory.recall(),
      maxPauseMs,
      refusalMs: firstDelayMs,
      onPause: () => {
        this.stats.pauses++;
        this.#memory.paused(this.#governor);
      },
      clock,
    });
    this.#exchange = {
      governor: this.#governor,
      signal: drained,
      headersMs: idleMs,
      now: clock.now,
      onRequest: () => {
        this.stats.requests++;
        this.#memory.started(this.#governor);
      },
      onAnswer: ({ headers }, url) => {
        // Other hosts have other clocks, and nothing to do with the links.
        if (url.origin === this.#base.origin) this.originClock.hear(headers);
      },
    };
  }

  /** What the rate has cost in time, and still does, in milliseconds. */
  get waits() {
    const { waitedMs, pausedMs, pauseMs, msPerRequest } = this.#governor;
    return { waitedMs, pausedMs, pauseMs, msPerRequest };
  }

  /**
   * GET of an API URL with the token, answered in JSON, from which the token is cut out where it is repeated.
   *
   * @param apart once more, over a connection of its own, on which no answer to another request can be left
   * @throws ApiError with the status when it is refused, fails for good, or is no JSON
   * @throws BudgetError when the origin wants a longer pause than a run sits out
   */
  async json(text: string, { apart = false }: { apart?: boolean } = {}): Promise<JsonAnswer> {
    const url = new URL(text);
    if (url.origin !== this.#base.origin) {
      throw new TypeError(`the token is not for ${url.origin}`);
    }
    if (apart) this.stats.retries++;
    const { jsonMs, maxJsonBytes } = this.#limits;
    const limits = { maxBytes: maxJsonBytes, maxValues: this.#maxValues };
    const ask: Ask<JsonAnswer> = {
      url,
      dispatcher: apart ? this.#apart : this.#agent,
      headersFor: () => this.#headers.json,
      mayGo: (target) => target.origin === this.#base.origin,
      refusal: () => ({ hint: "check origin.baseUrl: the token is sent to no other address" }),
      bodyMs: jsonMs,
      open: (head) => jsonSink(head, limits, (body) => this.#withoutToken(body)),
    };
    const answer = await this.#answer(ask, requestName(url, this.#origin));
    this.stats.bytes += answer.bytes;
    return answer;
  }

  /**
   * GET of a file, streamed to disk, without the token first. Where that is refused and `tokenScope` allows the token,
   * the file is asked for with it, and the next ones there at once. A failure leaves no file.
   *
   * @returns undefined where the origin says (304) that nothing has changed since the validators
   * @throws ApiError with the status; 403, or 401, means that the link has expired, 404 also that no file can be there
   * @throws BudgetError as above
   * @throws StoreError when the file cannot be written
   */
  async download(
    text: string,
    path: string,
    { id, validators = {}, maxBytes, knownBytes, linkAtTurn }: DownloadOptions = {},
  ): Promise<Downloaded | undefined> {
    const url = this.#linkOf(text);
    const { maxDownloadBytes, ...limits } = this.#limits;
    const isConditional = Object.keys(conditionsOf(validators)).length > 0;
    const scope = tokenScope(url, id, this.#origin);
    let sent = false;
    let endsAt: number | undefined;
    const ask: Ask<Downloaded | undefined> = {
      url,
      dispatcher: this.#agent,
      urlAtTurn: linkAtTurn && (() => this.#linkOf(linkAtTurn())),
      // Links age, and lists of them do not.
      urgent: true,
      headersFor: (target, redirected) => {
        // Another file may have told meanwhile.
        sent ||= scope !== undefined && this.#scopes.has(scope);
        const isOwn = sent && !redirected && tokenScope(target, id, this.#origin) === scope;
        return this.#headers.file(target, validators, isOwn);
      },
      mayGo: (target) => {
        if (isAnswerAddress(target, this.#origin)) throw new AttemptError(noFile, { status: 404 });
        return this.#mayFetch(target);
      },
      refusal: ({ host }) => notAllowed(host),
      bodyMs: undefined,
      ...(isConditional && { unchanged: () => undefined }),
      open: (head, stop) => {
        // Some services answer so to whom they do not know.
        if (scope !== undefined && !sent && isPage({ type: typeOf(head) })) {
          throw new AttemptError("answer is a page, not a file", { status: 401, final: true });
        }
        endsAt ??= performance.now() + limits.downloadMs;
        const leftMs = endsAt - performance.now();
        const paceBytesPerSecond = limits.paceBytesPerSecond * (1 + this.#slow);
        const most = maxBytes ?? maxDownloadBytes;
        const own = { maxBytes: most, knownBytes, leftMs, paceBytesPerSecond };
        const cut = (reason: AttemptError): void => {
          if (reason.final) this.#slow++;
          stop(reason);
        };
        return fileSink(head, path, { ...limits, ...own, clean: this.#cutToken, stop: cut });
      },
    };
    const name = linkName(url, this.#origin);
    const file = await this.#answer(ask, name).catch((error: unknown) => {
      if (scope === undefined || sent || !isRefusal(error)) throw error;
      sent = true;
      return this.#answer(ask, name);
    });
    if (scope !== undefined && sent) this.#scopes.add(scope);
    if (file !== undefined) this.stats.downloads++;
    this.stats.bytes += file?.bytes ?? 0;
    return file;
  }

  /** Closes connections and keeps what the next run must know of the rate. */
  async close(): Promise<void> {
    this.#memory.ended(this.#governor);
    await Promise.all([this.#agent.destroy(), this.#apart.destroy()]);
  }

  /** Asks until there is an answer. @throws the signal's reason, or a StillpressError */
  async #answer<T>(ask: Ask<T>, name: Name): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      this.#signal?.throwIfAborted();
      try {
        return await attempt(ask, this.#exchange);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (error instanceof StillpressError) throw error;
        await this.#beforeNext(error, attempts, name);
      }
    }
  }

  /** Waits before another attempt. @throws ApiError where there is to be none */
  async #beforeNext(error: unknown, attempts: number, name: Name): Promise<void> {
    const failure = transportFailure(error);
    const again = attempts < this.#limits.maxAttempts && isRetried(failure, attempts);
    // No attempt was made at an address that is refused.
    const isRefused = failure.host !== undefined && failure.status === 0;
    if (!again) throw finalError(name, failure, isRefused ? 0 : attempts);
    // The governor knows how long all requests have to wait, and sees to it.
    const waits = toldToWait(failure);
    const { firstDelayMs, maxPauseMs } = this.#limits;
    const delayMs = waits ? this.#governor.pauseMs : backoffMs(attempts, firstDelayMs);
    if (delayMs > maxPauseMs) throw finalError(name, failure, attempts, delayMs);
    this.stats.retries++;
    const seconds = (delayMs / 1000).toFixed(1);
    this.#reporter.info(`GET ${name.short}: ${failure.message}, again in ${seconds} s`);
    if (!waits) await sleepOn(this.#clock, delayMs, this.#signal);
  }

  /** A link as it may be requested. @throws ApiError where it leads to no host that may be asked */
  #linkOf(text: string): URL {
    const base = this.#base;
    const url = URL.canParse(text, base.href) ? new URL(text, base.href) : undefined;
    if (url?.protocol !== "http:" && url?.protocol !== "https:") {
      throw refusedLink("link is not an http(s) URL");
    }
    // A link with http to a host that speaks https would carry its signature in the open.
    if (url.host === base.host && base.protocol === "https:") url.protocol = "https:";
    if (!this.#mayFetch(url)) {
      throw refusedLink(`${withoutQuery(url)}: host is not in origin.allowHosts`, url);
    }
    if (!isAnswerAddress(url, this.#origin)) return url;
    throw refusedLink(noFile, url, 404);
  }

  #mayFetch(url: URL): boolean {
    return isOriginHost(url, this.#base, this.#origin.allowHosts);
  }

  #withoutToken(text: string): string {
    const clean = this.#cutToken(text);
    if (clean !== text && !this.#warnedOfToken) {
      this.#warnedOfToken = true;
      this.#reporter.warn("the origin's content repeats the access token; it is cut out");
    }
    return clean;
  }
}

/** A file may be hidden (404), or lie behind a page to sign in that the client must not go to (302). */
const refusals = new Set([302, 400, 401, 403, 404]);

/** Whether the origin may answer otherwise to whom it knows. */
function isRefusal(error: unknown): boolean {
  const isAnswer = error instanceof ApiError && error.exitCode !== exitCodes.budget;
  return isAnswer && refusals.has(error.status);
}
