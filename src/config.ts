import { z } from "zod";
import {
  address,
  count,
  flag,
  isDistinct,
  isLanguage,
  isTimezone,
  list,
  pixels,
  quality,
  seconds,
  section,
  share,
  size,
  text,
  whole,
} from "./config/fields.ts";
import { filterCombinations } from "./config/filters.ts";
import { hostNames } from "./config/host-names.ts";

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

const pathTemplate = z
  .string('expected a path that starts with "/", or null')
  .regex(/^\/[^\s#]*$/, 'expected a path that starts with "/", or null')
  .nullable()
  .describe("Path below baseUrl; null when this origin has no such endpoint.");
const itemPath = pathTemplate.refine(
  (path) => path === null || path.includes("{id}"),
  "expected {id} where the id goes",
);

/** A path that the API document shows, so that an origin, or a token, can only be without it. */
function shownPath(path: string) {
  const expected = `expected ${JSON.stringify(path)}, which the API document fixes, or null`;
  return z
    .string(expected)
    .refine((text) => text === path, expected)
    .nullable()
    .default(path)
    .describe("null when this origin has no such index, or none for this token.");
}

const Paths = section({
  galleries: shownPath("/galleries"),
  images: shownPath("/images"),
  categories: shownPath("/categories"),
  tags: shownPath("/tags"),
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

const Rate = z.union(
  [
    z.literal("auto"),
    section({
      requests: whole("requests", 1, 1_000_000),
      perSeconds: seconds(86_400),
    }),
  ],
  'expected "auto" or { "requests": …, "perSeconds": … }',
);

const Origin = section({
  baseUrl: address.describe("Address of the API, with its base path."),
  tokenEnv: z
    .string("expected the name of an environment variable")
    .regex(/^[A-Za-z_]\w*$/, "expected the name of an environment variable")
    .default("STILLPRESS_TOKEN")
    .describe("Environment variable with the access token."),
  tokenFile: z
    .string("expected the path of a file, or null")
    .min(1, "expected the path of a file, or null")
    .nullable()
    .default(null)
    .describe("File with the access token, instead of the environment variable."),
  tokenKind: z
    .enum(["auto", "organisation", "user"])
    .default("auto")
    .describe(
      'Kind of the access token: with "organisation" a refusal of private images is a gap, with "user" they cannot be asked for.',
    ),
  paths: Paths.prefault({}).describe("Paths of the API, and what this origin does not have."),
  bodyField: text
    .default("auto")
    .describe('Field of a single article with its body; "auto" finds it.'),
  mediaLink: text
    .nullable()
    .default("auto")
    .describe(
      'Member of videos, documents and audio with the address of the file, such as "links.file"; "auto" finds it, null means that they have none.',
    ),
  timezone: z
    .string('expected an IANA time zone such as "Europe/Vienna"')
    .refine(isTimezone, 'expected an IANA time zone such as "Europe/Vienna"')
    .default("UTC")
    .describe("IANA time zone of the year and month filters."),
  tagMatch: z
    .enum(["auto", "any", "all"])
    .default("auto")
    .describe("Whether the tags filter lists what has any of the tags, or all of them."),
  rate: Rate.default({ requests: 60, perSeconds: 60 }).describe(
    'Requests of any kind in any such time; "auto" goes by what the origin says alone.',
  ),
  allowHosts: list(
    z
      .string('expected a host such as "cdn.example.org" or "cdn.example.org:8443"')
      .regex(
        /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i,
        'expected a host such as "cdn.example.org" or "cdn.example.org:8443"',
      ),
  )
    .default([])
    .describe("Further hosts that binaries may be fetched from."),
});

const Crawl = section({
  concurrency: whole("requests", 1, 64).default(8).describe("Requests that run at once."),
  privateImages: z
    .enum(["exclude", "include"])
    .default("exclude")
    .describe("Whether private images are asked for; they are never published."),
  refresh: z
    .enum(["changed", "all"])
    .default("changed")
    .describe("Which articles and galleries are fetched again in full."),
  refreshShare: share
    .default(0.15)
    .describe("Share of the unchanged ones that is fetched again in each crawl, 0 to 1."),
  volatile: list(text)
    .default(["rating"])
    .describe("Members of index items whose change alone is no reason to fetch the item again."),
  maxPasses: whole("passes", 1, 100).default(5).describe("Walks through an index until two agree."),
  maxDuration: seconds(1_209_600)
    .nullable()
    .default(null)
    .describe("Seconds after which crawl and media stop, to be resumed; null for no limit."),
  removals: z
    .enum(["follow", "keep"])
    .default("follow")
    .describe("Whether what vanished from the origin leaves the archive too."),
  maxRemoved: section({
    share: share.default(0.05).describe("Share of all items, 0 to 1."),
    items: count.default(50).describe("Number of items."),
  })
    .prefault({})
    .describe("More than this vanishing at once is taken for a mistake and refused."),
  maxProblems: count
    .default(0)
    .describe("Items that may be missing from a snapshot that counts as complete."),
});

const Media = section({
  originals: flag.default(true).describe("Whether files are downloaded at all."),
  publishOriginals: flag.default(true).describe("Whether originals are published as they are."),
  unproved: z
    .enum(["hold", "publish"])
    .default("hold")
    .describe(
      "Images that are attached to something but missing from the public index; what its own record, or its leaving that index, tells to be private is held back in any case.",
    ),
  formats: list(z.enum(imageFormats))
    .min(1, "expected at least one format")
    .refine(isDistinct, "expected each format once")
    .default(["jpeg", "webp"])
    .describe("Formats of every rendition."),
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
      { width: 1280 },
      { height: 480 },
      { width: 600, height: 400 },
      { scale: 50 },
    ])
    .describe("Further renditions: width and height in pixels, scale in percent."),
  limitPixels: whole("pixels", 1, 1_000_000_000)
    .default(100_000_000)
    .describe("Images with more pixels than this are not decoded."),
});

const Site = section({
  title: text.default("Archive"),
  url: address
    .nullable()
    .default(null)
    .describe("Public address of the archive, for feeds and the sitemap; null while unknown."),
  language: z
    .string('expected a language tag such as "en" or "de-AT"')
    .refine(isLanguage, 'expected a language tag such as "en" or "de-AT"')
    .default("en")
    .describe("Language tag, which also decides how dates are written."),
  templates: text.default("templates").describe("Folder of own templates."),
  perPage: whole("items", 1, 500).default(20).describe("Items on a page of a list."),
  permalinks: z
    .enum(["slug", "id"])
    .default("slug")
    .describe("What the addresses of articles and galleries are made from."),
});

const mirrorRoot = 'expected "auto" or a path such as "/api/v1"';

const Mirror = section({
  root: z
    .string(mirrorRoot)
    .regex(/^(?:auto|(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+\/?)$/, mirrorRoot)
    .default("auto")
    .describe('Where the API mirror lies; "auto" for the base path of the API, or /api.'),
  links: z
    .enum(["file", "api"])
    .default("file")
    .describe("Whether links in the mirror name files, or have the form of the API's URLs."),
  filters: list(z.enum(filterCombinations))
    .refine(isDistinct, "expected each filter once")
    .default(["year", "year+month", "category", "tag"])
    .describe("Filtered lists of articles and galleries that are written as files."),
  emptyLists: flag
    .default(true)
    .describe("Whether what has no attachments of a kind has a file that lists none."),
});

/** The whole configuration; every key has a default but `origin.baseUrl`. */
export const ConfigSchema = section({
  $schema: z.string("expected a text").optional(),
  origin: Origin,
  crawl: Crawl.prefault({}),
  media: Media.prefault({}),
  site: Site.prefault({}),
  mirror: Mirror.prefault({}),
  hosts: list(z.enum(hostNames))
    .refine(isDistinct, "expected each host once")
    .default(["nginx", "caddy"])
    .describe("Hosts to write a configuration for."),
  out: text.default("out").describe("Output folder."),
  keepBuilds: whole("builds", 0, 1_000)
    .default(2)
    .describe("Former builds that stay beside the published one, to roll back to."),
}).superRefine(({ origin, crawl }, { issues }) => {
  if (crawl.privateImages === "exclude") return;
  const without = [
    ...(origin.tokenKind === "user" ? ['origin.tokenKind "user"'] : []),
    ...(origin.paths.images === null ? ["origin.paths.images null"] : []),
  ];
  for (const setting of without) {
    const message = `expected "exclude" with ${setting}`;
    const path = ["crawl", "privateImages"];
    issues.push({ code: "custom", message, path, input: crawl.privateImages });
  }
});
export type Config = z.infer<typeof ConfigSchema>;
