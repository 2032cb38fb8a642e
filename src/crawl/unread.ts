import { groupedBy } from "../lib/frequency.ts";
import { andMore, plural } from "../lib/words.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import { addProblem, addRemark, type CrawlContext } from "./context.ts";
import type { PagedList } from "./page.ts";

/** So many of a list are told: each item may have a reason of its own. */
const mostReasons = 20;
/** What fewer items have is no fault of the whole service. */
const many = 5;

const believedHint = "the mirror has these members as they came; elsewhere they count as empty";
const suddenHint =
  "it was otherwise in the last snapshot; if the next night finds the same, it is believed";

/**
 * Tells of members that count as empty because they cannot be read, the most frequent first; their items are for
 * `report.json` alone. A remark, but a problem for one night where most items of a list suddenly have it: that may be a
 * fault of the moment, and must not empty an archive.
 *
 * @param before the last snapshot
 */
export function tellUnread(
  context: CrawlContext,
  subject: string,
  { unread, refs }: Pick<PagedList, "unread" | "refs">,
  before: SnapshotManifest | undefined,
): void {
  const known = [...(before?.remarks ?? []), ...(before?.problems ?? [])];
  const groups = [...groupedBy([...unread], ([, reason]) => reason)];
  groups.sort(([, a], [, b]) => b.length - a.length);
  for (const [reason, items] of groups.slice(0, mostReasons)) {
    const ids = items.map(([id]) => `id ${id}`).sort();
    const item = ids.slice(0, 3).join(", ") + andMore(ids.length - 3);
    const told = { subject, item, reason: `${plural(ids.length, "item")}: ${reason}` };
    const wasSo = known.some(
      (one) => one.subject === subject && one.reason.endsWith(`: ${reason}`),
    );
    const isMost = ids.length >= many && ids.length * 2 > refs.length;
    if (before === undefined || wasSo || !isMost)
      addRemark(context, { ...told, hint: believedHint });
    else addProblem(context, { ...told, hint: suddenHint });
  }
}
