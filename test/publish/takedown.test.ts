import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Config } from "../../src/config.ts";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import type { Reporter } from "../../src/lib/reporter.ts";
import { silent } from "../../src/lib/reporter.ts";
import { rollBack } from "../../src/publish/rollback.ts";
import { refusal } from "../config/support.ts";
import { article, base, body, ids, makeConfig } from "../mirror/fixture.ts";
import { type Publishing, startPublishing } from "./support.ts";

type Exclude = Partial<Config["site"]["exclude"]>;

const [, second = ""] = ids.articles;
const [image = ""] = ids.images;
let archive: Publishing;

beforeEach(() => {
  archive = startPublishing();
  const category = { id: ids.category, title: "News" };
  const of = (id: string, at: number) => ({
    ...article(id, at),
    title: `Title no. ${at}.`,
    synopsis: `Synopsis no. ${at}.`,
    ...(at === 1 && { category, tags: ["zoo"] }),
  });
  archive.fixture.write("articles", ids.articles.map(of));
  const singles = ids.articles.map((id, at) => ({
    ...of(id, at),
    body: `${body(at)} Words no. ${at}.`,
  }));
  archive.fixture.write("articles.single", singles);
});
afterEach(() => archive.close());

const build = (exclude: Exclude = {}, reporter: Reporter = silent) =>
  archive.build({ site: { exclude, url: "https://archive.test" } }, { reporter });

/** Digests of all that the archive shows, and what it tells hosts, by path. */
function tree(): Map<string, string> {
  const root = join(archive.out, "builds", archive.shown());
  const files = [...walkSorted(root)].filter((path) => /^(?:public|deploy)\//.test(path));
  return new Map(files.map((path) => [path, sha256(readFileSync(join(root, path)))]));
}

/** Paths of public files that say or are called one of these. */
function saying(...words: string[]): string[] {
  // Scripts and style sheets are the program's own: they speak of "zoom".
  const files = words
    .flatMap((word) => archive.holding(word))
    .filter((path) => !path.startsWith("assets/"));
  const paths = [...tree().keys()];
  return [...files, ...paths.filter((path) => words.some((word) => path.includes(word)))];
}

const ofSecond = [second, "Title no. 1.", "Synopsis no. 1.", "Words no. 1."];

describe("what site.exclude names", () => {
  it.each<[string, Exclude, string[]]>([
    ["an article by its id", { ids: [second] }, ofSecond],
    ["an article by its slug", { slugs: ["article-1"] }, ofSecond],
    [
      "a category by its id",
      { categories: [ids.category] },
      [...ofSecond, ids.category, "categories/news"],
    ],
    [
      "a category by its slug",
      { categories: ["news"] },
      [...ofSecond, ids.category, "categories/news"],
    ],
    [
      "a category by its title",
      { categories: ["News"] },
      [...ofSecond, ids.category, "categories/news"],
    ],
    ["a tag by its slug", { tags: ["zoo"] }, [...ofSecond, "Zoo"]],
    ["a tag by its title", { tags: ["Zoo"] }, [...ofSecond, "Zoo"]],
    ["a gallery by its slug", { slugs: ["gallery"] }, [ids.gallery]],
    ["an image", { ids: [image] }, [image]],
    ["a video", { ids: [ids.video] }, [ids.video]],
  ])("is nowhere after the next build: %s", async (_, exclude, words) => {
    await build();
    expect(saying(...words)).not.toEqual([]);
    const before = tree();
    const { published } = await build(exclude);
    expect(published).toBe(true);
    expect(saying(...words)).toEqual([]);
    const after = tree();

    // The same as an archive that never showed it, but for where pages stood.
    const { out } = archive;
    archive.out = `${out}-fresh`;
    await archive.build({ site: { exclude, url: "https://archive.test" } }, { out: archive.out });
    expect(tree()).toEqual(after);
    rmSync(archive.out, { recursive: true });
    archive.out = out;

    await build();
    expect(tree()).toEqual(before);
  });

  it("is counted neither in lists nor in pages, and its file is gone", async () => {
    await build({ ids: [second, ids.video] });
    const list = JSON.parse(archive.read("api/v1/articles/index.json"));
    expect(list.meta.total).toBe(4);
    expect(JSON.parse(archive.read("api/v1/videos/index.json")).meta.total).toBe(0);
    expect([...tree().keys()].filter((path) => path.endsWith(".mp4"))).toEqual([]);
    expect(archive.read("snapshot.html")).not.toContain("5 articles");
  });

  it("may not come back with a rollback, with the present configuration or without one", async () => {
    await build();
    const older = archive.shown();
    await build({ ids: [second] });
    const newer = archive.shown();
    const told = "may not be shown any more";
    await expect(rollBack(archive.out, { name: older })).rejects.toThrow(told);
    const config = makeConfig({ site: { exclude: { slugs: ["article-1"] } } });
    const press = () => ({ config, templates: "none" });
    await expect(rollBack(archive.out, { name: older, press })).rejects.toThrow(told);
    expect(archive.shown()).toBe(newer);
    // The setting is what decides.
    const without = () => ({ config: makeConfig(), templates: "none" });
    await rollBack(archive.out, { name: older, press: without });
    expect(archive.shown()).toBe(older);
  });

  it.each<[string, Exclude]>([
    ["by its id", { ids: [second] }],
    ["by its slug", { slugs: ["article-1"] }],
    ["by a tag", { tags: ["zoo"] }],
  ])("may not come back where the origin has removed it since, %s", async (_, exclude) => {
    await build();
    const older = archive.shown();
    await build(exclude);
    const rest = ids.articles.map(article).filter(({ id }) => id !== second);
    archive.fixture.write("articles", rest);
    archive.fixture.write("articles.single", rest);
    await build(exclude);
    await expect(rollBack(archive.out, { name: older })).rejects.toMatchObject({ exitCode: 10 });
    // A build that was made without it is a way back.
    archive.fixture.write("articles", rest.slice(1));
    await build(exclude);
    await rollBack(archive.out, {});
  });

  it("is told: how many of each kind, and what names nothing", async () => {
    const warnings: string[] = [];
    const exclude = { ids: [second, image, "no-such"], tags: ["zoo", "zou"] };
    const { remarks } = await build(exclude, { ...silent, warn: (text) => warnings.push(text) });
    expect(remarks).toContainEqual({
      subject: "tags: 1, articles: 1, images: 1",
      reason: "taken down by site.exclude",
    });
    expect(warnings).toContain(
      "site.exclude names what the snapshot does not have: ids no-such, tags zou",
    );
  });
});

it.each([
  [{ ids: "7" }, 'site.exclude.ids: expected a list in [ ], got "7"'],
  [{ id: ["7"] }, "site.exclude.id: unknown key"],
  [["7"], 'site.exclude: expected an object, got ["7"]'],
])("a mistake in site.exclude is told: %j", (exclude, message) => {
  const [told] = refusal(JSON.stringify({ origin: { baseUrl: base }, site: { exclude } }));
  expect(told).toContain(message);
});

it.each([
  ["tags", { title: "Zoo", slug: "zoo" }],
  ["categories", { id: ids.category, title: "News", slug: "news", order: 0, articles_count: 5 }],
] as const)(
  "a rollback sees the numbered pages of %s that have become private",
  async (list, item) => {
    await build();
    const older = archive.shown();
    archive.fixture.write(list, [{ ...item, private: true }]);
    await build();
    await expect(rollBack(archive.out, { name: older })).rejects.toMatchObject({ exitCode: 10 });
  },
);
