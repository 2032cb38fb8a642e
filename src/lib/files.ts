import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Makes a folder's own entries durable; ignored where the platform cannot open folders. */
export function syncFolder(path: string): void {
  let handle: number;
  try {
    handle = openSync(path, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!isErrno(error, "EINVAL", "EPERM", "EISDIR")) throw error;
  } finally {
    closeSync(handle);
  }
}

/** Makes a folder and those above it, durably. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  // Each new folder is an entry of the one above it.
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

/**
 * Writes every byte, also where one system call takes only a part of them.
 *
 * @param position offset in the file; without one, where the last write ended
 */
export function writeFully(handle: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length; ) {
    const at = position === undefined ? null : position + done;
    done += writeSync(handle, bytes, done, bytes.length - done, at);
  }
}

/**
 * Replaces a file durably: temporary file beside it, fsync, rename, folder fsync.
 * A reader, or a run after a crash, sees the old content or the new one, never a part.
 *
 * @throws the file system's own error; the old file is then untouched
 */
export function writeDurably(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const temporary = `${path}.${process.pid}.tmp`;
  makeFolder(dirname(path));
  try {
    const handle = openSync(temporary, "w");
    try {
      writeFully(handle, bytes);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** The file's text, or undefined where there is no such file. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** Gives a file a second name without copying its bytes; copies where the file system has no hard links. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isErrno(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP")) throw error;
    await copyFile(from, to);
  }
}

/** Paths of all files below a folder, relative to it, with `/`, in code unit order. Links are not followed. */
export function* walkSorted(root: string, below = ""): Generator<string> {
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  // Folders sort as `name/`, so that the order equals that of the whole paths.
  const named = entries.map((entry) => ({
    entry,
    key: entry.isDirectory() ? `${entry.name}/` : entry.name,
  }));
  named.sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { entry } of named) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walkSorted(root, path);
    else yield path;
  }
}

/** Whether a file system error has one of these codes, such as "ENOENT". */
export function isErrno(error: unknown, ...codes: string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
