import { describe, expect, it } from "vitest";
import type { Paths } from "../../src/config.ts";
import { ConfigSchema } from "../../src/config.ts";
import { type Bench, smallContent, startBench } from "./support.ts";

/** The shapes of paths of services; the API document leaves them open. */
const { paths: usual } = ConfigSchema.parse({ origin: { baseUrl: "https://a.example" } }).origin;

/** Content of which the oldest of 30 articles, which is asked for last, alone has files of a kind. */
async function withLate(kind: "videos" | "documents" | "audio") {
  const content = await smallContent();
  const ids = [...content[kind]].map(({ id }) => id).slice(0, 2);
  const articles = [...content.articles].sort((a, b) => b.publishedAt - a.publishedAt);
  for (const { id } of articles) content.articles.edit(id, { [kind]: [] });
  const late = articles.at(-1)?.id ?? "";
  content.articles.edit(late, { [kind]: ids });
  return { content, ids, late };
}

/** A bench whose origin has other paths than its configuration says. */
async function startLate(
  kind: "videos" | "documents" | "audio",
  paths: Partial<Paths>,
  said: Partial<Paths> = {},
) {
  const { content, ids, late } = await withLate(kind);
  const bench = await startBench({ content, paths: { ...usual, ...paths } });
  bench.config.origin.paths = { ...bench.config.origin.paths, ...usual, ...paths, ...said };
  return { bench, ids, late };
}

/** Ids that the snapshot has in the list of the late article. */
function listOf(
  crawled: Awaited<ReturnType<Bench["crawl"]>>,
  late: string,
  kind: "videos" | "documents" | "audio",
) {
  return crawled.look((reader) =>
    reader.attachments("articles", late, kind)?.items.map(({ id }) => id),
  );
}

const rows: [string, "videos" | "documents" | "audio", keyof Paths, string, string][] = [
  ["another word", "videos", "articleVideos", "/articles/{id}/films", "/articles/{id}/videos"],
  [
    "another shape",
    "documents",
    "articleDocuments",
    "/articles/{id}/attachments/documents",
    "/articles/{id}/documents",
  ],
  ["both", "audio", "articleAudio", "/media/articles/{id}/sounds", "/articles/{id}/audio"],
  [
    "a guess of init",
    "videos",
    "articleVideos",
    "/articles/{id}/videos",
    "/attachments/articles/{id}/videos",
  ],
];

describe("a kind of files that a crawl meets for the first time", () => {
  it.each(rows)("is found at %s, and known from then on: %s", async (_, kind, name, path, said) => {
    const { bench, ids, late } = await startLate(kind, { [name]: path }, { [name]: said });
    const first = await bench.crawl();
    expect(first.manifest).toMatchObject({ complete: true, problems: [] });
    expect(listOf(first, late, kind)).toEqual(ids);
    expect(first.manifest.learned?.paths).toEqual({ [name]: { instead: said, path } });
    expect(first.warnings).toContain(
      `lists of ${kind} of articles are not at ${said}, but at ${path}; later runs know it; to have it in the configuration, write "paths": { "${name}": "${path}" } into origin`,
    );
    const looked = first.requests.filter((url) => url.includes(late)).length;
    expect(looked).toBeLessThan(40);

    bench.content.articles.edit(late, { title: "Another title" });
    const second = await bench.crawl();
    expect(second.manifest.complete).toBe(true);
    expect(listOf(second, late, kind)).toEqual(ids);
    expect(second.warnings).toEqual([]);
    expect(second.requests.filter((url) => url.startsWith(said.replace("{id}", late)))).toEqual([]);
  });

  it("is found with the shape of its siblings first", async () => {
    const shape = (noun: string) => `/attachments/articles/{id}/${noun}`;
    const paths = {
      articleImages: shape("images"),
      articleVideos: shape("videos"),
      articleDocuments: shape("documents"),
      articleAudio: shape("audio"),
    };
    const { bench, late } = await startLate("videos", paths, {
      articleVideos: usual.articleVideos,
    });
    const { requests } = await bench.crawl();
    const asked = requests.filter((url) => url.includes(late) && url.includes("videos"));
    // Twice where it was thought to be; then where it is: once to find it, once to read it.
    expect(asked.map((url) => url.split("?")[0])).toEqual([
      `/articles/${late}/videos`,
      `/articles/${late}/videos`,
      `/attachments/articles/${late}/videos`,
      `/attachments/articles/${late}/videos`,
    ]);
  });

  it("is as it was before where it is nowhere", async () => {
    const { bench, late } = await startLate("videos", {});
    bench.intercept = ({ url = "" }, response) => {
      if (!url.includes(late) || /\/articles\/[^/]+(?:\?|$)/.test(url)) return false;
      if (/\/images/.test(url)) return false;
      response.writeHead(404).end();
      return true;
    };
    const { manifest, requests } = await bench.crawl();
    expect(manifest.complete).toBe(false);
    expect(manifest.learned?.paths).toBeUndefined();
    expect(manifest.problems).toEqual([
      expect.objectContaining({
        subject: "origin.paths.articleVideos",
        reason: "404 for 1 list, all there are",
      }),
    ]);
    expect(requests.filter((url) => url.includes(late)).length).toBeLessThan(25);
  });

  it("is not looked for where another setting says so since", async () => {
    const path = "/articles/{id}/films";
    const { bench, ids, late } = await startLate(
      "videos",
      { articleVideos: path },
      { articleVideos: usual.articleVideos },
    );
    await bench.crawl();
    bench.config.origin.paths.articleVideos = path;
    bench.content.articles.edit(late, { title: "Another title" });
    const second = await bench.crawl();
    expect(listOf(second, late, "videos")).toEqual(ids);
    expect(second.warnings).toEqual([]);
  });
});
