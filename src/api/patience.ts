import { ApiError, BudgetError, exitCodes } from "../errors.ts";
import { type Clock, sleepOn, systemClock } from "../lib/clock.ts";
import type { Reporter } from "../lib/reporter.ts";
import type { ApiClient } from "./client.ts";

/** What every token may read. */
const firstArticles = { route: "index", index: "articles", page: 1 } as const;

interface Asked {
  client: Pick<ApiClient, "json">;
  routes: { urlOf(request: typeof firstArticles): string | undefined };
}

/** Makes a function that asks for what every origin has. @throws ApiError where there is no answer */
export function lookFor({ client, routes }: Asked): () => Promise<unknown> {
  return () => client.json(routes.urlOf(firstArticles) as string);
}

/** The same work, whose result is shared by all calls that come meanwhile; the first one says what it is about. */
function shared<A, T>(work: (about: A) => Promise<T>): (about: A) => Promise<T> {
  let underway: Promise<T> | undefined;
  return (about) => {
    underway ??= work(about).finally(() => {
      underway = undefined;
    });
    return underway;
  };
}

const acceptedMs = 60_000;

/**
 * Makes a function that finds out, after a refusal of one thing, whether the token is refused altogether: then it
 * throws an ApiError. It asks at most once a minute.
 */
export function createTokenCheck(look: () => Promise<unknown>): () => Promise<void> {
  let accepted = Number.NEGATIVE_INFINITY;
  const check = shared<void, void>(async () => {
    const begun = performance.now();
    await look();
    accepted = begun;
  });
  return async () => {
    if (performance.now() - accepted >= acceptedMs) await check();
  };
}

interface PatienceOptions {
  /** How long an origin that does not answer is waited for. */
  seconds: number;
  /** Whether an earlier run had answers from it. */
  isKnown: boolean;
  /** Asks for something that every origin answers. @throws ApiError where it does not */
  look: () => Promise<unknown>;
  reporter: Pick<Reporter, "info">;
  signal?: AbortSignal | undefined;
  clock?: Clock;
}

/** So many failures in a row, of an origin that answers otherwise, say that more requests are in vain. */
const maxVain = 50;
const lookEveryMs = 15_000;

/** Tells an origin that fails for some items from one that stopped answering, and waits for that one. */
export function createPatience(options: PatienceOptions) {
  const { seconds, isKnown, look, reporter, signal, clock = systemClock } = options;
  let hasAnswered = false;
  let failures = 0;

  /** Where nothing has ever answered, the address may be wrong. A maintenance page is an answer, too. */
  const isThere = ({ status }: ApiError): boolean => hasAnswered || isKnown || status !== 0;

  const find = shared(async (failure: ApiError): Promise<"there" | "back" | "gone"> => {
    const until = clock.now() + (isThere(failure) ? seconds * 1000 : 0);
    for (let waited = false; ; waited = true) {
      try {
        await look();
        return waited ? "back" : "there";
      } catch (error) {
        const isOver = error instanceof BudgetError || !(error instanceof ApiError);
        if (isOver || error.status === 401 || error.status === 403) throw error;
      }
      const leftMs = until - clock.now();
      if (leftMs <= 0) return "gone";
      const how = failure.status === 200 ? "sends a page in place of data" : "does not answer";
      if (!waited) reporter.info(`the origin ${how}; waiting up to ${seconds} s for it`);
      await sleepOn(clock, Math.min(lookEveryMs, leftMs), signal);
    }
  });

  /** Whether so much failed in a row that the rest of its kind need not be asked for. */
  const isVain = (): boolean => failures >= maxVain;

  return {
    isVain,
    answered(): void {
      hasAnswered = true;
      failures = 0;
    },
    /**
     * Looks where the origin is after a request that it gave no usable answer to: "there", so that this concerns what
     * was asked for alone, or "back" after a wait, so that it is worth another attempt.
     *
     * @throws ApiError where the origin stays away
     */
    async failed(error: ApiError): Promise<"there" | "back"> {
      failures++;
      if (isVain()) return "there";
      const found = await find(error);
      if (found !== "gone") {
        // The first answer of all: what was asked for before deserves another attempt.
        const isFirst = !hasAnswered;
        hasAnswered = true;
        return isFirst ? "back" : found;
      }
      throw isThere(error) ? goneError(error, hasAnswered) : error;
    },
  };
}

function goneError(error: ApiError, hasAnswered: boolean): ApiError {
  const { url, status, attempts, message } = error;
  const what = hasAnswered ? "the origin stopped answering" : "the origin does not answer";
  return new ApiError(`${what}: ${message}`, {
    url,
    status,
    attempts,
    cause: error,
    hint: "run again later; what was read so far is kept. crawl.patience says how long a run waits",
    exitCode: exitCodes.origin,
  });
}
