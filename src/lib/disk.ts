import * as fs from "node:fs";
import { orUndefined } from "./or-undefined.ts";

/** How a file is opened, as node:fs spells it; `x` refuses what exists. */
export type OpenFlags = "r" | "r+" | "w" | "wx" | "wx+";

/** All calls that matter after a crash, so that tests can simulate a power cut. They throw the errors of node:fs. */
export const nodeDisk = {
  open: (path: string, flags: OpenFlags): number => fs.openSync(path, flags),
  close: (handle: number): void => fs.closeSync(handle),
  /** Returns how many bytes were read. */
  read: (handle: number, into: Uint8Array, start: number, length: number, at: number) =>
    fs.readSync(handle, into, start, length, at),
  /** Writes at a position, or behind the last write; returns how many bytes were taken. */
  write: (handle: number, bytes: Uint8Array, start: number, length: number, at: number | null) =>
    fs.writeSync(handle, bytes, start, length, at),
  bytesOf: (handle: number): number => fs.fstatSync(handle).size,
  cut: (handle: number, bytes: number): void => fs.ftruncateSync(handle, bytes),
  /** Makes content and length durable, or the entries of a folder. */
  sync: (handle: number): void => fs.fsyncSync(handle),
  /** The same without times, which is cheaper. */
  syncData: (handle: number): void => fs.fdatasyncSync(handle),
  readFile: (path: string): Buffer => fs.readFileSync(path),
  /** Undefined where there is no such file. */
  stat(path: string): { bytes: number; modifiedMs: number } | undefined {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    return found && { bytes: found.size, modifiedMs: found.mtimeMs };
  },
  list: (folder: string): string[] => fs.readdirSync(folder),
  /** With the folders above; returns the first new one. */
  makeFolder: (path: string): string | undefined => fs.mkdirSync(path, { recursive: true }),
  /** Lets only the user into a folder, where it is his and the platform knows users. */
  closeToOthers: (path: string): void => orUndefined(() => fs.chmodSync(path, 0o700)),
  rename: (from: string, to: string): void => fs.renameSync(from, to),
  link: (from: string, to: string): void => fs.linkSync(from, to),
  touch(path: string): void {
    const now = new Date();
    fs.utimesSync(path, now, now);
  },
  /** A file, or a folder with its content, if it exists. */
  remove: (path: string): void => fs.rmSync(path, { recursive: true, force: true }),
};
export type Disk = typeof nodeDisk;

/** Opens a file for as long as `act` works with it. */
export function withFile<T>(
  path: string,
  flags: OpenFlags,
  disk: Disk,
  act: (handle: number) => T,
): T {
  const handle = disk.open(path, flags);
  try {
    return act(handle);
  } finally {
    disk.close(handle);
  }
}
