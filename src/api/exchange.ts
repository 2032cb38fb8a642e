import type { Dispatcher } from "undici";
import type { Sink } from "./body.ts";
import { AttemptError } from "./failure.ts";
import type { Governor } from "./governor.ts";
import { headerOf, retryAfterOf } from "./headers.ts";
import { type Head, startTransfer } from "./transfer.ts";

/** One GET, redirects followed by our own rules: undici would hand the token on. */
export interface Ask<T> {
  url: URL;
  /** Replaces `url` when the request's turn has come: links age while requests wait. If it throws, nothing is asked. */
  urlAtTurn?: (() => URL) | undefined;
  /** Whether it goes before those that are not. */
  urgent?: boolean;
  /** What the request carries; asked anew for each address that a redirect leads to. */
  headersFor: (target: URL, redirected?: boolean) => Record<string, string>;
  /** Whether a redirect may lead there; the scheme is checked already. */
  mayGo: (target: URL) => boolean;
  /** What is said of a redirect that may not be followed. */
  refusal: (target: URL) => { hint: string; host?: string };
  /** Milliseconds that each answer may take; undefined where the sink has a limit of its own. */
  bodyMs: number | undefined;
  /** Where the body of a success goes; `stop` ends its transfer. */
  open: (head: Head, stop: (reason: Error) => void) => Sink<T>;
  /** Result of a 304; undefined where the request has no conditions, so that a 304 is no answer to it. */
  unchanged?: (() => T) | undefined;
  dispatcher: Dispatcher;
}

export interface ExchangeOptions {
  governor: Governor;
  signal: AbortSignal | undefined;
  /** Milliseconds until the headers must be there, and for the rest of an answer that is of no use. */
  headersMs: number;
  now: () => number;
  onRequest: () => void;
  /** Called with the head of each answer that comes, and where it comes from. */
  onAnswer: (head: Head, url: URL) => void;
}

type Outcome<T> = { result: T } | Redirect;

interface Redirect {
  location: URL;
  asked: URL;
  /** Whether the location had bytes that no address holds, and that were encoded here. */
  isRespelled: boolean;
}

const maxHops = 3;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Where a redirect leads is often signed for seconds only. */
const priorities = { usual: 0, urgent: 1, redirected: 2 };
/** The rest of an answer that is of no use is read so that its connection can be used again; not at any price. */
const maxDiscardedBytes = 64 << 10;

/**
 * Makes one attempt. Every request, a redirect's too, takes its own turn at the governor.
 *
 * @throws the signal's reason when that is raised, and else what the attempt failed with
 */
export async function attempt<T>(ask: Ask<T>, options: ExchangeOptions): Promise<T> {
  let outcome = await inTurn(ask, ask.url, ask.urgent ? "urgent" : "usual", options);
  for (let hops = 0; !("result" in outcome); hops++) {
    const { location, asked } = outcome;
    if (hops === maxHops) {
      throw new AttemptError(`more than ${maxHops} redirects`, { status: 302 });
    }
    const downgraded = asked.protocol === "https:" && location.protocol !== "https:";
    if (downgraded || !ask.mayGo(location)) {
      throw new AttemptError(`redirect to ${location.origin} is not allowed`, {
        status: 302,
        ...(!downgraded && ask.refusal(location)),
      });
    }
    const headersFor = (target: URL) => ask.headersFor(target, true);
    const next = { ...ask, headersFor, urlAtTurn: undefined };
    const { isRespelled } = outcome;
    outcome = await inTurn(next, location, "redirected", options).catch((error: unknown) => {
      throw isRespelled && isGone(error) ? unproved(error) : error;
    });
  }
  return outcome.result;
}

function inTurn<T>(
  ask: Ask<T>,
  url: URL,
  priority: keyof typeof priorities,
  options: ExchangeOptions,
): Promise<Outcome<T>> {
  let target = url;
  return options.governor.run((answered) => request(ask, target, answered, options), {
    priority: priorities[priority],
    ready() {
      target = ask.urlAtTurn?.() ?? url;
    },
  });
}

async function request<T>(
  ask: Ask<T>,
  target: URL,
  answered: (head: Head) => void,
  { signal, headersMs, now, onRequest, onAnswer }: ExchangeOptions,
): Promise<Outcome<T>> {
  let sink = undefined as Sink<T> | undefined;
  let refusal = undefined as Head | undefined;
  let discarded = 0;
  onRequest();
  const { done, stop } = startTransfer(ask.dispatcher, target, ask.headersFor(target), {
    head(head) {
      onAnswer(head, target);
      answered(head);
      clearTimeout(timer);
      const success = head.status === 200 || head.status === 203;
      timer = expire(stop, success ? ask.bodyMs : headersMs);
      if (success) sink = ask.open(head, stop);
      else refusal = head;
    },
    piece(piece) {
      if (sink !== undefined) return sink.take(piece);
      discarded += piece.length;
      if (discarded > maxDiscardedBytes) throw new Error("the rest is of no use");
    },
  });
  let timer = expire(stop, headersMs);
  const stopNow = (): void => stop(signal?.reason);
  signal?.addEventListener("abort", stopNow, { once: true });
  try {
    await done;
    clearTimeout(timer);
    if (sink !== undefined) return { result: await sink.finish() };
  } catch (error) {
    sink?.abandon?.();
    signal?.throwIfAborted();
    // A status that was read counts, also where the rest of its answer did not come, or not in time.
    if (refusal === undefined) throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stopNow);
  }
  if (refusal?.status === 304 && ask.unchanged !== undefined) return { result: ask.unchanged() };
  return locationOf(refusal as Head, target, now());
}

function expire(stop: (reason: Error) => void, ms: number | undefined) {
  if (ms === undefined) return undefined;
  return setTimeout(() => stop(new AttemptError(`no complete answer within ${ms / 1000} s`)), ms);
}

/** Where a redirect leads. @throws AttemptError with the status of any other answer */
function locationOf({ status, headers }: Head, asked: URL, now: number): Redirect {
  const location = headerOf(headers, "location");
  if (!redirects.has(status) || location === undefined) {
    throw new AttemptError(String(status), { status, retryAfterMs: retryAfterOf(headers, now) });
  }
  // A character stands for a byte: servers write UTF-8 and Latin-1, and expect what they wrote.
  const encoded = location.replace(/[\x80-\xff]/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  if (URL.canParse(encoded, asked.href)) {
    const isRespelled = /[^\x21-\x7e]/.test(location);
    return { location: new URL(encoded, asked), asked, isRespelled };
  }
  throw new AttemptError(`${status} to something that is not a URL`, { status });
}

function isGone(error: unknown): error is AttemptError {
  return error instanceof AttemptError && (error.status === 404 || error.status === 410);
}

/** What an address that was spelled anew does not lead to may be there under another spelling. */
function unproved({ status }: AttemptError): AttemptError {
  const message = `${status} at the address of a redirect that had to be encoded`;
  return new AttemptError(message, { status: 302, final: true });
}
