import type { MediaEntry } from "../store/media.ts";
import { subjectOf } from "./jobs.ts";
import type { Rechecks } from "./recheck.ts";

/** What is to be said of the files of a snapshot, though none of it is a problem. */
export interface Remarks {
  /** Files with a remark, such as an SVG, or one of another size than its record says. */
  count: number;
  /** Of them, those that are other than their records say. */
  doubtful: number;
  /**
   * Files that came without validators (ETag, Last-Modified), so that nothing finds out when they are replaced under
   * unchanged records; 0 where `crawl.refresh` and `refreshShare` do not ask for that.
   */
  unvalidated: number;
  /** Whether the origin sent files anew although nothing had changed, so that the others were not asked for again. */
  unconditional: boolean;
  /** At most 50: the doubtful ones before the others, each group by subject. */
  first: { subject: string; remark: string }[];
}

export interface RemarkCollector {
  /** Takes what the media index holds of a wanted item, once for each. */
  add(entry: MediaEntry | undefined): void;
  /** The same for the same entries, in whichever order they came, but for what the run found out. */
  remarks(): Remarks;
}

/** As many as a report shows, and as are held in memory. */
const limit = 50;

/** @param rechecks which originals are asked for again under unchanged records */
export function createRemarks(
  rechecks: Readonly<Pick<Rechecks, "active" | "givenUp">>,
): RemarkCollector {
  const counts = { count: 0, doubtful: 0, unvalidated: 0 };
  const first: { order: string; subject: string; remark: string }[] = [];
  return {
    add(entry) {
      if (entry === undefined) return;
      if (rechecks.active && entry.validators === undefined) counts.unvalidated++;
      const { remark, doubtful = false } = entry;
      if (remark === undefined) return;
      counts.count++;
      if (doubtful) counts.doubtful++;
      const subject = subjectOf(entry);
      const order = `${doubtful ? 0 : 1} ${subject}`;
      const after = first.findIndex((other) => order < other.order);
      first.splice(after === -1 ? first.length : after, 0, { order, subject, remark });
      if (first.length > limit) first.pop();
    },
    remarks: () => ({
      ...counts,
      unconditional: rechecks.givenUp,
      first: first.map(({ subject, remark }) => ({ subject, remark })),
    }),
  };
}
