import { ApiError, exitCodes, Interrupted } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import type { MediaKind } from "../routes/table.ts";
import type { MediaIndex } from "../store/media.ts";
import type { MediaContext } from "./context.ts";
import type { WantedItem } from "./jobs.ts";
import { OriginalError } from "./original.ts";

type Concerned = Pick<MediaContext, "checkToken" | "signal"> & {
  patience: Pick<MediaContext["patience"], "answered" | "failed">;
};

/**
 * Why an item failed; "again" if it is worth another attempt, undefined if it was interrupted.
 *
 * @throws the error itself if it concerns more than this item; ApiError if the origin refuses the token or is gone
 */
export async function failureOf(
  error: unknown,
  { patience, checkToken, signal }: Concerned,
): Promise<Omit<Problem, "subject"> | "again" | undefined> {
  if (signal?.aborted && (error instanceof Interrupted || error === signal.reason))
    return undefined;
  if (error instanceof ApiError && error.exitCode !== exitCodes.budget) {
    if (error.status === 401) await checkToken();
    // A link to a host that is not allowed was never requested, and says nothing about the origin.
    const silent = error.attempts > 0 && (error.status === 0 || error.status >= 500);
    if (silent && signal?.aborted) return undefined;
    if (!silent) patience.answered();
    else if ((await patience.failed(error)) === "back") return "again";
  } else if (!(error instanceof OriginalError)) throw error;
  const { message: reason, hint } = error;
  return hint === undefined ? { reason } : { reason, hint };
}

/** All items of a kind can be without a file if there are fewer than this. */
const telling = 5;

/**
 * Problems with kinds of which the origin denies all files: it has failed, so that their absences are deleted.
 *
 * @param denied items of which it had no file in this run, nor the store one from before
 * @param wanted number of all items of each kind
 */
export function* deniedKinds(
  denied: readonly WantedItem[],
  wanted: ReadonlyMap<MediaKind, number>,
  media: Pick<MediaIndex, "putAbsence">,
): Generator<Problem> {
  for (const [kind, count] of wanted) {
    const items = denied.filter((item) => item.kind === kind);
    if (items.length < telling || items.length < count) continue;
    for (const { id } of items) media.putAbsence(kind, id, undefined);
    yield {
      subject: kind,
      reason: `the origin answers 404 for each of ${items.length} files that it lists`,
      hint: "if the origin really has none of them, publish with --allow-incomplete",
    };
  }
}
