import { availableParallelism } from "node:os";
import type { Config } from "../config.ts";
import type { Blobs } from "../store/blobs.ts";
import type { MediaEntry } from "../store/media.ts";
import { createDecoders } from "./decoders.ts";
import type { Made } from "./made.ts";
import { renderImage, type SourceFile } from "./render.ts";

/** What jobs of a run came to. */
export interface JobCounts {
  /** Sent to workers and answered. */
  done: number;
  /** Answered by a result of before. */
  known: number;
  /** Sent once more, because no answer came or it was not right. */
  again: number;
}

/** Makes and stores the renditions of pictures, here or on other machines. */
export interface Renderer {
  /** How many pictures it takes at once. */
  readonly atOnce: number;
  /** @param held entry of the same bytes with the same settings: its renditions stay. @throws as `renderImage` */
  make(file: SourceFile, held?: MediaEntry): Promise<Made>;
  note?(): string;
  readonly jobs?: JobCounts;
  /** Ask nothing afterwards. */
  close(): Promise<void>;
}

/** Renders on this machine, in a pool of processes. @param signal ends the work; what is underway is rejected with its reason */
export function createLocalRenderer(
  { media, crawl }: Pick<Config, "media" | "crawl">,
  blobs: Blobs,
  signal?: AbortSignal,
): Renderer {
  const slots = Math.min(availableParallelism() + 1, 4);
  const { limitPixels } = media;
  const decoders = createDecoders({ slots, limitPixels, limitMs: limitFor(crawl), signal });
  const tools = { media, blobs, decoders };
  return {
    atOnce: slots,
    async make(file, held) {
      const { path } = file;
      if (path !== undefined) return await renderImage({ ...file, path }, tools, held);
      return await blobs.use(file.sha256, (own) =>
        renderImage({ ...file, path: own }, tools, held),
      );
    },
    close: decoders.close,
  };
}

/** Milliseconds that a picture may take, so that a night of limited length does not try it again and again. */
export function limitFor({ maxDuration }: Pick<Config["crawl"], "maxDuration">) {
  return maxDuration === null ? undefined : maxDuration * 250;
}
