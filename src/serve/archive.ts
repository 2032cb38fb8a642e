import type { MirrorDescription } from "../routes/description.ts";
import type { Scaling } from "../routes/slots.ts";

/** One file of a published archive. */
export interface ArchiveFile {
  bytes: number;
  /** Changes with the content; without quotes and `W/`. */
  etag: string;
  /** Milliseconds since 1970, where it is known. */
  modified?: number | undefined;
  /** Content type, as the file's name tells it. */
  type: string;
  /** Where it lies on this machine's disk, if it does. */
  disk?: string | undefined;
  text(): Promise<string>;
  /** The content, or a part of it: both ends of the range are included. */
  body(range?: ByteRange): Promise<Uint8Array | ReadableStream<Uint8Array>>;
}

/** Bytes of a file, the last one included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Read access to the publish root of an archive, wherever it lies. */
export interface ArchiveFiles {
  /** The file at a path relative to the publish root; undefined where there is none. */
  open(path: string): Promise<ArchiveFile | undefined>;
  /** Another text means another build: what was remembered of the last one no longer counts. */
  version?(): string;
  /** The files of the build that is published now, for an answer that is put together of several. */
  pinned?(): ArchiveFiles;
}

/** An image made for one request. */
export interface MadeImage {
  bytes: Uint8Array;
  etag: string;
  type: string;
}

export interface HandlerOptions {
  files: ArchiveFiles;
  /** Folder of the mirror below the publish root, such as "api/v1". */
  root: string;
  /** Makes an image in a size without a file, where else the nearest larger one is sent. "busy": come again later. */
  makeImage?: (
    id: string,
    scaling: Scaling,
    description: MirrorDescription,
    /** Files of the build that answers; a signal that is raised when the client is gone. */
    asked: { files: ArchiveFiles; signal: AbortSignal },
  ) => Promise<MadeImage | "busy" | undefined>;
  /** Bearer token that requests for JSON must carry; without it, none is asked for. */
  token?: string | undefined;
  /** Instead of the caching that a CDN is told. */
  cacheControl?: string;
}
