import type { Absence, MediaEntry } from "../store/media.ts";
import { subjectOf, type WantedItem } from "./jobs.ts";
import type { Rechecks } from "./recheck.ts";

/** What is to be said of the files of a snapshot, though none of it is a problem. */
export interface Remarks {
  /** Items with a remark, such as an SVG, or a file of another size than its record says. */
  count: number;
  /** Of them, those that are other than their records say. */
  doubtful: number;
  /** Of them, images whose originals are kept without renditions, because they could not be decoded. */
  bare: number;
  /** Items of which the origin has no file. */
  absent: number;
  /**
   * Files that came without validators (ETag, Last-Modified), so that nothing finds out when they are replaced under
   * unchanged records; 0 where `crawl.refresh` and `refreshShare` do not ask for that.
   */
  unvalidated: number;
  /** Whether the origin sent files anew although nothing had changed, so that the others were not asked for again. */
  unconditional: boolean;
  /** At most 50: SVGs, animations and the like after all others, each group by subject. */
  first: { subject: string; remark: string }[];
}

export interface RemarkCollector {
  /** Takes what the media index says of a wanted item, once for each. */
  add(
    item: Pick<WantedItem, "kind" | "id" | "record">,
    entry: MediaEntry | undefined,
    absence: Absence | undefined,
  ): void;
  /** The same for the same entries, in whichever order they came, but for what the run found out. */
  remarks(): Remarks;
}

/** As many as a report shows, and as are held in memory. */
const limit = 50;

/** @param rechecks which originals are asked for again under unchanged records */
export function createRemarks(
  rechecks: Readonly<Pick<Rechecks, "active" | "givenUp">>,
): RemarkCollector {
  const counts = { count: 0, doubtful: 0, bare: 0, absent: 0, unvalidated: 0 };
  const first: { order: string; subject: string; remark: string }[] = [];

  function note(subject: string, remark: string, rank: 0 | 1): void {
    counts.count++;
    const order = `${rank} ${subject}`;
    const after = first.findIndex((other) => order < other.order);
    first.splice(after === -1 ? first.length : after, 0, { order, subject, remark });
    if (first.length > limit) first.pop();
  }

  return {
    add(item, entry, absence) {
      const absent = absence?.record === item.record ? absence.reason : undefined;
      if (absent !== undefined) {
        counts.absent++;
        const kept = entry === undefined ? "" : " (kept the previous original)";
        note(subjectOf(item), absent + kept, 0);
      }
      if (entry === undefined) return;
      if (rechecks.active && entry.validators === undefined) counts.unvalidated++;
      const { remark, doubtful = false, renditions } = entry;
      const bare = entry.kind === "images" && renditions.length === 0;
      if (doubtful) counts.doubtful++;
      if (bare) counts.bare++;
      if (remark !== undefined && absent === undefined) {
        note(subjectOf(item), remark, doubtful || bare ? 0 : 1);
      }
    },
    remarks: () => ({
      ...counts,
      unconditional: rechecks.givenUp,
      first: first.map(({ subject, remark }) => ({ subject, remark })),
    }),
  };
}
