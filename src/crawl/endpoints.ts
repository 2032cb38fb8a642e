import type { Paths } from "../config.ts";
import type { ApiError } from "../errors.ts";
import type { AttachmentRoute } from "../routes/table.ts";
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
  /** Whether the parent is asked for; if not, the list is only asked whether the endpoint is there by now. */
  asked: boolean;
}

/** Lists of a kind that must be missing, with none there, to tell that the origin has no such endpoint. */
const missingLists = 5;

/** Notices attachment endpoints that the origin does not have, instead of asking each in vain. */
export interface Endpoints {
  isAbsent(wanted: WantedList): boolean;
  answered(wanted: WantedList): void;
  /** Whether one refusal says enough: as the last time, or as for all of the first lists, twice each. */
  isBelieved(wanted: WantedList): boolean;
  /** Whether a refusal only says that something whose attachments nobody counted has none of a kind. */
  lacks(wanted: WantedList, error: ApiError): boolean;
  /** Counts a failure; true where it is the endpoint that is missing, which is one problem for all lists. */
  refused(wanted: WantedList, error: ApiError): boolean;
  /** Tells of endpoints that gave no list to anything, where nothing says that they should. */
  report(): void;
}

/** @param known whether the last snapshot has lists of an endpoint */
export function watchEndpoints(
  context: CrawlContext,
  known: (route: AttachmentRoute) => boolean,
): Endpoints {
  const there = new Set<string>();
  const missing = new Map<string, number>();
  /** Lists without a count that were not there either, and how many of them, by the setting of their path. */
  const lacking = new Map<keyof Paths, { wanted: WantedList; refused: number; all: number }>();

  function isAbsent({ path, count, asked }: WantedList): boolean {
    if (there.has(path)) return false;
    if (count !== null) return (missing.get(path) ?? 0) >= missingLists;
    const { refused = 0, all = 0 } = lacking.get(path) ?? {};
    // A 404 can be the answer for each item that has none.
    return (asked ? refused : all) >= missingLists;
  }

  return {
    isAbsent,
    answered({ path }) {
      there.add(path);
    },
    isBelieved({ path, asked }) {
      const { all = 0 } = lacking.get(path) ?? {};
      if (!asked) return true;
      return !there.has(path) && all + (missing.get(path) ?? 0) >= missingLists;
    },
    lacks(wanted, error) {
      if (wanted.count !== null || wanted.before !== undefined || !isRefusal(error)) return false;
      const { refused = 0, all = 0 } = lacking.get(wanted.path) ?? {};
      lacking.set(wanted.path, {
        wanted,
        refused: refused + (isGone(error) ? 0 : 1),
        all: all + 1,
      });
      return true;
    },
    refused(wanted, { status }) {
      const { path } = wanted;
      if (status === 404) missing.set(path, (missing.get(path) ?? 0) + 1);
      if (wanted.count === null || !isAbsent(wanted)) return false;
      addProblem(context, {
        subject: `origin.paths.${path}`,
        reason: `404 for each of the first ${missingLists} lists`,
        hint: "set it to the path that this origin uses, or to null if it has none",
      });
      return true;
    },
    report() {
      for (const [path, { wanted }] of lacking) {
        const { kind, parent } = wanted;
        if (there.has(path) || known(wanted)) continue;
        const reason = `none of the ${parent} has a list of ${kind}, and the origin does not say how many they have`;
        const hint = `set origin.paths.${path} to the path that this origin uses, or to null if it has none`;
        const subject = `origin.paths.${path}`;
        // Hardly an origin has no images: the path is wrong.
        if (kind === "images") addProblem(context, { subject, reason, hint });
        else context.reporter.warn(reason, hint);
      }
    },
  };
}
