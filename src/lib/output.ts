import { sha256 } from "./digest.ts";

/**
 * A file of the publish root before it is made. `key` names everything that the content depends on: if path and key are
 * those of the last build, the writer links its file instead of calling `content`. Both are made only when asked for:
 * of several threads, each makes a share of the files.
 */
export interface RenderedFile {
  /** Relative to the publish root, with `/`. */
  path: string;
  key: () => string;
  content: () => string | Uint8Array;
}

/** A file that is a blob of the store. */
export interface BlobFile {
  path: string;
  /** Its SHA-256 in hexadecimal. */
  blob: string;
}

/** A picture that is drawn anew whenever its key differs, and then only, whatever program made the one before. */
export interface DrawnFile {
  path: string;
  key: () => string;
  /** The blob that it is made from, if it is. */
  source?: string;
  /** Words that may stand in it. */
  text: string;
  /** @param source path of that blob; empty without one */
  draw: (source: string, text: string) => Promise<Uint8Array>;
}

export type OutputFile = (RenderedFile | BlobFile | DrawnFile) & {
  /** The picture to share a page with, which is a file of its own. */
  share?: DrawnFile | undefined;
  /** Path and query of the request that this file answers, if it is not its own path. */
  url?: string | undefined;
  /** Name to save it under, where that is not the last part of its path. */
  name?: string | undefined;
  /** Of a page whose path can change: its name that stays, such as `articles/{id}`. */
  about?: string | undefined;
  /** The paths that such a page had before. */
  was?: readonly string[] | undefined;
  /** Whether it has so much work in common with its neighbours that one thread is to make them all. */
  alone?: boolean | undefined;
  /** What is odd about a page, once its content was made. */
  remark?: (() => string | undefined) | undefined;
};

/** A file whose text is made in any case. */
export function textFile(path: string, text: string): OutputFile {
  return { path, key: () => sha256(text), content: () => text };
}
