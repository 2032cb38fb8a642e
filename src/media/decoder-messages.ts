import { z } from "zod";
import { type Config, imageFormats } from "../config.ts";
import type { VariantPlan } from "./variants.ts";

/** What a picture is, before its pixels are looked at. */
export const ImageFacts = z.object({
  /** Pixels, upright. */
  width: z.int().positive(),
  height: z.int().positive(),
  /** Stored on its side or mirrored: its EXIF orientation says how to turn it. */
  turned: z.boolean(),
  animated: z.boolean(),
  pages: z.int(),
  /** Colour space as stored, in libvips' words: `srgb`, `cmyk`, `b-w` … */
  space: z.string(),
  svg: z.boolean(),
  /** A JPEG that is read line by line, and made smaller while it is read, in little memory. */
  baseline: z.boolean(),
  /** Dots per inch to render an SVG at, so that it comes out in `width` and `height`; 72 is its own size. */
  density: z.number(),
});
export type ImageFacts = z.infer<typeof ImageFacts>;

/** What a file really is, whatever its name and the server say. */
export const FileFacts = z.object({
  /** Content type without parameters. */
  type: z.string(),
  /** Usual file name extension, without a dot. */
  extension: z.string(),
  bytes: z.int().nonnegative(),
  image: ImageFacts.optional(),
  damage: z.string().optional(),
});
export type FileFacts = z.infer<typeof FileFacts>;

export interface RenderTask {
  path: string;
  image: ImageFacts;
  plans: VariantPlan[];
  settings: Pick<Config["media"], "quality" | "limitPixels">;
  /** Paths of the files to write, one for each format of each plan, taken in the order of the answer. */
  targets: string[];
}

export type DecoderQuestion =
  /** `said`: content type that the answer gave. */
  { ask: "inspect"; path: string; said: string | undefined } | { ask: "render"; task: RenderTask };

export const RenderedFile = z.object({
  plan: z.int().nonnegative(),
  format: z.enum(imageFormats),
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type RenderedFile = z.infer<typeof RenderedFile>;

/** What a decoder process says. It is checked: a hostile picture may control the process. */
export const DecoderAnswer = z.discriminatedUnion("answer", [
  z.object({ answer: z.literal("facts"), facts: FileFacts }),
  z.object({
    answer: z.literal("rendered"),
    files: z.array(RenderedFile),
    warnings: z.array(z.string()),
  }),
  /** The picture is no good; see DecodeError. */
  z.object({ answer: z.literal("refused"), reason: z.string(), tooLarge: z.boolean() }),
  /** Something else failed: the file system, if there is a `code`. */
  z.object({ answer: z.literal("failed"), reason: z.string(), code: z.string().optional() }),
]);
export type DecoderAnswer = z.infer<typeof DecoderAnswer>;
