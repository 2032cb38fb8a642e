import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../../src/changes/changes.ts";
import { walkSorted } from "../../../src/lib/files.ts";
import type { Report } from "../../../src/publish/report.ts";
import { type Contents, treeOf } from "../support/trees.ts";
import type { Day, Told } from "./editors.ts";

/** Content and time of each published file. */
export function treeWithTimes(out: string): Contents {
  const root = realpathSync(join(out, "public"));
  return new Map(
    [...treeOf(root)].map(([path, sha]) => [path, `${sha} ${statSync(join(root, path)).mtimeMs}`]),
  );
}

/** What `diff --json` told otherwise than what the editors did. */
export function wrongChanges(items: readonly Change[], { told, concerned }: Day): string[] {
  const wrong: string[] = [];
  for (const { kind, id, what } of told) {
    const found = items.find((item) => item.kind === kind && item.id === id);
    if (found?.what !== what) wrong.push(`diff: ${kind}/${id} is ${what}, told: ${found?.what}`);
  }
  const known = new Set([...told.map(({ id }) => id), ...concerned]);
  for (const { kind, id, what } of items) {
    // The count of a category changes with its articles.
    if (kind === "categories" || kind === "tags" || known.has(id)) continue;
    wrong.push(`diff: nobody touched ${kind}/${id}, told: ${what}`);
  }
  return wrong;
}

/** Which changes the published pages do not show. */
export function wrongPages(out: string, items: readonly Change[], told: readonly Told[]): string[] {
  const root = join(out, "public");
  return told.flatMap(({ kind, id, text }) => {
    if (text === undefined) return [];
    const page = items.find((item) => item.kind === kind && item.id === id)?.page;
    if (!page) return [`${kind}/${id} has no page`];
    const path = join(root, page.endsWith("/") ? `${page}index.html` : page);
    const isShown = existsSync(path) && readFileSync(path, "utf8").includes(escaped(text));
    return isShown ? [] : [`${page} does not say "${text}"`];
  });
}

/** Where the publish root still names an id, in a path or in a text. */
export function tracesOf(out: string, id: string): string[] {
  const root = realpathSync(join(out, "public"));
  return [...walkSorted(root)]
    .filter((path) => path.includes(id) || isTextWith(join(root, path), id))
    .map((path) => `${path} names an image that is private`);
}

/** Whether a published page says a text. */
export function isPublished(out: string, text: string): boolean {
  const root = realpathSync(join(out, "public"));
  return [...walkSorted(root)].some(
    (path) => path.endsWith(".html") && isTextWith(join(root, path), escaped(text)),
  );
}

/** What a report says otherwise than what happened. */
export function wrongReport(
  out: string,
  { exit, snapshot, isNew }: { exit: number; snapshot: string | undefined; isNew: boolean },
): string[] {
  const report: Report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
  const page = readFileSync(join(out, "report.md"), "utf8");
  const wrong: string[] = [];
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) wrong.push(`report: ${what} is ${found}, not ${wanted}`);
  };
  expect("exitCode", report.exitCode, exit);
  expect("exit code of report.md", page.includes(`Exit code ${exit}: `), true);
  expect("published", report.published, isNew);
  expect("advice", report.next !== null, exit !== 0);
  expect("untouched", page.includes("untouched by this run"), !isNew);
  if (snapshot) expect("what is published", report.publication?.snapshot, snapshot);
  return wrong;
}

function escaped(text: string): string {
  return text.replaceAll("'", "&#39;");
}

function isTextWith(path: string, text: string): boolean {
  return (
    !/\.(?:jpe?g|png|webp|avif|gif|mp4|webm|wav|pdf)$/.test(path) &&
    readFileSync(path, "utf8").includes(text)
  );
}
