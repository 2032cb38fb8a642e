import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { type Press, startPress } from "../support/archive.ts";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** URLs in text, as attributes of a body have them; everything else of the text must stay as it was. */
const attribute = /((?:href|src|srcset|poster)=")[^"]*(")/g;

/** An answer with its URLs replaced by a mark, so that answers of origin and mirror can be compared. */
function withoutUrls(value: Json, name = ""): Json {
  if (Array.isArray(value)) return value.map((item) => withoutUrls(item, name));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withoutUrls(inner, inLinks(name, key))]),
    );
  }
  if (typeof value !== "string") return value;
  return name === "url" ? "<url>" : value.replace(attribute, "$1<url>$2");
}

/** Names the members whose strings are URLs as "url": all below `links`, `meta.path` and `meta.links[].url`. */
function inLinks(parent: string, key: string): string {
  if (key === "links") return "url";
  if (key === "label") return key;
  return parent === "url" || key === "path" ? "url" : key;
}

/** Every string at a URL's place, with the path that leads to it. */
function* urlsOf(value: Json, name = ""): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* urlsOf(item, name);
  else if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) yield* urlsOf(inner, inLinks(name, key));
  } else if (typeof value === "string") {
    if (name === "url") yield value;
    else
      for (const match of value.matchAll(/(?:href|src|poster)="([^"]*)"/g))
        yield match[1] as string;
  }
}

describe.each(["plain", "odd"] as const)("the mirror of the %s origin", (personality) => {
  let press: Press;
  let publicRoot: string;

  beforeAll(async () => {
    // Unproved images are published here, so that no answer of the origin is left out on purpose.
    press = await startPress({
      personality,
      // Nothing tells which images are private, and everything may be asked for again at once.
      origin: { privateMarker: null, rate: null },
      config: {
        origin: { rate: { requests: 1_000_000, perSeconds: 1 } },
        media: { unproved: "publish", formats: ["jpeg"], variants: [{ width: 320 }] },
      },
    });
    const { code, stderr } = await press.run("snapshot");
    expect(stderr).not.toContain("problem");
    expect(code).toBe(0);
    publicRoot = join(press.out, "public");
  });
  afterAll(() => press.close());

  const read = (path: string): Json =>
    JSON.parse(readFileSync(join(publicRoot, path), "utf8")) as Json;
  const apiFiles = (): string[] =>
    // What the mirror says of itself are no answers of the origin.
    [...walkSorted(publicRoot)].filter(
      (path) =>
        path.endsWith(".json") &&
        !/\/(?:mirror|openapi|by\/index|schemas\/[^/]+)\.json$/.test(path),
    );

  it("answers every JSON request of the crawl as the origin does, URLs aside", async () => {
    const { config } = loadConfig({ file: press.configFile, env: {} });
    const routes = createRoutes(config);
    const asked = press.origin.requests.filter(({ url }) => !/\.jpg|download/.test(url));
    const urls = [...new Set(asked.map(({ url }) => new URL(url, press.origin.baseUrl).href))];
    let compared = 0;
    for (const url of urls) {
      const request = routes.resolve(url);
      if (request === undefined || request.route === "binary" || request.route === "download")
        throw new Error(`not in the table: ${url}`);
      // What the crawl asks to learn what several tags mean is no file by default.
      if (request.route === "index" && (request.filters?.tags?.length ?? 0) > 1) continue;
      const file = routes.fileOf(request) as string;
      const answer = await fetch(url, {
        headers: { authorization: `Bearer ${press.origin.tokens.organisation}` },
      });
      const value = answer.status === 404 ? undefined : ((await answer.json()) as Json);
      // The crawl looks behind the last page of an index, where the origin has nothing.
      const { meta } = (value ?? {}) as { meta?: { last_page: number } };
      const isBehind = request.route === "index" && request.page > Number(meta?.last_page);
      if (value === undefined || isBehind) {
        expect(existsSync(join(publicRoot, file))).toBe(false);
        continue;
      }
      expect(withoutUrls(read(file)), url).toEqual(withoutUrls(value));
      compared++;
    }
    expect(compared).toBeGreaterThan(60);
  });

  it("has only URLs that lead to a file beside them, or away from the origin", () => {
    let checked = 0;
    for (const file of apiFiles()) {
      for (const url of urlsOf(read(file))) {
        if (url.startsWith("#") || /^(?:mailto|tel):/.test(url)) continue;
        if (/^https?:/.test(url)) {
          expect(url.startsWith(press.origin.baseUrl), `${file}: ${url}`).toBe(false);
          continue;
        }
        const [path = ""] = url.split("#");
        const target = posix.join(posix.dirname(file), decodeURI(path));
        expect(existsSync(join(publicRoot, target)), `${file}: ${url}`).toBe(true);
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(500);
  });

  it("can be walked by links alone: every page once, every id once, until next is null", () => {
    const root = createRoutes(loadConfig({ file: press.configFile, env: {} }).config).root;
    for (const [index, expected] of [
      ["articles", 24],
      ["galleries", 5],
      ["images", 38],
    ] as const) {
      const ids: string[] = [];
      let file: string | null = `${root}/${index}/index.json`;
      for (let page = 1; file !== null; page++) {
        const answer = read(file) as {
          data: { id: string }[];
          links: { next: string | null };
          meta: { current_page: number; last_page: number };
        };
        expect(Number(answer.meta.current_page)).toBe(page);
        ids.push(...answer.data.map((item) => item.id));
        if (answer.links.next === null) expect(Number(answer.meta.last_page)).toBe(page);
        file = answer.links.next && posix.join(posix.dirname(file), answer.links.next);
      }
      expect(new Set(ids).size, index).toBe(ids.length);
      expect(ids.length, index).toBe(expected);
    }
  });
});
