import type { Problem } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import type { MediaIndex } from "../store/media.ts";
import { subjectOf, type WantedItem } from "./jobs.ts";
import { UnknownLinkError } from "./original.ts";

/** Up to this many items without a known link are named one by one. */
const few = 3;
/** All items of a kind can be without a file if there are fewer than this. */
const telling = 5;

/** Collects the problems that all items of a kind share, so that each is told once. */
export function createKindProblems(media: Pick<MediaIndex, "putAbsence">) {
  /** By kind and reason: an origin that names its links otherwise does so for all of a kind. */
  const unlinked = new Map<string, { items: WantedItem[]; reason: string }>();
  const deniedOnes: WantedItem[] = [];

  return {
    /** Takes an item without a known link. False for other failures. */
    takes(item: WantedItem, error: unknown): boolean {
      if (!(error instanceof UnknownLinkError)) return false;
      const { message: reason } = error;
      const key = `${item.kind} ${reason}`;
      const group = unlinked.get(key) ?? { items: [], reason };
      group.items.push(item);
      unlinked.set(key, group);
      return true;
    },
    /** Notes an item without a file: the origin was asked in this run. */
    denied(item: WantedItem): void {
      deniedOnes.push(item);
    },
    /**
     * Call it at the end of a run. An origin that denies all files of a kind has failed: their absences are deleted.
     *
     * @param wanted all items; undefined if the run ended early
     */
    *problems(wanted: Iterable<WantedItem> | undefined): Generator<Problem> {
      for (const { items, reason } of unlinked.values()) yield* unlinkedProblems(items, reason);
      if (wanted === undefined) return;
      const counts = new Map<string, number>();
      for (const { kind } of wanted) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      for (const [kind, count] of counts) {
        const items = deniedOnes.filter((item) => item.kind === kind);
        if (items.length < telling || items.length < count) continue;
        for (const item of items) media.putAbsence(item.kind, item.id, undefined);
        yield {
          subject: kind,
          reason: `the origin answers 404 for each of ${items.length} files that it lists`,
          hint: "if the origin really has none of them, publish with --allow-incomplete",
        };
      }
    },
  };
}

function unlinkedProblems(items: readonly WantedItem[], reason: string): Problem[] {
  const hint =
    'set origin.mediaLink to the member with the address of the file, such as "links.file", or to null where there is none';
  const subjects = items.map(subjectOf);
  if (items.length <= few) return subjects.map((subject) => ({ subject, reason, hint }));
  const named = `${plural(items.length, "item")}, such as ${subjects[0]}`;
  return [{ subject: items[0]?.kind ?? "", reason: `${named}: ${reason}`, hint }];
}
