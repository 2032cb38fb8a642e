import { z } from "zod";

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
  /** A JPEG that is read line by line, so that it can be made smaller on the way in little memory. */
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
