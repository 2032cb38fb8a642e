import { rmSync } from "node:fs";
import { basename } from "node:path";
import { keptBuilds, writeHistory } from "../publish/builds.ts";
import { checkBuild, type Finding } from "../publish/check.ts";
import { manifestName } from "../publish/manifest.ts";
import { checkShown, olderBuilds, shownBuild } from "./builds.ts";
import { Digests } from "./digests.ts";

/**
 * What must not be taken over from the published build: paths in its publish root, or everything if its manifest is
 * damaged. Undefined where neither the build nor the links to it are damaged.
 */
export async function publishedDamage(out: string) {
  const build = shownBuild(out);
  if (build === undefined) return "all";
  const damaged = new Set<string>();
  let found = false;
  for await (const { path } of checkBuild(build, { digestOf: new Digests().of })) {
    if (path === manifestName) return "all";
    found = true;
    if (path.startsWith("public/")) damaged.add(path.slice("public/".length));
  }
  return found ? damaged : undefined;
}

/** Removes damaged builds beside the published one, so that no rollback leads to them. */
export async function removeDamagedBuilds(out: string): Promise<Finding[]> {
  const removed: Finding[] = [];
  const digests = new Digests();
  for (const build of olderBuilds(out)) {
    const first = await checkBuild(build, { digestOf: digests.of }).next();
    if (first.done) continue;
    rmSync(build, { recursive: true, force: true });
    removed.push({ path: `builds/${basename(build)}`, reason: "removed, because it was damaged" });
  }
  return removed;
}

export function mendHistory(out: string): Finding[] {
  const damaged = [...checkShown(out)].find(({ path }) => path.endsWith(".json"));
  if (damaged === undefined) return [];
  const order = keptBuilds(out).map(({ build, time }) => ({ build, time }));
  writeHistory(out, order);
  return [{ path: damaged.path, reason: "rewritten, with the builds in the order of their times" }];
}
