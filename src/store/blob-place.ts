import { StoreError } from "../errors.ts";

/** A place that holds blobs: binary files, each under the SHA-256 of its content, so that equal files are one. */
export interface BlobPlace {
  /**
   * Whether a blob is there in its full length, and is sure to stay. One of another size is damaged. Only complete files
   * get a blob's name, so that a crash leaves none with the right size and the wrong content.
   */
  has(digest: string, bytes: number): Promise<boolean>;
  /** The same of a blob that a durable entry names: its folder is known to be synced. */
  hasStill(digest: string, bytes: number): Promise<boolean>;
  /** The same of one that another machine has put: its content is checked as far as that is cheap. */
  confirm(digest: string, bytes: number): Promise<boolean>;
  /** Lends the path of a file with the blob while `act` works. @throws StoreError where it is missing or damaged */
  use<T>(digest: string, act: (path: string) => Promise<T>): Promise<T>;
  /**
   * A path to write a new blob to before its digest is known. No run uses it again: after a power cut, a file can have
   * its temporary and its final name at once.
   */
  temporaryPath(): string;
  /** Takes a complete, synced file over. A whole blob stays the file it is, with its time and its links. */
  put(temporary: string, digest: string): Promise<void>;
  list(): AsyncIterable<{ digest: string; bytes: number }>;
  /** SHA-256 of what is there; "" where that cannot be read. */
  digestOf(digest: string): Promise<string>;
  remove(digest: string): Promise<void>;
  close(): Promise<void>;
}

export function missing(what: string, how: "missing" | "damaged" = "missing"): StoreError {
  return new StoreError(`${what} is ${how}`, {
    hint: 'run "stillpress repair" to have it made again',
  });
}
