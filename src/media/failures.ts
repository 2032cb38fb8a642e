import { ApiError, exitCodes, Interrupted } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { OriginalError } from "./original.ts";

/** After this many failures in a row without an answer, the run ends. */
const patience = 10;

/**
 * Tells failures of one item from those that end the run.
 *
 * @param checkToken throws an ApiError if the origin refuses the token
 * @param signal of the run; an item that fails after it is not to blame
 */
export function createFailures(checkToken: () => Promise<void>, signal?: AbortSignal) {
  let silentOnes = 0;
  return {
    succeeded(): void {
      silentOnes = 0;
    },
    /**
     * Why an item failed; undefined if it was interrupted.
     *
     * @throws the error itself if it concerns more than this item; ApiError if the origin refuses the token
     */
    async reasonOf(error: unknown): Promise<Pick<Problem, "reason" | "hint"> | undefined> {
      if (error instanceof OriginalError) return { reason: error.message };
      if (signal?.aborted && (error instanceof Interrupted || error === signal.reason))
        return undefined;
      if (!(error instanceof ApiError)) throw error;
      if (error.exitCode === exitCodes.budget) throw error;
      if (error.status === 401) await checkToken();
      // A link to a host that is not allowed was never requested, and says nothing about the origin.
      const silent = error.attempts > 0 && (error.status === 0 || error.status >= 500);
      if (silent && signal?.aborted) return undefined;
      silentOnes = silent ? silentOnes + 1 : 0;
      const { message: reason, hint, url, status, attempts } = error;
      if (silentOnes < patience) return hint === undefined ? { reason } : { reason, hint };
      throw new ApiError(`the origin stopped answering: ${reason}`, {
        url,
        status,
        attempts,
        cause: error,
        hint: "run again later; what was downloaded so far is kept",
        exitCode: exitCodes.origin,
      });
    },
  };
}
