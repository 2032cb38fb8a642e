import { readlinkSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { readable, StoreError } from "../errors.ts";
import { isErrno, syncFolder } from "../lib/files.ts";

export function outputPaths(out: string) {
  return {
    store: join(out, "store"),
    public: join(out, "public"),
    deploy: join(out, "deploy"),
    builds: join(out, "builds"),
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
      hint: `move it away; stillpress makes it a link to builds/…/${basename(link)}`,
    });
  }
}

/** Folder of the published build; undefined where nothing is published. @throws StoreError where `public` is no link */
export function publishedBuild(out: string): string | undefined {
  const { public: link, builds } = outputPaths(out);
  const target = targetOf(link);
  if (target === undefined) return undefined;
  const build = join(builds, basename(resolve(out, target, "..")));
  return statSync(build, { throwIfNoEntry: false }) === undefined ? undefined : build;
}

/** @throws StoreError where something else stands in the place of a link */
export function checkLinks(out: string): void {
  const { public: publicRoot, deploy } = outputPaths(out);
  for (const link of [publicRoot, deploy]) targetOf(link);
}

/** Publishes a build by renaming a link into place: a reader sees the old archive or the new one. */
export function swapIn(out: string, build: string): void {
  const { public: publicRoot, deploy } = outputPaths(out);
  // Where this fails, nothing has been published.
  swapLink(out, build, deploy);
  swapLink(out, build, publicRoot);
  syncFolder(out);
}

/** Makes `deploy` show the host configurations of the published build, where it does not. */
export function showDeployment(out: string, build: string): void {
  const { deploy } = outputPaths(out);
  if (!shows(out, deploy, build)) swapLink(out, build, deploy);
}

/** Whether a link of the output folder leads to the folder of the same name in a build. */
export function shows(out: string, link: string, build: string): boolean {
  const target = readable(() => targetOf(link)) ?? "";
  return resolve(out, target) === resolve(build, basename(link));
}

/** Makes a link of the output folder show the folder of the same name in a build. */
function swapLink(out: string, build: string, link: string): void {
  targetOf(link);
  const folder = join("builds", basename(build), basename(link));
  // One name for every process, so that the next one replaces what a killed one left.
  const temporary = `${link}.tmp`;
  rmSync(temporary, { force: true });
  if (process.platform === "win32") {
    symlinkSync(join(out, folder), temporary, "junction");
    // Windows cannot rename over a junction.
    rmSync(link, { force: true });
  } else symlinkSync(folder, temporary);
  renameSync(temporary, link);
}
