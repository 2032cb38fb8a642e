// An author, with the id of a private picture as the slug, the tag, the id or the address of what he publishes.
import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { altered } from "../../faults/altered.ts";
import { articleOf, galleryOf, idOf, imageOf } from "../../faults/hand-made.ts";
import { type Press, startPress } from "../../support/archive.ts";
import { contents } from "../../support/contents.ts";

const secret = "5e0f1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b";
const other = "c0ffee00-1111-4222-8333-444455556666";

/** Several nights, each with its processes. */
const nights = { timeout: 300_000 };

let press: Press;
afterEach(() => press.close());

/** An origin with two attached private pictures, and what a hostile author makes of them. */
async function start(
  plant: (content: Press["origin"]["content"]) => void,
  {
    change = (text: string) => text,
    site = {},
    origin = {},
  }: { change?: (text: string) => string; site?: object; origin?: object } = {},
): Promise<void> {
  press = await startPress({
    size: { articles: 8, galleries: 3, images: 12 },
    origin: {
      ...origin,
      rate: null,
      privateInAttachments: true,
      privateMarker: "is_private",
      intercept: altered(
        () => press.origin.baseUrl,
        (text) => change(text),
      ),
    },
    config: {
      site: { url: "https://archive.example", ...site },
      hosts: ["nginx", "caddy", "netlify", "cloudflare", "vercel"] as never,
    },
  });
  const { content } = press.origin;
  for (const id of [secret, other]) content.images.add(await imageOf(900, { id, private: true }));
  content.articles.add(articleOf(900, { title: "Owner", images: [secret, other] }));
  plant(content);
}

/** Every name of a published file and of a host's rules that gives an id away, in any case. */
function traces(): string[] {
  const found: string[] = [];
  for (const folder of ["public", "deploy"]) {
    for (const { path, bytes } of contents(realpathSync(join(press.out, folder)))) {
      for (const id of [secret, other, secret.slice(0, 8), other.slice(0, 8)]) {
        const text = bytes.toString("latin1").toLowerCase();
        if (path.toLowerCase().includes(id) || text.includes(id)) found.push(`${path}: ${id}`);
      }
    }
  }
  return found;
}

const pages = (folder: string): string[] =>
  readdirSync(join(realpathSync(join(press.out, "public")), folder));
const titled = (title: string): string[] =>
  [...contents(realpathSync(join(press.out, "public")))]
    .filter(({ path, bytes }) => path.endsWith(".html") && bytes.includes(`>${title}</h1>`))
    .map(({ path }) => path);

async function night() {
  const { code, stderr, report } = await press.run("snapshot");
  expect([code, stderr]).toEqual([0, expect.anything()]);
  expect(traces()).toEqual([]);
  return report;
}

it(
  "slugs of articles, galleries, categories and tags become other names, and stay them",
  nights,
  async () => {
    await start((content) => {
      content.articles.add(
        articleOf(901, { title: "Hostile article", slug: secret, tags: [other, "plain"] }),
      );
      content.articles.add(articleOf(902, { title: "Hostile too", slug: `a-${secret}-b` }));
      content.articles.add(articleOf(903, { title: "In capitals", slug: secret.toUpperCase() }));
      content.galleries.add(galleryOf(901, { title: "Hostile gallery", slug: secret }));
      content.categories.push({ id: idOf("category", 9), title: "Hostile", slug: other, order: 9 });
      content.tags.push(
        { slug: other, title: "Hostile tag", createdAt: 1, productsCount: 0 },
        { slug: `${secret}-x`, title: "Another", createdAt: 1, productsCount: 0 },
      );
    });
    const report = await night();
    for (const title of ["Hostile article", "Hostile too", "In capitals", "Hostile gallery"]) {
      expect([title, titled(title)]).toEqual([title, [expect.anything()]]);
    }
    expect(titled("Hostile tag").length).toBeGreaterThan(0);
    const remarks = report.remarks.filter(({ reason }) => /must not be shown/.test(reason));
    expect(remarks.map(({ subject }) => subject).join()).toContain(idOf("article", 901));
    const before = pages("articles").sort();
    // Another item must not move the pages.
    press.origin.content.articles.add(articleOf(904, { title: "One more", slug: `b-${secret}` }));
    await night();
    for (const name of before) expect(pages("articles")).toContain(name);
    expect((await press.run("verify", "--full")).code).toBe(0);
  },
);

it(
  "an article whose id is that of a private picture is left out, and no other",
  nights,
  async () => {
    await start((content) => {
      content.articles.add(articleOf(901, { id: secret, title: "Hostile article" }));
      content.articles.add(articleOf(902, { id: `x-${other}`, title: "Hostile too" }));
      content.articles.add(articleOf(903, { title: "A good one" }));
    });
    const report = await night();
    expect(titled("A good one")).toHaveLength(1);
    expect(titled("Hostile article")).toEqual([]);
    expect(report.remarks.map(({ reason }) => reason).join()).toMatch(/must not be shown/);
  },
);

it("addresses of files and pages that name it become others", nights, async () => {
  await start(
    (content) => {
      for (const { id } of content.documents)
        content.documents.edit(id, { title: `Paper ${secret}` });
      content.articles.add(articleOf(901, { title: "Hostile article", slug: secret }));
    },
    {
      site: { permalinks: "view" },
      change: (text) => text.replaceAll("/documents/", `/documents/../documents/`),
    },
  );
  await night();
  expect(titled("Hostile article")).toHaveLength(1);
});

it("a file at an address that names it is published at another", nights, async () => {
  const filePaths = {
    videos: "/videos/{id}/download",
    documents: `/documents/{id}/${secret}/download`,
    audio: "/audio/{id}/download",
  };
  await start(() => {}, { origin: { filePaths } });
  await night();
  const files = [...contents(realpathSync(join(press.out, "public/media")))];
  expect(files.filter(({ path }) => path.endsWith(".pdf")).length).toBeGreaterThan(0);
});

it(
  "titles that look like signed links take no word, id or slug from the others",
  nights,
  async () => {
    const good = articleOf(903, { title: "On internationalisation", slug: "internationalisation" });
    await start((content) => {
      content.articles.add(articleOf(901, { title: "/?signature=internationalisation" }));
      content.articles.add(articleOf(902, { title: `/x?expires=1&signature=${good.id}` }));
      content.articles.add(good);
    });
    const report = await night();
    expect(report.problems).toEqual([]);
    expect(titled("On internationalisation")).toHaveLength(1);
    expect(pages("articles")).toContain("internationalisation.html");
    expect(pages("api/v1/articles")).toContain(`${good.id}.json`);
  },
);

describe("an address in use", () => {
  it("leads on when the picture of its name becomes private", nights, async () => {
    await start((content) => {
      content.images.edit(secret, { private: false });
      content.articles.add(articleOf(901, { title: "Hostile article", slug: secret }));
    });
    expect((await press.run("snapshot")).code).toBe(0);
    expect(pages("articles")).toContain(`${secret}.html`);
    press.origin.content.images.edit(secret, { private: true });
    await night();
    expect(titled("Hostile article")).toHaveLength(1);
  });
});
