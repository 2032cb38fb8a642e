// An editor who marks an article, a gallery, a document, a video or a recording as private, and trusts that.
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { altered } from "../../faults/altered.ts";
import { type Press, startPress } from "../../support/archive.ts";
import { contents } from "../../support/contents.ts";

/** Which form of an item says so: its index form, its single form, or its record in an attachment list. */
type Form = "index" | "single" | "attached";
const marked = new Map<string, { says: object; in: Form }>();

/** Adds to the records of an answer what they say. */
function withMarks(text: string, path: string): string {
  const lists = /^\/api\/v1\/\w+(?:\?.*)?$/.test(path);
  const form: Form = lists ? "index" : /^\/api\/v1\/\w+\/[^/]+$/.test(path) ? "single" : "attached";
  return JSON.stringify(JSON.parse(text), (_, value) => {
    const mark = marked.get(value?.id ?? value?.slug);
    return mark !== undefined && mark.in === form ? { ...value, ...mark.says } : value;
  });
}

/** Several nights, each with its processes. */
const nights = { timeout: 300_000 };

let press: Press;
let names: Record<string, string>;
let secrets: string[];
let files: Set<string>;

async function build(): Promise<void> {
  const { code, stderr } = await press.run("snapshot");
  expect([code, stderr]).toEqual([0, expect.anything()]);
}

/** Where the archive has one of the secret texts, or a file of a private item. */
function traces(): string[] {
  const found: string[] = [];
  let looked = 0;
  for (const folder of ["public", "deploy"]) {
    for (const { path, bytes } of contents(realpathSync(join(press.out, folder)))) {
      looked++;
      if (files.has(createHash("sha256").update(bytes).digest("hex"))) found.push(`${path}: file`);
      for (const secret of secrets) {
        if (path.includes(secret) || bytes.includes(secret)) found.push(`${path}: ${secret}`);
      }
    }
  }
  expect(looked).toBeGreaterThan(300);
  return found;
}

const readJson = (path: string) => {
  const file = join(realpathSync(join(press.out, "public")), "api/v1", path);
  return JSON.parse(
    [...contents(join(file, ".."))].find((one) => one.path === file)?.bytes as never,
  );
};

beforeAll(async () => {
  press = await startPress({
    size: { articles: 24, galleries: 5, images: 30 },
    origin: { rate: null, intercept: altered(() => press.origin.baseUrl, withMarks) },
  });
  const { content } = press.origin;
  const [one, two, linking] = [...content.articles].filter(
    (article) => article.documents.length === 0,
  );
  const withDocuments = [...content.articles].find(({ documents }) => documents.length > 0);
  const withVideos = [...content.articles].find(({ videos }) => videos.length > 0);
  const withAudio = [...content.articles].find(({ audio }) => audio.length > 0);
  const [gallery] = content.galleries;
  names = {
    article: one?.id,
    single: two?.id,
    gallery: gallery?.id,
    document: withDocuments?.documents[0],
    video: withVideos?.videos[0],
    audio: withAudio?.audio[0],
  } as Record<string, string>;
  expect(Object.values(names).every((id) => /^[0-9a-f-]{36}$/.test(id))).toBe(true);
  secrets = [...Object.values(names), "Sesame"];
  const { article = "", single = "", gallery: album = "" } = names;
  content.articles.edit(article, { title: "Sesame one", synopsis: "Sesame", slug: "sesame-slug" });
  content.articles.edit(single, { title: "Sesame two", synopsis: "Sesame", body: "<p>Sesame</p>" });
  content.galleries.edit(album, { title: "Sesame gallery" });
  content.documents.edit(names.document ?? "", { title: "Sesame document" });
  content.videos.edit(names.video ?? "", { title: "Sesame video" });
  content.audio.edit(names.audio ?? "", { title: "Sesame audio" });
  content.articles.edit(linking?.id ?? "", {
    title: "An article that links",
    slug: "linking",
    body: (links) =>
      [
        links.view("articles", "sesame-slug"),
        `${press.origin.baseUrl}/articles/${article}`,
        `/api/v1/articles/${single}/images`,
        `${press.origin.baseUrl}/galleries/${album}`,
        links.download("documents", names.document ?? ""),
        links.download("videos", names.video ?? ""),
      ]
        .map((url) => `<p><a href="${url}">a link</a> ${url}</p>`)
        .join(""),
  });
  files = new Set<string>();
  for (const kind of ["documents", "videos", "audio"] as const) {
    for (const { id, read } of content[kind]) {
      if (!secrets.includes(id)) continue;
      files.add(
        createHash("sha256")
          .update(await read())
          .digest("hex"),
      );
    }
  }
});
afterAll(() => press.close());

describe("items that say that they are private", () => {
  it("are shown while they do not", nights, async () => {
    await build();
    const found = traces().join("\n");
    for (const secret of secrets) expect(found).toContain(secret);
    expect(found).toContain(": file");
  });

  it("are shown no more as soon as they do, in any form and spelling", nights, async () => {
    marked.set(names.article ?? "", { says: { private: true }, in: "index" });
    marked.set(names.single ?? "", { says: { visibility: "private" }, in: "single" });
    marked.set(names.gallery ?? "", { says: { is_private: 1 }, in: "index" });
    marked.set(names.document ?? "", { says: { Access: " PRIVATE " }, in: "attached" });
    marked.set(names.video ?? "", { says: { isPublic: false }, in: "index" });
    marked.set(names.audio ?? "", { says: { public: "no" }, in: "index" });
    const { code, report, stderr } = await press.run("snapshot", "--refresh", "all");
    expect([code, stderr]).toEqual([0, expect.anything()]);
    // A title that was published stands in no file of the next build.
    expect(traces()).toEqual([]);
    const remarks = report.remarks.filter(({ reason }) => /private/.test(reason));
    expect(remarks).toEqual([
      expect.objectContaining({
        subject: "articles: 2, galleries: 1, videos: 1, documents: 1, audio: 1",
      }),
    ]);
  });

  it("count in no list of the mirror", () => {
    const { content } = press.origin;
    const counted = (path: string, kind: "articles" | "galleries" | "videos", withheld: number) => {
      const { data, meta } = readJson(path) as { data: object[]; meta: Record<string, number> };
      const total = content[kind].length - withheld;
      expect(meta).toMatchObject({ total, last_page: Math.max(1, Math.ceil(total / 20)), from: 1 });
      expect(data).toHaveLength(Math.min(20, total));
      expect(meta.to).toBe(data.length);
    };
    counted("articles/index.json", "articles", 2);
    counted("galleries/index.json", "galleries", 1);
    counted("videos/index.json", "videos", 1);
    const owner = [...content.articles].find(({ documents }) =>
      documents.includes(names.document ?? ""),
    );
    const list = readJson(`articles/${owner?.id}/documents/index.json`) as {
      data: object[];
      meta: { total: number };
    };
    const left = (owner?.documents.length ?? 0) - 1;
    expect([list.data.length, list.meta.total]).toEqual([left, left]);
  });

  it("leave an archive that is whole", nights, async () => {
    const { code, stderr } = await press.run("verify", "--full");
    expect([code, stderr]).toEqual([0, expect.anything()]);
  });

  it("are told of as withdrawn", nights, async () => {
    const { stdout } = await press.run("diff");
    const { items } = JSON.parse(stdout) as { items: { id: string; what: string }[] };
    const fates = Object.fromEntries(items.map(({ id, what }) => [id, what]));
    expect(fates[names.article ?? ""]).toBe("withdrawn");
    expect(fates[names.video ?? ""]).toBe("withdrawn");
  });

  it("do not come back with a rollback", nights, async () => {
    const { code, stderr } = await press.run("rollback");
    expect([code, stderr]).toEqual([10, expect.stringMatching(/not be shown any more/)]);
    expect(traces()).toEqual([]);
  });

  it("are shown again when they no longer say so", nights, async () => {
    marked.clear();
    expect((await press.run("snapshot", "--refresh", "all")).code).toBe(0);
    expect(traces().join("\n")).toContain(names.article);
  });
});
