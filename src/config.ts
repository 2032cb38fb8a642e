import { z } from "zod";

const pixels = z
  .int("expected a whole number of pixels")
  .min(1, "expected at least 1 pixel")
  .max(65_535, "expected at most 65535 pixels");
const size = z.tuple([pixels, pixels], "expected [width, height] in pixels");
const share = z.number().min(0, "expected 0 to 1").max(1, "expected 0 to 1");
const quality = z.int().min(1, "expected 1 to 100").max(100, "expected 1 to 100");
const count = z.int("expected a whole number").nonnegative("expected 0 or more");

const pathTemplate = z
  .string()
  .startsWith("/", 'expected a path that starts with "/"')
  .nullable()
  .describe("path below baseUrl; null when this origin has no such endpoint");
const itemPath = pathTemplate.refine(
  (path) => path === null || path.includes("{id}"),
  "expected {id} where the id goes",
);

/** One configured image request, with the words of the API: never both `scale` and a side. */
export const VariantRequest = z
  .strictObject({
    width: pixels.optional(),
    height: pixels.optional(),
    scale: z
      .number()
      .gt(0, "expected a percentage above 0")
      .max(100, "expected a percentage up to 100: scaling never exceeds the original")
      .optional(),
  })
  .refine(
    (variant) =>
      variant.scale === undefined
        ? variant.width !== undefined || variant.height !== undefined
        : variant.width === undefined && variant.height === undefined,
    'expected "width", "height", both of them, or "scale" alone',
  );
export type VariantRequest = z.infer<typeof VariantRequest>;

export const imageFormats = ["jpeg", "webp", "avif"] as const;
export type ImageFormat = (typeof imageFormats)[number];

const Paths = z.strictObject({
  articleImages: itemPath.default("/articles/{id}/images"),
  articleVideos: itemPath.default("/articles/{id}/videos"),
  articleDocuments: itemPath.default("/articles/{id}/documents"),
  articleAudio: itemPath.default("/articles/{id}/audio"),
  galleryImages: itemPath.default("/galleries/{id}/images"),
  galleryVideos: itemPath.default("/galleries/{id}/videos"),
  galleryAudio: itemPath.default("/galleries/{id}/audio"),
  image: itemPath.default("/images/{id}"),
  videos: pathTemplate.default("/videos"),
  documents: pathTemplate.default("/documents"),
  audio: pathTemplate.default("/audio"),
});
export type Paths = z.infer<typeof Paths>;

const Origin = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/, error: "expected an http(s) URL" })
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("address of the API, with its base path"),
  tokenEnv: z.string().min(1).default("STILLPRESS_TOKEN"),
  tokenFile: z.string().min(1).nullable().default(null),
  tokenKind: z.enum(["auto", "organisation", "user"]).default("auto"),
  paths: Paths.prefault({}),
  bodyField: z.string().min(1).default("auto"),
  timezone: z
    .string()
    .refine(isTimezone, 'expected an IANA time zone such as "Europe/Vienna"')
    .default("UTC"),
  tagMatch: z.enum(["auto", "any", "all"]).default("auto"),
  rate: z
    .union(
      [
        z.literal("auto"),
        z.strictObject({
          requests: z.int().min(1, "expected at least 1 request"),
          perSeconds: z.number().gt(0, "expected a number of seconds above 0"),
        }),
      ],
      'expected "auto" or { "requests": …, "perSeconds": … }',
    )
    .default({ requests: 60, perSeconds: 60 }),
  allowHosts: z.array(z.string().min(1)).default([]),
});

const Crawl = z.strictObject({
  concurrency: z.int().min(1, "expected at least 1").max(64, "expected at most 64").default(8),
  privateImages: z.enum(["exclude", "include"]).default("exclude"),
  refresh: z.enum(["changed", "all"]).default("changed"),
  refreshShare: share.default(0.15),
  maxPasses: z.int().min(1, "expected at least 1").default(5),
  maxDuration: z.number().gt(0, "expected a number of seconds above 0").nullable().default(null),
  removals: z.enum(["follow", "keep"]).default("follow"),
  maxRemoved: z.strictObject({ share: share.default(0.05), items: count.default(50) }).prefault({}),
  maxProblems: count.default(0),
});

const Media = z.strictObject({
  originals: z.boolean().default(true),
  publishOriginals: z.boolean().default(true),
  unproved: z
    .enum(["hold", "publish"])
    .default("hold")
    .describe("images that are attached to something but missing from the public index"),
  formats: z
    .array(z.enum(imageFormats))
    .min(1, "expected at least one format")
    .default(["jpeg", "webp"]),
  quality: z
    .strictObject({
      jpeg: quality.default(80),
      webp: quality.default(78),
      avif: quality.default(50),
    })
    .prefault({}),
  web: z.strictObject({ width: pixels.default(1600) }).prefault({}),
  thumbs: z
    .strictObject({
      square: size.default([300, 300]),
      portrait: size.default([300, 400]),
      landscape: size.default([400, 300]),
    })
    .prefault({}),
  variants: z
    .array(VariantRequest)
    .default([
      { width: 320 },
      { width: 640 },
      { width: 1280 },
      { height: 480 },
      { width: 600, height: 400 },
      { scale: 50 },
    ]),
  limitPixels: z.int().min(1, "expected at least 1 pixel").default(100_000_000),
});

const Site = z.strictObject({
  title: z.string().min(1).default("Archive"),
  url: z
    .url({ protocol: /^https?$/, error: "expected an http(s) URL" })
    .transform((url) => url.replace(/\/+$/, ""))
    .nullable()
    .default(null),
  language: z.string().min(2).default("en"),
  templates: z.string().min(1).default("templates"),
  perPage: z.int().min(1, "expected at least 1").max(500, "expected at most 500").default(20),
  permalinks: z.enum(["slug", "id"]).default("slug"),
});

const Mirror = z.strictObject({
  root: z
    .string()
    .startsWith("/", 'expected "auto" or a path that starts with "/"')
    .or(z.literal("auto"))
    .default("auto"),
  links: z.enum(["file", "api"]).default("file"),
  filters: z.array(z.string()).default(["year", "year+month", "category", "tag"]),
});

/** The whole configuration; every key has a default but `origin.baseUrl`. */
export const ConfigSchema = z.strictObject({
  $schema: z.string().optional(),
  origin: Origin,
  crawl: Crawl.prefault({}),
  media: Media.prefault({}),
  site: Site.prefault({}),
  mirror: Mirror.prefault({}),
  hosts: z.array(z.string()).default(["nginx", "caddy"]),
  out: z.string().min(1).default("out"),
});
export type Config = z.infer<typeof ConfigSchema>;

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
