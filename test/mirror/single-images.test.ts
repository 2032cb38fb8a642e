import { describe, expect, it } from "vitest";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { ConfigSchema } from "../../src/config.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { createRoutes } from "../../src/routes/table.ts";
import {
  altering,
  type Bench,
  type Crawled,
  type Intercept,
  send,
  startBench,
} from "../crawl/support.ts";

const single = /^\/images\/[^/.?]+$/;

/** The mirror's single images by path below the base, links as the API's own. */
function singlesOf(bench: Bench, crawled: Crawled): Map<string, unknown> {
  return crawled.look((reader, store) => {
    const config = ConfigSchema.parse({ ...bench.config, mirror: { links: "api" } });
    const catalogue = openCatalogue(reader, store.media, createRoutes(config), config);
    const answers = new Map<string, unknown>();
    for (const file of mirrorFiles(catalogue, config)) {
      const path = file.url?.slice("/api/v1".length);
      if (path === undefined || !single.test(path) || !("content" in file)) continue;
      answers.set(path, JSON.parse(String(file.content())));
    }
    return answers;
  });
}

/** An answer without its links, whose signatures differ each time. */
function withoutLinks(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value) => (name === "links" ? undefined : value)),
  );
}

async function expectTheSame(bench: Bench, crawled: Crawled): Promise<void> {
  const { baseUrl, tokens } = bench.origin;
  const headers = { authorization: `Bearer ${tokens.organisation}` };
  const singles = singlesOf(bench, crawled);
  expect(singles.size).toBeGreaterThan(20);
  for (const [path, answer] of [...singles].slice(0, 15)) {
    const there = await (await fetch(baseUrl + path, { headers })).json();
    expect(withoutLinks(answer), path).toEqual(withoutLinks(there));
  }
}

const askedAlone = ({ requests }: Crawled): string[] => [
  ...new Set(requests.filter((path) => single.test(path))),
];

/** Single answers as `change` makes them of the object. */
function changed(bench: Bench, change: (object: Record<string, unknown>) => unknown): Intercept {
  return altering(
    bench,
    (path) => single.test(path),
    (answer) => change((answer as unknown as { data: Record<string, unknown> }).data),
  );
}

describe("a single image", () => {
  it("is that of the origin, whose time stamps have an offset, and is asked for on the first night only", async () => {
    const bench = await startBench();
    const withOffset = (text: unknown) => String(text).replace(/(?:\.\d+)?Z$/, "+00:00");
    bench.intercept = changed(bench, (image) => ({
      data: { ...image, created_at: withOffset(image.created_at) },
    }));
    const first = await bench.crawl();
    expect(askedAlone(first)).toHaveLength(3);
    expect(first.manifest.remarks).toEqual([]);
    await expectTheSame(bench, first);
    const second = await bench.crawl();
    expect([second.changed, askedAlone(second)]).toEqual([false, []]);
  });

  it("is that of an origin of an unusual time zone", async () => {
    const bench = await startBench({
      imageTimes: "single",
      indexTimes: "seconds",
      timezone: "America/St_Johns",
    });
    const unaware = await bench.crawl();
    expect(unaware.manifest.remarks).toEqual([
      { subject: "single images", reason: expect.stringContaining("origin.timezone UTC") },
    ]);
    bench.config.origin.timezone = "America/St_Johns";
    const crawled = await bench.crawl();
    expect(crawled.manifest.remarks).toEqual([]);
    await expectTheSame(bench, crawled);
  });

  it("is that of the origin, which does not wrap it", async () => {
    const bench = await startBench();
    bench.intercept = changed(bench, (image) => image);
    await expectTheSame(bench, await bench.crawl());
  });

  it("is its list item where it does not follow from it, and the report says so", async () => {
    const bench = await startBench();
    bench.intercept = changed(bench, (image) => ({ data: { ...image, exif: { iso: 100 } } }));
    const crawled = await bench.crawl();
    expect([crawled.manifest.complete, crawled.problems]).toEqual([true, []]);
    expect(crawled.manifest.remarks).toEqual([
      { subject: "single images", reason: expect.stringContaining("exif") },
    ]);
    const [answer] = singlesOf(bench, crawled).values();
    expect(answer).toMatchObject({ data: { title: expect.any(String) } });
    const second = await bench.crawl();
    expect([second.changed, second.manifest.remarks.length]).toEqual([false, 1]);
  });

  it("may be missing at the origin, which is no gap", async () => {
    const bench = await startBench();
    bench.intercept = (request, response) =>
      single.test((request.url ?? "").replace("/api/v1", "")) && send(response, {}, 404);
    const crawled = await bench.crawl();
    expect([crawled.manifest.complete, crawled.problems]).toEqual([true, []]);
    expect(crawled.manifest.remarks).toEqual([
      { subject: "single images", reason: expect.stringContaining("404") },
    ]);
  });
});
