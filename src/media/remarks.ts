import type { Absence, MediaEntry } from "../store/media.ts";
import { subjectOf, type WantedItem } from "./jobs.ts";
import type { Rechecks } from "./recheck.ts";

/** What is worth saying of the files of a snapshot without being a problem. */
export interface Remarks {
  /** Items with a remark, such as an SVG, or a file of another size than its record says. */
  count: number;
  /** Of them, those that are other than their records say. */
  doubtful: number;
  /** Of them, images whose originals are kept without renditions, because they could not be decoded. */
  bare: number;
  absent: number;
  /** Files without validators (ETag, Last-Modified), so that no recheck finds replacements; 0 without rechecks. */
  unvalidated: number;
  /** Whether the origin sent unchanged files again, so that the others were not asked for. */
  unconditional: boolean;
  /** At most 50: SVGs, animations and the like after all others, each group by subject. */
  first: { subject: string; remark: string }[];
}

/** How many remarks a report shows, and memory holds. */
const limit = 50;

export class RemarkCollector {
  readonly #rechecks: Readonly<Pick<Rechecks, "active" | "givenUp">>;
  readonly #counts = { count: 0, doubtful: 0, bare: 0, absent: 0, unvalidated: 0 };
  readonly #first: { order: string; subject: string; remark: string }[] = [];

  constructor(rechecks: Readonly<Pick<Rechecks, "active" | "givenUp">>) {
    this.#rechecks = rechecks;
  }

  /** Takes what the media index says of a wanted item, once for each. */
  add(
    item: Pick<WantedItem, "kind" | "id" | "record">,
    entry: MediaEntry | undefined,
    absence: Absence | undefined,
  ): void {
    const counts = this.#counts;
    const absent = absence?.record === item.record ? absence.reason : undefined;
    if (absent !== undefined) {
      counts.absent++;
      const kept = entry === undefined ? "" : " (kept the previous original)";
      this.#note(subjectOf(item), absent + kept, 0);
    }
    if (entry === undefined) return;
    if (this.#rechecks.active && entry.validators === undefined) counts.unvalidated++;
    const { remark, doubtful = false, renditions } = entry;
    const bare = entry.kind === "images" && renditions.length === 0;
    if (doubtful) counts.doubtful++;
    if (bare) counts.bare++;
    if (remark === undefined || absent !== undefined) return;
    this.#note(subjectOf(item), remark, doubtful || bare ? 0 : 1);
  }

  /** The same for the same entries, in whichever order they came. */
  remarks(): Remarks {
    const first = this.#first.map(({ subject, remark }) => ({ subject, remark }));
    return { ...this.#counts, unconditional: this.#rechecks.givenUp, first };
  }

  #note(subject: string, remark: string, rank: 0 | 1): void {
    this.#counts.count++;
    const order = `${rank} ${subject}`;
    const after = this.#first.findIndex((other) => order < other.order);
    this.#first.splice(after === -1 ? this.#first.length : after, 0, { order, subject, remark });
    if (this.#first.length > limit) this.#first.pop();
  }
}
