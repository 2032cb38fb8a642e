import { execFile } from "node:child_process";
import {
  constants,
  type Dirent,
  existsSync,
  linkSync,
  readdirSync,
  type Stats,
  statSync,
  utimesSync,
} from "node:fs";
import { copyFile, type FileHandle, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { eachLimited } from "./concurrency.ts";
import { nodeDisk, type OpenFlags, withFile } from "./disk.ts";
import { orUndefined } from "./or-undefined.ts";

/** Answers of Windows and network file systems that cannot sync a folder. */
const unsyncable = ["EINVAL", "EPERM", "EISDIR", "EACCES", "ENOTSUP"];

/** Makes the entries of a folder durable, where the platform can. @throws the error of node:fs */
export function syncFolder(path: string, disk = nodeDisk): void {
  try {
    withFile(path, "r", disk, disk.sync);
  } catch (error) {
    if (!isErrno(error, ...unsyncable)) throw error;
  }
}

/** Makes a folder and those above it, durably. */
export function makeFolder(path: string, disk = nodeDisk): void {
  const first = disk.makeFolder(path);
  if (first === undefined) return;
  // Each new folder is an entry of the one above it.
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made)) {
    syncFolder(dirname(made), disk);
  }
}

/** Makes a folder durable, also if it exists: a killed process may not have synced it. */
export function settleFolder(path: string, disk = nodeDisk): void {
  makeFolder(path, disk);
  syncFolder(path, disk);
  syncFolder(dirname(resolve(path)), disk);
}

/** Writes every byte, in as many calls as that takes, at a position or behind the last write. */
export function writeFully(handle: number, bytes: Uint8Array, position?: number, disk = nodeDisk) {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done;
    done += disk.write(handle, bytes, done, bytes.length - done, at);
  }
}

/**
 * Replaces a file durably, by a content in one piece or in many: temporary file beside it, fsync, rename, folder fsync. A
 * reader sees the old content or the new one, also after a crash. Nothing is replaced where the content throws.
 *
 * @throws the error of node:fs; the old file is then untouched, unless only its name was not made durable
 */
export function writeDurably(
  path: string,
  content: string | Uint8Array | Iterable<string | Uint8Array>,
  disk = nodeDisk,
): void {
  const isWhole = typeof content === "string" || content instanceof Uint8Array;
  const pieces: Iterable<string | Uint8Array> = isWhole ? [content] : content;
  const temporary = `${path}.${process.pid}.tmp`;
  makeFolder(dirname(path), disk);
  // A killed process may have left one. What stands there may also be a link, which must not be followed.
  removeQuietly(temporary, disk);
  try {
    withFile(temporary, "wx", disk, (handle) => {
      for (const piece of pieces) writeFully(handle, Buffer.from(piece), undefined, disk);
      disk.sync(handle);
    });
    disk.rename(temporary, path);
  } catch (error) {
    removeQuietly(temporary, disk);
    throw error;
  }
  syncFolder(dirname(path), disk);
}

/** Removes what a failure left. That failure is the one to tell. */
export function removeQuietly(path: string, disk = nodeDisk): void {
  orUndefined(() => disk.remove(path));
}

/** Undefined where there is no such file. */
export function readText(path: string, disk = nodeDisk): string | undefined {
  try {
    return disk.readFile(path).toString("utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** A path at which nothing exists yet: this one, or with a number behind it, such as `name-2`. */
export function freePath(path: string): string {
  let free = path;
  for (let n = 2; existsSync(free); n++) free = `${path}-${n}`;
  return free;
}

/** Links a file, or copies it with its time where there are no hard links. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isErrno(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP")) throw error;
    await copyAt(from, to, statSync(from).mtimeMs / 1000);
  }
}

/** Copies a file to one with a modification time of its own, in seconds since 1970. */
export async function copyAt(from: string, to: string, time: number): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  utimesSync(to, time, time);
}

/** When a file was modified, in whole seconds since 1970, which is what rsync compares. */
export function secondsOf(file: Stats | undefined): number | undefined {
  return file && Math.floor(file.mtimeMs / 1000);
}

/** Paths of all files below a folder, with `/`, in code unit order. Links are not followed. */
export function* walkSorted(root: string, below = ""): Generator<string> {
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  // Folders sort as `name/`, so that whole paths are in order.
  const key = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  for (const entry of entries.sort((a, b) => (key(a) < key(b) ? -1 : 1))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walkSorted(root, path);
    else yield path;
  }
}

/** Files that are synced side by side where each one has to be. */
const syncedAtOnce = 16;

/**
 * Makes a folder with everything in it durable, before it is renamed into place; its own name is left to the
 * sync of the folder above. On Linux one call does it for the whole file system, which costs about as much as
 * what is not yet written; elsewhere every file and folder is synced.
 *
 * @throws the file system's own error
 */
export async function syncTree(folder: string): Promise<void> {
  if (process.platform !== "linux") return await syncEach(folder);
  try {
    // No other program gets to see the token that stands in our own environment.
    const { PATH = "" } = process.env;
    await promisify(execFile)("sync", ["-f", "--", folder], { env: { PATH } });
  } catch {
    // The GNU tools are missing, or the syncs of single files tell why it fails.
    await syncEach(folder);
  }
}

/** Makes the content of a file durable. */
export async function syncFile(path: string): Promise<void> {
  await withHandle(path, "r+", (file) => file.sync());
}

/** Opens a file for as long as `use` works with it, and waits meanwhile. */
export async function withHandle<T>(
  path: string,
  flags: OpenFlags,
  use: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Reads at most `length` bytes from `position` on; fewer where the file ends. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function syncEach(folder: string): Promise<void> {
  const folders = new Set([folder]);
  await eachLimited(walkSorted(folder), syncedAtOnce, async (path) => {
    for (let above = dirname(path); above !== "."; above = dirname(above)) {
      folders.add(join(folder, above));
    }
    await syncFile(join(folder, path));
  });
  for (const path of folders) syncFolder(path);
}

/** Whether a file system error has one of these codes, such as "ENOENT". */
export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
