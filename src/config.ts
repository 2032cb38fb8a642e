import { z } from "zod";
import { Engine } from "./config/engine.ts";
import {
  address,
  choices,
  count,
  flag,
  list,
  matching,
  oneOf,
  seconds,
  section,
  share,
  text,
  usable,
  whole,
} from "./config/fields.ts";
import { filterCombinations } from "./config/filters.ts";
import { Hooks } from "./config/hooks.ts";
import { hostNames } from "./config/host-names.ts";
import { Media } from "./config/media.ts";
import { Origin } from "./config/origin.ts";
import { Publish } from "./config/publish.ts";

export { type ImageFormat, imageFormats, Media } from "./config/media.ts";
export type { Paths } from "./config/origin.ts";

const Crawl = section({
  concurrency: whole("requests", 1, 64).default(8).describe("Requests in flight at once."),
  privateImages: oneOf(
    ["exclude", "include"],
    '"include" requests private images too and keeps them in the store. They are never published.',
  ),
  refresh: oneOf(
    ["changed", "all"],
    'What is fetched again in full: "changed" takes what changed in the index and a turn of the rest (crawl.recheck); "all" takes everything.',
  ),
  recheck: section({
    share: share
      .default(0.15)
      .describe(
        "Share of the unchanged articles and galleries, 0 to 1; of the original files half of it, unless it is 1.",
      ),
    maxRequests: count
      .default(2_000)
      .describe("Requests for this a night, about. Of a large archive they cover a smaller share."),
    maxSeconds: seconds(1_209_600)
      .default(1_800)
      .describe("Seconds of a night for this, about, at the pace of the requests before it."),
  })
    .prefault({})
    .describe(
      "What each crawl checks again of all that is unchanged, because a body or a file may change without a trace in the index. What waited longest comes first, so that everything has its turn; the report says in how many nights.",
    ),
  refreshShare: share
    .optional()
    .describe("Earlier name of crawl.recheck.share, which it replaces where it is set."),
  volatile: list(text)
    .default(["rating"])
    .describe('Members of index items whose change alone fetches nothing, such as "stats.views".'),
  maxPasses: whole("passes", 1, 100)
    .default(5)
    .describe("Readings of a list until two agree; up to five times as many if its order varies."),
  maxDuration: seconds(1_209_600)
    .nullable()
    .default(null)
    .describe("Seconds until a run stops with exit 9. The next one goes on. null sets no limit."),
  patience: z
    .number("expected a number of seconds")
    .min(0, "expected a number of seconds from 0")
    .max(86_400, "expected at most 86400 seconds")
    .default(60)
    .describe(
      "Seconds to wait for an origin that does not answer, from the first request on; then the run ends with exit 8.",
    ),
  removals: oneOf(
    ["follow", "keep"],
    'What happens to items that the origin has removed: "follow" removes them; "keep" keeps them and marks them as removed at the origin. An image that became private is never published.',
  ),
  maxRemoved: section({
    share: share
      .default(0.05)
      .describe("Share of all items, 0 to 1. If it is above 0, one item may always vanish."),
    items: count.default(50).describe("Number of items. The smaller of the two limits counts."),
  })
    .prefault({})
    .describe(
      "If more vanish at once, the run ends with exit 10; the origin is probably mistaken.",
    ),
  maxProblems: count
    .default(0)
    .describe("Number of gaps that a snapshot may have and still count as complete."),
  limits: section({
    items: whole("items", 1, 100_000_000)
      .default(1_000_000)
      .describe("Items of one list, such as the index of articles."),
    values: whole("values", 1_000, 100_000_000)
      .default(2_000_000)
      .describe(
        "Values in one answer of the API; a list of 100000 tags has about 700000. Each may take some hundred bytes of memory.",
      ),
    bytes: whole("bytes", 1_000_000, Number.MAX_SAFE_INTEGER)
      .default(20_000_000_000)
      .describe("Bytes that one crawl adds to the store, original files not counted."),
  })
    .prefault({})
    .describe(
      "What is beyond these limits counts as a fault of the origin and is not read: exit 3, and the published archive stays. An archive that is larger needs higher ones.",
    ),
});

const navSections = ["articles", "galleries", "images", "categories", "tags", "archive"] as const;
const NavEntry = z.union(
  [
    z.enum(navSections),
    section({
      title: text,
      url: z.url({ protocol: /^(?:https?|mailto)$/, error: "expected an http(s) or mailto URL" }),
    }),
  ],
  `expected one of ${navSections.join(", ")}, or { "title", "url" }`,
);

const Site = section({
  title: text.default("Archive").describe("Title of the website."),
  description: z
    .string("expected a text")
    .default("")
    .describe(
      "What the website is, in a sentence: for the home page, the feeds and search engines.",
    ),
  url: address
    .nullable()
    .default(null)
    .describe(
      "Public address: for canonical links of pages, absolute links of the mirror and the feeds, and the sitemap.",
    ),
  accent: matching(/^#[0-9a-f]{6}$/i, 'expected a colour such as "#1f5a52"')
    .nullable()
    .default(null)
    .describe(
      "Colour of links and marks. It is made darker or lighter where it could not be read. null is the built-in one.",
    ),
  logo: text
    .nullable()
    .default(null)
    .describe(
      "File of the logo (SVG, PNG, JPEG or WebP): stands beside the title, and makes the icons of browsers and phones.",
    ),
  nav: list(NavEntry)
    .default([...navSections])
    .describe(
      'Entries of the main navigation, in their order: names of sections, or { "title", "url" } for links to elsewhere, such as an imprint.',
    ),
  robots: oneOf(
    ["index", "noindex"],
    'Whether search engines may list the website: "noindex" says no in robots.txt and on every page.',
  ),
  language: usable(Intl.getCanonicalLocales, 'expected a language tag such as "en" or "de-AT"')
    .default("en")
    .describe('Language of the website and its dates, as a tag such as "en" or "de-AT".'),
  templates: text
    .default("templates")
    .describe("Folder of your own eta templates. Missing files are taken from the built-in ones."),
  perPage: whole("items", 1, 500).default(20).describe("Items on a page of a list."),
  permalinks: oneOf(
    ["slug", "id", "view"],
    'What the addresses of articles and galleries on the website are made from. "view" keeps the path of links.view, so that the archive can take over the old domain; where that cannot be a path, it is the slug.',
  ),
  paths: oneOf(
    ["unicode", "ascii"],
    'How addresses are written whose slug has letters beyond ASCII, such as é or 灯: "unicode" keeps them, "ascii" spells them with plain ones.',
  ),
  sharePictures: flag(
    "Whether each page has a picture of 1200 × 630 pixels that others show who link to it: a part of its own picture, or its title on paper. Only where `site.url` is set.",
  ),
  ratingScale: z
    .number("expected a number")
    .positive("expected a number above 0")
    .max(1_000, "expected a number up to 1000")
    .nullable()
    .default(null)
    .describe(
      "The best rating that the service gives, such as 5. Articles then show their rating as, say, 4.5 of 5.",
    ),
  exclude: section({
    ids: list(text).default([]).describe("Of items of any kind."),
    slugs: list(text).default([]).describe("Of articles, galleries and files."),
    categories: list(text).default([]).describe("Ids, slugs or titles: with all that is in them."),
    tags: list(text).default([]).describe("Slugs or titles: with all that has them."),
  })
    .prefault({})
    .describe(
      "What must not be shown, wherever it stands: the next build takes it down, without the origin. The store keeps it.",
    ),
  search: oneOf(
    ["bodies", "titles", "off"],
    'What the search page looks through: "bodies" is everything; "titles" leaves out the texts of articles, for an archive that is several hundred bytes smaller per article; "off" makes no search page.',
  ),
});

const Mirror = section({
  root: matching(
    /^(?:auto|(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+\/?)$/,
    'expected "auto" or a path such as "/api/v1"',
  )
    .default("auto")
    .describe('Path of the mirror in the archive. "auto" is the base path of the API, else /api.'),
  links: oneOf(
    ["file", "api"],
    'Links in the mirror: "file" names real files; "api" has the form of the URLs of the origin, which needs serve, the handler, or a host with our rules.',
  ),
  filters: choices(filterCombinations, "filter")
    .default(["year", "year+month", "category", "tag"])
    .describe(
      "Combinations of filters whose lists are written as files. tag+tag is every pair of tags: on a large archive these are very many files.",
    ),
  emptyLists: flag("Whether items without attachments of a kind get a file with an empty list."),
});

const Build = section({
  workers: z
    .union([z.literal("auto"), whole("threads", 1, 64)], 'expected "auto" or a number of threads')
    .default("auto")
    .describe(
      'Threads that make the files of a build, with the same bytes by any number. Each holds the lists of the archive in memory. "auto" takes up to 4, as many as there are processors and memory for, and one where little changed.',
    ),
});

/** The whole configuration; every key has a default but `origin.baseUrl`. */
export const ConfigSchema = section({
  $schema: z.string("expected a text").optional(),
  origin: Origin,
  crawl: Crawl.prefault({}),
  media: Media.prefault({}),
  site: Site.prefault({}),
  mirror: Mirror.prefault({}),
  hosts: choices(hostNames, "host")
    .default(["nginx", "caddy"])
    .describe(
      "Hosts that each build writes a configuration for. None, if site.url has a path: their rules stand at the root of a host name.",
    ),
  build: Build.prefault({}),
  engine: Engine.prefault({}),
  publish: Publish.prefault({}),
  hooks: Hooks.prefault({}),
  out: text.default("out").describe("Output folder."),
  keepBuilds: whole("builds", 0, 1_000)
    .default(2)
    .describe("Former builds that are kept, so that rollback can publish them again."),
}).superRefine(({ origin, crawl, hosts, site }, { issues }) => {
  if (hosts.length > 0 && pathOf(site) !== "/") {
    const message = `expected [] with the path ${pathOf(site)} in site.url, because rules of hosts stand at the root`;
    issues.push({ code: "custom", message, path: ["hosts"], input: hosts });
  }
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

/** The path of the public address; "/" without one. */
export function pathOf({ url }: { url: string | null }): string {
  return url !== null && URL.canParse(url) ? new URL(url).pathname : "/";
}

/** What is checked again in each crawl, under either name of its share. */
export function recheckOf(crawl: Pick<Config["crawl"], "recheck" | "refreshShare">) {
  return { ...crawl.recheck, share: crawl.refreshShare ?? crawl.recheck.share };
}
