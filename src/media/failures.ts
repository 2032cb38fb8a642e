import type { Patience } from "../api/patience.ts";
import { ApiError, exitCodes, Interrupted } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { OriginalError } from "./original.ts";

/**
 * Tells failures of one item from those that end the run.
 *
 * @param checkToken throws an ApiError if the origin refuses the token
 * @param signal of the run; an item that fails after it is not to blame
 */
export function createFailures(
  checkToken: () => Promise<void>,
  patience: Pick<Patience, "answered" | "failed">,
  signal?: AbortSignal,
) {
  return {
    succeeded: () => patience.answered(),
    /**
     * Why an item failed; "again" if it is worth another attempt, undefined if it was interrupted.
     *
     * @throws the error itself if it concerns more than this item; ApiError if the origin refuses the token or is gone
     */
    async reasonOf(
      error: unknown,
    ): Promise<Pick<Problem, "reason" | "hint"> | "again" | undefined> {
      if (error instanceof OriginalError) return { reason: error.message };
      if (signal?.aborted && (error instanceof Interrupted || error === signal.reason))
        return undefined;
      if (!(error instanceof ApiError)) throw error;
      if (error.exitCode === exitCodes.budget) throw error;
      if (error.status === 401) await checkToken();
      // A link to a host that is not allowed was never requested, and says nothing about the origin.
      const silent = error.attempts > 0 && (error.status === 0 || error.status >= 500);
      if (silent && signal?.aborted) return undefined;
      if (!silent) patience.answered();
      else if ((await patience.failed(error)) === "back") return "again";
      const { message: reason, hint } = error;
      return hint === undefined ? { reason } : { reason, hint };
    },
  };
}
