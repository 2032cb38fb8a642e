import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Interrupted, readable } from "../errors.ts";
import { freePath, syncFolder, syncTree, walkSorted } from "../lib/files.ts";
import {
  buildOfKept,
  type History,
  keepFiles,
  keptFilesPath,
  keptFolder,
  readHistory,
  writeHistory,
} from "./kept.ts";
import { manifestName } from "./manifest.ts";
import { readRecord } from "./record.ts";
import { outputPaths, publishedBuild } from "./swap.ts";

const stagingStart = "staging-";

/** A new folder below `builds` for a build that is not finished. What aborted builds left goes with `pruneBuilds`. */
export function stagingFolder(builds: string): string {
  return freePath(join(builds, `${stagingStart}${process.pid}`));
}

/**
 * Removes what a failure has left of a staged build. After a signal it stays until the next build removes it: a million
 * files take minutes, and whoever sent the signal soon kills the process, so that there would be no exit code.
 */
export function removeStaged(staging: string, error: unknown): void {
  if (error instanceof Interrupted) return;
  rmSync(staging, { recursive: true, force: true });
}

/** What the user of a web server needs: to read files, to list folders, and to pass through those above. */
const rights = { file: 0o044, folder: 0o055, above: 0o011 };

function give(path: string, right: number): void {
  const { mode } = statSync(path);
  if ((mode & right) !== right) chmodSync(path, mode | right);
}

/** Lets a web server of another user read a build, where the umask has taken that right away. */
function openToServers(staging: string): void {
  // The manifest is new in any case.
  const { mode } = statSync(join(staging, manifestName));
  if ((mode & rights.file) === rights.file) return;
  for (const above of ["..", "../.."]) give(join(staging, above), rights.above);
  give(staging, rights.folder);
  const opened = new Set<string>(["."]);
  for (const path of walkSorted(staging)) {
    give(join(staging, path), rights.file);
    for (let folder = dirname(path); !opened.has(folder); folder = dirname(folder)) {
      give(join(staging, folder), rights.folder);
      opened.add(folder);
    }
  }
}

/** Makes a staged build durable and gives it its name; returns its new folder. */
export async function finishBuild(staging: string, name: string): Promise<string> {
  openToServers(staging);
  await syncTree(staging);
  const builds = join(staging, "..");
  const build = freePath(join(builds, name));
  renameSync(staging, build);
  syncFolder(builds);
  return build;
}

/** Names of the finished builds of an output folder, in no order. */
export function namesOfBuilds(out: string): string[] {
  const { builds } = outputPaths(out);
  if (!existsSync(builds)) return [];
  return readdirSync(builds, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(stagingStart))
    .map((entry) => entry.name);
}

/** A build that is there, or can be made again, at its place in the order of publication. */
export interface KeptBuild extends Pick<History["builds"][number], "build" | "time"> {
  /** "withdrawn": a rollback left it, and then another build was published. */
  state: "published" | "kept" | "withdrawn";
}

/**
 * The builds that a rollback can lead to, in the order in which they were published, the withdrawn ones first. Without a
 * history, the times of the folders tell the order, and the published one is the last.
 */
export function keptBuilds(out: string): KeptBuild[] {
  const { builds } = outputPaths(out);
  const shown = publishedBuild(out);
  const names = new Set(namesOfBuilds(out));
  // A damaged history is no reason not to publish: it is written anew.
  const history = readable(() => readHistory(out));
  const published = shown === undefined ? history?.shown : basename(shown);
  const written = (history?.builds ?? []).filter(
    ({ build }) => names.delete(build) || existsSync(keptFilesPath(out, build)),
  );
  const unwritten = [...names]
    .map((build) => ({ build, time: statSync(join(builds, build)).mtime.toISOString() }))
    .sort((a, b) => (a.time < b.time ? -1 : 1));
  const others = unwritten.filter(({ build }) => build !== published);
  const last = unwritten.filter(({ build }) => build === published);
  return [...others, ...written, ...last].map(({ build, time }) => {
    if (build === published) return { build, time, state: "published" };
    const isWithdrawn = written.length > 0 && names.has(build);
    return { build, time, state: isWithdrawn ? "withdrawn" : "kept" };
  });
}

/** The builds that a rollback goes back to, the next one last. */
export function earlierBuilds(order: readonly KeptBuild[]): KeptBuild[] {
  const shown = order.findIndex(({ state }) => state === "published");
  return order.slice(0, Math.max(shown, 0)).filter(({ state }) => state === "kept");
}

/** Writes down that a build follows the one that is shown now, or takes its place; what followed that one is withdrawn. */
export function recordPublication(out: string, build: string, time: Date, inPlace = false): void {
  const name = basename(build);
  const order = keptBuilds(out);
  const last = order.filter(({ state }) => state === "published");
  const before = [...earlierBuilds(order), ...(inPlace ? [] : last)];
  const own = { build: name, time: time.toISOString() };
  const builds = describeBuilds(out, [...before.filter((one) => one.build !== name), own]);
  writeHistory(out, { shown: last[0]?.build ?? name, builds });
}

/** Builds with what their records say, or what the store remembers of that; null where neither does. */
export function describeBuilds<B extends { build: string }>(out: string, builds: readonly B[]) {
  const known = readable(() => readHistory(out))?.builds ?? [];
  return builds.map((one) => {
    const record = readRecord(join(outputPaths(out).builds, one.build));
    const kept = known.find(({ build }) => build === one.build);
    const snapshot = record?.snapshot ?? kept?.snapshot ?? null;
    return { ...one, snapshot, files: record?.totals.files ?? kept?.files ?? null };
  });
}

/** Lets the store, if it is there, remember what is published, and the builds before it. Called after each publication. */
export function keepPublished(out: string): void {
  if (!existsSync(outputPaths(out).store)) return;
  const builds = describeBuilds(out, keptBuilds(out)).filter(({ state }) => state !== "withdrawn");
  const shown = builds.find(({ state }) => state === "published")?.build;
  if (shown === undefined) return;
  for (const { build } of builds) {
    const folder = join(outputPaths(out).builds, build);
    const isNew = build === shown || !existsSync(keptFilesPath(out, build));
    // A damaged build is not remembered: there is nothing to go back to.
    if (isNew && existsSync(folder)) readable(() => keepFiles(out, folder));
  }
  writeHistory(out, { shown, builds });
}

/** Finds what lies below `builds`, and in the store's memory of them, beyond the published build and `keep` others. */
export function surplusBuilds(out: string, keep: number) {
  const { builds } = outputPaths(out);
  const order = keptBuilds(out);
  const before = earlierBuilds(order).reverse();
  const behind = order.filter((one) => one.state === "kept" && !before.includes(one));
  const withdrawn = order.filter(({ state }) => state === "withdrawn").reverse();
  // In the order of a rollback.
  const ranked = [...before, ...behind, ...withdrawn].map(({ build }) => build);
  const surplus = new Set(ranked.slice(keep));
  const kept = new Set(order.map(({ build }) => build).filter((build) => !surplus.has(build)));
  return {
    /** Builds that are kept, with the published one. */
    kept,
    /** Folders of other builds, and of aborted ones. */
    folders: pathsIn(builds, (name) => name.startsWith(stagingStart) || surplus.has(name)),
    /** The store's lists of the files of builds that are not kept. */
    lists: pathsIn(keptFolder(out), (name) => {
      const build = buildOfKept(name);
      return build !== undefined && !kept.has(build);
    }),
  };
}

/** Folder of a build that would be kept no longer if another one were published; undefined where there is none. */
export function spareBuild(out: string, keep: number): string | undefined {
  if (keep === 0) return undefined;
  const names = namesOfBuilds(out);
  return surplusBuilds(out, keep - 1).folders.find((path) => names.includes(basename(path)));
}

function pathsIn(folder: string, isWanted: (name: string) => boolean): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter(isWanted).map((name) => join(folder, name));
}

/** Removes what aborted builds left, and all builds but the published one and the first `keep` of a rollback's order. */
export async function pruneBuilds(out: string, keep: number): Promise<void> {
  const { folders, lists } = surplusBuilds(out, keep);
  for (const path of [...folders, ...lists]) await rm(path, { recursive: true, force: true });
}
