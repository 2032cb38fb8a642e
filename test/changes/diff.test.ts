import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "../../src/changes/changes.ts";
import type { Collection, Timed } from "../../src/demo/collection.ts";
import type { Report } from "../../src/publish/report.ts";
import { type Press, type Run, startPress, stillpress } from "../support/archive.ts";

interface Diff {
  before: string | null;
  after: string;
  items: Change[];
  counts: Record<string, Record<string, number>>;
}

let press: Press;
let night: Diff;
/** Of the same night. */
let report: Report;
const ids = {
  edited: "",
  arabic: "",
  chinese: "",
  removed: "",
  rated: "",
  hidden: "",
  file: "",
  gallery: "",
};

function at<T extends Timed>(items: Collection<T>, place: number): T {
  const item = items.at(place);
  if (item === undefined) throw new RangeError(`there is no item ${place}`);
  return item;
}

const diff = (...args: string[]): Promise<Run> => stillpress(["diff", "--out", press.out, ...args]);

async function diffJson(...args: string[]): Promise<Diff> {
  const { stdout, stderr } = await diff("--json", ...args);
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  press = await startPress({ pressed: true, config: { crawl: { refresh: "all" } } });
  const { articles, images, galleries } = press.origin.content;
  const hidden = at(images, 3).id;
  const others = [...articles].filter((one) => !one.images.includes(hidden)).map(({ id }) => id);
  const [edited, arabic, chinese, removed, rated] = others.slice(2);
  Object.assign(ids, { edited, arabic, chinese, removed, rated, hidden });
  articles.edit(ids.edited, { body: "<p>One two three four.</p>" });
  articles.edit(ids.arabic, { body: "<p>كان البيت الكبير هنا</p>" });
  articles.edit(ids.chinese, { body: "<p>你好世界，今天天气很好</p>" });
  await press.run("snapshot");
  articles.edit(ids.edited, {
    body: "<p>One two <b>3</b> four.</p>",
    title: "A \u001b[31m[new] title",
  });
  articles.edit(ids.arabic, { body: "<p>كان البيت الصغير هنا</p>" });
  articles.edit(ids.chinese, { body: "<p>你好世界，明天天气很好</p>" });
  articles.remove(ids.removed);
  articles.edit(ids.rated, { rating: { average: 1.5, count: 999 } });
  images.edit(ids.hidden, { private: true });
  ids.file = at(images, 5).id;
  const { read, filesize, mime, width, height } = at(images, 6);
  images.edit(ids.file, { read, filesize, mime, width, height });
  const gallery = [...galleries].find(
    (one) => one.images.length > 2 && !one.images.includes(ids.hidden),
  );
  ids.gallery = gallery?.id ?? "";
  galleries.edit(ids.gallery, { images: gallery?.images.toReversed() ?? [] });
  articles.add({
    ...at(articles, 8),
    id: "0a1b2c3d-0000-4000-8000-000000000001",
    slug: "the-new-one",
    title: "The new one",
    publishedAt: Date.now(),
  });
  report = (await press.run("snapshot")).report;
  night = await diffJson();
});

afterAll(() => press.close());

const item = (id: string): Change | undefined => night.items.find((one) => one.id === id);

describe("stillpress diff", () => {
  it("tells the words that changed in bodies and titles, in any script", () => {
    const changed = (id: string, name: string): string[] =>
      (item(id)?.fields.find((field) => field.name === name)?.words ?? []).flatMap(
        ({ sign, text }) => (sign === "=" ? [] : [sign + text]),
      );
    expect(changed(ids.edited, "body")).toEqual(["-three", "+3"]);
    expect(changed(ids.edited, "title").join()).toContain("title");
    expect(changed(ids.arabic, "body")).toEqual(["-الكبير", "+الصغير"]);
    expect(changed(ids.chinese, "body")).toEqual(["-今天", "+明天"]);
  });

  it("tells what is new, removed, withdrawn, and which files are others", () => {
    expect(item("0a1b2c3d-0000-4000-8000-000000000001")).toMatchObject({
      kind: "articles",
      what: "new",
      page: "articles/the-new-one.html",
      view: expect.stringContaining("/view/articles/the-new-one"),
    });
    expect(item(ids.removed)).toMatchObject({ what: "removed", page: null });
    expect(item(ids.removed)?.reason).toMatch(/^gone from the origin, noticed 20/);
    expect(item(ids.hidden)).toMatchObject({
      what: "withdrawn",
      reason: "is no longer public",
      page: null,
    });
    const { what, fields = [] } = item(ids.file) ?? {};
    expect(what).toBe("media changed");
    expect(fields[0]?.before).toMatch(/^image\/\w+, \d+ × \d+, \d+ bytes, SHA-256 [0-9a-f]{16}$/);
    expect(fields[0]?.after).not.toBe(fields[0]?.before);
    expect(night.counts.images).toEqual({ withdrawn: 1, "media changed": 1 });
  });

  it("tells that a list has another order, and nothing of a rating", () => {
    expect(item(ids.gallery)?.fields).toContainEqual({ name: "images", note: "in another order" });
    expect(item(ids.rated)).toBeUndefined();
    expect(night.items.filter(({ kind }) => kind === "categories" || kind === "tags")).toEqual([]);
  });

  it("takes snapshots by name, by date and in any order", async () => {
    expect(await diffJson("latest~1", "latest")).toEqual(night);
    expect(await diffJson("published~1", "published")).toEqual(night);
    expect(await diffJson(night.before ?? "")).toEqual(night);
    expect((await diffJson("latest", "latest")).items).toEqual([]);
    expect(await diffJson("latest", "latest~1")).toEqual(night);
    const all = await diffJson("latest~2");
    expect(all.items.length).toBeGreaterThanOrEqual(night.items.length);
  });

  it.each([
    ["nix", /there is no snapshot nix\nhint: the snapshots are 20.*Z, 20.*Z, 20.*Z\n/],
    ["latest~3", /there is no snapshot latest~3/],
    ["20", /several snapshots are called 20\nhint: the snapshots are /],
  ])("names the snapshots there are instead of %s", async (name, message) => {
    const { code, stderr } = await diff(name);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("prints for a terminal and as Markdown, and obeys no text of the origin", async () => {
    const { code, stdout } = await diff();
    expect(code).toBe(0);
    expect(stdout).toContain("  - body: One two [-three-]{+3+} four.");
    expect(stdout).toContain("- changed: A [31m[new] title\n");
    expect(stdout).toMatch(
      /articles: 1 removed, \d changed, 1 new; .*images: 1 withdrawn, 1 media changed\n$/,
    );
    expect(stdout).not.toContain("\u001b");
    const markdown = (await diff("--markdown")).stdout;
    expect(markdown).toContain("## articles\n\n- ");
    expect(markdown).toContain("- changed: [A \\[31m\\[new\\] title](public/articles/");
    expect(markdown).toContain("  - body: One two ~~three~~**3** four.");
  });
});

describe("the report of a night", () => {
  it("lists the changes that diff tells, the worst first", () => {
    const { items = [], total, summary } = report.changes;
    expect(total).toBe(night.items.length);
    expect(new Set(items.map(({ id }) => id))).toEqual(new Set(night.items.map(({ id }) => id)));
    expect(items[0]).toMatchObject({ kind: "articles", id: ids.removed, what: "removed" });
    expect(items.find(({ id }) => id === ids.edited)?.fields).toEqual(["title", "body"]);
    expect(summary).toMatch(/images: 1 withdrawn, 1 media changed$/);
    expect(report.changes.images).toEqual({ added: 0, changed: 1, removed: 1 });
  });

  it("shows them on its page", () => {
    const page = readFileSync(join(press.out, "report.md"), "utf8");
    const [, section = ""] = page.split("## What changed\n\n");
    expect(section).toContain(
      "- new: [The new one](public/articles/the-new-one.html) ([origin](http",
    );
    expect(section).toContain(": title, body\n");
    expect(section.split("\n## ", 1)[0]?.split("\n").length).toBeLessThan(27);
  });
});

describe("a file that is replaced while its record stays the same", () => {
  it("stands in the report of its night, and in the diff to the next snapshot", async () => {
    const second = await startPress({
      size: { articles: 3, galleries: 1, images: 4 },
      origin: { fileEtags: true },
      config: { crawl: { refresh: "all" } },
    });
    try {
      const { images, articles } = second.origin.content;
      await second.run("snapshot");
      const { id } = images.edit(at(images, 0).id, { read: at(images, 1).read });
      const { changes } = (await second.run("snapshot")).report;
      expect(changes).toMatchObject({ summary: "images: 1 media changed", total: 1 });
      expect(changes.items).toMatchObject([{ id, what: "media changed", fields: ["original"] }]);
      articles.edit(at(articles, 0).id, { title: "Other" });
      await second.run("snapshot");
      const args = ["diff", "--out", second.out, "--json"];
      const { items }: Diff = JSON.parse((await stillpress(args)).stdout);
      expect(items.map(({ what }) => what)).toEqual(["changed", "media changed"]);
    } finally {
      await second.close();
    }
  });
});

describe("an image that an attachment list alone calls private", () => {
  it("is told nowhere, because the archive does not show it", async () => {
    const marked = "0a1b2c3d-0000-4000-8000-000000000002";
    const second = await startPress({
      size: { articles: 4, galleries: 1, images: 4 },
      origin: {
        intercept(request, response) {
          const { url = "", headers } = request;
          if (!/\/(?:articles|galleries)\/[^/]+\/images/.test(url) || headers.plain) return false;
          const asked = fetch(`http://${headers.host}${url}`, {
            headers: { authorization: headers.authorization ?? "", plain: "1" },
          });
          void asked.then(async (answer) => {
            const { data, ...page } = (await answer.json()) as { data: { id: string }[] };
            const mark = (one: { id: string }) =>
              one.id === marked ? { ...one, is_private: true } : one;
            response.setHeader("content-type", "application/json");
            response.end(JSON.stringify({ ...page, data: data.map(mark) }));
          });
          return true;
        },
      },
    });
    try {
      const { articles, images } = second.origin.content;
      await second.run("snapshot");
      images.add({ ...at(images, 0), id: marked });
      articles.edit(at(articles, 0).id, { images: [marked] });
      const { code, report } = await second.run("snapshot");
      expect(code).toBe(0);
      expect(report.changes.images).toMatchObject({ added: 1 });
      expect(report.changes.items?.map(({ id }) => id)).toEqual([at(articles, 0).id]);
      const { stdout } = await stillpress(["diff", "--out", second.out, "--json"]);
      expect(stdout).toContain(at(articles, 0).id);
      expect(stdout).not.toContain(marked);
    } finally {
      await second.close();
    }
  });
});

describe("an article that the origin removed and the archive keeps", () => {
  it("is told as removed, with its page", async () => {
    const keeping = await startPress({
      size: { articles: 4, galleries: 1, images: 3 },
      config: { crawl: { removals: "keep" } },
    });
    try {
      await keeping.run("snapshot");
      const { id } = at(keeping.origin.content.articles, 1);
      keeping.origin.content.articles.remove(id);
      const { changes } = (await keeping.run("snapshot")).report;
      const item = changes.items?.find((one) => one.id === id);
      expect(item).toMatchObject({ what: "removed", page: expect.stringContaining("articles/") });
      expect(item?.reason).toBe("gone from the origin, kept in the archive");
    } finally {
      await keeping.close();
    }
  });
});

describe("stillpress diff of one snapshot", () => {
  it("says that there is no other one", async () => {
    const first = await startPress({ size: { articles: 3, galleries: 1, images: 3 } });
    try {
      const args = ["diff", "--out", first.out];
      expect((await stillpress(args)).code).toBe(2);
      const crawl = await first.run("crawl");
      expect(crawl.report.changes.summary).toMatch(/^first snapshot: 3 articles, 1 galleries/);
      expect((await first.run("crawl")).report.changes).toEqual({});
      const { code, stdout } = await stillpress(args);
      expect([code, stdout]).toEqual([0, expect.stringContaining("is the first snapshot")]);
      expect(JSON.parse((await stillpress([...args, "--json"])).stdout)).toMatchObject({
        before: null,
        items: [],
      });
    } finally {
      await first.close();
    }
  });
});
