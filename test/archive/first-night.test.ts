import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultOptions } from "../../src/demo/options.ts";
import { type Run, stillpress } from "../support/archive.ts";
import { generateContent } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";
import { startProxy } from "../support/proxy.ts";

/*
 * A service of which init shows little: the 200th article is the first that has videos, and their lists are at a path
 * that nothing names; its files lie on another host; the token sees no index of images; it does not tell its rate limit,
 * and can be reached through a proxy only. What comes out of init, plan and snapshot alone must be whole.
 */

const films = "/articles/{id}/films";
const folder = mkdtempSync(join(tmpdir(), "stillpress-first-"));
const configFile = join(folder, "stillpress.json");
const out = join(folder, "out");
let origin: Origin;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let late: string;
let videos: string[];

beforeAll(async () => {
  const content = await generateContent({ articles: 240, galleries: 4, images: 20, seed: 3 });
  const articles = [...content.articles].sort((a, b) => b.publishedAt - a.publishedAt);
  late = articles[199]?.id ?? "";
  videos = [...content.videos].slice(0, 2).map(({ id }) => id);
  for (const { id } of articles) content.articles.edit(id, { videos: id === late ? videos : [] });
  for (const { id } of content.galleries) content.galleries.edit(id, { videos: [] });
  const paths = { ...defaultOptions.paths, articleVideos: films, videos: null, image: null };
  origin = await startOrigin({
    ...{ content, paths, rate: { requests: 300, perSeconds: 1 }, rateHeaders: "none" as const },
    intercept({ url = "" }, response) {
      const isIndex = /^\/api\/v1\/images(?:\?|$)/.test(url);
      if (isIndex) response.writeHead(403, { "content-type": "application/json" }).end("{}");
      return isIndex;
    },
  });
  const { port } = origin;
  // Names under "test" (RFC 6761) exist for the proxy only.
  proxy = await startProxy(undefined, (text) =>
    text
      .replaceAll(`127.0.0.1:${port}`, `media.test:${port}`)
      .replaceAll(/media\.test(:\d+\/[^"?]*\?expires=)/g, "cdn.test$1"),
  );
});
afterAll(async () => {
  await proxy.close();
  await origin.close();
  rmSync(folder, { recursive: true });
});

function run(command: string, ...more: string[]): Promise<Run> {
  const args = [command, "--config", configFile, "--out", out, ...more];
  const env = {
    STILLPRESS_TOKEN: origin.tokens.organisation,
    STILLPRESS_ORIGIN_RATE: '{ "requests": 280, "perSeconds": 1 }',
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
  };
  return stillpress(args, { env });
}

const read = (path: string) => JSON.parse(readFileSync(join(out, path), "utf8"));
const mirrored = () => `public/api/v1/articles/${late}/films/index.json`;

describe("a first night with what init, plan and snapshot find alone", () => {
  it("is whole", async () => {
    const baseUrl = origin.baseUrl.replace("127.0.0.1", "media.test");
    const { code: found, stdout: told, stderr: failed } = await run("init", "--base-url", baseUrl);
    expect([found, told + failed]).toEqual([0, expect.stringContaining("pictures")]);
    const { stdout: doctor } = await run("doctor");
    expect(doctor).toMatch(/fits .* not checked: .*origin\.paths\.articleVideos/);
    expect((await run("plan")).code).toBe(0);
    const { code, stderr } = await run("snapshot");
    expect([code, stderr.match(/^(?:error|problem).*/m)]).toEqual([0, null]);
    const { complete, problems, warnings } = read("report.json");
    expect({ complete, problems }).toEqual({ complete: true, problems: [] });
    expect(proxy.asked.filter((one) => one.startsWith("GET http://cdn.test"))).not.toEqual([]);
    expect(warnings.map(({ text }: { text: string }) => text)).toContain(
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
