import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { nodeDisk, withFile } from "../lib/disk.ts";
import { FileList, listOf } from "../lib/file-list.ts";
import { writeDurably } from "../lib/files.ts";
import { linesOf } from "../lib/pieces.ts";
import { scanLines } from "../store/log-lines.ts";

/** A file of a build's folder `deploy/` as its manifest lists it. */
export interface DeployedFile {
  /** Relative to the folder that the manifest is about, with `/`. */
  path: string;
  bytes: number;
  sha256: string;
}

/** A published file as a build's manifest lists it, with what `OutputFile` says of a page whose path can change. */
export interface BuiltFile extends DeployedFile {
  about?: string | undefined;
  was?: readonly string[] | undefined;
  remark?: string | undefined;
  /**
   * When it was modified, in seconds since 1970; some archivers of a CI cache keep no fractions. Builds of earlier
   * versions do not say.
   */
  time?: number | undefined;
  /** Input key of a rendered file, or the blob's digest. */
  key: string;
  /** Path and query, from the publish root, of the request that it answers, where it is not its own path. */
  url?: string | undefined;
  /** Name to save it under, where that is not the last part of its path. */
  name?: string | undefined;
}

export const manifestName = "manifest.ndjson";
export const deployManifestName = "deploy.ndjson";

/** What is read and hashed at once. */
const bytesAtOnce = 1 << 20;

/** A file a line, and at the end the SHA-256 of the lines, so that any damage shows. */
function* piecesOf(files: FileList<DeployedFile>): Generator<string | Uint8Array> {
  const sum = createHash("sha256");
  for (const piece of files.pieces()) {
    sum.update(piece);
    yield piece;
  }
  yield sumLine(sum.digest("hex"));
}

/** Replaces a manifest durably. */
export function writeManifest(path: string, files: FileList<DeployedFile>): void {
  writeDurably(path, piecesOf(files));
}

/** Whether a manifest lists just these files, as `writeManifest` would. */
export function isManifestOf(path: string, files: FileList<DeployedFile>): boolean {
  const said = sumIn(path);
  return said !== undefined && [...piecesOf(files)].at(-1) === sumLine(said);
}

/** The files of a build's publish root by path; none without a manifest. @throws StoreError when it is damaged */
export function readBuildManifest(build: string): FileList<BuiltFile> {
  return readManifest(join(build, manifestName));
}

/**
 * The files of a build's publish root one after the other, where all of them would take too much memory.
 *
 * @throws StoreError when the manifest is missing or damaged, maybe only behind the last file
 */
export async function* builtFilesOf(build: string): AsyncGenerator<BuiltFile> {
  const path = join(build, manifestName);
  try {
    for await (const line of linesOf(intactPieces(path))) {
      const text = line.toString();
      if (!text.startsWith(sumStart)) yield JSON.parse(text) as BuiltFile;
    }
  } catch (cause) {
    throw cause instanceof SyntaxError ? damaged(path) : cause;
  }
}

/** The files of a build's folder `deploy/` by path; none without a manifest. @throws StoreError when it is damaged */
export function readDeployManifest(build: string): FileList<DeployedFile> {
  return readManifest(join(build, deployManifestName));
}

export function writeDeployManifest(build: string, files: readonly DeployedFile[]): void {
  writeManifest(join(build, deployManifestName), listOf(files));
}

const sumStart = '{"sum":"';

function sumLine(sum: string): string {
  return `${sumStart}${sum}"}\n`;
}

/** The SHA-256 at the end of a manifest; undefined where there is none. */
function sumIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const end = Buffer.alloc(sumLine("").length + 64);
  const at = Math.max(0, statSync(path).size - end.length);
  withFile(path, "r", nodeDisk, (handle) => nodeDisk.read(handle, end, 0, end.length, at));
  return /"([\da-f]{64})"\}\n$/.exec(end.toString())?.[1];
}

/** Copies the manifest of a build durably. @throws StoreError when it is missing or damaged */
export function copyManifest(build: string, to: string): void {
  writeDurably(to, intactPieces(join(build, manifestName)));
}

/** The bytes of a manifest. @throws StoreError at the end when they are not what their sum says */
function* intactPieces(path: string): Generator<Uint8Array> {
  const said = sumIn(path);
  if (said === undefined) throw damaged(path);
  const sum = createHash("sha256");
  const lines = statSync(path).size - sumLine(said).length;
  for (let at = 0; at < lines; at += bytesAtOnce) {
    const piece = Buffer.alloc(Math.min(bytesAtOnce, lines - at));
    withFile(path, "r", nodeDisk, (handle) => nodeDisk.read(handle, piece, 0, piece.length, at));
    sum.update(piece);
    yield piece;
  }
  if (sum.digest("hex") !== said) throw damaged(path);
  yield Buffer.from(sumLine(said));
}

/** The files that a manifest lists by path; none without one. @throws StoreError when it is damaged */
export function readManifest<T extends DeployedFile>(path: string): FileList<T> {
  const files = new FileList<T>();
  if (!existsSync(path)) return files;
  const sum = createHash("sha256");
  let said: string | undefined;
  const take = (line: Buffer): void => {
    if (said !== undefined) throw new SyntaxError("lines behind the sum");
    if (line.toString("latin1", 0, sumStart.length) === sumStart) said = `${line}\n`;
    else files.addLine(line);
  };
  try {
    const { size } = statSync(path);
    const end = withFile(path, "r", nodeDisk, (handle) => scanLines(nodeDisk, handle, size, take));
    for (const piece of files.pieces()) sum.update(piece);
    if (end === size && said === sumLine(sum.digest("hex"))) return files;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw damaged(path);
}

function damaged(path: string): StoreError {
  return new StoreError(`${path} is damaged`, { hint: 'run "stillpress repair"' });
}
