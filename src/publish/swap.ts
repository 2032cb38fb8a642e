import {
  cpSync,
  existsSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config.ts";
import { exitCodes, readable, StoreError } from "../errors.ts";
import { isErrno, readText, syncFolder, walkSorted, writeDurably } from "../lib/files.ts";

export function outputPaths(out: string) {
  return {
    store: join(out, "store"),
    public: join(out, "public"),
    deploy: join(out, "deploy"),
    builds: join(out, "builds"),
    /** Where builds are shown as files: which one. */
    shown: join(out, "shown.txt"),
    lock: join(out, "lock.json"),
  };
}

/** Where a link leads; undefined where there is none. @throws StoreError where something else stands there */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    if (!isErrno(error, "EINVAL", "UNKNOWN")) throw error;
    throw new StoreError(`${link} is not a link to a build`, {
      hint: `move it away, so that it can become a link to builds/…/${basename(link)}; where it is a mounted volume, set publish.swap to "files"`,
    });
  }
}

/** How builds are shown in an output folder, see `publish.swap`. */
export function swapOf(out: string): Config["publish"]["swap"] {
  return existsSync(outputPaths(out).shown) ? "files" : "link";
}

/** Folder of the published build; undefined where nothing is published. @throws StoreError where `public` is no link */
export function publishedBuild(out: string): string | undefined {
  const { public: link, builds, shown } = outputPaths(out);
  const target = readText(shown)?.trim() ?? targetOf(link);
  if (!target) return undefined;
  const build = join(builds, basename(resolve(out, target, "..")));
  return statSync(build, { throwIfNoEntry: false }) === undefined ? undefined : build;
}

/** @throws StoreError where something else stands in the place of a link */
export function checkLinks(out: string): void {
  if (swapOf(out) === "files") return;
  const { public: publicRoot, deploy } = outputPaths(out);
  for (const link of [publicRoot, deploy]) targetOf(link);
}

/** A build needs more; what a disk lacks for less is lacking for everything. */
const trialBytes = 64 << 10;

/**
 * Tries what publishing needs, so that a run that cannot publish ends before its first request and not after hours of
 * crawl: links in the output folder, and room and rights for builds. From now on, builds are shown as `swap` says.
 *
 * @throws StoreError where something else stands in the place of a link, or no link can be made
 */
export function tryPublishing(out: string, swap: Config["publish"]["swap"]): void {
  const { builds, public: publicRoot, shown } = outputPaths(out);
  if (swap === "files") {
    if (swapOf(out) === "link") writeDurably(shown, linkedFolder(publicRoot));
  } else {
    for (const link of [publicRoot, outputPaths(out).deploy]) targetOf(link);
    const trial = temporaryOf(publicRoot);
    makeLink(publicRoot, trial);
    rmSync(trial);
    if (swapOf(out) === "files") goBackToLinks(out);
  }
  // Not under the name of the next link: where a kill leaves it, the next run shall not take it for somebody's file.
  const file = join(statSync(builds, { throwIfNoEntry: false }) ? builds : out, ".trial");
  try {
    writeFileSync(file, new Uint8Array(trialBytes));
  } finally {
    rmSync(file, { force: true });
  }
}

/** Where a link leads, if it is one; else "". */
const linkedFolder = (link: string): string => readable(() => targetOf(link)) ?? "";

/** Lets links show what was shown as files, which somebody has moved away. */
function goBackToLinks(out: string): void {
  const build = publishedBuild(out);
  rmSync(outputPaths(out).shown);
  if (build !== undefined) swapIn(out, build);
}

/**
 * Publishes a build by renaming a link into place: a reader sees the old archive or the new one. Where builds are shown
 * as files, it is noted which one is to be, see `showFiles`.
 */
export function swapIn(out: string, build: string): void {
  const { public: publicRoot, deploy, shown } = outputPaths(out);
  if (swapOf(out) === "files") {
    showDeployment(out, build);
    writeDurably(shown, `${linkTo(build, publicRoot)}\n`);
    return;
  }
  // Where this fails, nothing has been published.
  swapLink(out, build, deploy);
  swapLink(out, build, publicRoot);
  syncFolder(out);
}

/** Makes `deploy` show the host configurations of the published build, where it does not. */
export function showDeployment(out: string, build: string): void {
  const { deploy } = outputPaths(out);
  if (swapOf(out) === "files") {
    const written = join(build, basename(deploy));
    const isCopy = linkedFolder(deploy) === "";
    if (isCopy && isDeepStrictEqual(statesIn(deploy), statesIn(written))) return;
    rmSync(deploy, { recursive: true, force: true });
    cpSync(written, deploy, { recursive: true, preserveTimestamps: true });
  } else if (!shows(out, deploy, build)) swapLink(out, build, deploy);
}

/** What tells whether the files of a folder are those of another one. */
function statesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return Array.from(walkSorted(folder), (path) => {
    const { size, mtimeMs } = statSync(join(folder, path));
    return `${path} ${size} ${Math.floor(mtimeMs / 1000)}`;
  });
}

/** Whether a link of the output folder leads to the folder of the same name in a build. */
export function shows(out: string, link: string, build: string): boolean {
  const target = linkedFolder(link);
  return resolve(out, target) === resolve(build, basename(link));
}

/** Makes a link of the output folder show the folder of the same name in a build. */
function swapLink(out: string, build: string, link: string): void {
  targetOf(link);
  const folder = linkTo(build, link);
  const temporary = temporaryOf(link);
  makeLink(process.platform === "win32" ? join(out, folder) : folder, temporary);
  // Windows cannot rename over a junction.
  if (process.platform === "win32") rmSync(link, { force: true });
  renameSync(temporary, link);
}

/** What a link of the output folder holds to show the folder of the same name in a build. */
const linkTo = (build: string, link: string): string =>
  join("builds", basename(build), basename(link));

/** One name for every process, so that the next one replaces what a killed one left. */
function temporaryOf(link: string): string {
  return `${link}.tmp`;
}

/** Makes a link, in place of the one that a killed run left. @throws StoreError where the file system has none */
function makeLink(target: string, path: string): void {
  targetOf(path);
  rmSync(path, { force: true });
  try {
    symlinkSync(target, path, "junction");
  } catch (cause) {
    // FAT says EPERM, and some network file systems ENOTSUP (errno 95).
    if (!isErrno(cause, "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS")) throw cause;
    throw new StoreError(`${path}: no symbolic link can be made here (${cause.code})`, {
      exitCode: exitCodes.disk,
      hint: 'set publish.swap to "files", or name an output folder with --out on a file system that has them',
      cause,
    });
  }
}
