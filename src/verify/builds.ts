import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { StoreError } from "../errors.ts";
import { historyName, namesOfBuilds, readHistory } from "../publish/builds.ts";
import { type CheckOptions, checkBuild, type Finding } from "../publish/check.ts";
import { readRecord } from "../publish/record.ts";
import { outputPaths, publishedBuild, shows } from "../publish/swap.ts";

/** Checks one build of an output folder. Paths of findings are relative to that. */
export async function* checkOneBuild(
  build: string,
  options: CheckOptions = {},
): AsyncGenerator<Finding> {
  for await (const { path, reason } of checkBuild(build, options)) {
    yield { path: `builds/${basename(build)}/${path}`, reason };
  }
}

/** Whether anything was ever published into an output folder, be it damaged or gone by now. */
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

/** Whether both links of the output folder lead to one build, and the order of publication can be read. */
export function* checkShown(out: string): Generator<Finding> {
  const published = shownBuild(out);
  if (published === undefined) {
    yield { path: "public", reason: "leads to no build" };
  } else if (!shows(out, outputPaths(out).deploy, published)) {
    yield { path: "deploy", reason: "does not lead to the published build" };
  }
  try {
    readHistory(out);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    yield { path: `builds/${historyName}`, reason: "is damaged" };
  }
}

/** The published build; undefined where `public` is something else. */
export function shownBuild(out: string): string | undefined {
  try {
    return publishedBuild(out);
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}

/**
 * Whether more files of a snapshot are missing than when it was published: what was missing then was said, and
 * counted. False where another snapshot is published.
 */
export function isLostSince(out: string, snapshot: string, without: number): boolean {
  const build = shownBuild(out);
  const record = build === undefined ? undefined : readRecord(build);
  if (record?.snapshot !== snapshot || !record.settings.media.originals) return false;
  return without > record.totals.missing + record.totals.held;
}
