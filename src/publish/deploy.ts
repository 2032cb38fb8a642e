import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HostName } from "../config/host-names.ts";
import { StoreError } from "../errors.ts";
import { type HostInput, type HostLimit, longestTarget } from "../hosts/host.ts";
import { hostConfigurations } from "../hosts/hosts.ts";
import { limitsOf } from "../hosts/limits.ts";
import { typeOfPath } from "../lib/content-type.ts";
import { sha256 } from "../lib/digest.ts";
import { readText } from "../lib/files.ts";
import type { MirrorDescription } from "../routes/description.ts";
import { headerRules, headersOf, preflightHeaders } from "../routes/headers.ts";
import { rulesOf } from "../routes/rules.ts";
import { sitePaths } from "../routes/site.ts";
import { factsOf } from "./facts.ts";
import type { LeakGuard } from "./leaks.ts";
import {
  type BuiltFile,
  type DeployedFile,
  readBuildManifest,
  readDeployManifest,
  writeDeployManifest,
} from "./manifest.ts";
import { modulesFrom } from "./modules.ts";
import { publishedSettings } from "./record.ts";
import { outputPaths } from "./swap.ts";

/** What one host cannot do with an archive. */
export interface ReportedLimit extends HostLimit {
  host: HostName;
}

const relativeLinks =
  "links are relative while site.url is null, so a client must resolve them against the address of the answer";

/** What hosts that only send files cannot do. */
function limitsOfFiles({ redirects }: HostInput, { behind = {} }: MirrorDescription): HostLimit[] {
  const relative = redirects ? [relativeLinks] : [];
  const others = Object.entries(behind).filter(([, { status }]) => status !== 404);
  if (others.length === 0) return limitsOf(relative);
  const names = others.map(([index]) => index).join(", ");
  const empty = others.every(([, { status }]) => status === 200);
  const answers = empty ? "an empty page" : others.map(([, { status }]) => status).join(", ");
  return limitsOf([
    ...relative,
    `a page past the last one is answered with 404; the origin gives ${answers} (${names})`,
  ]);
}

/** Folder of a build's host configurations. */
export function deployFolder(build: string): string {
  return join(build, "deploy");
}

/** What is to lie in a build's folder `deploy/`, and what the hosts cannot do. */
export interface Deployment {
  /** Contents by path, relative to that folder. */
  files: ReadonlyMap<string, string>;
  limits: ReportedLimit[];
}

/**
 * Plans the configurations of hosts for a build, each in a folder of its own, and `urlmap.json`: what every URL of
 * the archive answers with.
 *
 * @throws GuardError when a file holds what must not be published
 * @throws StoreError when the build has no manifest
 */
export function planDeployment(
  build: string,
  description: MirrorDescription,
  hosts: readonly HostName[],
  guard?: LeakGuard,
): Deployment {
  const files = readBuildManifest(build);
  if (files.size === 0) {
    throw new StoreError(`${build} has no manifest`, { hint: "build again" });
  }
  const input = hostInput(files.values(), description);
  const planned = new Map<string, string>();
  const plan = (path: string, content: string): void => {
    guard?.checkText(`deploy/${path}`, content);
    planned.set(path, content);
  };
  plan("urlmap.json", urlMap(files.values(), input));
  const limits: ReportedLimit[] = [];
  for (const host of hosts) {
    const configuration = hostConfigurations[host](input);
    for (const { path, content } of configuration.files) plan(`${host}/${path}`, content);
    const more = configuration.runsHandler ? [] : limitsOfFiles(input, description);
    limits.push(...[...configuration.limits, ...more].map((limit) => ({ host, ...limit })));
  }
  return { files: planned, limits };
}

/**
 * Writes what `planDeployment` plans, and the manifest of what then lies there; configurations of other hosts stay.
 *
 * @throws as `planDeployment`
 */
export function writeDeployment(
  build: string,
  description: MirrorDescription,
  hosts: readonly HostName[],
): ReportedLimit[] {
  const { files, limits } = planDeployment(build, description, hosts);
  const written = deployedFiles(build);
  for (const host of hosts) {
    rmSync(join(deployFolder(build), host), { recursive: true, force: true });
    for (const path of [...written.keys()]) if (path.startsWith(`${host}/`)) written.delete(path);
  }
  for (const file of writeInto(deployFolder(build), files)) written.set(file.path, file);
  writeDeployManifest(build, written.values());
  return limits;
}

/** Writes a planned deployment into a folder. Returns what a manifest says of it. */
export function writeInto(folder: string, files: Deployment["files"]): DeployedFile[] {
  return [...files].map(([path, content]) => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    return { path, bytes: Buffer.byteLength(content), sha256: sha256(content) };
  });
}

/** What lies in a build's folder `deploy/` by its manifest, and is still there. */
function deployedFiles(build: string): Map<string, DeployedFile> {
  const files = readDeployManifest(build) ?? new Map<string, DeployedFile>();
  for (const path of [...files.keys()]) {
    if (!existsSync(join(deployFolder(build), path))) files.delete(path);
  }
  return files;
}

/** Everything that the host configurations of a build are made from. */
export function hostInput(files: Iterable<BuiltFile>, description: MirrorDescription): HostInput {
  const { rules } = description;
  return {
    ...factsOf(files, description),
    headers: headerRules(rules),
    preflight: preflightHeaders,
    notFound: { site: sitePaths.notFound, api: `${rules.root}/404.json` },
    longestTarget,
    modules: modulesFrom("serve/handler.js"),
  };
}

/** One answer of the archive, in `urlmap.json`. */
export interface MappedUrl {
  /** Path and canonical query, from the publish root. */
  url: string;
  /** Relative to the publish root. */
  file: string;
  /** Content type. */
  type: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

/** A JSON array with an answer a line. */
function urlMap(files: Iterable<BuiltFile>, { headers }: HostInput): string {
  const lines: string[] = [];
  for (const { path, url, bytes, sha256 } of files) {
    const type = headersOf(path, headers)["Content-Type"] ?? typeOfPath(path);
    const mapped: MappedUrl = {
      url: url ?? `/${path.split("/").map(encodeURIComponent).join("/")}`,
      file: path,
      type,
      size: bytes,
      sha256,
    };
    lines.push(JSON.stringify(mapped));
  }
  return `[\n${lines.join(",\n")}\n]\n`;
}

/**
 * The published build of an output folder, and what its mirror says of itself.
 *
 * @throws StoreError where nothing is published, or what is cannot be read
 */
export function publishedArchive(out: string): { build: string; description: MirrorDescription } {
  const { root } = rulesOf(publishedSettings(out));
  const build = join(realpathSync(outputPaths(out).public), "..");
  return { build, description: descriptionOf(build, root) };
}

/** What a build's mirror says of itself. @throws StoreError where the build has no such file */
export function descriptionOf(build: string, root: string): MirrorDescription {
  const path = join(build, "public", root, "mirror.json");
  const text = readText(path);
  if (text === undefined) throw new StoreError(`${path} is missing`, { hint: "build again" });
  return JSON.parse(text) as MirrorDescription;
}
