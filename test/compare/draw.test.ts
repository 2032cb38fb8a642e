import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Claims, createDraw, type Draft, respelled } from "../../src/compare/draw.ts";
import type { Population } from "../../src/compare/population.ts";
import { ConfigSchema } from "../../src/config.ts";
import { dice } from "../../src/lib/random.ts";
import { parseQuery } from "../../src/routes/query.ts";
import { scalingOf, slotOf } from "../../src/routes/slots.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { combinationOf } from "../support/combination.ts";

const config = ConfigSchema.parse({ origin: { baseUrl: "https://api.example.org/v1" } });
const routes = createRoutes(config);
const item = (number: number) => ({
  id: `a${number}`,
  year: 2020 + (number % 4),
  month: 1 + (number % 12),
  category: `c${number % 3}`,
  tags: [`t${number % 5}`, `t${(number + 1) % 5}`],
});
const population: Population = {
  pages: new Map([
    ["articles", 4],
    ["galleries", 2],
    ["images", 5],
  ]),
  articles: Array.from({ length: 40 }, (_, number) => item(number)),
  galleries: Array.from({ length: 10 }, (_, number) => ({ ...item(number), id: `g${number}` })),
  images: Array.from({ length: 30 }, (_, number) => ({
    id: `i${number}`,
    width: 500 + 100 * number,
    height: 900,
    page: 1,
  })),
  categories: [0, 1, 2].map((number) => ({ id: `c${number}`, slug: `category-${number}` })),
  tags: ["t0", "t1", "t2", "t3", "t4"],
};
const files: Claims = {
  filters: ["year", "year+month", "category", "tag", "year+tag", "tag+tag"],
  slots: routes.rules.slots,
  any: false,
};
const drawAll = (claims: Claims, seed: number, count = 600): Draft[] => {
  const draw = createDraw(population, routes, claims, seed);
  return Array.from({ length: count }, (_, number) => draw(number));
};

describe("a draw of requests", () => {
  it("is the same for the same seed, and another one for another seed", () => {
    expect(drawAll(files, 7)).toEqual(drawAll(files, 7));
    expect(drawAll(files, 7)).not.toEqual(drawAll(files, 8));
  });

  it("asks for no index that the archive lacks", () => {
    const paths = { tags: null, categories: null, galleries: null };
    const { origin } = ConfigSchema.parse({ origin: { baseUrl: config.origin.baseUrl, paths } });
    const table = createRoutes({ ...config, origin });
    const pages = new Map([...population.pages].filter(([index]) => index !== "galleries"));
    const poor: Population = { ...population, pages, galleries: [], categories: [], tags: [] };
    const draw = createDraw(poor, table, files, 5);
    const drafts = Array.from({ length: 600 }, (_, number) => draw(number));
    expect(drafts.filter(({ request }) => table.pathOf(request) === undefined)).toEqual([]);
  });

  it("keeps to the combinations of filters and the sizes that the mirror claims", () => {
    for (const { request, query = "" } of drawAll(files, 3, 1500)) {
      if (request.route === "index") {
        const name = combinationOf(request.filters ?? {});
        if (name !== undefined) expect(files.filters).toContain(name);
      }
      if (request.route !== "binary") continue;
      const scaling = scalingOf(parseQuery(query));
      const { widths, heights, scales, boxes } = files.slots;
      const slots = [...widths, ...heights, ...scales].map(([, slot]) => slot);
      slots.push(...boxes.map(([width, height]) => slotOf({ width, height })));
      const image = population.images.find(({ id }) => id === request.id);
      const larger =
        (scaling.width ?? 0) > (image?.width ?? 0) ||
        (scaling.height ?? 0) > (image?.height ?? 0) ||
        (scaling.scale ?? 0) >= 100;
      if (scaling.thumb === undefined && !larger) expect(slots).toContain(slotOf(scaling));
    }
  });

  it("asks for everything there is to ask for", () => {
    const kinds = new Set<string>();
    for (const { request, query = "" } of drawAll({ ...files, any: true }, 1, 3000)) {
      if (request.route === "download") kinds.add("original");
      else if (request.route === "binary") kinds.add(`image${query.replace(/\d+/g, "N")}`);
      else if (request.route === "attachments") kinds.add(`${request.parent} ${request.kind}`);
      else if (request.route === "index") {
        kinds.add(`${request.index} by ${combinationOf(request.filters ?? {})}`);
      } else kinds.add(`${request.route} ${request.index}`);
    }
    for (const kind of [
      ..."original|image|image?thumb=N|image?thumb=p|image?thumb=l|image?width=N".split("|"),
      ..."image?orientation=p&thumb=N|image?orientation=l&thumb=N|image?height=N".split("|"),
      ..."image?width=N&height=N|image?scale=N|image?scale=N.N".split("|"),
      ..."articles images|articles documents|galleries audio|all tags|all categories".split("|"),
      ..."single articles|single galleries|single images|galleries by year+month".split("|"),
      ..."articles by undefined|articles by year|articles by tag+tag|images by undefined".split(
        "|",
      ),
      "articles by year+month+category+tag",
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  it("draws for a mirror that answers anything mostly what it draws for one of files", () => {
    const [some, any] = [drawAll(files, 5), drawAll({ ...files, any: true }, 5)];
    const shared = some.filter((draft, at) => JSON.stringify(draft) === JSON.stringify(any[at]));
    expect(shared.length).toBeGreaterThan(some.length / 2);
  });

  it("needs no more than an origin has", () => {
    const empty: Population = {
      pages: new Map([["articles", 1]]),
      articles: [],
      galleries: [],
      images: [],
      categories: [],
      tags: [],
    };
    const draw = createDraw(empty, routes, files, 1);
    const isJson = ({ request }: Draft): boolean => !/binary|download/.test(request.route);
    for (let number = 0; number < 50; number++) expect(isJson(draw(number))).toBe(true);
  });
});

describe("another spelling of a query", () => {
  it("means the same", () => {
    const value = fc.stringMatching(/^[a-z0-9]{1,6}$/);
    const query = fc.record({ year: value, tags: fc.array(value, { minLength: 1 }), page: value });
    fc.assert(
      fc.property(query, fc.integer(), (values, seed) => {
        const written = `?year=${values.year}&tags=${values.tags.join(",")}&page=${values.page}`;
        const read = parseQuery(respelled(written, dice(seed), true));
        expect(read.get("year")).toBe(values.year);
        expect(read.get("page")).toBe(values.page);
        expect(read.get("tags")?.split(",").sort()).toEqual([...values.tags].sort());
      }),
    );
  });
});
