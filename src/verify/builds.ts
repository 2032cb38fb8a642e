import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readable } from "../errors.ts";
import { historyName, namesOfBuilds, readHistory } from "../publish/builds.ts";
import type { Finding } from "../publish/check.ts";
import { buildOfKept, keptFolder, readKeptFiles, readKeptHistory } from "../publish/kept.ts";
import { type BuildRecord, readRecord } from "../publish/record.ts";
import { outputPaths, publishedBuild, shows } from "../publish/swap.ts";

/** Whether anything was ever published, even if it is damaged or missing now. */
export function wasPublished(out: string): boolean {
  const link = lstatSync(outputPaths(out).public, { throwIfNoEntry: false });
  return link !== undefined || namesOfBuilds(out).length > 0;
}

export function olderBuilds(out: string): string[] {
  const published = publishedBuild(out);
  return namesOfBuilds(out)
    .map((name) => join(outputPaths(out).builds, name))
    .filter((build) => build !== published);
}

/** Whether both links lead to one build, and the order of publication can be read. */
export function* checkShown(out: string): Generator<Finding> {
  const published = shownBuild(out);
  if (published === undefined) {
    yield { path: "public", reason: "leads to no build" };
  } else if (!shows(out, outputPaths(out).deploy, published)) {
    yield { path: "deploy", reason: "does not lead to the published build" };
  }
  if (readable(() => readHistory(out)) === undefined) {
    yield { path: `builds/${historyName}`, reason: "is damaged" };
  }
}

/** Whether what the store remembers of builds can be read. */
export function* checkKept(out: string): Generator<Finding> {
  const folder = keptFolder(out);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const build = buildOfKept(name);
    const read = () => (build === undefined ? readKeptHistory(out) : readKeptFiles(out, build));
    if (readable(() => read() ?? {}) === undefined) {
      yield { path: `store/published/${name}`, reason: "is damaged" };
    }
  }
}

/** The published build; undefined where `public` is something else. */
export function shownBuild(out: string): string | undefined {
  return readable(() => publishedBuild(out));
}

export function shownRecord(out: string): BuildRecord | undefined {
  const build = shownBuild(out);
  return build === undefined ? undefined : readRecord(build);
}

/** Whether more files are missing than when the snapshot was published. False if another one is published now. */
export function isLostSince(out: string, snapshot: string, without: number): boolean {
  const record = shownRecord(out);
  if (record?.snapshot !== snapshot || !record.settings.media.originals) return false;
  return without > record.totals.missing + record.totals.held;
}
