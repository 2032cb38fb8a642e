import { describe, expect, it } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import type { Config } from "../../src/config.ts";
import {
  filterLinksOf,
  type LearnedFilters,
  meaningOf,
  pickTags,
  sampleOf,
  type TagPair,
} from "../../src/crawl/filters.ts";
import { pickMonth } from "../../src/crawl/months.ts";
import { personalities } from "../../src/demo/options.ts";
import type { StartOptions } from "../../src/demo/origin.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { generateContent } from "../support/content.ts";
import { altering, type Bench, type Crawled, send, startBench } from "./support.ts";

/** An origin, and a crawl whose configuration says of its filters what is given here. */
async function start(
  options: Partial<StartOptions> = {},
  origin: Partial<Config["origin"]> = {},
): Promise<Bench> {
  const bench = await startBench(options);
  bench.config = { ...bench.config, origin: { ...bench.config.origin, ...origin } };
  return bench;
}

const isSample = (url: string): boolean => /[?&](?:tags|year)=/.test(url);
const samplesOf = ({ requests }: Crawled): string[] => requests.filter(isSample);
const factsOf = ({ manifest }: Crawled): LearnedFilters => {
  const { tagMatch, timezoneChecked } = manifest;
  return { tagMatch, timezoneChecked };
};

describe("a crawl that does not know what the filters mean", () => {
  it.each([
    ["plain", personalities.plain, "UTC", "any"],
    ["odd", personalities.odd, "Pacific/Auckland", "all"],
  ] as const)(
    "learns it of the %s origin, asks for one list each, and never again",
    async (_, options, timezone, tagMatch) => {
      const bench = await start(options, { timezone });
      const first = await bench.crawl();
      expect(first.warnings).toEqual([]);
      expect(first.manifest.complete).toBe(true);
      expect(factsOf(first)).toEqual({ tagMatch, timezoneChecked: timezone });
      expect(samplesOf(first)).toEqual([
        expect.stringMatching(/^\/articles\?tags=[\w-]+,[\w-]+$/),
        expect.stringMatching(/^\/articles\?year=\d{4}&month=\d{1,2}$/),
      ]);
      const second = await bench.crawl();
      expect(samplesOf(second)).toEqual([]);
      expect(second.changed).toBe(false);
      expect(second.manifest).toEqual(first.manifest);
    },
  );

  it("warns where the origin's months are those of another time zone, and says of which offsets", async () => {
    const bench = await start(personalities.odd);
    const first = await bench.crawl();
    expect(factsOf(first)).toEqual({ tagMatch: "all", timezoneChecked: "UTC" });
    expect(first.problems).toEqual([]);
    expect(first.manifest.complete).toBe(true);
    expect(first.warnings).toEqual([
      expect.stringMatching(
        /^articles of \d{4}-\d\d: the origin lists \d+, expected \d+: the origin's months do not match origin\.timezone UTC; they match UTC\+\d+(?: to UTC\+\d+)?; set origin\.timezone to the time zone of the service$/,
      ),
    ]);
    const quiet = await bench.crawl();
    expect([quiet.changed, samplesOf(quiet), quiet.warnings]).toEqual([false, [], []]);

    bench.config.origin.timezone = "Pacific/Auckland";
    const corrected = await bench.crawl();
    expect(corrected.warnings).toEqual([]);
    expect(samplesOf(corrected)).toHaveLength(1);
    expect(factsOf(corrected)).toEqual({ tagMatch: "all", timezoneChecked: "Pacific/Auckland" });
  });

  it("shows what it learnt in mirror.json, unless the configuration says otherwise", async () => {
    const bench = await start(personalities.odd);
    const { look } = await bench.crawl();
    const described = (origin: Partial<Config["origin"]> = {}): unknown =>
      look((snapshot, store) => {
        const config = { ...bench.config, origin: { ...bench.config.origin, ...origin } };
        const routes = createRoutes(config);
        const catalogue = openCatalogue(snapshot, store.media, routes, config);
        for (const file of mirrorFiles(catalogue, config)) {
          if (file.path !== "v2/content/mirror.json" || !("content" in file)) continue;
          return JSON.parse(String(file.content())).tagMatch;
        }
      });
    expect(described()).toBe("all");
    expect(described({ tagMatch: "any" })).toBe("any");
  });

  it("asks nothing about tags where the configuration tells, and keeps what it knew", async () => {
    const bench = await start(personalities.odd, { tagMatch: "all", timezone: "Pacific/Auckland" });
    const first = await bench.crawl();
    expect(samplesOf(first)).toEqual([expect.stringMatching(/year=/)]);
    expect(first.manifest.tagMatch).toBeUndefined();
    bench.config.origin.tagMatch = "auto";
    const second = await bench.crawl();
    expect(samplesOf(second)).toEqual([expect.stringMatching(/tags=/)]);
    // Nothing else differs from the last snapshot.
    expect(second.changed).toBe(true);
    expect(second.manifest.lists).toEqual(first.manifest.lists);
    expect(second.manifest.tagMatch).toBe("all");
    bench.config.origin.tagMatch = "any";
    const third = await bench.crawl();
    expect([third.changed, third.manifest.tagMatch, samplesOf(third)]).toEqual([false, "all", []]);
  });

  it("counts its requests and asks through the client, as JSON", async () => {
    const bench = await start();
    const asked: (string | undefined)[] = [];
    bench.intercept = ({ url = "", headers }) => {
      if (isSample(url)) asked.push(headers.accept);
      return false;
    };
    await bench.crawl();
    expect(asked).toEqual(["application/json", "application/json"]);
    const { config, origin } = bench;
    const client = createClient({ config, token: origin.tokens.organisation });
    await client.json(`${origin.baseUrl}/articles?tags=a,b`);
    expect(client.stats.requests).toBe(1);
    await client.close();
  });

  it.each([
    ["refuses it", 400, "{}"],
    ["refuses it to this token", 401, "{}"],
    ["does not have it", 404, "{}"],
    ["answers with a page", 200, "<html>"],
    ["answers with something else", 200, '{"data":{}}'],
    ["asks to wait for a day", 429, "{}"],
  ])("is complete, with a warning, where the origin %s", async (_, status, body) => {
    const bench = await start();
    bench.intercept = ({ url = "" }, response) => {
      if (status === 429) response.setHeader("retry-after", "86400");
      if (isSample(url)) return send(response, body, status);
      response.removeHeader("retry-after");
      return false;
    };
    const first = await bench.crawl();
    expect(first.problems).toEqual([]);
    expect(first.manifest.complete).toBe(true);
    expect(factsOf(first)).toEqual({});
    expect(first.warnings).toEqual([
      expect.stringMatching(/^cannot tell what several tags mean: /),
      expect.stringMatching(/^cannot tell whether origin\.timezone is right: /),
    ]);
    bench.intercept = undefined;
    const second = await bench.crawl();
    expect(samplesOf(second)).toHaveLength(2);
    expect(second.changed).toBe(true);
    expect(factsOf(second)).toEqual({ tagMatch: "any", timezoneChecked: "UTC" });
  });

  it("ends with the run that is interrupted", async () => {
    const bench = await start();
    const controller = new AbortController();
    bench.intercept = ({ url = "" }) => {
      if (isSample(url)) controller.abort(new Error("stopped"));
      return false;
    };
    await expect(bench.crawl({ signal: controller.signal })).rejects.toThrow("stopped");
  });

  it("warns where the answer fits neither meaning, and asks again", async () => {
    const bench = await start();
    bench.intercept = altering(bench, isSample, (answer) => ({
      ...answer,
      meta: { ...answer.meta, total: 29, last_page: 2 },
    }));
    for (const crawled of [await bench.crawl(), await bench.crawl()]) {
      expect(factsOf(crawled)).toEqual({});
      expect(crawled.manifest.complete).toBe(true);
      expect(new Set(samplesOf(crawled)).size).toBe(2);
      expect(crawled.warnings).toEqual([
        expect.stringMatching(
          /^the origin lists 29 articles for the tags \S+ and \S+, expected \d+ for any of them or \d+ for both; set origin\.tagMatch /,
        ),
        expect.stringMatching(
          /^articles of \d{4}-\d\d: the origin lists 29, .* no time zone explains that$/,
        ),
      ]);
    }
  });

  it("goes by the ids of a single page where the origin does not count", async () => {
    const bench = await start(personalities.odd, { timezone: "Pacific/Auckland" });
    bench.intercept = (request, response) =>
      request.headers["x-unaltered"] === undefined && isSample(request.url ?? "")
        ? uncounted(bench, request.url ?? "", response)
        : false;
    expect(factsOf(await bench.crawl())).toEqual({
      tagMatch: "all",
      timezoneChecked: "Pacific/Auckland",
    });
  });

  it("does not judge by a list with articles that were published since", async () => {
    const bench = await start();
    const { content } = bench;
    const model = content.articles.at(0);
    if (model === undefined) throw new Error("no article");
    let published = 0;
    bench.intercept = ({ url = "" }) => {
      if (!isSample(url)) return false;
      const { searchParams } = new URL(url, "http://x");
      const id = `0a1b2c3d-0000-4000-8000-00000000000${++published}`;
      const publishedAt =
        searchParams.get("year") === null
          ? Date.UTC(2030, 0)
          : Date.UTC(Number(searchParams.get("year")), Number(searchParams.get("month")) - 1, 15);
      const tags = searchParams.get("tags")?.split(",") ?? [];
      content.articles.add({ ...model, id, slug: id, images: [], publishedAt, tags });
      return false;
    };
    const first = await bench.crawl();
    expect([factsOf(first), first.warnings]).toEqual([{}, []]);
    bench.intercept = undefined;
    const second = await bench.crawl();
    expect(factsOf(second)).toEqual({ tagMatch: "any", timezoneChecked: "UTC" });
  });

  // They are in no index that the crawl has, and nothing tells when they were published.
  it.each([
    ["a signed parameter", "x?expires=1&signature=0123abcd"],
    ["the other way round", "x?signature=0123abcd&expires=1"],
    ["the token", "demo-organisation-token"],
  ])("does not call articles new that are refused for their ids: %s", async (_, id) => {
    const bench = await start();
    for (const [at, model] of [...bench.content.articles].entries())
      bench.content.articles.add({ ...model, id: `${id}${at}`, slug: `refused-${at}`, images: [] });
    const { infos, warnings } = await bench.crawl();
    const told = [...infos, ...warnings].join("\n");
    expect(told).toContain("it has articles that the index did not have");
    expect(told).not.toContain("since");
  });

  it("does not count articles that it keeps although the origin has dropped them", async () => {
    const bench = await start({}, { tagMatch: "any" });
    bench.config.crawl.removals = "keep";
    await bench.crawl();
    const { content } = bench;
    // All but the first of those with tags, so that a count with the removed ones would be wrong.
    const removed = [...content.articles].filter((_, at) => at % 7 === 3).map(({ id }) => id);
    for (const id of removed) content.articles.remove(id);
    bench.config.origin.tagMatch = "auto";
    bench.config.crawl.maxRemoved = { share: 1, items: 100 };
    const second = await bench.crawl();
    expect(second.warnings).toEqual([]);
    expect(second.manifest.tagMatch).toBe("any");
  });

  it("asks nothing of an origin without tags and without articles near a turn of the month", async () => {
    const content = await generateContent({ articles: 6, galleries: 1, images: 4, seed: 3 });
    for (const [at, { id }] of [...content.articles].entries()) {
      content.articles.edit(id, { tags: [], publishedAt: Date.UTC(2024, 8 - at, 15) });
    }
    const bench = await start({ content });
    const crawled = await bench.crawl();
    expect([samplesOf(crawled), factsOf(crawled), crawled.warnings]).toEqual([[], {}, []]);
  });
});

/** The origin's own answer without anything that counts. */
function uncounted(bench: Bench, url: string, response: Parameters<typeof send>[0]): true {
  const { origin } = bench;
  const headers = {
    authorization: `Bearer ${origin.tokens.organisation}`,
    "x-unaltered": "1",
  };
  void fetch(new URL(url, origin.baseUrl), { headers })
    .then((answer) => answer.json())
    .then((answer) => {
      const { data } = answer as { data: unknown };
      send(response, { data, links: { next: null } });
    });
  return true;
}

const listing = (...tags: string[][]) => {
  const having = new Map<string, string[]>();
  for (const [at, own] of tags.entries()) {
    for (const tag of own) having.set(tag, [...(having.get(tag) ?? []), `id${at}`]);
  }
  return { ids: tags.map((_, at) => `id${at}`), tags: having };
};

describe("pickTags", () => {
  it.each<[string, string[][], string[] | undefined]>([
    ["no tags", [[], []], undefined],
    ["one tag", [["a"], ["a"], []], undefined],
    ["two tags that always go together", [["a", "b"], ["b", "a"], []], undefined],
    ["two tags that all articles have", [["a"], ["b"], ["a", "b"]], undefined],
    ["two tags that never go together", [["a"], ["b"], []], ["a", "b"]],
    [
      "two that go together before two that do not",
      [["a", "b"], ["a"], ["a"], ["b"], ["c"], ["c"], ["c"], []],
      ["a", "b"],
    ],
    [
      "the fewest articles",
      [["a", "b"], ["a"], ["a"], ["a"], ["b"], ["c", "b"], ["c"], ["c"], []],
      ["c", "b"],
    ],
    ["tags that can be written in a list", [["a,b"], ["b"], ["c"], [" d"], []], ["b", "c"]],
  ])("of %s", (_, tags, expected) => {
    expect(pickTags(listing(...tags))?.tags.toSorted()).toEqual(expected?.toSorted());
  });

  it("are found among all tags of a large index", () => {
    const many = Array.from({ length: 100_000 }, (_, at) => [
      `t${at % 500}`,
      `t${(at * 7) % 500}`,
      `rare${at % 20_000}`,
    ]);
    const input = listing();
    for (const [at, own] of many.entries()) {
      input.ids.push(`id${at}`);
      for (const tag of new Set(own)) {
        const having = input.tags.get(tag);
        if (having === undefined) input.tags.set(tag, [`id${at}`]);
        else having.push(`id${at}`);
      }
    }
    // A search through all pairs would not end within the test's time.
    const pair = pickTags(input);
    expect(pair?.any.size).toBeLessThan(20);
  });
});

describe("meaningOf", () => {
  const pair: TagPair = { tags: ["a", "b"], any: new Set(["1", "2", "3"]), all: new Set(["2"]) };
  it.each([
    [3, ["1", "2", "3"], "any"],
    [3, ["1"], "any"],
    [1, ["2"], "all"],
    [1, ["3"], undefined],
    [3, ["1", "2", "4"], undefined],
    [2, ["1", "2"], undefined],
    [0, [], undefined],
  ])("%i articles, on the first page %j → %s", (total, ids, expected) => {
    expect(meaningOf(pair, { total, ids })).toBe(expected);
  });
});

describe("sampleOf", () => {
  it.each([
    [
      { data: [{ id: "a" }], meta: { total: 7 } },
      { total: 7, ids: ["a"] },
    ],
    [
      { data: [{ id: 5 }], meta: { total: "7" } },
      { total: 7, ids: ["5"] },
    ],
    [
      { data: [{ id: "a" }, null], meta: { total: 0 } },
      { total: 2, ids: ["a"] },
    ],
    [
      { data: [{ id: "a" }], meta: { last_page: 1 } },
      { total: 1, ids: ["a"] },
    ],
    [{ data: [] }, { total: 0, ids: [] }],
    [{ data: [{ id: "a" }], links: { next: "/2" } }, expect.stringMatching(/^the answer does not/)],
    [{ data: {} }, expect.stringMatching(/^unexpected answer: data/)],
    [null, expect.stringMatching(/^unexpected answer/)],
  ])("%j → %j", (answer, expected) => {
    expect(sampleOf(answer)).toEqual(expected);
  });
});

describe("pickMonth", () => {
  const at = (...times: string[]) => times.map((time) => Date.parse(time));
  it.each<[string, string[], string, number[] | undefined]>([
    ["nothing", [], "UTC", undefined],
    ["the middle of a month", ["2024-05-15T00:00:00Z"], "UTC", undefined],
    ["a turn of the month", ["2024-05-31T23:30:00Z"], "UTC", [2024, 5, 1]],
    ["the same in Auckland", ["2024-05-31T23:30:00Z"], "Pacific/Auckland", [2024, 6, 1]],
    [
      "not the latest month",
      [
        "2024-05-31T23:30:00Z",
        "2023-12-31T23:30:00Z",
        "2023-12-01T12:00:00Z",
        "2024-01-09T00:00:00Z",
      ],
      "UTC",
      [2023, 12, 2],
    ],
    [
      "the most telling month",
      ["2024-06-20T00:00:00Z", "2024-03-31T13:00:00Z", "2024-01-31T23:59:00Z"],
      "UTC",
      [2024, 1, 1],
    ],
  ])("of %s", (_, times, timezone, expected) => {
    const picked = pickMonth(at(...times), timezone);
    expect(picked && [picked.year, picked.month, picked.count]).toEqual(expected);
  });
});

describe("the offsets with which a month has so many articles", () => {
  it.each([
    [2, "UTC-12 to UTC+12"],
    [1, "UTC+13 to UTC+14"],
    [5, undefined],
  ])("%i articles → %s", (total, expected) => {
    const times = ["2023-12-31T11:30:00Z", "2023-12-15T00:00:00Z", "2024-02-01T12:00:00Z"];
    const picked = pickMonth(times.map(Date.parse), "UTC");
    expect(picked).toMatchObject({ year: 2023, month: 12, count: 2 });
    expect(picked?.offsetsWith(total)).toBe(expected);
  });
});

describe("how filters stand in links", () => {
  const url = "https://origin.test/api/v1/articles";
  it.each([
    ["year=2024&month=5&page=1", { page: "last", comma: "%2C" }],
    ["page=1&year=2024&month=5", { page: "first", comma: "%2C" }],
    ["tags=a%2Cb&page=1", { page: "last", comma: "%2C" }],
    ["page=2&tags=a,b", { page: "first", comma: "," }],
    ["page=1", undefined],
    ["tags=a,b", undefined],
  ])("is read from a link: %s", (query, expected) => {
    const answer = { data: [], links: { first: `${url}?${query}`, next: null }, meta: {} };
    expect(filterLinksOf(answer)).toEqual(expected);
  });

  it("is unknown without links", () => {
    expect(filterLinksOf({ data: [], meta: {} })).toBeUndefined();
    expect(filterLinksOf("nothing")).toBeUndefined();
  });

  it.each([
    [true, "first"],
    [false, "last"],
  ])("is learnt when the filters are checked, another pager %s", async (otherPager, page) => {
    const bench = await startBench({ otherPager });
    const { manifest } = await bench.crawl();
    expect(manifest.learned?.filterLinks).toEqual({ page, comma: "%2C" });
    expect((await bench.crawl()).changed).toBe(false);
  });
});
