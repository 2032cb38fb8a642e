import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { type HostName, hostNames } from "../../src/config/host-names.ts";
import type { HostInput } from "../../src/hosts/host.ts";
import { descriptionOf } from "../../src/publish/deploy.ts";
import { hostInput } from "../../src/publish/host-input.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import { headerRules, preflightHeaders } from "../../src/routes/headers.ts";
import { nearestSlotOf } from "../../src/routes/slots.ts";
import { createTable, type MirrorTable } from "../../src/routes/table.ts";
import type { MappedUrl } from "../../src/routes/url-map.ts";
import { type Press, startPress } from "../support/archive.ts";
import { combinationOf } from "../support/combination.ts";
import { deployOf, type Emulated, type EmulatedArchive } from "./emulate.ts";

/** Both ways in which links are written, each with a personality of the origin. */
const archives = [
  { personality: "plain", links: "file", root: "api/v1" },
  { personality: "odd", links: "api", root: "v2/content" },
] as const;

/** An archive with configurations for every host. */
function pressFor({ personality, links }: (typeof archives)[number]): Promise<Press> {
  return startPress({
    pressed: true,
    personality,
    size: { articles: 14, galleries: 3, images: 14 },
    // Nothing tells which images are private, so that none is left out.
    origin: { rate: null, privateMarker: null },
    config: {
      mirror: { links },
      media: { unproved: "publish", formats: ["jpeg"] },
      hosts: hostNames as unknown as Record<string, unknown>,
    },
  });
}

/** One archive behind one host; there once its tests run. */
export interface Served {
  host: Emulated;
  oracle: Oracle;
}

/** Declares tests of a host that run in front of each archive. */
export function describeArchives(
  name: HostName,
  start: (archive: EmulatedArchive) => Promise<Emulated>,
  tests: (served: Served, archive: (typeof archives)[number]) => void,
): void {
  describe.each(archives)(`the $personality archive on ${name}, links as $links`, (archive) => {
    const served = {} as Served;
    let press: Press;
    beforeAll(async () => {
      press = await pressFor(archive);
      served.oracle = oracleOf(press.out, archive.root);
      served.host = await start(deployOf(press.out, name));
    });
    afterAll(async () => {
      await served.host?.close();
      await press?.close();
    });
    tests(served, archive);
  });
}

/** What an archive has to answer with, as far as the rules of requests tell. */
export interface Expected {
  status: number;
  /** Relative to the publish root. */
  file: string;
}

/** An archive and what it must answer to requests. */
export interface Oracle {
  input: HostInput;
  table: MirrorTable;
  urls: MappedUrl[];
  /** Path below the mirror root, and query with "?" or empty. */
  expected(path: string, query: string): Expected;
  content(file: string): Buffer;
}

function oracleOf(out: string, root: string): Oracle {
  const publishRoot = realpathSync(join(out, "public"));
  const description = descriptionOf(out, root);
  const input = hostInput(readBuildManifest(join(publishRoot, "..")).values(), description);
  const table = createTable(description.rules);
  const exists = (file: string): boolean => existsSync(join(publishRoot, file));
  return {
    input,
    table,
    urls: JSON.parse(readFileSync(join(out, "deploy/urlmap.json"), "utf8")) as MappedUrl[],
    content: (file) => readFileSync(join(publishRoot, file)),
    expected(path, query) {
      const found = table.match(path, query);
      const missing = { status: 404, file: input.notFound.api };
      const answer = (file: string | undefined): Expected =>
        file !== undefined && exists(file) ? { status: 200, file } : missing;
      if (found?.route === "binary") {
        return answer(
          table.fileOfImage(found.id, nearestSlotOf(table.rules.slots, found.scaling), "jpeg"),
        );
      }
      if (found?.route === "download") {
        const files = input.originalEndings.map((ending) => table.fileOfOriginal(found.id, ending));
        return answer(files.find(exists));
      }
      if (/\.[a-z]+$/.test(path) && exists(root + path)) return answer(root + path);
      if (found === undefined) {
        const files = input.linked.endings.map((ending) => table.fileOfLink(path, ending));
        return answer(files.find((file) => file !== undefined && exists(file)));
      }
      const file = table.fileOf(found);
      if (file !== undefined && exists(file)) return answer(file);
      if (found.route !== "index" || found.filters === undefined || found.page > 1) return missing;
      const { index } = found;
      if (index !== "articles" && index !== "galleries") return missing;
      const listed = table.rules.filters.includes(combinationOf(found.filters) ?? "");
      return listed ? answer(table.emptyFileOf(index)) : missing;
    },
  };
}

/** Asks a host without following redirects. */
export async function ask(host: Emulated, target: string, init: RequestInit = {}) {
  const response = await fetch(host.url + target, { redirect: "manual", ...init });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
}

/** As `ask`, and goes where redirects lead. */
export async function askOn(host: Emulated, target: string) {
  let answer = await ask(host, target);
  for (let count = 0; count < 3; count++) {
    const location = answer.headers.get("location");
    if (location === null) break;
    answer = await ask(host, location);
  }
  return answer;
}

/**
 * Asks for every URL of an archive below its mirror root, and for others: where the answer is not the one that the
 * route table tells, the path and query, its status, and whether at least the status is right.
 */
export async function differences(
  host: Emulated,
  oracle: Oracle,
  same: (file: string, body: Buffer) => boolean = (file, body) => oracle.content(file).equals(body),
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const url of requestsFor(oracle)) {
    const [path = "", query] = url.split("?");
    const wanted = oracle.expected(path, query === undefined ? "" : `?${query}`);
    const { status, body } = await askOn(host, `/${oracle.input.rules.root}${url}`);
    if (status !== wanted.status) found[url] = `${status} for ${wanted.status}`;
    else if (!same(wanted.file, body)) found[url] = `another ${status}`;
  }
  return found;
}

/** Requests of every kind that an archive must answer, below its mirror root. */
export function requestsFor({ input, urls }: Oracle): string[] {
  const { root } = input.rules;
  const known = urls
    .filter(({ url }) => url.startsWith(`/${root}/`))
    .map(({ url }) => url.slice(root.length + 1));
  const first = (pattern: RegExp): string => known.find((url) => pattern.test(url)) ?? "";
  const image = first(/^\/images\/[^/?]+\.jpg$/);
  const tag = /[?&]tags=([^&]+)/.exec(first(/^\/articles\?tags=/))?.[1];
  const category = /[?&]category=([^&]+)/.exec(first(/^\/articles\?category=/))?.[1];
  const year = /[?&]year=(\d+)/.exec(first(/^\/articles\?year=/))?.[1];
  const more = [
    "/articles/",
    "/articles?page=1",
    "/articles?page=9999",
    `/articles?year=${year}&unknown=1&expires=1&signature=x`,
    `/articles?month=5&year=${year}`,
    `/articles?month=05&year=${year}`,
    "/articles?month=5",
    `/articles?year=${year}&category=${category}`,
    `/articles?tags=${tag},x`,
    "/articles?year=1900",
    "/articles?year=1900&page=2",
    "/galleries?category=x",
    "/tags?page=7",
    "/categories/",
    "/articles/none-such",
    "/articles/index",
    "/nothing",
    "/articles/by/",
    "",
    ...["thumb=1", "thumb=p", "orientation=l&thumb=1", "width=640", "width=1280&height=7"].map(
      (query) => `${image}?${query}`,
    ),
    `${image}?width=600&height=400`,
    `${image}?width=300&height=300`,
    `${image}?width=500&height=300`,
    `${image}?width=640&scale=10`,
    `${image}?scale=100`,
    `${image}?scale=200`,
    `${image}?scale=50`,
    `${image}?height=480`,
    `${image}?width=999999`,
    `${image}?unknown=1`,
    image.replace(".jpg", "/download"),
  ];
  return [...new Set([...known, ...more])];
}

/** Input for a service whose endpoints have fixed parameters, or ids inside of segments. */
export function oddInput(changes: Partial<HostInput> = {}): HostInput {
  const rules: HostInput["rules"] = {
    root: "v1",
    endpoints: [
      {
        target: { route: "attachments", parent: "articles", kind: "images" },
        path: "/attachments",
        query: [
          ["article", "{id}"],
          ["kind", "image"],
        ],
        place: "attachments/by/article/{id}/by/kind/image",
        filters: [],
      },
      {
        target: { route: "attachments", parent: "galleries", kind: "audio" },
        path: "/galleries/{id}.audio",
        query: [],
        place: "galleries/{id}.audio",
        filters: [],
      },
      {
        target: { route: "index", index: "videos" },
        path: "/media",
        query: [["kind", "Film"]],
        place: "media/by/kind/Film",
        filters: [],
      },
      {
        target: { route: "index", index: "articles" },
        path: "/articles",
        query: [],
        place: "articles",
        filters: ["year", "month", "category", "tags"],
      },
      {
        target: { route: "single", index: "galleries" },
        path: "/galleries/{id}",
        query: [],
        place: "galleries/{id}.json",
        filters: [],
      },
    ],
    filters: ["year", "tag", "tag+tag", "year+category"],
    slots: {
      widths: [[640, "width/640"]],
      heights: [[480, "height/480"]],
      scales: [
        [12.5, "scale/12.5"],
        [100, "scale/100"],
      ],
      boxes: [[600, 400, "width/600/height/400"]],
      largest: "scale/100",
    },
  };
  return {
    rules,
    tagMatch: "all",
    redirects: false,
    names: [],
    originalEndings: [".jpg", ".png"],
    linked: { endings: [], files: [] },
    totals: { files: 10, bytes: 1000, largest: { path: "index.html", bytes: 100 } },
    headers: headerRules(rules),
    preflight: preflightHeaders,
    oldAddresses: new Map(),
    url: null,
    notFound: { site: "404.html", api: "v1/404.json" },
    modules: [],
    ...changes,
  };
}
