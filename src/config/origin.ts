import { z } from "zod";
import { address, list, matching, oneOf, seconds, section, text, usable, whole } from "./fields.ts";

const pathTemplate = matching(/^\/[^\s#]*$/, 'expected a path that starts with "/", or null')
  .nullable()
  .describe("null if this origin has no such endpoint.");
const itemPath = pathTemplate
  .refine((path) => path === null || path.includes("{id}"), "expected {id} where the id goes")
  .describe("null if this origin has no such endpoint. {id} stands for the id of the item.");

/** A path that the API document shows, so that an origin, or a token, can only be without it. */
function shownPath(path: string) {
  const expected = `expected ${JSON.stringify(path)}, which the API document fixes, or null`;
  return z
    .string(expected)
    .refine((text) => text === path, expected)
    .nullable()
    .default(path)
    .describe("null if this origin has no such index, or if this token may not list it.");
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

const Window = section({ requests: whole("requests", 1, 1_000_000), perSeconds: seconds(86_400) });
const Rate = z.union(
  [z.literal("auto"), Window],
  'expected "auto" or { "requests": …, "perSeconds": … }',
);

/** Beginnings of variables with secrets of others; upper and lower case are the same on Windows. */
const otherServices =
  /^(?:actions|arm|aws|azure|bitbucket|ci|circle|cloudflare|docker|gcp|gh|github|gitlab|google|node|npm|pypi|runner|ssh|vault)_/i;

/** What stillpress says itself, and what belongs to a connection. */
const ownHeaders =
  /^(?:authorization|proxy-.*|accept|accept-encoding|content-.*|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|range|if-.*)$/;
const headerNames = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, "expected the name of a header")
  .toLowerCase()
  .refine(
    (name) => !ownHeaders.test(name),
    "expected a header that stillpress does not set itself",
  );
const headerValue = matching(/^[\t\x20-\x7e]*$/, "expected printable ASCII characters");

/** Where the API is, and what this origin makes of what the API document leaves open. */
export const Origin = section({
  baseUrl: address.describe("Address of the API with its base path."),
  tokenEnv: matching(/^[A-Za-z_]\w*$/, "expected the name of an environment variable")
    .refine((name) => !otherServices.test(name), "expected a variable that no other service owns")
    .default("STILLPRESS_TOKEN")
    .describe(
      'Environment variable that holds the access token, such as "MEDIA_TOKEN". Never one of a cloud, a forge, a registry or CI (AWS_…, AZURE_…, GOOGLE_…, GITHUB_…, GITLAB_…, NPM_…, CI_… and the like): a configuration from elsewhere could send its value to its own origin.',
    ),
  tokenFile: z
    .string("expected the path of a file, or null")
    .min(1, "expected the path of a file, or null")
    .nullable()
    .default(null)
    .describe("File that holds the access token; the environment variable is then not read."),
  tokenKind: oneOf(
    ["auto", "organisation", "user"],
    'Kind of the access token. If the origin refuses private images, that is a gap with "organisation" and a warning with "auto". With "user" they cannot be requested.',
  ),
  tokenPaths: list(matching(/^\/[^\s?#]*$/, 'expected a path below baseUrl that starts with "/"'))
    .default([])
    .describe(
      'Paths below baseUrl, such as "/store", with files that need the access token. Files are asked for without it first. Those whose address names the item\'s id get it anyway where they are refused.',
    ),
  headers: z
    .record(headerNames, headerValue, "expected an object of headers")
    .default({})
    .describe(
      'Further headers of the requests to the host of baseUrl, such as { "X-Api-Key": "…" } of a gateway. A secret one belongs into the variable STILLPRESS_ORIGIN_HEADERS, as JSON. "User-Agent" goes to every host: { "User-Agent": "archive of Example Media (web@example.org)" }.',
    ),
  paths: Paths.prefault({}).describe(
    "Paths below baseUrl that the API document leaves open, and the endpoints that this origin lacks. Without the image index, media.unproved decides about attached images.",
  ),
  bodyField: text
    .default("auto")
    .describe(
      'Member of a single article that holds its HTML; "content.rendered" names a nested one. "auto" finds it if it has a usual name or looks like HTML.',
    ),
  mediaLink: text
    .nullable()
    .default("auto")
    .describe(
      'Member that holds the address of a video, document or audio file, such as "links.file". "auto" finds it if it has a usual name or looks like a file; null means that the items have none.',
    ),
  timezone: usable(
    (timeZone) => new Intl.DateTimeFormat("en", { timeZone }),
    'expected an IANA time zone such as "Europe/Vienna"',
  )
    .default("UTC")
    .describe(
      'IANA time zone, such as "Europe/Vienna", of the year and month filters and of the archive pages. The crawl checks it with one request and warns if another zone fits.',
    ),
  tagMatch: oneOf(
    ["auto", "any", "all"],
    'What "tags=a,b" lists: items with any of the tags, or with all of them. "auto" asks the origin once.',
  ),
  rate: Rate.default("auto").describe(
    'Limit on all requests, downloads included, in any such span of time. "auto" starts with 60 a minute and goes up only on the origin\'s own word: a stated policy, or how many requests it says remain.',
  ),
  allowHosts: list(
    matching(
      /^(?:\[[0-9a-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i,
      'expected a host such as "cdn.example.org" or "cdn.example.org:8443"',
    ),
  )
    .default([])
    .describe(
      'Further hosts that files may be fetched from, such as "cdn.example.org" or "cdn.example.org:8443". A name that leads to a loopback, private or link-local address is refused unless that address is listed here or the API itself is there.',
    ),
});
