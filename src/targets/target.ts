import { exitCodes, TargetError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";

/** A file as a target is to hold it. */
export interface TargetObject {
  /** Path below the target, with "/". */
  key: string;
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Those that a target keeps with the content, such as Cache-Control. A folder keeps none. */
  headers: Readonly<Record<string, string>>;
  /** Path of the file with the content, or the content in pieces. */
  content: string | readonly Uint8Array[];
  /** When it was modified, in seconds since 1970. A store has its own times. */
  time?: number | undefined;
}

/** What a target has under a key. */
export interface Content {
  body: AsyncIterable<Uint8Array>;
  /** Tells it from later contents. */
  version: string;
}

/** What became of a write that was to happen only if nobody else had written. */
export type Conditional = "written" | "refused" | "unsupported";

/**
 * A place that files are put to: a folder, or a bucket of a store that speaks S3. Whatever fails for good throws a
 * TargetError that says what to do; what may pass was tried again before.
 */
export interface Target {
  /** As the user has named it, without secrets: "s3://bucket/prefix". */
  readonly name: string;
  /**
   * Reads the content of a key; undefined where there is none.
   *
   * @param consume is called again where the content is cut on its way
   */
  read<T>(key: string, consume: (found: Content) => Promise<T>): Promise<T | undefined>;
  /** Whether the target has this very object under its key. */
  has(object: TargetObject): Promise<boolean>;
  put(object: TargetObject): Promise<void>;
  /** @param version that the key must still have; null where it must not be there */
  putIf(object: TargetObject, version: string | null): Promise<Conditional>;
  /** All keys that begin so, in no certain order. */
  list(start: string): AsyncIterable<{ key: string; bytes: number }>;
  /** Does nothing where there is no such key. */
  remove(key: string): Promise<void>;
  /** Makes durable what was put, and removes what killed runs have left of their writing. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** A short text, which no cache may keep, as an object. */
export function textObject(key: string, text: string): TargetObject {
  const content = Buffer.from(text);
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { key, bytes: content.length, sha256: sha256(content), headers, content: [content] };
}

/** A local file has changed, or is damaged. */
export function otherContent({ key }: TargetObject): TargetError {
  return new TargetError(`${key} is not what the manifest of the build says`, {
    exitCode: exitCodes.damaged,
    hint: 'run "stillpress repair"',
  });
}

/** Whether a path stays below the folder that it is joined to. */
export function isBelow(path: string): boolean {
  return path !== "" && path.split("/").every((part) => !/^\.{0,2}$|[\\:\0]/.test(part));
}
