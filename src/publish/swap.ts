import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { StoreError } from "../errors.ts";
import { isErrno, syncFolder } from "../lib/files.ts";

/** How many builds stay beside the published one. */
const keptBuilds = 2;

/** Paths of the output folder. */
export function outputPaths(out: string) {
  return {
    store: join(out, "store"),
    public: join(out, "public"),
    deploy: join(out, "deploy"),
    builds: join(out, "builds"),
  };
}

/** Folder of the published build; undefined where nothing is published. */
export function publishedBuild(out: string): string | undefined {
  const { public: link, builds } = outputPaths(out);
  let target: string;
  try {
    target = readlinkSync(link);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return undefined;
    if (!isErrno(error, "EINVAL", "UNKNOWN")) throw error;
    throw new StoreError(`${link} is no link to a build`, {
      hint: "move it away; stillpress makes it a link to builds/…/public",
    });
  }
  const build = join(builds, basename(resolve(out, target, "..")));
  return statSync(build, { throwIfNoEntry: false }) === undefined ? undefined : build;
}

/** Publishes a build by renaming a link into place: a reader sees the old archive or the new one. */
export function swapIn(out: string, build: string): void {
  const paths = outputPaths(out);
  swapLink(out, build, paths.public);
  swapLink(out, build, paths.deploy);
  syncFolder(out);
}

/** Makes `deploy` show the host configurations of the published build, where it does not. */
export function showDeployment(out: string, build: string): void {
  const { deploy } = outputPaths(out);
  if (!existsSync(deploy)) swapLink(out, build, deploy);
}

/** Makes a link of the output folder show the folder of the same name in a build. */
function swapLink(out: string, build: string, link: string): void {
  const folder = join("builds", basename(build), basename(link));
  const temporary = `${link}.${process.pid}.tmp`;
  rmSync(temporary, { force: true });
  if (process.platform === "win32") {
    symlinkSync(join(out, folder), temporary, "junction");
    // Windows cannot rename over a junction.
    rmSync(link, { force: true });
  } else symlinkSync(folder, temporary);
  renameSync(temporary, link);
}

/** Removes builds but the published one and the newest others, and what aborted builds left. */
export function pruneBuilds(out: string): void {
  const { builds } = outputPaths(out);
  const published = publishedBuild(out);
  mkdirSync(builds, { recursive: true });
  const others = readdirSync(builds)
    .map((name) => join(builds, name))
    .filter((path) => path !== published && lstatSync(path).isDirectory());
  const [stale, finished] = [
    others.filter((path) => basename(path).startsWith("staging-")),
    others.filter((path) => !basename(path).startsWith("staging-")),
  ];
  const byAge = finished
    .map((path) => ({ path, time: statSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const path of [...stale, ...byAge.slice(keptBuilds).map((build) => build.path)]) {
    rmSync(path, { recursive: true, force: true });
  }
}
