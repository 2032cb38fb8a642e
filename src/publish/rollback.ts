import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConfigError, readable } from "../errors.ts";
import { listOf } from "../lib/file-list.ts";
import { copyAt, linkOrCopy, secondsOf, syncFolder, walkSorted } from "../lib/files.ts";
import { otherWork } from "../lib/other-work.ts";
import { withStore } from "../store/store.ts";
import { type BuildInput, buildArchive } from "./build.ts";
import {
  describeBuilds,
  earlierBuilds,
  finishBuild,
  keepPublished,
  keptBuilds,
  recordPublication,
  stagingFolder,
} from "./builds.ts";
import { refuseNoLongerShown } from "./canaries.ts";
import { type CheckOptions, requireWhole } from "./check.ts";
import { readHistory, readKeptFiles } from "./kept.ts";
import { timeAfter } from "./maker.ts";
import { type BuiltFile, manifestName, readBuildManifest, writeManifest } from "./manifest.ts";
import { outputPaths, publishedBuild, swapIn } from "./swap.ts";

export type ListedBuild = ReturnType<typeof listBuilds>[number];

/** The builds that a rollback can lead to, the last one first. */
export function listBuilds(out: string) {
  return describeBuilds(out, keptBuilds(out))
    .map(({ build: name, ...rest }) => ({ name, ...rest }))
    .reverse();
}

export interface RollbackOptions extends CheckOptions {
  /** Name of the build to publish, by default the one before the published one. */
  name?: string | undefined;
  now?: () => Date;
  /** What renders a build whose folder is gone. */
  press?: (() => Pick<BuildInput, "config" | "templates" | "secrets" | "reporter">) | undefined;
}

/**
 * Publishes an earlier build again if it is whole. Later builds stay and can be published again by name; the next new
 * build follows this one. If only the store was kept, the build is made again from its snapshot.
 *
 * @throws ConfigError where there is no such build
 * @throws StoreError where it is damaged
 * @throws GuardError where it shows an image that may not be shown any more
 */
export async function rollBack(
  out: string,
  { name, now = () => new Date(), press, ...check }: RollbackOptions,
): Promise<{ from: string | null; to: string }> {
  const order = keptBuilds(out);
  const from = order.find(({ state }) => state === "published")?.build ?? null;
  const target =
    name === undefined ? earlierBuilds(order).at(-1) : order.find(({ build }) => build === name);
  if (target === undefined) {
    const message =
      name === undefined ? "there is no earlier build to go back to" : `there is no build ${name}`;
    throw new ConfigError(message, { hint: '"stillpress rollback --list" shows the builds' });
  }
  const build = join(outputPaths(out).builds, target.build);
  if (existsSync(build)) {
    await requireWhole(build, check);
    await refuseNoLongerShown(out, build, press?.().config);
    await moveTimes(out, build, laterTimes(out, build, now()));
    if (target.state === "withdrawn") recordPublication(out, build, now());
    swapIn(out, build);
    keepPublished(out);
  } else await makeAgain(out, target.build, { press, now });
  return { from, to: target.build };
}

async function makeAgain(out: string, name: string, { press, now }: RollbackOptions) {
  const snapshot = readHistory(out)?.builds.find(({ build }) => build === name)?.snapshot;
  if (typeof snapshot !== "string" || press === undefined) {
    throw new ConfigError(`build ${name} is gone, and nothing says how to make it again`, {
      hint: "it takes the store that has the build's snapshot, and a configuration (--config FILE)",
    });
  }
  await withStore(outputPaths(out).store, {}, async (store) => {
    const again = { name, files: readKeptFiles(out, name) };
    const older = { snapshot, again, damaged: new Set<string>() };
    await buildArchive({ ...press(), ...older, store, out, allowIncomplete: true, now });
  });
}

/**
 * Times of files of a build, in seconds since 1970 by path below the build, where they are to move: files that differ
 * from the published ones get a later time, and equal ones the same, for tools that compare times.
 */
function laterTimes(out: string, build: string, now: Date): Map<string, number> {
  const times = new Map<string, number>();
  const shown = publishedBuild(out);
  if (shown === undefined || shown === build) return times;
  const published = readable(() => readBuildManifest(shown));
  for (const { path, sha256 } of readBuildManifest(build).values()) {
    const time = secondsOf(statSync(join(shown, "public", path), { throwIfNoEntry: false }));
    const known = published?.get(path);
    if (time === undefined || known === undefined) continue;
    const wanted = known.sha256 === sha256 ? time : timeAfter(time, now);
    if (secondsOf(statSync(join(build, "public", path))) !== wanted) {
      times.set(`public/${path}`, wanted);
    }
  }
  return times;
}

/**
 * Replaces a build by one with other times, which shares its other files, once that is durable. Nothing in the finished
 * build changes: other builds and the store may share its files, and a kill leaves one of the two whole.
 */
async function moveTimes(out: string, build: string, times: ReadonlyMap<string, number>) {
  if (times.size === 0) return;
  const { builds } = outputPaths(out);
  const staging = stagingFolder(builds);
  for (const path of walkSorted(build)) {
    const [from, to] = [join(build, path), join(staging, path)];
    const time = times.get(path);
    mkdirSync(dirname(to), { recursive: true });
    await (time === undefined ? linkOrCopy(from, to) : copyAt(from, to, time));
    await otherWork();
  }
  function* files(): Generator<BuiltFile> {
    for (const file of readBuildManifest(build).values())
      yield { ...file, time: times.get(`public/${file.path}`) ?? file.time };
  }
  writeManifest(join(staging, manifestName), listOf(files()));
  const moved = await finishBuild(staging, basename(build));
  renameSync(build, staging);
  renameSync(moved, build);
  syncFolder(builds);
  await rm(staging, { recursive: true, force: true });
}
