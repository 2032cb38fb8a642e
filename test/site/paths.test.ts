import { existsSync } from "node:fs";
import { join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { ownPaths } from "../../src/routes/site.ts";
import { idsOfHtml, referencesOfPage } from "../../src/verify/references.ts";
import { type Content, closedArchives, isPage } from "./fixture.ts";
import { hardCases } from "./gallery-of-hard-cases/content.ts";
import { openSite, watched } from "./in-browser.ts";

const archiveOf = closedArchives();
const url = "https://archive.example";
const article = "articles/旧灯塔与漫长的一夜.html";
const tag = "tags/灯塔/index.html";
const category = "categories/البحر-والناس/index.html";

describe("a website in several scripts", () => {
  it("has files in the letters of slugs, and links them percent-encoded everywhere", () => {
    const archive = archiveOf(hardCases, { site: { url } });
    const paths = new Set(archive.files().map(({ path }) => path));
    for (const path of [article, tag, category]) expect(paths).toContain(path);
    expect([...paths].filter((path) => /_[\da-f]{2}_[\da-f]{2}/.test(path))).toEqual([]);
    const encoded = article.split("/").map(encodeURIComponent).join("/");
    const texts = [
      "sitemaps/articles-1.xml",
      "feed.xml",
      "feed.json",
      "search/recent/article-1.js",
    ];
    for (const path of [...texts, article]) {
      expect(archive.page(path), path).toContain(encoded);
      expect(archive.page(path), path).not.toContain(article);
    }
    expect(archive.page(article)).toContain(`<link rel="canonical" href="${url}/${encoded}">`);
    expect(archive.page("sitemaps/pages-1.xml")).toContain(
      `<loc>${url}/tags/${encodeURIComponent("灯塔")}/</loc>`,
    );
  });

  it.each(["slug", "view"] as const)("has only links that lead to a file: %s", (permalinks) => {
    const archive = archiveOf(hardCases, { site: { permalinks } });
    const files = archive.files();
    const paths = new Set(files.map(({ path }) => path));
    let count = 0;
    for (const file of files.filter(isPage)) {
      const html = String(file.content());
      for (const { path, fragment } of referencesOfPage(html, { path: file.path, home: null })) {
        if (!path.endsWith(".html")) continue;
        count++;
        expect(paths, `${file.path} → ${path}`).toContain(path);
        if (path === file.path && fragment !== "") expect(idsOfHtml(html)).toContain(fragment);
      }
    }
    expect(count).toBeGreaterThan(1_000);
    expect(paths.has(article)).toBe(permalinks === "slug");
    expect(paths.has("view/articles/chinese/index.html")).toBe(permalinks === "view");
  });

  it("names a page at its old path by the folder that answers there", () => {
    const archive = archiveOf(hardCases, { site: { url, permalinks: "view" } });
    const address = `${url}/view/articles/chinese/`;
    const page = archive.page("view/articles/chinese/index.html");
    expect(page).toContain(`<link rel="canonical" href="${address}">`);
    expect(archive.page("sitemaps/articles-1.xml")).toContain(`<loc>${address}</loc>`);
    expect(archive.page("feed.xml")).toContain(`href="${address}"`);
  });

  it("has no file outside of the paths that it keeps for itself", () => {
    const topOf = (path: string): string => path.split("/")[0] ?? "";
    const own = new Set(ownPaths().map(topOf));
    const archive = archiveOf(hardCases, { site: { url } });
    for (const { path } of archive.files()) expect(own).toContain(topOf(path));
  });

  it("spells every path with Latin letters when told to", () => {
    const archive = archiveOf(hardCases, { site: { paths: "ascii" } });
    const paths = archive.files().map(({ path }) => path);
    expect(paths.filter((path) => !/^[\w./-]+$/.test(path))).toEqual([]);
    expect(paths).toContain("tags/dengta/index.html");
    expect(paths).toContain("articles/jiudengtayumanzhangdeyiye.html");
  });
});

describe("its pages in a browser, from a folder", () => {
  const content: Content = {
    tags: [{ slug: "灯塔", title: "灯塔" }],
    categories: [{ id: "c", title: "البحر والناس", slug: "البحر والناس" }],
    articles: [
      {
        id: "a",
        title: "旧灯塔",
        slug: "旧灯塔",
        tags: ["灯塔"],
        category: { id: "c", title: "البحر والناس" },
        links: { view: "https://media.example.org/view/articles/旧灯塔" },
      },
      {
        id: "b",
        slug: "другая статья",
        links: { view: "https://media.example.org/2024/05/other.html" },
        body: '<p><a href="https://media.example.org/view/articles/旧灯塔#top">there</a></p>',
      },
    ],
  };
  it.each([
    ["slug", "articles/旧灯塔.html", "articles/другая-статья.html"],
    ["view", "view/articles/旧灯塔/index.html", "2024/05/other.html"],
  ] as const)(
    "lead to each other, and are found by the search: %s",
    async (style, first, other) => {
      const site = await openSite(content, "en", { permalinks: style });
      const page = await site.browser.newPage();
      const at = (): string => {
        const path = decodeURIComponent(new URL(page.url()).pathname);
        expect(existsSync(normalize(path)), path).toBe(true);
        return path.slice(join(site.folder, "/").length);
      };
      const complaints = await watched(page, async () => {
        await page.goto(site.urlOf(other));
        await page.click("text=there");
        expect(at()).toBe(first);
        await page.click("main >> text=البحر والناس");
        expect(at()).toBe("categories/البحر-والناس/index.html");
        await page.click("main >> text=旧灯塔");
        await page.click("main >> a:text-is('灯塔')");
        expect(at()).toBe("tags/灯塔/index.html");
        await page.goto(`${site.urlOf("search.html")}?q=${encodeURIComponent("旧灯塔")}`);
        await page.click("#results a");
        expect(at()).toBe(first);
      });
      expect(complaints).toEqual([]);
      await site.close();
    },
  );
});
