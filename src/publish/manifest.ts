import { join } from "node:path";
import { z } from "zod";
import { StoreError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { readText, writeDurably } from "../lib/files.ts";

/** A file of a build's folder `deploy/` as its manifest lists it. */
const DeployedFile = z.strictObject({
  /** Relative to the folder that the manifest is about, with `/`. */
  path: z.string(),
  bytes: z.int().nonnegative(),
  /** Of the content, hexadecimal. */
  sha256: z.string(),
});
export type DeployedFile = z.infer<typeof DeployedFile>;

/** One published file as a build's manifest lists it. */
const BuiltFile = DeployedFile.extend({
  /** Input key of a rendered file, or the blob's digest. */
  key: z.string(),
  /** Path and query, from the publish root, of the request that it answers, where it is not its own path. */
  url: z.string().optional(),
});
export type BuiltFile = z.infer<typeof BuiltFile>;

/** Of the publish root. */
export const manifestName = "manifest.ndjson";
/** Of the folder `deploy/`. */
export const deployManifestName = "deploy.ndjson";

const sumStart = '{"sum":"';

/** A file a line, and at the end the SHA-256 of the lines, so that any damage shows. */
export function manifestText(files: Iterable<DeployedFile>): string {
  let text = "";
  for (const file of files) text += `${JSON.stringify(file)}\n`;
  return `${text}${sumStart}${sha256(text)}"}\n`;
}

/**
 * The files of a build's publish root by path; empty where there is no such build.
 *
 * @throws StoreError when the manifest is damaged
 */
export function readBuildManifest(build: string): Map<string, BuiltFile> {
  return readManifest(join(build, manifestName), BuiltFile);
}

/**
 * The files of a build's folder `deploy/` by path; undefined where they were not listed, as builds of earlier
 * versions do not.
 *
 * @throws StoreError when the manifest is damaged
 */
export function readDeployManifest(build: string): Map<string, DeployedFile> | undefined {
  const path = join(build, deployManifestName);
  return readText(path) === undefined ? undefined : readManifest(path, DeployedFile);
}

export function writeDeployManifest(build: string, files: Iterable<DeployedFile>): void {
  writeDurably(join(build, deployManifestName), manifestText(files));
}

function readManifest<T extends DeployedFile>(path: string, schema: z.ZodType<T>): Map<string, T> {
  const files = new Map<string, T>();
  const text = readText(path) ?? "";
  const end = text.lastIndexOf(sumStart);
  // Builds of earlier versions have no sum; half of one is a line that is no file.
  const listed = end === -1 ? text : text.slice(0, end);
  if (end !== -1 && text.slice(end) !== `${sumStart}${sha256(listed)}"}\n`) {
    throw damaged(path, new SyntaxError("its checksum does not match"));
  }
  for (const [index, line] of listed.split("\n").entries()) {
    if (line === "") continue;
    try {
      const parsed: unknown = JSON.parse(line);
      // What a sum vouches for is as it was written.
      const file = end === -1 ? schema.parse(parsed) : (parsed as T);
      files.set(file.path, file);
    } catch (cause) {
      throw damaged(`${path}:${index + 1}`, cause);
    }
  }
  return files;
}

function damaged(place: string, cause: unknown): StoreError {
  return new StoreError(`${place} is damaged`, { cause, hint: 'run "stillpress repair"' });
}
