import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, readable } from "../errors.ts";
import { copyAt, secondsOf } from "../lib/files.ts";
import { openStore } from "../store/store.ts";
import { type BuildInput, buildArchive } from "./build.ts";
import {
  describedBuilds,
  earlierBuilds,
  keepPublished,
  keptBuilds,
  recordPublication,
} from "./builds.ts";
import { refuseNoLongerShown } from "./canaries.ts";
import { type CheckOptions, requireWhole } from "./check.ts";
import { readKeptFiles, readKeptHistory } from "./kept.ts";
import { readBuildManifest } from "./manifest.ts";
import { outputPaths, publishedBuild, swapIn } from "./swap.ts";
import { timeAfter } from "./writer.ts";

export type ListedBuild = ReturnType<typeof listBuilds>[number];

/** The builds that a rollback can lead to, the last one first. */
export function listBuilds(out: string) {
  return describedBuilds(out)
    .map(({ build: name, ...described }) => ({ name, ...described }))
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
    refuseNoLongerShown(out, build);
    await moveTimes(out, build, now());
    if (target.state === "withdrawn") recordPublication(out, build, now());
    swapIn(out, build);
    keepPublished(out);
  } else await makeAgain(out, target.build, press, now);
  return { from, to: target.build };
}

async function makeAgain(
  out: string,
  name: string,
  press: RollbackOptions["press"],
  now: () => Date,
): Promise<void> {
  const snapshot = readKeptHistory(out)?.builds.find(({ build }) => build === name)?.snapshot;
  if (typeof snapshot !== "string" || press === undefined) {
    throw new ConfigError(`build ${name} is gone, and nothing says how to make it again`, {
      hint: "it takes the store that has the build's snapshot, and a configuration (--config FILE)",
    });
  }
  const store = openStore(outputPaths(out).store);
  try {
    const again = { name, snapshot, files: readKeptFiles(out, name) };
    const damaged = new Set<string>();
    await buildArchive({ ...press(), store, out, allowIncomplete: true, damaged, again, now });
  } finally {
    store.close();
  }
}

/** Gives files that differ from the published ones a later time, and equal ones the same, for tools that compare times. */
async function moveTimes(out: string, build: string, now: Date): Promise<void> {
  const shown = publishedBuild(out);
  if (shown === undefined || shown === build) return;
  const published = readable(() => readBuildManifest(shown)) ?? new Map();
  for (const { path, sha256 } of readBuildManifest(build).values()) {
    const to = join(build, "public", path);
    const time = secondsOf(statSync(join(shown, "public", path), { throwIfNoEntry: false }));
    const known = published.get(path);
    if (time === undefined || known === undefined) continue;
    const wanted = known.sha256 === sha256 ? time : timeAfter(time, now);
    if (secondsOf(statSync(to)) === wanted) continue;
    // A file of its own, because other builds and the store may share the one that is there.
    const temporary = join(build, "moved.tmp");
    await copyAt(to, temporary, wanted);
    renameSync(temporary, to);
  }
}
