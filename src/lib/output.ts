/**
 * One file of the publish root, described before it is made.
 *
 * `key` names everything the content depends on: two files with equal path and key have equal bytes,
 * so the writer links the previous build's file instead of calling `content` again.
 */
export interface RenderedFile {
  /** Relative to the publish root, with `/`. */
  path: string;
  key: string;
  content: () => string | Uint8Array;
}

/** A file of the publish root whose bytes lie in the store as a blob. */
export interface BlobFile {
  path: string;
  /** SHA-256 of the content, hexadecimal. */
  blob: string;
}

export type OutputFile = (RenderedFile | BlobFile) & {
  /** Path and query, from the publish root, of the request that this file answers, where it is not the file's own. */
  url?: string | undefined;
};
