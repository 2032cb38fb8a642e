import { readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listOf } from "../../src/lib/file-list.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { keptFilesPath } from "../../src/publish/kept.ts";
import { manifestName, readBuildManifest, writeManifest } from "../../src/publish/manifest.ts";
import { outputPaths } from "../../src/publish/swap.ts";
import { preparedFolder } from "../../src/store/store.ts";
import { type Publishing, startPublishing } from "./support.ts";

let archive: Publishing;
beforeEach(() => {
  archive = startPublishing();
});
afterEach(() => archive.close());

const root = (): string => realpathSync(join(archive.out, "public"));
const at = (second: number) => ({ now: () => new Date(1_900_000_000_000 + second * 1_000) });

/** Whole seconds since 1970 at which each published file was modified. */
const times = (): Map<string, number> =>
  new Map(
    [...walkSorted(root())].map((path) => [
      path,
      Math.floor(statSync(join(root(), path)).mtimeMs / 1000),
    ]),
  );

/** Writes lists of files as they were before they knew the times: the build's without, the store's without keys. */
function makeOlder(): void {
  const build = join(root(), "..");
  const files = [...readBuildManifest(build).values()];
  const known = times();
  const ofBuild = files.map(({ time: _, ...file }) => file);
  const ofStore = files.map(({ path, bytes, sha256, about, was }) => {
    return { path, bytes, sha256, time: known.get(path), about, was };
  });
  writeManifest(join(build, manifestName), listOf(ofBuild));
  writeManifest(keptFilesPath(archive.out, basename(build)), listOf(ofStore));
  rmSync(preparedFolder(outputPaths(archive.out).store), { recursive: true });
}

describe("a store and a build of before the lists of files knew times", () => {
  it("is taken over: what is the same stays, with its time", async () => {
    archive.edit("One");
    await archive.build({}, at(0));
    const before = times();
    makeOlder();
    archive.edit("Two");
    const { changed, added, removed } = await archive.build({}, at(60));
    expect([added, removed]).toEqual([0, 0]);
    const moved = [...times()].filter(([path, time]) => time !== before.get(path));
    expect(moved.map(([, time]) => time)).toEqual(moved.map(() => 1_900_000_060));
    expect(moved.length).toBe(changed);
    const listed = [...readBuildManifest(join(root(), "..")).values()];
    expect(new Map(listed.map(({ path, time }) => [path, time]))).toEqual(times());
  });

  it("is taken over where only the store was kept", async () => {
    archive.edit("One");
    await archive.build({}, at(0));
    const before = times();
    makeOlder();
    for (const name of ["builds", "public", "deploy"])
      rmSync(join(archive.out, name), { recursive: true });
    const { published } = await archive.build({}, at(60));
    expect(published).toBe(false);
    expect(times()).toEqual(before);
    expect(readdirSync(join(archive.out, "builds"))).toHaveLength(1);
  });
});
