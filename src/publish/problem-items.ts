import { itemKinds } from "../catalogue/visibility.ts";
import type { Problem } from "../lib/reporter.ts";
import { listNames } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";

/** The problem with title and page of its item, as far as the snapshot has it: `image 7f3c`, `articles/7f3c/images`. */
export function withItem(problem: Problem, snapshot: SnapshotReader): Problem {
  const [, word = "", id = ""] = /^([a-z]+?)s?[ /]([^/]+)/.exec(problem.subject) ?? [];
  const kind = itemKinds.find((name) => name.replace(/s$/, "") === word);
  if (kind === undefined || kind === "categories" || kind === "tags") return problem;
  for (const list of listNames.filter((name) => name.split(".")[0] === kind)) {
    const normal = snapshot.find(list, kind, id)?.normal;
    if (normal !== undefined) return { ...problem, title: normal.title, link: normal.view };
  }
  return problem;
}
