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

/** All calls that matter after a crash, so that tests can simulate a power cut. They throw the errors of node:fs. */
export const nodeDisk = {
  open: (path: string, flags: OpenFlags): number => openSync(path, flags),
  close: (handle: number): void => closeSync(handle),
  /** Returns how many bytes were read. */
  read: (
    handle: number,
    into: Uint8Array,
    start: number,
    length: number,
    position: number,
  ): number => readSync(handle, into, start, length, position),
  /** Writes at a position, or behind the last write; returns how many bytes were taken. */
  write: (
    handle: number,
    bytes: Uint8Array,
    start: number,
    length: number,
    position: number | null,
  ): number => writeSync(handle, bytes, start, length, position),
  bytesOf: (handle: number): number => fstatSync(handle).size,
  cut: (handle: number, bytes: number): void => ftruncateSync(handle, bytes),
  /** Makes content and length durable, or the entries of a folder. */
  sync: (handle: number): void => fsyncSync(handle),
  /** The same without times, which is cheaper. */
  syncData: (handle: number): void => fdatasyncSync(handle),
  readFile: (path: string): Buffer => readFileSync(path),
  /** Undefined where there is no such file. */
  stat(path: string): { bytes: number; modifiedMs: number } | undefined {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && { bytes: found.size, modifiedMs: found.mtimeMs };
  },
  list: (folder: string): string[] => readdirSync(folder),
  /** With the folders above; returns the first new one. */
  makeFolder: (path: string): string | undefined => mkdirSync(path, { recursive: true }),
  rename: (from: string, to: string): void => renameSync(from, to),
  link: (from: string, to: string): void => linkSync(from, to),
  touch(path: string): void {
    const now = new Date();
    utimesSync(path, now, now);
  },
  /** A file, or a folder with its content, if it exists. */
  remove: (path: string): void => rmSync(path, { recursive: true, force: true }),
};
export type Disk = typeof nodeDisk;
