import type { Problem } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { subjectOf, type WantedItem } from "./jobs.ts";

/** Items whose link to the file nobody found. An origin that names it otherwise does so for all of a kind. */
export interface Unlinked {
  /** Takes an item for a common problem; always true. */
  add(item: WantedItem, failure: Pick<Problem, "reason" | "hint">): true;
  /** One for a few items of a kind each, or one for all of them. */
  problems(): Problem[];
}

/** As many items of the same members are named one by one. */
const few = 3;

export function createUnlinked(): Unlinked {
  const groups = new Map<string, Problem[]>();
  return {
    add(item, failure) {
      const key = `${item.kind} ${failure.reason}`;
      const problems = groups.get(key) ?? [];
      problems.push({ ...failure, subject: subjectOf(item) });
      groups.set(key, problems);
      return true;
    },
    problems: () =>
      [...groups].flatMap(([key, problems]) => {
        const [first] = problems;
        if (first === undefined || problems.length <= few) return problems;
        const items = `${plural(problems.length, "item")}, such as ${first.subject}`;
        return [
          { ...first, subject: key.split(" ")[0] as string, reason: `${items}: ${first.reason}` },
        ];
      }),
  };
}
