import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";

/** How a file is opened, as node:fs spells it; `x` refuses what exists. */
export type OpenFlags = "r" | "r+" | "w" | "wx" | "wx+";

/**
 * The calls through which everything goes that must survive a crash, so that a test can put a file system in
 * their place which loses what a power cut would. They do what the calls of node:fs do of which they are made,
 * and throw the same errors.
 */
export interface Disk {
  open(path: string, flags: OpenFlags): number;
  close(handle: number): void;
  /** Reads up to `length` bytes at a position of the file; returns how many there were. */
  read(handle: number, into: Uint8Array, start: number, length: number, position: number): number;
  /** Writes at a position, or where the last write ended; returns how many bytes were taken. */
  write(
    handle: number,
    bytes: Uint8Array,
    start: number,
    length: number,
    position: number | null,
  ): number;
  bytesOf(handle: number): number;
  /** Gives an open file another length. */
  cut(handle: number, bytes: number): void;
  /** Makes content and length durable; of a folder, its entries. */
  sync(handle: number): void;
  /** The same without times, which is cheaper. */
  syncData(handle: number): void;
  /** Creates or replaces a file and makes its content durable, though not its name. */
  writeSynced(path: string, bytes: Uint8Array): Promise<void>;
  readFile(path: string): Buffer;
  /** Bytes, and milliseconds since 1970; undefined where there is no such file. */
  stat(path: string): { bytes: number; modifiedMs: number } | undefined;
  list(folder: string): string[];
  /** Makes a folder and those above it; returns the first one that was not there. */
  makeFolder(path: string): string | undefined;
  rename(from: string, to: string): void;
  link(from: string, to: string): void;
  /** Sets the time of the last change to now. */
  touch(path: string): void;
  /** Removes a file, or a folder with all that is in it, where it exists. */
  remove(path: string): void;
}

/** The file system of the machine. */
export const nodeDisk: Disk = {
  open: openSync,
  close: closeSync,
  read: readSync,
  write: writeSync,
  bytesOf: (handle) => fstatSync(handle).size,
  cut: ftruncateSync,
  sync: fsyncSync,
  syncData: fdatasyncSync,
  writeSynced: (path, bytes) => writeFile(path, bytes, { flush: true }),
  readFile: (path) => readFileSync(path),
  stat(path) {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { bytes: found.size, modifiedMs: found.mtimeMs };
  },
  list: (folder) => readdirSync(folder),
  makeFolder: (path) => mkdirSync(path, { recursive: true }),
  rename: renameSync,
  link: linkSync,
  touch(path) {
    const now = new Date();
    utimesSync(path, now, now);
  },
  remove: (path) => rmSync(path, { recursive: true, force: true }),
};
