import type { Paths } from "../config.ts";
import type { ApiError } from "../errors.ts";
import { append } from "../lib/many.ts";
import type { Problem } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { type AttachmentRoute, attachmentRoutes, type Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
import { searchPath } from "./attachment-paths.ts";
import { addProblem, type CrawlContext } from "./context.ts";
import { isGone, isRefusal } from "./failures.ts";

/** An attachment list that is asked for. */
export interface WantedList extends AttachmentRoute {
  listId: string;
  /** What its parent says; null where it says nothing, so that there may be none. */
  count: number | null;
  /** As the last snapshot has it. */
  before: Ref | undefined;
  /** Whether the parent is asked for. If not, the list only shows whether the endpoint is there now. */
  asked: boolean;
}

/** If this many lists of a kind are missing and none is there, the origin has no such endpoint. */
const missingLists = 5;

/** If this many lists of a kind had to be read again to be believed, its counts are no reason to read others twice. */
const confirmedLists = 5;

const noAnswers = () => ({
  /** Whether it has given a list. */
  there: false,
  /** Lists that were believed only after they were read again. */
  confirmed: 0,
  /** Lists with a count that were not found while none of their kind was. */
  missing: [] as Problem[],
  /** Lists without a count that were refused, and how many of them otherwise than as not there. */
  lacking: 0,
  refused: 0,
  /** Whether its lists were found elsewhere; undefined until they are looked for. */
  search: undefined as Promise<boolean> | undefined,
});

/** Notices attachment endpoints that the origin does not have, instead of asking each in vain. */
export class Endpoints {
  /** Kinds of which the last snapshot has lists, empty ones included. */
  readonly known: ReadonlySet<string>;
  readonly #context: CrawlContext;
  /** By the setting of their path. */
  readonly #answers = new Map<keyof Paths, ReturnType<typeof noAnswers>>();

  constructor(context: CrawlContext, parent: Parent, last: SnapshotReader | undefined) {
    const ids = Array.from(last?.refs("attachments") ?? [], ({ id }) => id);
    const own = ids.filter((id) => id.startsWith(`${parent}/`));
    this.#context = context;
    this.known = new Set(own.map((id) => id.slice(id.lastIndexOf("/") + 1)));
  }

  isAbsent({ path, count, asked }: WantedList): boolean {
    const { there, missing, lacking, refused } = this.#answersOf(path);
    if (there) return false;
    if (count !== null) return missing.length >= missingLists;
    // A 404 can be the answer for each item that has none.
    return (asked ? refused : lacking) >= missingLists;
  }

  /** @param readings how many it took to believe the list */
  answered({ path }: WantedList, readings: number): void {
    const answers = this.#answersOf(path);
    answers.there = true;
    if (readings > 1) answers.confirmed++;
  }

  /** Whether the counts of a kind say little, as where parents count what a token may not see. */
  isMiscounted({ path }: WantedList): boolean {
    return this.#answersOf(path).confirmed >= confirmedLists;
  }

  /** Whether one refusal says enough: as the last time, or as for all of the first lists, twice each. */
  isBelieved({ path, asked }: WantedList): boolean {
    const { there, missing, lacking } = this.#answersOf(path);
    return !asked || (!there && missing.length + lacking >= missingLists);
  }

  /** Notes a failure. @returns whether it may be the endpoint's, and not the item's: then `settle` tells of it */
  noteFailure({ path, count, before, listId }: WantedList, error: ApiError): boolean {
    const answers = this.#answersOf(path);
    if (count === null) {
      if (before !== undefined || !isRefusal(error)) return false;
      answers.lacking++;
      if (!isGone(error)) answers.refused++;
      return true;
    }
    if (error.status !== 404 || answers.there) return false;
    answers.missing.push({ subject: listId, reason: error.message, hint: error.hint });
    return true;
  }

  /** Whether lists of a kind that was met for the first time are elsewhere, so that they are to be asked for again. */
  async isElsewhere(wanted: WantedList, id: string): Promise<boolean> {
    const answers = this.#answersOf(wanted.path);
    if (answers.search === undefined) {
      const isNew = answers.missing.length > 0 && !this.known.has(wanted.kind);
      if (!isNew || wanted.count === null) return false;
      const found = [...this.#answers].flatMap(([path, { there }]) => (there ? path : []));
      answers.search = searchPath(this.#context, { ...wanted, id }, found);
    }
    const found = !answers.there && (await answers.search);
    if (found) answers.missing = [];
    return found;
  }

  /** Tells of endpoints that the origin does not have. @returns the failures that were those of single items after all */
  settle(): Problem[] {
    const ofItems: Problem[] = [];
    for (const { path, parent, kind } of attachmentRoutes) {
      const { there, missing, lacking } = this.#answersOf(path);
      const isKnown = this.known.has(kind);
      const isMany = missing.length >= missingLists;
      const subject = `origin.paths.${path}`;
      const line = `"${path}": "/${parent}/{id}/…"`;
      const hint = `set ${subject} to the path that this origin uses, as in ${line}, or to null if it has none; "npx stillpress doctor" looks for it`;
      if (there || (isKnown && !isMany)) append(ofItems, missing);
      else if (missing.length > 0) {
        const lists = isMany
          ? `each of the first ${missingLists} lists`
          : `${plural(missing.length, "list")}, all there are`;
        addProblem(this.#context, { subject, reason: `404 for ${lists}`, hint });
      }
      if (there || isKnown || lacking === 0) continue;
      const reason = `none of the ${parent} has a list of ${kind}, and the origin does not say how many they have`;
      // Every origin has images: the path is wrong.
      if (kind === "images") addProblem(this.#context, { subject, reason, hint });
      else this.#context.reporter.warn(reason, hint);
    }
    return ofItems;
  }

  #answersOf(path: keyof Paths) {
    const answers = this.#answers.get(path) ?? noAnswers();
    this.#answers.set(path, answers);
    return answers;
  }
}
