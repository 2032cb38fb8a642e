import type { OutputFile } from "../lib/output.ts";
import type { MadeFile } from "./maker.ts";

/** Files in a row that one thread makes: they often need the same records. */
const inARow = 64;
/** For more files than a map of their paths can hold, which is 2 ** 24. */
const maxRows = 2 ** 24 / inARow;

/** The rows of files that threads have taken, in memory that threads share. */
export const noRowsTaken = (): Int8Array => new Int8Array(new SharedArrayBuffer(maxRows));

/**
 * Tells a thread which files of a build it makes. All threads go through the same files in the same order; the first
 * one to come to a row takes what is rendered there. The first thread links the blobs, so that no two work on one, and makes what one thread is to make.
 *
 * @param own number of the thread, from 0
 */
export function shareOf(taken: Int8Array, own: number): Shares["isMine"] {
  const mark = own + 1;
  return (at, file) => {
    if ("blob" in file || file.alone) return own === 0;
    const other = Atomics.compareExchange(taken, Math.floor(at / inARow), 0, mark);
    return other === 0 || other === mark;
  };
}

/** What this thread makes of a build, and what others make. */
export interface Shares {
  /** @param at place in the order of all files. @throws ThreadFailure */
  isMine(at: number, file: OutputFile): boolean;
  /** Called when this thread has rendered a file. */
  onRendered(): void;
  /** Waits for the files that others make. @throws ThreadFailure */
  others(): Promise<readonly PlacedFile[]>;
  /** Ends the other threads. */
  close(): Promise<void>;
}

/** A file with its place in the order of all files. */
export type PlacedFile = readonly [at: number, made: MadeFile];

/** Another thread failed. What it was to make, one thread can make. */
export class ThreadFailure extends Error {}

/** One thread makes them all. */
export const oneThread: Shares = {
  isMine: () => true,
  onRendered: () => {},
  others: async () => [],
  close: async () => {},
};
