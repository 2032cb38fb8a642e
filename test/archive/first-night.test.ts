import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { generateContent } from "../../src/demo/content.ts";
import { type Run, stillpress } from "../support/archive.ts";
import { type Origin, startOrigin } from "../support/origin.ts";

/*
 * A service of which init shows little: no article that it reads has videos, and their lists are at a path that nothing
 * names. What comes out of init, plan and snapshot alone must be whole.
 */

const films = "/articles/{id}/films";
const folder = mkdtempSync(join(tmpdir(), "stillpress-first-"));
const configFile = join(folder, "stillpress.json");
const out = join(folder, "out");
let origin: Origin;
let late: string;
let videos: string[];

beforeAll(async () => {
  const content = await generateContent({ articles: 120, galleries: 4, images: 20, seed: 3 });
  const articles = [...content.articles].sort((a, b) => b.publishedAt - a.publishedAt);
  // In the middle: init reads the first page and the last.
  late = articles[70]?.id ?? "";
  videos = [...content.videos].slice(0, 2).map(({ id }) => id);
  for (const { id } of articles) content.articles.edit(id, { videos: id === late ? videos : [] });
  for (const { id } of content.galleries) content.galleries.edit(id, { videos: [] });
  const { paths } = ConfigSchema.parse({ origin: { baseUrl: "https://a.example" } }).origin;
  origin = await startOrigin({ content, rate: null, paths: { ...paths, articleVideos: films } });
});
afterAll(async () => {
  await origin.close();
  rmSync(folder, { recursive: true });
});

function run(command: string, ...more: string[]): Promise<Run> {
  const args = [command, "--config", configFile, "--out", out, ...more];
  const env = {
    STILLPRESS_TOKEN: origin.tokens.organisation,
    STILLPRESS_ORIGIN_RATE: '{ "requests": 100000, "perSeconds": 1 }',
  };
  return stillpress(args, { env });
}

const read = (path: string) => JSON.parse(readFileSync(join(out, path), "utf8"));
const mirrored = () => `public/api/v1/articles/${late}/films/index.json`;

describe("a first night with what init, plan and snapshot find alone", () => {
  it("is whole", async () => {
    expect((await run("init", "--base-url", origin.baseUrl)).code).toBe(0);
    expect((await run("plan")).code).toBe(0);
    const { code, stderr } = await run("snapshot");
    expect([code, stderr.match(/^(?:error|problem).*/m)]).toEqual([0, null]);
    const { complete, problems, warnings } = read("report.json");
    expect({ complete, problems }).toEqual({ complete: true, problems: [] });
    const told = warnings.map(({ text }: { text: string }) => text);
    expect(told).toContain(
      `lists of videos of articles are not at /articles/{id}/videos, but at ${films}`,
    );
  }, 120_000);

  it("answers at the path that was found, with the files", async () => {
    const rows: { id: string }[] = read(mirrored()).data;
    expect(rows.map(({ id }) => id)).toEqual(videos);
    expect(existsSync(join(out, `public/api/v1/articles/${late}/videos`))).toBe(false);
    const { code, stdout } = await run("verify", "--full");
    expect([code, stdout]).toEqual([0, expect.stringContaining(": 0 findings")]);
  });

  it("is followed by quiet ones, and by builds that know the path", async () => {
    const before = origin.requests.length;
    expect((await run("snapshot")).code).toBe(0);
    expect(read("report.json")).toMatchObject({ complete: true, published: false, warnings: [] });
    const asked = origin.requests.slice(before).map(({ url }) => url);
    expect(asked.filter((url) => url.includes(`${late}/videos`))).toEqual([]);
    expect((await run("build")).code).toBe(0);
    expect(existsSync(join(out, mirrored()))).toBe(true);
  });
});
