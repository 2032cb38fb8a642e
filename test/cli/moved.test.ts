import { readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { filesOf } from "../crawl/support.ts";
import { type Press, type Run, startPress, stillpress } from "../support/archive.ts";

const size = { articles: 8, galleries: 2, images: 6 };

let press: Press;
let other: Press;
let localhost: string;

beforeAll(async () => {
  press = await startPress({ size, pressed: true });
  other = await startPress({ size: { articles: 2, galleries: 1, images: 2 } });
  localhost = press.origin.baseUrl.replace("127.0.0.1", "localhost");
}, 120_000);

afterAll(() => Promise.all([press.close(), other.close()]));

/** Lets the configuration name an address. */
function name(baseUrl: string, site: Record<string, unknown> = {}, { configFile } = press): void {
  const config = JSON.parse(readFileSync(configFile, "utf8"));
  config.origin.baseUrl = baseUrl;
  config.site = site;
  writeFileSync(configFile, JSON.stringify(config));
}

/** The output folder's content but for the report: all files, and what is published. */
function state(): unknown {
  const digests = ["store", "builds"].map((folder) =>
    [...filesOf(join(press.out, folder))].map(([path, bytes]) => `${path} ${sha256(bytes)}`),
  );
  return [digests, realpathSync(join(press.out, "public"))];
}

describe("a store of another origin", () => {
  it.each(["snapshot", "crawl", "media"])(
    "ends %s with 2 before the first request, and nothing is changed",
    async (command) => {
      const { baseUrl } = other.origin;
      name(baseUrl);
      const before = state();
      other.origin.requests.length = 0;
      const { code, report } = await press.run(command);
      expect(code).toBe(2);
      expect(report.error?.message).toBe(
        `${join(press.out, "store")} holds ${press.origin.baseUrl}, the configuration names ${baseUrl}`,
      );
      expect(report.error?.hint).toMatch(/--moved.*"out"/);
      expect(other.origin.requests).toEqual([]);
      expect(state()).toEqual(before);
    },
    60_000,
  );

  it("is built with its own addresses, without any request", async () => {
    name(other.origin.baseUrl, { title: "Another title" });
    press.origin.requests.length = 0;
    const { code, report } = await press.run("build");
    expect({ code, published: report.published }).toEqual({ code: 0, published: true });
    const root = realpathSync(join(press.out, "public"));
    const index = readFileSync(join(root, "api/v1/articles/index.json"), "utf8");
    expect(JSON.parse(index).links.first).toBe("./index.json");
    expect(JSON.parse(index).links.last).toMatch(/^\.\//);
    for (const [path, bytes] of filesOf(join(root, "api"))) {
      expect([path, bytes.includes(press.origin.baseUrl)]).toEqual([path, false]);
    }
    expect([...press.origin.requests, ...other.origin.requests]).toEqual([]);
  }, 60_000);

  it("is continued where the address is only spelled in another way", async () => {
    name(`${press.origin.baseUrl}//`);
    const { code, report } = await press.run("crawl");
    expect(code).toBe(0);
    expect(report.changes).toEqual({});
  }, 60_000);
});

describe("a service that has moved", () => {
  it("keeps the brake on deletions", async () => {
    const kept = [...press.origin.content.articles];
    for (const { id } of kept.slice(1)) press.origin.content.articles.remove(id);
    name(press.origin.baseUrl);
    expect((await press.run("snapshot")).code).toBe(10);
    name(localhost);
    expect((await press.run("snapshot")).code).toBe(2);
    const { code, report } = await press.run("snapshot", "--moved");
    expect(code).toBe(10);
    expect(report.error?.message).toContain("vanished from the origin at once");
  }, 60_000);

  it("is archived further at its new address, which is named once", async () => {
    const again = await startPress({ size });
    try {
      name(again.origin.baseUrl);
      const moved = await press.run("snapshot", "--moved");
      expect({ code: moved.code, complete: moved.report.complete }).toEqual({
        code: 0,
        complete: true,
      });
      expect(moved.report.changes.articles?.removed ?? 0).toBe(0);
      expect((await press.run("snapshot")).code).toBe(0);
      name(press.origin.baseUrl);
      expect((await press.run("snapshot")).code).toBe(2);
    } finally {
      await again.close();
    }
  }, 120_000);
});

describe("the demo", () => {
  it("takes another port, and is not written over somebody's archive", async () => {
    const demo = (): Promise<Run> =>
      stillpress(["demo", "--port", "0", "--articles", "1", "--images", "1", "--out", other.out]);
    name(other.origin.baseUrl.replace("127.0.0.1", "localhost"), {}, other);
    expect((await other.run("crawl")).code).toBe(0);
    expect(await demo()).toMatchObject({ code: 2, stderr: expect.stringContaining("holds http") });
    rmSync(other.out, { recursive: true });
    for (const night of [1, 2]) expect([night, (await demo()).code]).toEqual([night, 0]);
  }, 60_000);
});
