import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { filterCombinations } from "../../src/config/filters.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config.ts";
import type { OutputFile } from "../../src/lib/output.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { type FilterIndex, positionsOf } from "../../src/routes/description.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { type Press, startPress } from "../support/archive.ts";
import { combinationOf } from "../support/combination.ts";
import type { Json } from "./fixture.ts";

/** URLs in attributes of a body; everything else of the text must stay as it was. */
const attribute = /((?:href|src|srcset|poster)=")[^"]*(")/g;

/** An answer without its URLs, so that those of origin and mirror can be compared. */
function withoutUrls(value: Json, isUrl = false): Json {
  if (Array.isArray(value)) return value.map((item) => withoutUrls(item, isUrl));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        withoutUrls(inner, key !== "label" && (isUrl || key === "links" || key === "path")),
      ]),
    );
  }
  if (typeof value !== "string") return value;
  return isUrl ? "<url>" : value.replace(attribute, "$1<url>$2");
}

/** Expects two answers to be the same, URLs aside; deep equality first, because `expect` is slow with large ones. */
function expectSame(own: Json, value: Json, url: string): void {
  const [ours, origins] = [withoutUrls(own), withoutUrls(value)];
  if (!isDeepStrictEqual(ours, origins)) expect(ours, url).toEqual(origins);
}

type TextFile = Extract<OutputFile, { content: unknown }>;

describe.each(["plain", "odd"] as const)("the mirror of the %s origin", (personality) => {
  let press: Press;
  let store: Store;
  let config: Config;
  let made: ReturnType<typeof filesOf> | undefined;

  beforeAll(async () => {
    press = await startPress({
      personality,
      size: { articles: 120, galleries: 30, images: 30 },
      // Nothing tells which images are private.
      origin: { rate: null, privateMarker: null },
      config: {
        origin: { rate: { requests: 1_000_000, perSeconds: 1 } },
        // Unproved images are published here, so that no answer of the origin is left out on purpose.
        media: { unproved: "publish", formats: ["jpeg"], variants: [{ width: 320 }] },
        mirror: { filters: [...filterCombinations] },
      },
    });
    for (const stage of ["crawl", "media"]) {
      const { code, stderr } = await press.run(stage);
      expect(stderr).not.toContain("problem");
      expect(code).toBe(0);
    }
    ({ config } = loadConfig({ file: press.configFile, env: {} }));
    store = openStore(join(press.out, "store"), { readOnly: true });
  });
  afterAll(async () => {
    store?.close();
    await press?.close();
  });

  function filesOf(mirror: Partial<Config["mirror"]> = {}, site: Partial<Config["site"]> = {}) {
    const chosen = {
      ...config,
      mirror: { ...config.mirror, ...mirror },
      site: { ...config.site, ...site },
    };
    const manifest = store.snapshots.latest();
    if (manifest === undefined) throw new Error("no snapshot");
    const routes = createRoutes(chosen);
    const catalogue = openCatalogue(store.reader(manifest), store.media, routes, chosen);
    const files = new Map<string, OutputFile>();
    for (const file of mirrorFiles(catalogue, chosen)) {
      if (files.has(file.path)) throw new Error(`twice: ${file.path}`);
      files.set(file.path, file);
    }
    return { files, routes };
  }

  /** The files by the configuration as it is. */
  const madeFiles = (): ReturnType<typeof filesOf> => {
    made ??= filesOf();
    return made;
  };

  /** Files in JSON that answer a request. */
  function* answers(files: ReadonlyMap<string, OutputFile>): Generator<[string, TextFile]> {
    for (const file of files.values()) {
      if (file.url !== undefined && "content" in file) yield [file.url, file];
    }
  }

  const parsed = (file: OutputFile | undefined): Json => {
    if (file === undefined || !("content" in file)) throw new Error("no such text");
    return JSON.parse(String(file.content()));
  };

  async function ask(url: string): Promise<{ status: number; value: Json }> {
    const asked = (): Promise<Response> =>
      fetch(new URL(url, press.origin.baseUrl), {
        headers: { authorization: `Bearer ${press.origin.tokens.organisation}` },
      });
    // A connection that was kept can be closed just now, because tests keep the origin waiting.
    const answer = await asked().catch(asked);
    return { status: answer.status, value: answer.ok ? await answer.json() : undefined };
  }

  it("answers the URL of each of its files as the origin does, URLs aside", async () => {
    const { files } = madeFiles();
    const combinations = new Map<string, number>();
    let empty = 0;
    for (const [url, file] of answers(files)) {
      const { status, value } = await ask(url);
      expect(status, url).toBe(200);
      const own = parsed(file);
      expectSame(own, value, url);
      if (Number(own.meta?.total) === 0) empty++;
      const name = /\/articles\/by\//.test(file.path) ? url.replace(/=[^&]*/g, "") : "other";
      combinations.set(name, (combinations.get(name) ?? 0) + 1);
    }
    expect(combinations.size).toBeGreaterThanOrEqual(13);
    expect(combinations.get("other")).toBeGreaterThan(300);
    expect(empty).toBeGreaterThan(20);
  });

  it("has the list of every combination that lists something, and those of single filters anyway", async () => {
    const { files, routes } = madeFiles();
    const index = parsed(files.get(routes.filterIndexOf("articles"))) as FilterIndex;
    const { tagMatch } = parsed(files.get(`${routes.root}/mirror.json`));
    expect(tagMatch).toBe(personality === "odd" ? "all" : "any");
    const ids: string[] = [];
    for (let page = 1; ids.length < index.items.length; page++) {
      const file = routes.fileOf({ route: "index", index: "articles", page }) as string;
      ids.push(...parsed(files.get(file)).data.map(({ id }: { id: string }) => id));
    }
    expect(ids).toHaveLength(120);
    const seen = new Map<string, number>();
    for (const [url] of answers(files)) {
      const [path = "", query = ""] = url.slice(routes.root.length + 1).split("?");
      const request = routes.match(path, query);
      if (request?.route !== "index" || request.index !== "articles" || !request.filters) continue;
      if (request.page !== 1) continue;
      const listed: string[] = [];
      for (let page = 1; ; page++) {
        const file = files.get(routes.fileOf({ ...request, page }) as string);
        if (file === undefined) break;
        listed.push(...parsed(file).data.map(({ id }: { id: string }) => id));
      }
      const positions = positionsOf(index, request.filters, tagMatch);
      expect(listed, url).toEqual(positions.map((at) => ids[at]));
      const combination = combinationOf(request.filters) as string;
      seen.set(combination, (seen.get(combination) ?? 0) + 1);
      if (combination.includes("+") && combination !== "year+month") {
        expect(listed.length, url).toBeGreaterThan(0);
      }
    }
    expect([...seen.keys()].sort()).toEqual([...filterCombinations].sort());
    expect(seen.get("category")).toBe(2 * press.origin.content.categories.length);
  });

  it("answers a request for which nothing is there with the list that the origin has for it", async () => {
    const { files, routes } = madeFiles();
    for (const [index, query] of [
      ["articles", "year=1999"],
      ["articles", "category=nothing"],
      ["articles", "tags=nothing"],
      ["galleries", "year=1999&month=13"],
    ] as const) {
      const { value } = await ask(`/${routes.root}/${index}?${query}`);
      const none = parsed(files.get(routes.emptyFileOf(index)));
      expect(withoutUrls(none), query).toEqual(withoutUrls(value));
    }
  });

  it.each([
    [{ links: "file" }, {}],
    [{ links: "api" }, {}],
    [{ links: "api" }, { url: "https://archive.test" }],
  ] as const)("leads nowhere into the API of the origin, with %o and %o", (mirror, site) => {
    const { baseUrl } = press.origin;
    // Other pages of the origin may be named, such as that of a video, which has none in the archive.
    const ofApi = (url: string): boolean => url.includes(baseUrl) || url.includes(baseUrl.slice(5));
    for (const [path, file] of filesOf(mirror, site).files) {
      if (!("content" in file) || !path.endsWith(".json")) continue;
      expect(ofApi(JSON.stringify(parsed(file))), path).toBe(false);
    }
  });

  it("writes with links api what the origin writes, host and signature aside", async () => {
    const { files } = filesOf({ links: "api" });
    const { origin } = new URL(press.origin.baseUrl);
    const written = (url: Json): Json =>
      typeof url === "string"
        ? url
            .replace(origin, "")
            .replace(/(?:expires|signature)=[^&]*&?/g, "")
            .replace(/[?&]$/, "")
        : url;
    const linksOf = ({ data, links, meta }: Json): Json => [
      ...Object.entries(links).map(([name, url]) => [name, written(url)]),
      written(meta.path),
      meta.links.map(({ url, label }: Json) => [label, written(url)]),
      ...data.map(({ links: { web, download } }: Json) => web && [written(web), written(download)]),
    ];
    let compared = 0;
    let seen = 0;
    for (const [url, file] of answers(files)) {
      const own = parsed(file);
      if (own.meta?.links === undefined || (/[?&]/.test(url) && seen++ % 9 !== 0)) continue;
      compared++;
      expect(linksOf(own), url).toEqual(linksOf((await ask(url)).value));
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("has the same keys and bytes when nothing has changed", () => {
    const [before, after] = [filesOf().files, filesOf().files];
    const keyOf = (file: OutputFile): string => ("blob" in file ? file.blob : file.key());
    expect([...after.values()].map(keyOf)).toEqual([...before.values()].map(keyOf));
    for (const [path, file] of before) {
      const again = after.get(path);
      if (!("content" in file) || again === undefined || !("content" in again)) continue;
      expect(String(again.content()) === String(file.content()), path).toBe(true);
    }
  });

  if (personality === "plain") {
    it("is not written again when nothing has changed", async () => {
      const first = await press.run("build");
      expect([first.code, first.report.published]).toEqual([0, true]);
      const second = await press.run("build");
      expect([second.code, second.report.published]).toEqual([0, false]);
    });
  }

  it("has no lists of what is not there when it is told so", () => {
    const all = madeFiles().files;
    const fewer = filesOf({ emptyLists: false }).files;
    const gone = [...all.keys()].filter((path) => !fewer.has(path));
    expect(gone.length).toBeGreaterThan(50);
    for (const path of gone) expect(parsed(all.get(path)).data, path).toEqual([]);
    expect([...fewer.keys()].filter((path) => !all.has(path))).toEqual([]);
  });

  it("finds the file of each URL through the rules that it publishes", () => {
    const { files, routes } = madeFiles();
    for (const { path, url } of files.values()) {
      if (url === undefined) continue;
      const [below = "", query = ""] = url.slice(routes.root.length + 1).split("?");
      const request = routes.match(below, query);
      if (request === undefined) {
        // The path of the origin's own link to a file, which only `urlmap.json` and the hosts' rules know.
        expect(routes.fileOfLink(below, /(?:\.\w+)?$/.exec(path)?.[0] ?? ""), url).toBe(path);
        continue;
      }
      if (request.route === "binary" || request.route === "download") {
        expect(path).toMatch(/\/images\//);
      } else expect(routes.fileOf(request), url).toBe(path);
    }
  });
});
