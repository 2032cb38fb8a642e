import type { Problem } from "../lib/reporter.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import type { MediaIndex } from "../store/media.ts";
import type { WantedItem } from "./jobs.ts";

/** Items of which the origin turned out to have no file in one run. */
export interface Absences {
  /** Notes an item that was just asked for. */
  look(item: WantedItem): void;
  /**
   * To be called when all items were asked for. Where the origin has denied every single file of a kind, that is taken
   * for its failure: the absences are taken back, and become a problem.
   */
  judge(wanted: Iterable<WantedItem>): Problem[];
}

/** Of fewer items than this, all can be without a file. */
const telling = 5;

export function createAbsences(
  media: Pick<MediaIndex, "get" | "absence" | "putAbsence">,
): Absences {
  const denied = new Map<MediaKind, WantedItem[]>(mediaKinds.map((kind) => [kind, []]));
  return {
    look(item) {
      const absence = media.absence(item.kind, item.id);
      const without = media.get(item.kind, item.id) === undefined;
      if (absence?.asked && without) denied.get(item.kind)?.push(item);
    },
    judge(wanted) {
      const counts = new Map<MediaKind, number>();
      for (const { kind } of wanted) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return [...denied].flatMap(([kind, items]) => {
        if (items.length < telling || items.length < (counts.get(kind) ?? 0)) return [];
        for (const { id } of items) media.putAbsence(kind, id, undefined);
        return [
          {
            subject: kind,
            reason: `the origin answers 404 for each of ${items.length} files that it lists`,
            hint: "if the origin really has none of them, publish with --allow-incomplete",
          },
        ];
      });
    },
  };
}
