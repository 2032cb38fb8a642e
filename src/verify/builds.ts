import { lstatSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { readable } from "../errors.ts";
import { namesOfBuilds } from "../publish/builds.ts";
import { checkBuild, type Finding } from "../publish/check.ts";
import { historyPath, readHistory } from "../publish/kept.ts";
import { type BuiltFile, manifestName, readBuildManifest } from "../publish/manifest.ts";
import { type BuildRecord, readRecord } from "../publish/record.ts";
import { outputPaths, publishedBuild, shows, swapOf } from "../publish/swap.ts";
import { followReferences } from "./follow.ts";
import { Digests } from "./store-files.ts";

/** Whether anything was ever published, even if it is damaged or missing now. */
export function wasPublished(out: string): boolean {
  const link = lstatSync(outputPaths(out).public, { throwIfNoEntry: false });
  return link !== undefined || namesOfBuilds(out).length > 0;
}

/** The published build; undefined where `public` is something else. */
export function shownBuild(out: string): string | undefined {
  return readable(() => publishedBuild(out));
}

export function shownRecord(out: string): BuildRecord | undefined {
  const build = shownBuild(out);
  return build === undefined ? undefined : readRecord(build);
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
  } else if (swapOf(out) === "files") {
    yield* checkCopies(out, published);
  } else if (!shows(out, outputPaths(out).deploy, published)) {
    yield { path: "deploy", reason: "does not lead to the published build" };
  }
  if (!isHistoryReadable(out)) yield { path: historyFile, reason: "is damaged" };
}

/** Whether the files that show a build are there, where no link shows it. */
function* checkCopies(out: string, build: string): Generator<Finding> {
  for (const { path, bytes } of builtFiles(build)) {
    const found = statSync(join(outputPaths(out).public, path), { throwIfNoEntry: false });
    if (found?.size !== bytes)
      yield { path: `public/${path}`, reason: "is not the file of the published build" };
  }
}

/** None where the manifest is damaged, which is found in another place. */
const builtFiles = (build: string): Iterable<BuiltFile> =>
  readable(() => readBuildManifest(build))?.values() ?? [];

/** Whether more files are missing than when the snapshot was published. False if another one is published now. */
export function isLostSince(out: string, snapshot: string, without: number): boolean {
  const record = shownRecord(out);
  if (record?.snapshot !== snapshot || !record.settings.media.originals) return false;
  return without > record.totals.missing + record.totals.held;
}

/** Damaged files of the published build; "all" without a manifest that tells, undefined where nothing is damaged. */
export async function publishedDamage(out: string) {
  const build = shownBuild(out);
  if (build === undefined) return "all";
  const paths: string[] = [];
  for await (const { path } of checkBuild(build, { digestOf: new Digests().of })) paths.push(path);
  if (paths.includes(manifestName)) return "all";
  // A page that leads nowhere is as damaged as one whose bytes changed.
  const { findings } = await followReferences(build);
  for (const { path } of findings) paths.push(path.slice(`builds/${basename(build)}/`.length));
  const inRoot = paths.filter((path) => path.startsWith("public/"));
  const damaged = new Set(inRoot.map((path) => path.slice("public/".length)));
  return paths.length > 0 ? damaged : undefined;
}

/** Removes damaged builds beside the published one, so that no rollback leads to them. */
export async function removeDamagedBuilds(out: string): Promise<Finding[]> {
  const removed: Finding[] = [];
  const digests = new Digests();
  for (const build of olderBuilds(out)) {
    const first = await checkBuild(build, { digestOf: digests.of }).next();
    if (first.done) continue;
    await rm(build, { recursive: true, force: true });
    removed.push({ path: `builds/${basename(build)}`, reason: "removed, because it was damaged" });
  }
  return removed;
}

/** Removes a damaged order of publication. Without one, the times of the builds tell it. */
export function mendHistory(out: string): Finding[] {
  if (isHistoryReadable(out)) return [];
  rmSync(historyPath(out));
  return [
    { path: historyFile, reason: "written anew, with the builds in the order of their times" },
  ];
}

const historyFile = "store/published/history.json";

function isHistoryReadable(out: string): boolean {
  return readable(() => readHistory(out) ?? {}) !== undefined;
}
