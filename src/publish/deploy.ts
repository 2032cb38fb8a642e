import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HostName } from "../config/host-names.ts";
import { GuardError, StoreError } from "../errors.ts";
import type { HostInput } from "../hosts/host.ts";
import { hostConfigurations } from "../hosts/hosts.ts";
import { typeOfPath } from "../lib/content-type.ts";
import { type Disk, nodeDisk, withFile } from "../lib/disk.ts";
import type { FileList } from "../lib/file-list.ts";
import { makeFolder, readText, syncTree, walkSorted, writeFully } from "../lib/files.ts";
import { percentDecoded } from "../lib/urls.ts";
import type { MirrorDescription } from "../routes/description.ts";
import { headersOf } from "../routes/headers.ts";
import { parseRedirects, type Redirects, redirectsFile } from "../routes/redirects.ts";
import { rulesOf } from "../routes/rules.ts";
import { urlPath } from "../routes/site.ts";
import type { MappedUrl } from "../routes/url-map.ts";
import { hostInput } from "./host-input.ts";
import {
  type BuiltFile,
  type DeployedFile,
  readBuildManifest,
  readDeployManifest,
  writeDeployManifest,
} from "./manifest.ts";
import { type BuildRecord, publishedRecord } from "./record.ts";

/** What one host cannot do with an archive. */
export type ReportedLimit = BuildRecord["deployment"]["limits"][number];

const relativeLinks =
  "links are relative while site.url is null, so a client must resolve them against the address of the answer";

/** What hosts that only send files cannot do. */
function limitsOfFiles({ redirects }: HostInput, { behind = {} }: MirrorDescription): string[] {
  const limits = redirects ? [relativeLinks] : [];
  const others = Object.entries(behind).filter(([, { status }]) => status !== 404);
  if (others.length === 0) return limits;
  const names = others.map(([index]) => index).join(", ");
  const isEmpty = others.every(([, { status }]) => status === 200);
  const gives = isEmpty ? "an empty page" : others.map(([, { status }]) => status).join(", ");
  const text = `a page past the last one is answered with 404; the origin gives ${gives} (${names})`;
  return [...limits, text];
}

/** Lines of `urlmap.json` in a piece. */
const linesAtOnce = 1_000;

export function deployFolder(build: string): string {
  return join(build, "deploy");
}

export type Deployment = ReturnType<typeof planDeployment>;

/** A content in pieces, none of which ends within a value: a single string may not hold all of it. */
type Pieces = readonly Uint8Array[];

/**
 * Plans the configurations of hosts for a build, each in a folder of its own, and `urlmap.json`: contents by path below
 * the build's folder `deploy/`, and what the hosts cannot do.
 */
export function planDeployment(
  built: FileList<BuiltFile>,
  description: MirrorDescription,
  hosts: readonly HostName[],
  oldAddresses: Redirects,
) {
  const input = hostInput(built.values(), description, oldAddresses);
  const files = new Map<string, Pieces>([["urlmap.json", [...urlMap(built, input)]]]);
  const limits: ReportedLimit[] = [];
  for (const host of hosts) {
    const configuration = hostConfigurations[host](input);
    for (const { path, content } of configuration.files)
      files.set(`${host}/${path}`, [Buffer.from(content)]);
    const more = configuration.runsHandler ? [] : limitsOfFiles(input, description);
    const { exceeded = [] } = configuration;
    for (const text of [...configuration.limits, ...exceeded, ...more]) {
      limits.push({ host, text, exceeded: exceeded.includes(text) });
    }
  }
  return { files, limits };
}

/**
 * Replaces the configurations of some hosts when the new ones are durable. Each file is renamed into place, so that a
 * kill leaves whole files and no gap; another call finishes it.
 *
 * @param disk of the lock
 * @throws StoreError without a manifest
 */
export async function writeDeployment(
  build: string,
  description: MirrorDescription,
  hosts: readonly HostName[],
  disk: Disk,
): Promise<ReportedLimit[]> {
  const built = readBuildManifest(build);
  if (built.size === 0) throw new StoreError(`${build} has no manifest`, { hint: "build again" });
  const { files, limits } = planDeployment(built, description, hosts, redirectsIn(build));
  const stays = (path: string): boolean =>
    !files.has(path) && !hosts.some((host) => path.startsWith(`${host}/`));
  const folder = deployFolder(build);
  const next = `${folder}.new`;
  disk.remove(next);
  const written = writeFiles(next, files);
  await syncTree(next);
  for (const { path } of written) {
    makeFolder(dirname(join(folder, path)), disk);
    disk.rename(join(next, path), join(folder, path));
  }
  disk.remove(next);
  for (const path of walkSorted(folder)) {
    if (!files.has(path) && !stays(path)) disk.remove(join(folder, path));
  }
  // The others with their old digests, so that missing and damaged ones still show.
  const others = [...readDeployManifest(build).values()].filter(({ path }) => stays(path));
  writeDeployManifest(build, [...others, ...written]);
  return limits;
}

/** @throws GuardError where the archive goes beyond what a configured host takes */
export function refuseExceeded(limits: readonly ReportedLimit[]): void {
  const exceeded = limits.filter((limit) => limit.exceeded);
  if (exceeded.length === 0) return;
  const reasons = exceeded.map(({ host, text }) => `${host}: ${text}`).join("; ");
  throw new GuardError(`the archive exceeds a limit of a host: ${reasons}`, {
    hint: "remove the host from the setting hosts, or make the archive smaller",
  });
}

/** Writes the folder `deploy/` of a new build, and its manifest. */
export function writeDeployed(build: string, files: Deployment["files"]): void {
  writeDeployManifest(build, writeFiles(deployFolder(build), files));
}

function writeFiles(folder: string, files: Deployment["files"]): DeployedFile[] {
  for (const [path, pieces] of files) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    withFile(target, "w", nodeDisk, (handle) => {
      for (const piece of pieces) writeFully(handle, piece);
    });
  }
  return deployedFiles(files);
}

/** What a manifest says of files in `deploy/`. */
export function deployedFiles(files: Deployment["files"]): DeployedFile[] {
  return [...files].map(([path, pieces]) => {
    const sum = createHash("sha256");
    for (const piece of pieces) sum.update(piece);
    const bytes = pieces.reduce((total, { length }) => total + length, 0);
    return { path, bytes, sha256: sum.digest("hex") };
  });
}

/** A JSON array with an answer a line: those of all files, then the redirects to some of them. */
function* urlMap(files: FileList<BuiltFile>, input: HostInput): Generator<Buffer> {
  let before = "[\n";
  let lines: string[] = [];
  for (const answer of mappedUrls(files, input)) {
    if (lines.length === linesAtOnce) {
      yield Buffer.from(before + lines.join(",\n"));
      [before, lines] = [",\n", []];
    }
    lines.push(JSON.stringify(answer));
  }
  yield Buffer.from(`${before}${lines.join(",\n")}\n]\n`);
}

function* mappedUrls(
  files: FileList<BuiltFile>,
  { headers, oldAddresses }: HostInput,
): Generator<MappedUrl> {
  const answerOf = ({ path, url, bytes, sha256 }: BuiltFile): MappedUrl => {
    const sent = headersOf(path, headers);
    return {
      url: url ?? `/${urlPath(path)}`,
      file: path,
      type: sent["Content-Type"] ?? typeOfPath(path),
      size: bytes,
      sha256,
      cacheControl: sent["Cache-Control"],
    };
  };
  for (const file of files.values()) yield answerOf(file);
  for (const [path, page] of oldAddresses) {
    const file = files.get(percentDecoded(page));
    if (file === undefined) continue;
    const redirect = { url: `/${urlPath(path.slice(1))}`, status: 301, location: `/${page}` };
    yield { ...answerOf(file), ...redirect } as MappedUrl;
  }
}

/** The published build, and what its mirror says of itself. @throws StoreError where it is missing or damaged */
export function publishedArchive(out: string): { build: string; description: MirrorDescription } {
  const { build, record } = publishedRecord(out);
  return { build, description: descriptionOf(build, rulesOf(record.settings).root) };
}

/** Where a build says that pages of the origin's website stand; older ones do not. */
export function redirectsIn(build: string): Redirects {
  return parseRedirects(readText(join(build, "public", redirectsFile)) ?? "{}");
}

/** What a build's mirror says of itself. @throws StoreError where the build has no such file */
export function descriptionOf(build: string, root: string): MirrorDescription {
  const path = join(build, "public", root, "mirror.json");
  const text = readText(path);
  if (text === undefined) throw new StoreError(`${path} is missing`, { hint: "build again" });
  return JSON.parse(text) as MirrorDescription;
}
