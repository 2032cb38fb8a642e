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

/** How a file is opened, as node:fs spells it; `x` refuses what exists. */
export type OpenFlags = "r" | "r+" | "w" | "wx" | "wx+";

/**
 * The calls through which everything goes that must survive a crash, so that a test can put a file system in
 * their place which loses what a power cut would. They throw the errors of node:fs.
 */
export const nodeDisk = {
  open: (path: string, flags: OpenFlags): number => openSync(path, flags),
  close: (handle: number): void => closeSync(handle),
  /** Reads up to `length` bytes at a position of the file; returns how many there were. */
  read: (
    handle: number,
    into: Uint8Array,
    start: number,
    length: number,
    position: number,
  ): number => readSync(handle, into, start, length, position),
  /** Writes at a position, or where the last write ended; returns how many bytes were taken. */
  write: (
    handle: number,
    bytes: Uint8Array,
    start: number,
    length: number,
    position: number | null,
  ): number => writeSync(handle, bytes, start, length, position),
  bytesOf: (handle: number): number => fstatSync(handle).size,
  /** Gives an open file another length. */
  cut: (handle: number, bytes: number): void => ftruncateSync(handle, bytes),
  /** Makes content and length durable; of a folder, its entries. */
  sync: (handle: number): void => fsyncSync(handle),
  /** The same without times, which is cheaper. */
  syncData: (handle: number): void => fdatasyncSync(handle),
  readFile: (path: string): Buffer => readFileSync(path),
  /** Bytes, and milliseconds since 1970; undefined where there is no such file. */
  stat(path: string): { bytes: number; modifiedMs: number } | undefined {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { bytes: found.size, modifiedMs: found.mtimeMs };
  },
  list: (folder: string): string[] => readdirSync(folder),
  /** Makes a folder and those above it; returns the first one that was not there. */
  makeFolder: (path: string): string | undefined => mkdirSync(path, { recursive: true }),
  rename: (from: string, to: string): void => renameSync(from, to),
  link: (from: string, to: string): void => linkSync(from, to),
  /** Sets the time of the last change to now. */
  touch(path: string): void {
    const now = new Date();
    utimesSync(path, now, now);
  },
  /** Removes a file, or a folder with all that is in it, where it exists. */
  remove: (path: string): void => rmSync(path, { recursive: true, force: true }),
};
export type Disk = typeof nodeDisk;
