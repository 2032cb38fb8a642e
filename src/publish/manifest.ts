import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { readText, writeDurably } from "../lib/files.ts";

/** A file of a build's folder `deploy/` as its manifest lists it. */
export interface DeployedFile {
  /** Relative to the folder that the manifest is about, with `/`. */
  path: string;
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
}

/** A published file, with what `OutputFile` says of a page whose path can change. */
export interface PublishedFile extends DeployedFile {
  about?: string | undefined;
  was?: readonly string[] | undefined;
  remark?: string | undefined;
  /** Kept in the store: when it was modified, in seconds since 1970; some archivers of a CI cache keep no fractions. */
  time?: number;
}

/** A published file as a build's manifest lists it. */
export interface BuiltFile extends PublishedFile {
  /** Input key of a rendered file, or the blob's digest. */
  key: string;
  /** Path and query, from the publish root, of the request that it answers, where it is not its own path. */
  url?: string | undefined;
}

export const manifestName = "manifest.ndjson";
export const deployManifestName = "deploy.ndjson";

/** A file a line, and at the end the SHA-256 of the lines, so that any damage shows. */
export function manifestText(files: readonly DeployedFile[]): string {
  const text = files.map((file) => `${JSON.stringify(file)}\n`).join("");
  return text + sumLine(text);
}

/** The files of a build's publish root by path; none without a manifest. @throws StoreError when it is damaged */
export function readBuildManifest(build: string): Map<string, BuiltFile> {
  return readManifest(join(build, manifestName));
}

/** The files of a build's folder `deploy/` by path; none without a manifest. @throws StoreError when it is damaged */
export function readDeployManifest(build: string): Map<string, DeployedFile> {
  return readManifest(join(build, deployManifestName));
}

export function writeDeployManifest(build: string, files: readonly DeployedFile[]): void {
  writeDurably(join(build, deployManifestName), manifestText(files));
}

function sumLine(text: string): string {
  return `{"sum":"${sha256(text)}"}\n`;
}

/** The files that a manifest lists by path; none without one. @throws StoreError when it is damaged */
export function readManifest<T extends DeployedFile>(path: string): Map<string, T> {
  const files = new Map<string, T>();
  const text = readText(path);
  if (text === undefined) return files;
  const listed = text.slice(0, Math.max(0, text.lastIndexOf('{"sum":"')));
  if (text !== listed + sumLine(listed)) {
    throw new StoreError(`${path} is damaged`, { hint: 'run "stillpress repair"' });
  }
  for (const line of listed.split("\n").slice(0, -1)) {
    const file = JSON.parse(line) as T;
    files.set(file.path, file);
  }
  return files;
}
