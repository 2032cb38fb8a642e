import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { refusal } from "./support.ts";

/** What a whole configuration is refused with, its own line number and file left out. */
function refusedWith(text: string): string[] {
  return refusal(text).map((line) => line.replace(/^ci\.json: /, "").replace(/ \(line 1\)$/, ""));
}

describe("a mistake in the configuration", () => {
  it.each([
    ['{"origin":{}}', "origin.baseUrl: expected an http(s) URL, got nothing"],
    ["{}", "origin.baseUrl: expected an http(s) URL, got nothing"],
    ['{"origin":5}', "origin: expected an object, got 5"],
    [
      '{"origin":{"baseUrl":"ftp://a.b/c"}}',
      'origin.baseUrl: expected an http(s) URL, got "ftp://a.b/c"',
    ],
    [
      '{"origin":{"baseUrl":"media.example.org"}}',
      'origin.baseUrl: expected an http(s) URL, got "media.example.org"',
    ],
    ['{"origin":{"baseUrl":7}}', "origin.baseUrl: expected an http(s) URL, got 7"],
    [
      '{"origin":{"baseUrl":"https://me:pw@media.example.org"}}',
      'origin.baseUrl: expected a URL without user, query and fragment, got "https://media.example.org"',
    ],
    [
      '{"origin":{"baseUrl":"https://media.example.org/?key=1"}}',
      'origin.baseUrl: expected a URL without user, query and fragment, got "https://media.example.org/?key=1"',
    ],
    [
      `{"origin":{"baseUrl":"https://media.example.org/api/v1?key=${"k3y-".repeat(20)}"}}`,
      'origin.baseUrl: expected a URL without user, query and fragment, got "https://media.example.org/api/v1?…',
    ],
    [
      '{"origin":{"baseURl":"https://media.example.org"}}',
      "origin.baseURl: unknown key",
      'hint: did you mean "baseUrl"?',
    ],
  ])("%s → %s", (text, ...told) => {
    expect(refusedWith(text)).toEqual(told);
  });
});

describe("settings that contradict each other", () => {
  const baseUrl = "https://a.example/api";
  it.each([
    [{ tokenKind: "user" }, 'origin.tokenKind "user"'],
    [{ paths: { images: null } }, "origin.paths.images null"],
  ])("are refused: private images with %j", (origin, setting) => {
    const settings = { origin: { baseUrl, ...origin }, crawl: { privateImages: "include" } };
    expect(refusedWith(JSON.stringify(settings))).toEqual([
      `crawl.privateImages: expected "exclude" with ${setting}, got "include"`,
    ]);
  });
});

describe("a public address with a path", () => {
  it.each([
    ["https://archive.example/old", ["nginx", "caddy"]],
    ["https://archive.example/a/b/", ["cloudflare"]],
    ["http://127.0.0.1:8080/old", undefined],
  ])("%s is refused with the rules of hosts %j, which stand at the root", (url, hosts) => {
    const settings = { origin: { baseUrl: "https://a.example/api" }, site: { url }, hosts };
    const path = new URL(url).pathname.replace(/\/$/, "");
    const [told] = refusedWith(JSON.stringify(settings));
    expect(told).toContain(`hosts: expected [] with the path ${path} in site.url`);
  });

  it.each([
    ["https://archive.example/old", []],
    ["https://archive.example/", ["nginx"]],
    ["https://archive.example:8443", undefined],
    [null, ["nginx"]],
  ])("%s is accepted with the hosts %j", (url, hosts) => {
    const settings = { origin: { baseUrl: "https://a.example/api" }, site: { url }, hosts };
    expect(ConfigSchema.safeParse(settings).success).toBe(true);
  });
});

describe("a mistake in origin", () => {
  it.each([
    [
      '{"tokenEnv":"eyJhbGciOi.x-y"}',
      "origin.tokenEnv: expected the name of an environment variable",
    ],
    ['{"tokenEnv":5}', "origin.tokenEnv: expected the name of an environment variable, got 5"],
    ['{"token":"abc"}', "origin.token: unknown key", 'hint: did you mean "tokenEnv"?'],
    ['{"tokenFile":""}', 'origin.tokenFile: expected the path of a file, or null, got ""'],
    [
      '{"tokenKind":"admin"}',
      'origin.tokenKind: expected "auto", "organisation" or "user", got "admin"',
    ],
    [
      '{"paths":{"articleImages":"articles/{id}"}}',
      'origin.paths.articleImages: expected a path that starts with "/", or null, got "articles/{id}"',
    ],
    [
      '{"paths":{"articleImages":"/articles/images"}}',
      'origin.paths.articleImages: expected {id} where the id goes, got "/articles/images"',
    ],
    [
      '{"paths":{"images":"/pictures"}}',
      'origin.paths.images: expected "/images", which the API document fixes, or null, got "/pictures"',
    ],
    [
      '{"paths":{"picture":"/images"}}',
      "origin.paths.picture: unknown key; known are galleries, images, categories, tags, articleImages, articleVideos, articleDocuments, articleAudio, galleryImages, galleryVideos, galleryAudio, image, videos, documents, audio",
    ],
    [
      '{"paths":{"videos":false}}',
      'origin.paths.videos: expected a path that starts with "/", or null, got false',
    ],
    ['{"bodyField":""}', 'origin.bodyField: expected a text that is not empty, got ""'],
    [
      '{"timezone":"Vienna"}',
      'origin.timezone: expected an IANA time zone such as "Europe/Vienna", got "Vienna"',
    ],
    ['{"tagMatch":"some"}', 'origin.tagMatch: expected "auto", "any" or "all", got "some"'],
    [
      '{"rate":"fast"}',
      'origin.rate: expected "auto" or { "requests": …, "perSeconds": … }, got "fast"',
    ],
    ['{"rate":60}', 'origin.rate: expected "auto" or { "requests": …, "perSeconds": … }, got 60'],
    [
      '{"rate":{"requests":60,"perSecond":60}}',
      "origin.rate.perSecond: unknown key",
      'hint: did you mean "perSeconds"?',
    ],
    [
      '{"rate":{"requests":0.5,"perSeconds":60}}',
      "origin.rate.requests: expected a whole number of requests, got 0.5",
    ],
    [
      '{"rate":{"requests":0,"perSeconds":60}}',
      "origin.rate.requests: expected 1 or more requests, got 0",
    ],
    [
      '{"rate":{"requests":60,"perSeconds":0}}',
      "origin.rate.perSeconds: expected a number of seconds above 0, got 0",
    ],
    [
      '{"rate":{"requests":60,"perSeconds":"60"}}',
      'origin.rate.perSeconds: expected a number of seconds, got "60"',
    ],
    [
      '{"rate":{"requests":60}}',
      "origin.rate.perSeconds: expected a number of seconds, got nothing",
    ],
    [
      '{"rate":null}',
      'origin.rate: expected "auto" or { "requests": …, "perSeconds": … }, got null',
    ],
    [
      '{"allowHosts":"cdn.example.org"}',
      'origin.allowHosts: expected a list in [ ], got "cdn.example.org"',
    ],
    [
      '{"allowHosts":["https://cdn.example.org/x"]}',
      'origin.allowHosts[0]: expected a host such as "cdn.example.org" or "cdn.example.org:8443", got "https://cdn.example.org/x"',
    ],
  ])("%s → %s", (settings, ...told) => {
    const origin = { baseUrl: "https://a.example", ...JSON.parse(settings) };
    expect(refusedWith(JSON.stringify({ origin }))).toEqual(told);
  });
});

describe("a mistake beside origin", () => {
  it.each([
    ['{"crawl":{"concurrency":0}}', "crawl.concurrency: expected 1 or more requests, got 0"],
    ['{"crawl":{"concurrency":65}}', "crawl.concurrency: expected at most 64 requests, got 65"],
    [
      '{"crawl":{"concurrency":"8"}}',
      'crawl.concurrency: expected a whole number of requests, got "8"',
    ],
    [
      '{"crawl":{"privateImages":true}}',
      'crawl.privateImages: expected "exclude" or "include", got true',
    ],
    ['{"crawl":{"refresh":"none"}}', 'crawl.refresh: expected "changed" or "all", got "none"'],
    ['{"crawl":{"refreshShare":15}}', "crawl.refreshShare: expected a share from 0 to 1, got 15"],
    [
      '{"crawl":{"recheck":{"share":2}}}',
      "crawl.recheck.share: expected a share from 0 to 1, got 2",
    ],
    ['{"crawl":{"refreshShare":-1}}', "crawl.refreshShare: expected a share from 0 to 1, got -1"],
    ['{"crawl":{"maxPasses":1.5}}', "crawl.maxPasses: expected a whole number of passes, got 1.5"],
    [
      '{"crawl":{"maxDuration":0}}',
      "crawl.maxDuration: expected a number of seconds above 0, got 0",
    ],
    ['{"crawl":{"maxDuration":"1h"}}', 'crawl.maxDuration: expected a number of seconds, got "1h"'],
    [
      '{"crawl":{"removals":"ignore"}}',
      'crawl.removals: expected "follow" or "keep", got "ignore"',
    ],
    [
      '{"crawl":{"maxRemoved":{"share":"5%"}}}',
      'crawl.maxRemoved.share: expected a share from 0 to 1, got "5%"',
    ],
    [
      '{"crawl":{"maxRemoved":{"item":5}}}',
      "crawl.maxRemoved.item: unknown key",
      'hint: did you mean "items"?',
    ],
    ['{"crawl":{"maxRemoved":50}}', "crawl.maxRemoved: expected an object, got 50"],
    ['{"crawl":{"maxProblems":-1}}', "crawl.maxProblems: expected 0 or more items, got -1"],
    ['{"media":{"originals":"yes"}}', 'media.originals: expected true or false, got "yes"'],
    ['{"media":{"unproved":"drop"}}', 'media.unproved: expected "hold" or "publish", got "drop"'],
    ['{"media":{"formats":[]}}', "media.formats: expected at least one format, got []"],
    [
      '{"media":{"formats":["jpeg","png"]}}',
      'media.formats[1]: expected "jpeg", "webp" or "avif", got "png"',
    ],
    [
      '{"media":{"formats":["jpeg","jpeg"]}}',
      'media.formats: expected each format once, got ["jpeg","jpeg"]',
    ],
    ['{"media":{"formats":"jpeg"}}', 'media.formats: expected a list in [ ], got "jpeg"'],
    ['{"media":{"quality":{"jpeg":0}}}', "media.quality.jpeg: expected 1 or more percent, got 0"],
    [
      '{"media":{"quality":{"jpg":80}}}',
      "media.quality.jpg: unknown key",
      'hint: did you mean "jpeg"?',
    ],
    [
      '{"media":{"web":{"width":70000}}}',
      "media.web.width: expected at most 65535 pixels, got 70000",
    ],
    [
      '{"media":{"thumbs":{"square":300}}}',
      "media.thumbs.square: expected [width, height] in pixels, got 300",
    ],
    [
      '{"media":{"thumbs":{"square":[300]}}}',
      "media.thumbs.square: expected [width, height] in pixels, got [300]",
    ],
    [
      '{"media":{"thumbs":{"square":[300,0]}}}',
      "media.thumbs.square[1]: expected 1 or more pixels, got 0",
    ],
    [
      '{"media":{"thumbs":{"round":[300,300]}}}',
      "media.thumbs.round: unknown key; known are square, portrait, landscape",
    ],
    [
      '{"media":{"variants":[{"width":320},{"height":480},{"width":"wide"}]}}',
      'media.variants[2].width: expected a whole number of pixels, got "wide"',
    ],
    [
      '{"media":{"variants":[{}]}}',
      'media.variants[0]: expected "width", "height", both of them, or "scale" alone, got an object',
    ],
    [
      '{"media":{"variants":[{"width":100,"scale":50}]}}',
      'media.variants[0]: expected "width", "height", both of them, or "scale" alone, got an object',
    ],
    [
      '{"media":{"variants":[{"scale":200}]}}',
      "media.variants[0].scale: expected a percentage up to 100: scaling never exceeds the original, got 200",
    ],
    [
      '{"media":{"variants":[{"scale":0}]}}',
      "media.variants[0].scale: expected a percentage above 0, got 0",
    ],
    [
      '{"media":{"variants":[{"with":100}]}}',
      "media.variants[0].with: unknown key",
      'hint: did you mean "width"?',
    ],
    ['{"media":{"variants":[320]}}', "media.variants[0]: expected an object, got 320"],
    [
      '{"media":{"variants":{"width":320}}}',
      "media.variants: expected a list in [ ], got an object",
    ],
    [
      '{"media":{"limitPixels":"100MP"}}',
      'media.limitPixels: expected a whole number of pixels, got "100MP"',
    ],
    ['{"site":{"title":""}}', 'site.title: expected a text that is not empty, got ""'],
    ['{"site":{"titel":"x"}}', "site.titel: unknown key", 'hint: did you mean "title"?'],
    ['{"site":{"title":null}}', "site.title: expected a text, got null"],
    ['{"site":{"url":"example.org"}}', 'site.url: expected an http(s) URL, got "example.org"'],
    [
      '{"site":{"language":"not a language"}}',
      'site.language: expected a language tag such as "en" or "de-AT", got "not a language"',
    ],
    ['{"site":{"perPage":501}}', "site.perPage: expected at most 500 items, got 501"],
    [
      '{"site":{"permalinks":"title"}}',
      'site.permalinks: expected "slug", "id" or "view", got "title"',
    ],
    [
      '{"mirror":{"root":"api"}}',
      'mirror.root: expected "auto" or a path such as "/api/v1", got "api"',
    ],
    [
      '{"mirror":{"root":"/../etc"}}',
      'mirror.root: expected "auto" or a path such as "/api/v1", got "/../etc"',
    ],
    ['{"mirror":{"links":"html"}}', 'mirror.links: expected "file" or "api", got "html"'],
    [
      '{"mirror":{"filters":["years"]}}',
      'mirror.filters[0]: expected "year", "year+month", "category", "tag", "year+category", "year+month+category", "year+tag", "year+month+tag", "category+tag", "year+category+tag", "year+month+category+tag" or "tag+tag", got "years"',
    ],
    [
      '{"hosts":["lighttpd"]}',
      'hosts[0]: expected "nginx", "caddy", "apache", "netlify", "cloudflare", "cloudfront" or "vercel", got "lighttpd"',
    ],
    ['{"hosts":"nginx"}', 'hosts: expected a list in [ ], got "nginx"'],
    ['{"out":""}', 'out: expected a text that is not empty, got ""'],
    ['{"formats":["jpeg"]}', "formats: unknown key", 'hint: did you mean "media.formats"?'],
    [
      '{"qqqqqq":1}',
      "qqqqqq: unknown key; known are $schema, origin, crawl, media, site, mirror, hosts, build, engine, publish, hooks, out, keepBuilds",
    ],
  ])("%s → %s", (settings, ...told) => {
    const config = { origin: { baseUrl: "https://a.example" }, ...JSON.parse(settings) };
    expect(refusedWith(JSON.stringify(config))).toEqual(told);
  });
});
