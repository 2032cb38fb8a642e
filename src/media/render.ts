import type { Config } from "../config.ts";
import type { Blobs } from "../store/blobs.ts";
import type { MediaEntry } from "../store/media.ts";
import type { Budget } from "./budget.ts";
import { inspectFile } from "./inspect.ts";
import { type Made, makeRenditions, type SourceFile } from "./outcome.ts";

/** Gives the renditions of originals without making any twice. */
export interface Renderer {
  /** Originals whose renditions were made. */
  readonly encoded: number;
  /**
   * Renditions of a file with this SHA-256; made once for all items that have the same bytes.
   *
   * @throws FileError when it is no image that can be decoded whole
   */
  render(sha256: string, file: SourceFile): Promise<Made>;
  /**
   * The renditions that an item has, where its record changed but its file did not.
   * Undefined where they have to be made.
   */
  reuse(
    sha256: string,
    file: SourceFile,
    recipe: string,
    previous: MediaEntry | undefined,
  ): Promise<Made | undefined>;
}

/** Originals of which the renditions are remembered. */
const remembered = 1_000;

export function createRenderer(
  media: Config["media"],
  blobs: Pick<Blobs, "put" | "has">,
  budget: Budget,
): Renderer {
  const made = new Map<string, Promise<Made>>();
  let encoded = 0;
  return {
    get encoded() {
      return encoded;
    },
    async render(sha256, file) {
      const known = made.get(sha256);
      if (known !== undefined) return known;
      const making = makeRenditions(file, media, blobs, budget);
      made.set(sha256, making);
      if (made.size > remembered) made.delete(made.keys().next().value as string);
      try {
        const renditions = await making;
        encoded++;
        return renditions;
      } catch (error) {
        made.delete(sha256);
        throw error;
      }
    },
    async reuse(sha256, file, recipe, previous) {
      if (previous?.original.blob !== sha256 || previous.recipe !== recipe) return undefined;
      // A remark can come from the decoder, who has to be asked again.
      if (previous.remark !== undefined) return undefined;
      const { renditions } = previous;
      if (!renditions.every(({ blob, bytes }) => blobs.has(blob, bytes))) return undefined;
      return { facts: await inspectFile(file.path, file.type), renditions, remarks: [] };
    },
  };
}
