import type { Paths } from "../config.ts";
import type { ApiError } from "../errors.ts";
import type { Problem } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { type AttachmentRoute, type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Ref } from "../store/snapshots.ts";
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

/** The line of the configuration that is to be changed. */
function pathHint({ path, parent }: WantedList): string {
  const line = `"${path}": "/${parent}/{id}/…"`;
  return `set origin.paths.${path} to the path that this origin uses, as in ${line}, or to null if it has none; "npx stillpress doctor" looks for it`;
}

/** If this many lists of a kind are missing and none is there, the origin has no such endpoint. */
const missingLists = 5;

/** Notices attachment endpoints that the origin does not have, instead of asking each in vain. */
export class Endpoints {
  /** Kinds of which the last snapshot has lists, empty ones included. */
  readonly known: ReadonlySet<MediaKind>;
  readonly #context: CrawlContext;
  readonly #there = new Set<string>();
  /** Lists that were not found while none of their kind was, by the setting of their path. */
  readonly #missing = new Map<keyof Paths, { wanted: WantedList; problems: Problem[] }>();
  /** Lists without a count that were refused, by the setting of their path: the last one, and how many of them. */
  readonly #lacking = new Map<keyof Paths, { wanted: WantedList; refused: number; all: number }>();

  constructor(context: CrawlContext, parent: Parent, last: SnapshotReader | undefined) {
    const lists = [...(last?.refs("attachments") ?? [])].filter(({ id }) =>
      id.startsWith(`${parent}/`),
    );
    const kinds = mediaKinds.filter((kind) => lists.some(({ id }) => id.endsWith(`/${kind}`)));
    this.#context = context;
    this.known = new Set(kinds);
  }

  isAbsent({ path, count, asked }: WantedList): boolean {
    if (this.#there.has(path)) return false;
    if (count !== null) return this.#missingOf(path) >= missingLists;
    const { refused = 0, all = 0 } = this.#lacking.get(path) ?? {};
    // A 404 can be the answer for each item that has none.
    return (asked ? refused : all) >= missingLists;
  }

  answered({ path }: WantedList): void {
    this.#there.add(path);
  }

  /** Whether one refusal says enough: as the last time, or as for all of the first lists, twice each. */
  isBelieved({ path, asked }: WantedList): boolean {
    if (!asked) return true;
    const { all = 0 } = this.#lacking.get(path) ?? {};
    return !this.#there.has(path) && all + this.#missingOf(path) >= missingLists;
  }

  /** Whether a refusal only says that something whose attachments nobody counted has none of a kind. */
  lacks(wanted: WantedList, error: ApiError): boolean {
    if (wanted.count !== null || wanted.before !== undefined || !isRefusal(error)) return false;
    const { refused = 0, all = 0 } = this.#lacking.get(wanted.path) ?? {};
    const counts = { refused: refused + (isGone(error) ? 0 : 1), all: all + 1 };
    this.#lacking.set(wanted.path, { wanted, ...counts });
    return true;
  }

  /** Whether a failure may be that of the endpoint, which has given no list so far; `settle` tells of it then. */
  refused(wanted: WantedList, { status, message, hint }: ApiError): boolean {
    const { path, count, listId } = wanted;
    if (status !== 404 || count === null || this.#there.has(path)) return false;
    const { problems = [] } = this.#missing.get(path) ?? {};
    problems.push({ subject: listId, reason: message, hint });
    this.#missing.set(path, { wanted, problems });
    return true;
  }

  /** Tells of endpoints that the origin does not have. @returns the failures that were those of single items after all */
  settle(): Problem[] {
    const ofItems: Problem[] = [];
    for (const [path, { wanted, problems }] of this.#missing) {
      const isMany = problems.length >= missingLists;
      if (this.#there.has(path) || (this.known.has(wanted.kind) && !isMany)) {
        ofItems.push(...problems);
        continue;
      }
      const lists = isMany
        ? `each of the first ${missingLists} lists`
        : `${plural(problems.length, "list")}, all there are`;
      addProblem(this.#context, {
        subject: `origin.paths.${path}`,
        reason: `404 for ${lists}`,
        hint: pathHint(wanted),
      });
    }
    this.#tellLacking();
    return ofItems;
  }

  #missingOf(path: keyof Paths): number {
    return this.#missing.get(path)?.problems.length ?? 0;
  }

  /** Tells of endpoints that gave no list although nothing says that there are none. */
  #tellLacking(): void {
    for (const [path, { wanted }] of this.#lacking) {
      const { kind, parent } = wanted;
      if (this.#there.has(path) || this.known.has(kind)) continue;
      const reason = `none of the ${parent} has a list of ${kind}, and the origin does not say how many they have`;
      const subject = `origin.paths.${path}`;
      const hint = pathHint(wanted);
      // Every origin has images: the path is wrong.
      if (kind === "images") addProblem(this.#context, { subject, reason, hint });
      else this.#context.reporter.warn(reason, hint);
    }
  }
}
