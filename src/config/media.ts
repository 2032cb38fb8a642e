import { z } from "zod";
import {
  choices,
  flag,
  list,
  oneOf,
  pixels,
  quality,
  section,
  size,
  text,
  whole,
} from "./fields.ts";

/** One configured image request, with the words of the API: never both `scale` and a side. */
export const VariantRequest = section({
  width: pixels.optional(),
  height: pixels.optional(),
  scale: z
    .number("expected a percentage")
    .gt(0, "expected a percentage above 0")
    .max(100, "expected a percentage up to 100: scaling never exceeds the original")
    .optional(),
}).refine(
  ({ width, height, scale }) =>
    scale === undefined
      ? width !== undefined || height !== undefined
      : width === undefined && height === undefined,
  'expected "width", "height", both of them, or "scale" alone',
);
export type VariantRequest = z.infer<typeof VariantRequest>;

export const imageFormats = ["jpeg", "webp", "avif"] as const;
export type ImageFormat = (typeof imageFormats)[number];

export const Media = section({
  originals: flag("Whether images, videos, documents and audio files are downloaded at all."),
  publishOriginals: flag("Whether the originals are published beside the renditions."),
  metadata: oneOf(
    ["keep", "strip-location", "strip"],
    'What published originals of images tell of themselves: "keep" publishes the bytes of the origin; "strip-location" takes the place and the notes of camera makers out of EXIF, and leaves out XMP, IPTC and comments, which can name it in words; "strip" takes out all but the orientation, such as names and times. The store keeps the bytes of the origin, pixels stay as they are, and renditions never have metadata. An original of which it cannot be taken out, such as a GIF or TIFF, is not published then. Example: "strip-location".',
  ),
  unproved: oneOf(
    ["hold", "publish"],
    'Unproved images, which are attached to an item but missing from the public index: "hold" keeps them in the store, "publish" publishes them. An image whose record says that it is private, or that left the public index, is never published.',
  ),
  formats: choices(imageFormats, "format")
    .min(1, "expected at least one format")
    .default(["jpeg", "webp"])
    .describe("Formats of every rendition. JPEG is always made, because the API answers in it."),
  quality: section({
    jpeg: quality.default(80),
    webp: quality.default(78),
    avif: quality.default(50),
  })
    .prefault({})
    .describe("Quality of each format, 1 to 100."),
  web: section({ width: pixels.default(1600).describe("Pixels.") })
    .prefault({})
    .describe("The web version of an image."),
  thumbs: section({
    square: size.default([300, 300]),
    portrait: size.default([300, 400]),
    landscape: size.default([400, 300]),
  })
    .prefault({})
    .describe("Width and height of the thumbnails, in pixels."),
  variants: list(VariantRequest)
    .default([
      { width: 320 },
      { width: 640 },
      { width: 960 },
      { width: 1280 },
      { height: 480 },
      { width: 600, height: 400 },
      { scale: 50 },
    ])
    .describe(
      "Further renditions by the rules of the API: width, height, both (cropped from the centre), or scale in percent. None is larger than its original.",
    ),
  animations: section({
    frames: whole("frames", 0, 10_000)
      .default(240)
      .describe("Frames of an animation that are played, from the first on; 0 plays none."),
    pixels: whole("pixels", 1_000, 1_000_000_000)
      .default(40_000_000)
      .describe("Pixels of all of its frames together: where there would be more, it is smaller."),
  })
    .prefault({})
    .describe(
      "The moving rendition (WebP) of an animated GIF or WebP (with media.ffmpeg, also APNG or AVIF), which the website plays when a reader asks for it. The answers of the API show the first frame.",
    ),
  ffmpeg: text
    .nullable()
    .default(null)
    .describe(
      'The program ffmpeg, such as "ffmpeg" or its path, for what is not read without it: a frame of each video as its poster, and the moving rendition of an APNG or AVIF. It reads files of the origin. null does without.',
    ),
  limitPixels: whole("pixels", 1, 1_000_000_000)
    .default(100_000_000)
    .describe(
      "Images with more pixels than this are published without renditions. Baseline JPEG up to ten times as large still gets the small ones.",
    ),
});
