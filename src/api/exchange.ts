import type { Agent } from "undici";
import type { Answer } from "./body.ts";
import { AttemptError } from "./failure.ts";
import type { Governor } from "./governor.ts";
import { headerOf } from "./rate-headers.ts";

/** One GET, redirects followed by our own rules: undici would hand the token on. */
export interface Ask<T> {
  url: URL;
  headers: Record<string, string>;
  /** Whether a redirect may lead there; the scheme is checked already. */
  mayGo: (target: URL) => boolean;
  /** What to do where it may not. */
  redirectHint: (target: URL) => string;
  /** Milliseconds that each answer may take until it is read; undefined where `read` has an own limit. */
  bodyMs: number | undefined;
  /** Reads the body of a success to its end, or destroys it. */
  read: (answer: Answer) => Promise<T>;
}

export interface ExchangeOptions {
  agent: Agent;
  governor: Governor;
  signal: AbortSignal | undefined;
  /** Milliseconds until the headers must be there, and for the rest of an answer that is of no use. */
  headersMs: number;
  /** Called for each request that goes out. */
  onRequest: () => void;
}

export type Exchange = <T>(ask: Ask<T>) => Promise<T>;

const maxHops = 3;
const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * Makes the function for one attempt. Every request of it, a redirect's too, takes its own turn at the governor.
 * It throws the signal's reason when that is raised, and else what the attempt failed with.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const { agent, governor, signal, headersMs, onRequest } = options;
  const running = new Set<AbortController>();
  signal?.addEventListener(
    "abort",
    () => {
      for (const stop of running) stop.abort(signal.reason);
    },
    { once: true },
  );

  /** The result of `read`, or where else to ask. */
  function request<T>(target: URL, ask: Ask<T>): Promise<{ result: T } | { location: URL }> {
    return governor.run(async (answered) => {
      const stop = new AbortController();
      running.add(stop);
      let timer = expire(stop, headersMs);
      onRequest();
      try {
        const answer: Answer = await agent.request({
          origin: target.origin,
          path: target.pathname + target.search,
          method: "GET",
          headers: ask.headers,
          signal: stop.signal,
        });
        answered(answer.headers);
        clearTimeout(timer);
        const success = answer.statusCode === 200 || answer.statusCode === 203;
        timer = expire(stop, success ? ask.bodyMs : headersMs);
        if (!success) return { location: await locationOf(answer, target) };
        return { result: await read(answer, ask) };
      } catch (error) {
        signal?.throwIfAborted();
        // A status that was read counts, also where the rest of its answer did not come in time.
        throw stop.signal.aborted && !(error instanceof AttemptError) ? stop.signal.reason : error;
      } finally {
        clearTimeout(timer);
        running.delete(stop);
      }
    });
  }

  return async (ask) => {
    let target = ask.url;
    for (let hop = 0; hop <= maxHops; hop++) {
      const outcome = await request(target, ask);
      if ("result" in outcome) return outcome.result;
      const { location } = outcome;
      const downgraded = target.protocol === "https:" && location.protocol !== "https:";
      if (downgraded || !ask.mayGo(location)) {
        throw new AttemptError(`redirect to ${location.origin} is not allowed`, {
          status: 302,
          hint: downgraded ? undefined : ask.redirectHint(location),
        });
      }
      target = location;
    }
    throw new AttemptError(`more than ${maxHops} redirects`, { status: 302 });
  };
}

async function read<T>(answer: Answer, ask: Ask<T>): Promise<T> {
  try {
    return await ask.read(answer);
  } catch (error) {
    // Only what is read to its end leaves a connection that can be used again.
    answer.body.on("error", () => {}).destroy();
    throw error;
  }
}

function expire(stop: AbortController, ms: number | undefined): NodeJS.Timeout | undefined {
  if (ms === undefined) return undefined;
  return setTimeout(() => {
    stop.abort(new AttemptError(`no complete answer within ${ms / 1000} s`));
  }, ms);
}

/** Where a redirect leads. @throws AttemptError with the status of any other answer */
async function locationOf(answer: Answer, target: URL): Promise<URL> {
  const { statusCode: status, headers } = answer;
  await discard(answer);
  const location = headerOf(headers, "location");
  if (!redirects.has(status) || location === undefined) {
    throw new AttemptError(String(status), {
      status,
      retryAfter: headerOf(headers, "retry-after"),
    });
  }
  try {
    return new URL(location, target);
  } catch {
    throw new AttemptError(`${status} to something that is no URL`, { status });
  }
}

const maxDiscardedBytes = 64 << 10;

/** Reads the rest of an answer that is of no use, so that its connection can be used again; not at any price. */
async function discard({ body }: Answer): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxDiscardedBytes) break;
    }
  } catch {
    // The status has been read, which is all that counts here.
  }
}
