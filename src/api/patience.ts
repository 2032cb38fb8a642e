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

/** The same work, whose result is shared by all calls that come meanwhile. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underway: Promise<T> | undefined;
  return () => {
    underway ??= work().finally(() => {
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
  const check = shared(async () => {
    const begun = performance.now();
    await look();
    accepted = begun;
  });
  return async () => {
    if (performance.now() - accepted >= acceptedMs) await check();
  };
}

interface PatienceOptions {
  /** How long an origin is waited for that stopped answering. */
  seconds: number;
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
  const { seconds, look, reporter, signal, clock = systemClock } = options;
  let hasAnswered = false;
  let failures = 0;

  const find = shared(async (): Promise<"there" | "back" | "gone"> => {
    // An origin that has never answered is not waited for: its address may be wrong.
    const until = clock.now() + (hasAnswered ? seconds * 1000 : 0);
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
      if (!waited) reporter.info(`the origin does not answer; waiting up to ${seconds} s for it`);
      await sleepOn(clock, Math.min(lookEveryMs, leftMs), signal);
    }
  });

  /** Whether so much failed in a row that the rest of its kind need not be asked for. */
  const isVain = (): boolean => failures >= maxVain;

  return {
    isVain,
    /** Whether anything has been answered in this run. */
    hasAnswered: (): boolean => hasAnswered,
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
      const found = await find();
      if (found !== "gone") return found;
      const { url, status, attempts } = error;
      throw new ApiError(`the origin stopped answering: ${error.message}`, {
        url,
        status,
        attempts,
        cause: error,
        hint: "run again later; what was read so far is kept. crawl.patience says how long a run waits",
        exitCode: exitCodes.origin,
      });
    },
  };
}
