import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { linkOrCopy, syncTree } from "../lib/files.ts";
import { keptBuilds, writeHistory } from "../publish/builds.ts";
import { checkBuild, type Finding } from "../publish/check.ts";
import {
  type DeployedFile,
  manifestName,
  readBuildManifest,
  readDeployManifest,
} from "../publish/manifest.ts";
import { lookAtRecord } from "../publish/record.ts";
import { publishedBuild } from "../publish/swap.ts";
import type { Blobs } from "../store/blobs.ts";
import { checkShown, olderBuilds, shownBuild } from "./builds.ts";
import { createDigests, type Digests } from "./digests.ts";

/**
 * What of the published build must not be taken into another one: files of its publish root by path, or all of it
 * where its own manifest is damaged. Undefined where nothing is wrong with it, nor with the links to it.
 */
export async function publishedDamage(
  out: string,
): Promise<ReadonlySet<string> | "all" | undefined> {
  const build = shownBuild(out);
  if (build === undefined) return "all";
  const digests = createDigests();
  const damaged = new Set<string>();
  let found = false;
  for await (const { path } of checkBuild(build, { digestOf: digests.of })) {
    if (path === manifestName) return "all";
    found = true;
    if (path.startsWith("public/")) damaged.add(path.slice("public/".length));
  }
  return found ? damaged : undefined;
}

/**
 * Mends the builds that are kept beside the published one: what is damaged in them is replaced by the same content
 * from the published build or the blobs; a build that cannot be mended so is removed, because nobody must go back
 * to it. Returns what was done.
 */
export async function mendOlderBuilds(out: string, blobs: Blobs): Promise<Finding[]> {
  const mended: Finding[] = [];
  const published = publishedBuild(out);
  const sources = published === undefined ? new Map<string, string>() : contentsOf(published);
  for (const build of olderBuilds(out)) {
    const path = `builds/${basename(build)}`;
    const findings = await findingsOf(build, createDigests());
    if (findings.length === 0) continue;
    await replaceDamaged(build, findings, sources, blobs);
    if ((await findingsOf(build, createDigests())).length === 0) {
      await syncTree(build);
      mended.push({ path, reason: `repaired, ${findings.length} files` });
    } else {
      rmSync(build, { recursive: true, force: true });
      mended.push({ path, reason: "removed, because it could not be repaired" });
    }
  }
  return mended;
}

/** Writes the order of publication anew where it is damaged. */
export function mendHistory(out: string): Finding[] {
  const damaged = [...checkShown(out)].find(({ path }) => path.endsWith(".json"));
  if (damaged === undefined) return [];
  const order = keptBuilds(out).map(({ build, time }) => ({ build, time }));
  writeHistory(out, order);
  return [{ path: damaged.path, reason: "rewritten in the order of the times of the builds" }];
}

async function findingsOf(build: string, digests: Digests): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of checkBuild(build, { digestOf: digests.of })) findings.push(finding);
  return findings;
}

async function replaceDamaged(
  build: string,
  findings: readonly Finding[],
  sources: ReadonlyMap<string, string>,
  blobs: Blobs,
): Promise<void> {
  const listed = listedIn(build);
  if (listed === undefined) return;
  const digests = createDigests();
  for (const { path } of findings) {
    const target = join(build, path);
    const wanted = listed.get(path)?.sha256;
    if (wanted === undefined) {
      if (path.includes("/")) rmSync(target, { recursive: true, force: true });
      continue;
    }
    const source = [sources.get(wanted), blobs.pathOf(wanted)].find(
      (one) => one !== undefined && existsSync(one) && digests.of(one) === wanted,
    );
    if (source === undefined) return;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(`${target}.tmp`, { force: true });
    await linkOrCopy(source, `${target}.tmp`);
    renameSync(`${target}.tmp`, target);
  }
}

/** Paths of a build's files by their SHA-256. */
function contentsOf(build: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [path, { sha256 }] of listedIn(build) ?? []) found.set(sha256, join(build, path));
  return found;
}

/** The files of both manifests of a build by their paths in it; undefined where these cannot be read. */
function listedIn(build: string): ReadonlyMap<string, DeployedFile> | undefined {
  const record = lookAtRecord(build);
  if (record === "missing" || record === "damaged") return undefined;
  try {
    const files = new Map<string, DeployedFile>();
    for (const [path, file] of readBuildManifest(build)) files.set(`public/${path}`, file);
    for (const [path, file] of readDeployManifest(build) ?? []) files.set(`deploy/${path}`, file);
    return files;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
