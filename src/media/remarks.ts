import type { Absence, MediaEntry } from "../store/media.ts";
import { subjectOf, type WantedItem } from "./jobs.ts";
import type { Rechecks } from "./recheck.ts";

/** What is odd about the files of a snapshot, and no problem. */
export type Remarks = ReturnType<ReturnType<typeof createRemarks>["remarks"]>;

/** How many remarks a report shows, and memory holds. */
const limit = 50;

export function createRemarks(rechecks: Readonly<Pick<Rechecks, "active" | "givenUp">>) {
  const counts = {
    /** Items with a remark, such as an SVG, or a file of another size than its record says. */
    count: 0,
    /** Of them, those that differ from their records. */
    doubtful: 0,
    /** Of them, images without renditions, because their originals could not be decoded. */
    bare: 0,
    /** Images whose originals say where they were taken. */
    places: 0,
    absent: 0,
    /** Files without validators (ETag, Last-Modified), which no recheck can ask for; 0 without rechecks. */
    unvalidated: 0,
  };
  const sorted: { order: string; subject: string; remark: string }[] = [];

  function note(subject: string, remark: string, rank: 0 | 1): void {
    counts.count++;
    const order = `${rank} ${subject}`;
    const after = sorted.findIndex((other) => order < other.order);
    sorted.splice(after === -1 ? sorted.length : after, 0, { order, subject, remark });
    if (sorted.length > limit) sorted.pop();
  }

  return {
    /** Takes what the media index says of a wanted item, once for each. */
    add(
      item: Pick<WantedItem, "kind" | "id" | "record">,
      entry: MediaEntry | undefined,
      absence: Absence | undefined,
    ): void {
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
      if (entry.metadata?.place) counts.places++;
      if (remark === undefined || absent !== undefined) return;
      note(subjectOf(item), remark, doubtful || bare ? 0 : 1);
    },
    /**
     * The counts, the first remarks, SVGs, animations and the like after all others, each group by subject, and whether
     * rechecks ended because the origin sent unchanged files again. The order of the entries does not matter.
     */
    remarks() {
      const first = sorted.map(({ subject, remark }) => ({ subject, remark }));
      return { ...counts, unconditional: rechecks.givenUp, first };
    },
  };
}
