import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/errors.ts";
import { type Archive, api, type Content, closedArchives, isPage } from "./fixture.ts";

const archiveOf = closedArchives();

/** Paths and bytes of all files that are rendered. */
function contents(archive: Archive): Map<string, string> {
  return new Map(
    archive
      .files()
      .flatMap((file) => ("content" in file ? [[file.path, String(file.content())]] : [])),
  );
}

const numbered = (count: number, more: (n: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => ({ id: `${at + 1}`, ...more(at + 1) }));

/** A bit of everything, small enough to compare whole sites. */
const everything = (): Content => ({
  categories: [
    { id: "c1", title: "Nature", slug: "nature", order: 0 },
    { id: "c2", title: "Craft", slug: "craft", order: 1 },
  ],
  tags: [
    { slug: "sea", title: "Sea" },
    { slug: "salt", title: "Salt" },
  ],
  images: [
    { id: "i1", title: "First" },
    { id: "i2", title: "Second" },
    { id: "i3", title: "Third", kept: false },
    { id: "i4", title: "Fourth", state: "attached" },
  ],
  files: [
    { id: "v1", kind: "videos", type: "video/mp4", extension: "mp4" },
    { id: "d1", kind: "documents" },
  ],
  articles: [
    {
      id: "a1",
      title: "One",
      category: { id: "c1", title: "Nature" },
      tags: ["sea"],
      images: ["i1"],
    },
    {
      id: "a2",
      title: "Two",
      category: { id: "c2", title: "Craft" },
      videos: ["v1"],
      documents: ["d1"],
    },
    {
      id: "a3",
      title: "Three",
      tags: ["sea", "salt"],
      body: `<p><img src="${api}/images/i2.jpg"></p><p><a href="https://media.example.org/view/articles/a1">one</a></p>`,
    },
    { id: "a4", title: "Four", published_at: "2022-02-02T00:00:00Z", body: null },
  ],
  galleries: [
    { id: "g1", title: "Gallery one", images: ["i1", "i2", "i3", "i4"] },
    { id: "g2", title: "Gallery two", videos: ["v1"] },
  ],
});

describe("keys", () => {
  it("are the same for the same input, as are the bytes", () => {
    const [first, second] = [archiveOf(everything()), archiveOf(everything())];
    expect(second.keys()).toEqual(first.keys());
    expect(contents(second)).toEqual(contents(first));
  });

  const changes: [string, (content: Content) => void][] = [
    ["an article's title", ({ articles }) => Object.assign(articles?.[1] ?? {}, { title: "Zwei" })],
    [
      "an article's body",
      ({ articles }) => Object.assign(articles?.[2] ?? {}, { body: "<p>x</p>" }),
    ],
    [
      "an article's day",
      ({ articles }) =>
        Object.assign(articles?.[0] ?? {}, { published_at: "2023-01-01T00:00:00Z" }),
    ],
    [
      "an article's category",
      ({ articles }) =>
        Object.assign(articles?.[0] ?? {}, { category: { id: "c2", title: "Craft" } }),
    ],
    [
      "an article's view",
      ({ articles }) =>
        Object.assign(articles?.[0] ?? {}, {
          links: { view: "https://media.example.org/elsewhere" },
        }),
    ],
    ["an article's slug", ({ articles }) => Object.assign(articles?.[0] ?? {}, { slug: "moved" })],
    ["an article less", ({ articles }) => articles?.splice(1, 1)],
    ["an article more", ({ articles }) => articles?.unshift({ id: "a0", title: "Zero" })],
    [
      "a category's title",
      ({ categories }) => Object.assign(categories?.[0] ?? {}, { title: "Wild" }),
    ],
    ["a tag's title", ({ tags }) => Object.assign(tags?.[0] ?? {}, { title: "Ocean" })],
    ["an image's title", ({ images }) => Object.assign(images?.[1] ?? {}, { title: "Zweites" })],
    ["an image's caption", ({ images }) => Object.assign(images?.[1] ?? {}, { caption: "Words" })],
    [
      "an image's credit",
      ({ images }) => Object.assign(images?.[1] ?? {}, { meta: { credit: "Ann" } }),
    ],
    ["an image's size", ({ images }) => Object.assign(images?.[1] ?? {}, { size: [800, 600] })],
    [
      "an image that became private",
      ({ images }) => Object.assign(images?.[1] ?? {}, { state: "private" }),
    ],
    ["an image that was lost", ({ images }) => Object.assign(images?.[0] ?? {}, { kept: false })],
    ["an image that was found", ({ images }) => Object.assign(images?.[2] ?? {}, { kept: true })],
    [
      "a gallery's title",
      ({ galleries }) => Object.assign(galleries?.[0] ?? {}, { title: "Sammlung" }),
    ],
    [
      "a gallery's images",
      ({ galleries }) => Object.assign(galleries?.[0] ?? {}, { images: ["i2"] }),
    ],
    ["a document's title", ({ files }) => Object.assign(files?.[1] ?? {}, { title: "Paper" })],
    ["a lost video", ({ files }) => Object.assign(files?.[0] ?? {}, { kept: false })],
    [
      "the time of the snapshot",
      (content) => Object.assign(content, { time: "2025-01-01T00:00:00.000Z" }),
    ],
    [
      "a problem",
      (content) => Object.assign(content, { problems: [{ subject: "image x", reason: "gone" }] }),
    ],
  ];

  it.each(changes)("differ exactly where the bytes differ: %s", (_, change) => {
    const content = everything();
    change(content);
    const [before, after] = [archiveOf(everything()), archiveOf(content)];
    const [oldKeys, newKeys] = [before.keys(), after.keys()];
    const [oldBytes, newBytes] = [contents(before), contents(after)];
    const changed: string[] = [];
    const rekeyed: string[] = [];
    for (const [path, bytes] of newBytes) {
      if (!oldBytes.has(path)) continue;
      if (oldBytes.get(path) !== bytes) changed.push(path);
      if (oldKeys.get(path) !== newKeys.get(path)) rekeyed.push(path);
    }
    expect(changed.filter((path) => !rekeyed.includes(path))).toEqual([]);
    expect(newBytes.size).toBeGreaterThan(20);
  });

  it("of pages that have nothing to do with a change stay", () => {
    const content = everything();
    Object.assign(content.articles?.[1] ?? {}, { title: "Zwei" });
    const [before, after] = [archiveOf(everything()).keys(), archiveOf(content).keys()];
    const changed = [...after]
      .filter(([path, key]) => before.get(path) !== key)
      .map(([path]) => path);
    // Its neighbours show the title, as do all lists that it is in, and its segment of the search index.
    expect(changed.sort()).toEqual([
      "archive/2024/05/index.html",
      "archive/2024/index.html",
      "archive/a-z/t/index.html",
      "archive/a-z/z/index.html",
      "archive/index.html",
      "articles/article-a1.html",
      "articles/article-a2.html",
      "articles/article-a3.html",
      "articles/index.html",
      "categories/craft/feed.json",
      "categories/craft/feed.xml",
      "categories/craft/index.html",
      "feed.json",
      "feed.xml",
      "files/index.html",
      "index.html",
      "search/recent/article-0.js",
      "search/recent/categories.js",
      "search/recent/index.js",
      "search/recent/terms-0.js",
      "search/recent/words.js",
    ]);
  });

  it.each([
    [{ site: { title: "Other" } }],
    [{ site: { language: "de" } }],
    [{ site: { url: "https://archive.example" } }],
    [{ origin: { timezone: "Asia/Tokyo" } }],
  ])("change with the settings %o", (settings) => {
    const [before, after] = [archiveOf(everything()), archiveOf(everything(), settings)];
    expect(after.keys().get("articles/article-a1.html")).not.toBe(
      before.keys().get("articles/article-a1.html"),
    );
  });
});

describe("lists", () => {
  it("are paginated, each item on one page, with links to the neighbours", () => {
    const content = { articles: numbered(45), images: numbered(41), galleries: numbered(21) };
    const archive = archiveOf(content);
    const pages = contents(archive);
    expect(pages.get("articles/index.html")).toContain("45 articles");
    expect(pages.get("articles/page/2.html")).toContain('<link rel="prev" href="../index.html">');
    expect(pages.get("articles/page/2.html")).toContain('<link rel="next" href="3.html">');
    expect(pages.has("articles/page/4.html")).toBe(false);
    const listed = ["articles/index.html", "articles/page/2.html", "articles/page/3.html"].flatMap(
      (path) =>
        [...(pages.get(path)?.matchAll(/<h2[^>]*><a href="[^"]*article-(\d+)\.html/g) ?? [])].map(
          ([, id]) => id,
        ),
    );
    expect(listed).toEqual(content.articles.map(({ id }) => id));
    expect(pages.has("galleries/page/2.html")).toBe(true);
    expect(pages.has("galleries/page/3.html")).toBe(false);
    expect(pages.has("images/page/3.html")).toBe(true);
    expect(pages.get("images/page/3.html")?.match(/class="tiles"/g)).toHaveLength(1);
  });

  it("have an empty state", () => {
    const archive = archiveOf({});
    const pages = contents(archive);
    for (const [path, text] of [
      ["index.html", "no articles"],
      ["articles/index.html", "no articles"],
      ["galleries/index.html", "no galleries"],
      ["images/index.html", "no images"],
      ["categories/index.html", "no categories"],
      ["tags/index.html", "no tags"],
      ["archive/index.html", "no articles"],
    ] as const) {
      expect(pages.get(path)).toContain(text);
    }
  });

  it.each([
    ["Pacific/Auckland", "2025/01", "1 January 2025"],
    ["America/Los_Angeles", "2024/12", "31 December 2024"],
    ["Pacific/Kiritimati", "2025/01", "1 January 2025"],
  ])("of years and months follow the origin's time zone: %s → %s", (timezone, month, date) => {
    const archive = archiveOf(
      { articles: [{ id: "a", published_at: "2024-12-31T12:30:00Z" }] },
      { origin: { timezone } },
    );
    const pages = contents(archive);
    expect(pages.has(`archive/${month}/index.html`)).toBe(true);
    expect(pages.get("articles/article-a.html")).toContain(
      `<time datetime="2024-12-31T12:30:00.000Z">${date}</time>`,
    );
    expect([...pages.keys()].filter((path) => /^archive\/\d{4}\/index/.test(path))).toEqual([
      `archive/${month.slice(0, 4)}/index.html`,
    ]);
  });

  it("hold articles without a date apart", () => {
    const archive = archiveOf({ articles: [{ id: "a", published_at: null }] });
    expect(archive.page("archive/index.html")).toContain('href="undated/index.html"');
    expect(archive.page("archive/undated/index.html")).toContain("article-a.html");
    expect(archive.page("articles/article-a.html")).not.toContain("<time");
  });

  it("tell tags of one title apart by their slugs", () => {
    const archive = archiveOf({
      tags: [
        { slug: "craft", title: "Craft" },
        { slug: "craft-2", title: "Craft" },
        { slug: "sea", title: "Sea" },
      ],
    });
    expect(archive.page("tags/index.html")).toMatch(/Craft<\/a> <small>craft-2<\/small>/);
    expect(archive.page("tags/index.html")).not.toContain("<small>sea</small>");
  });

  it("tell categories of one title apart by their slugs", () => {
    const archive = archiveOf({
      categories: [
        { id: "n", title: "News", slug: "news" },
        { id: "m", title: "News", slug: "news-2" },
        { id: "s", title: "Sea", slug: "sea" },
      ],
      articles: [{ id: "a", category: { id: "m", title: "News" } }],
    });
    expect(archive.page("categories/index.html")).toMatch(/>News \(news-2\)<.*>Sea</s);
    expect(archive.page("articles/article-a.html")).toContain(">News (news-2)</a>");
  });

  it("find the category of an article whose index form has only its title", () => {
    const archive = archiveOf({
      categories: [{ id: "c", title: "Nature", slug: "nature" }],
      articles: [{ id: "a", category: { id: null, title: "Nature" }, body: null }],
    });
    expect(archive.page("categories/nature/index.html")).toContain("article-a.html");
  });
});

describe("pages", () => {
  it("escape what comes from outside, everywhere", () => {
    const evil = '"><script>alert(1)</script>&amp;<img src=x onerror=alert(1)>';
    const archive = archiveOf(
      {
        articles: [
          {
            id: "a",
            title: evil,
            synopsis: evil,
            tags: ["t", evil],
            category: { id: "c", title: evil },
            images: ["i"],
            documents: ["d"],
            videos: ["v"],
            links: { view: "javascript:alert(1)" },
            rating: { average: 4.5, count: 2 },
          },
          { id: "b", category: { id: "unknown", title: evil } },
        ],
        galleries: [{ id: "g", title: evil, images: ["i"], links: { view: "data:text/html,x" } }],
        images: [{ id: "i", title: evil, caption: evil, meta: { [evil]: evil } }],
        files: [
          { id: "d", kind: "documents", title: evil, caption: evil },
          { id: "v", kind: "videos", title: evil, extension: "mp4", type: "video/mp4" },
        ],
        categories: [{ id: "c", title: evil, slug: evil }],
        tags: [{ slug: "t", title: evil }],
        problems: [{ subject: evil, reason: "https://x.example/?signature=secret&expires=1" }],
      },
      { site: { title: evil, url: "https://archive.example/old" } },
    );
    for (const [path, html] of contents(archive)) {
      if (!path.endsWith(".html")) continue;
      expect(html).not.toMatch(/<script>|onerror=alert\(1\)>|"javascript:|"data:text/);
      expect(html).not.toMatch(/signature=|expires=/);
      // Twice escaped would show entities to the reader.
      expect(html).not.toContain("&amp;lt;");
    }
  });

  it("have names that hostile and equal slugs cannot break", () => {
    const slugs = [
      "../../etc/passwd",
      "con",
      "index",
      "page",
      "",
      "Ünïcode",
      "a/b",
      "same",
      "same",
      "SAME",
      "x".repeat(400),
      "%2e%2e",
      "a\u0000b",
      "404",
    ];
    const archive = archiveOf({ articles: slugs.map((slug, at) => ({ id: `id-${at}`, slug })) });
    const paths = archive.files().map(({ path }) => path);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length);
    for (const path of paths)
      expect(path).toMatch(
        /^(?:[\p{L}\p{N}_-][\p{L}\p{N}._-]*\/)*[\p{L}\p{N}_-][\p{L}\p{N}._-]*$/u,
      );
    expect(paths.filter((path) => /^articles\/[^/]+\.html$/.test(path))).toHaveLength(
      slugs.length + 1,
    );
  });

  it("never show private or unproved images", () => {
    const archive = archiveOf({
      images: [
        { id: "pub" },
        { id: "priv-7", state: "private", title: "Secret thing" },
        { id: "held-7", state: "attached", title: "Held thing" },
      ],
      articles: [
        {
          id: "a",
          images: ["priv-7", "held-7", "pub"],
          links: {
            view: "https://media.example.org/a",
            thumbnail: `${api}/images/priv-7.jpg?thumb=1`,
          },
          body: `<p><img src="${api}/images/priv-7.jpg"><a href="${api}/images/held-7/download">x</a></p>`,
        },
      ],
      galleries: [{ id: "g", images: ["held-7"] }],
    });
    for (const [path, html] of contents(archive)) {
      expect(path).not.toMatch(/priv-7|held-7/);
      expect(html).not.toMatch(/priv-7|held-7|Secret thing|Held thing/);
    }
    const about = archive.page("snapshot.html");
    expect(about).toContain("1 image is not shown because the origin marks it as private");
    expect(about).toContain("1 image is not shown: attached");
    expect(about).toContain('<code dir="ltr">media.unproved</code>');
    expect(archive.page("articles/index.html")).toContain("images/by/width/640/pub.jpg");
  });

  it("tell how each list was confirmed, in the site's language", () => {
    const counts = { collected: 2, expected: 2, pages: 1, passes: 1, agreed: true };
    const lists = ["articles", "articles.single", "attachments: audio of galleries", "some list"];
    const proof = lists.map((list) => ({ list, ...counts }));
    const confirmed = { ...counts, list: "tags", confirmedBy: "another pass" as const };
    const archive = archiveOf({ proof: [...proof, confirmed] }, { site: { language: "de" } });
    const table = archive.page("snapshot.html").split("<tbody>")[1] ?? "";
    const rows = Array.from(table.matchAll(/<th scope="row">([^<]*)/g), ([, list]) => list);
    const expected = ["Artikel", "Artikel, einzeln", "Galerien: Audio", "some list"];
    expect(rows).toEqual([...expected, "Schlagwörter"]);
    expect(table).toContain("eine weitere Lesung");
    expect(table).not.toContain('lang="en"');
  });

  it("do not show the snapshot's id, which counts snapshots of one second", () => {
    const [first, second] = [archiveOf(everything()), archiveOf(everything())];
    const { manifest } = second.catalogue.snapshot;
    Object.assign(manifest, { id: `${manifest.id}-2` });
    expect(second.page("snapshot.html")).toBe(first.page("snapshot.html"));
    expect(second.keys()).toEqual(first.keys());
  });

  it("name no page of an image that is not published", () => {
    const view = (id: string): string => `https://media.example.org/view/images/${id}`;
    const archive = archiveOf({
      images: [
        { id: "priv-7", state: "private" },
        { id: "held-7", state: "attached" },
      ],
      articles: [
        {
          id: "a",
          body: `<p><a href="${view("priv-7")}">one</a> <a href="${view("held-7")}">two</a>`,
        },
        { id: "b", body: `See ${view("held-7")}?x=1 and\n${api}/images/priv-7` },
        { id: "c", body: `<p>See <b>${view("priv-7")}</b>, and <a href="#">${view("held-7")}</a>` },
      ],
    });
    for (const html of contents(archive).values()) expect(html).not.toMatch(/priv-7|held-7/);
    expect(archive.page("articles/article-a.html")).toContain("<p>one two</p>");
  });

  it("offer documents that a browser would run for saving only", () => {
    const archive = archiveOf({
      files: [
        { id: "leaf", kind: "documents", type: "text/html", extension: "html", title: "Page" },
        { id: "paper", kind: "documents", title: "Paper" },
        { id: "odd", kind: "documents", extension: '"x/../y', title: "Odd" },
      ],
      articles: [{ id: "a", documents: ["leaf", "paper", "odd"] }],
    });
    const html = archive.page("articles/article-a.html");
    expect(html).toMatch(
      /<a href="[^"]+\.html\.txt" download="Page\.html" dir="auto">Page<\/a> <small>HTML, 17 bytes</,
    );
    // What browsers show is opened, and saved by another link.
    expect(html).toMatch(
      /<a href="([^"]+\.pdf)" dir="auto">Paper<\/a> <small><a href="\1" download="Paper\.pdf" title="Paper\.pdf">PDF, 18 bytes<\/a></,
    );
    expect(html).toMatch(/<a href="[^"]+\.bin" download="Odd\.bin" dir="auto">Odd<\/a>/);
    const names = archive.files().flatMap((file) => ("blob" in file ? [file.path] : []));
    expect(names.map((path) => path.replace(/^.*?\./, "")).sort()).toEqual([
      "bin",
      "html.txt",
      "pdf",
    ]);
  });

  it("show unproved images where the settings publish them", () => {
    const archive = archiveOf(
      { images: [{ id: "held", state: "attached" }] },
      { media: { unproved: "publish" } },
    );
    expect(archive.page("images/index.html")).toContain("held.html");
    expect(archive.page("images/held.html")).toContain("images/by/width/640/held.jpg");
  });

  it("say where the text or the title is missing", () => {
    const archive = archiveOf({
      articles: [
        { id: "a", title: " ", body: null },
        { id: "b", body: "" },
      ],
      images: [{ id: "i", title: "", kept: false }],
    });
    expect(archive.page("articles/article-a.html")).toContain("<title>Untitled · Archive</title>");
    expect(archive.page("articles/article-a.html")).toContain("not in the archive");
    expect(archive.page("articles/article-b.html")).toContain("This article has no text.");
    expect(archive.page("images/i.html")).toContain("This picture is not in the archive");
  });

  it("say of an image without a preview, or without a file at the origin, what there is", () => {
    const archive = archiveOf({
      images: [
        { id: "bare", title: "Panorama", bare: true },
        { id: "gone", title: "Gone", kept: false, absent: true },
      ],
      galleries: [{ id: "g", title: "Both", images: ["bare", "gone"] }],
      articles: [
        { id: "a", title: "A", body: `<p><img alt="View" src="${api}/images/bare.jpg"></p>` },
      ],
    });
    const page = archive.page("images/bare.html");
    expect(page).toContain("This picture has no preview.");
    expect(page).toMatch(/href="[^"]*images\/by\/download\/bare\.\w+" download="Panorama\.jpg"/);
    expect(page).not.toMatch(/<img[^>]*download/);
    expect(archive.page("images/gone.html")).toContain("The origin has no file for this picture");
    const gallery = archive.page("galleries/gallery-g.html");
    expect(gallery).toContain("No preview");
    expect(gallery).toContain("Picture not kept");
    expect(archive.page("articles/article-a.html")).toMatch(
      /<a href="\.\.\/images\/bare\.html">Picture without a preview: View<\/a>/,
    );
    const about = archive.page("snapshot.html");
    expect(about).toContain("The origin itself has no file of 1 image.");
    expect(about).toContain("1 image has no preview");
    expect(about).not.toContain("no picture file here");
  });

  it("play a video of the body only there", () => {
    const archive = archiveOf({
      files: [
        { id: "v", kind: "videos", type: "video/mp4", extension: "mp4" },
        { id: "w", kind: "videos", type: "video/mp4", extension: "mp4" },
      ],
      articles: [
        { id: "a", videos: ["v", "w"], body: `<video src="${api}/videos/v/download"></video>` },
      ],
    });
    expect(archive.page("articles/article-a.html").match(/<video/g)).toHaveLength(2);
  });

  it("name where an image is used, in bodies too", () => {
    const page = archiveOf(everything()).page("images/i2.html");
    expect(page).toContain('<a href="../articles/article-a3.html" dir="auto">Three</a>');
    expect(page).toContain(
      '<a href="../galleries/gallery-g1.html#tile-i2" dir="auto">Gallery one</a>',
    );
  });

  it("link to no original where none is published", () => {
    const archive = archiveOf(everything(), { media: { publishOriginals: false } });
    expect(archive.page("images/i1.html")).not.toContain("Download the original");
    expect(archive.page("images/i1.html")).not.toContain("/download");
  });

  it("have a canonical address only where the site has one", () => {
    const [plain, placed] = [
      archiveOf(everything()),
      archiveOf(everything(), { site: { url: "https://archive.example/old/" } }),
    ];
    expect(plain.page("articles/index.html")).not.toContain("canonical");
    expect(plain.page("404.html")).toContain('href="/articles/index.html"');
    expect(placed.page("articles/index.html")).toContain(
      '<link rel="canonical" href="https://archive.example/old/articles/">',
    );
    expect(placed.page("404.html")).toContain('href="/old/articles/index.html"');
    expect(placed.page("404.html")).not.toContain("canonical");
    // Opened from a folder, it has its style, too.
    expect(placed.page("404.html")).toMatch(/href="assets\/style\.\w+\.css"/);
    expect(placed.page("articles/article-a1.html")).toContain(
      '<meta property="og:image" content="https://archive.example/old/share/images/i1.jpg">',
    );
  });

  it("are written in the site's language and direction", () => {
    const german = archiveOf(everything(), { site: { language: "de-AT" } });
    expect(german.page("articles/article-a1.html")).toContain('<html lang="de-AT">');
    expect(german.page("articles/article-a1.html")).toContain("2. Mai 2024");
    expect(german.page("index.html")).toContain('<nav aria-label="Hauptmenü">');
    const arabic = archiveOf(everything(), { site: { language: "ar" } });
    expect(arabic.page("index.html")).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.page("index.html")).toContain("مقالات");
    // Where there are no words in the site's language, they are English, and say so.
    const french = archiveOf(everything(), { site: { language: "fr" } });
    expect(french.page("index.html")).toContain('<nav aria-label="Main" lang="en">');
    expect(archiveOf(everything()).page("index.html")).not.toContain('lang="en"><ul');
  });

  it("have one h1 each, and no inline style or script", () => {
    for (const file of archiveOf(everything()).files()) {
      if (!isPage(file)) continue;
      const html = String(file.content());
      expect(html.match(/<h1\b/g), file.path).toHaveLength(1);
      expect(html).not.toMatch(
        /\sstyle=|<style|<script(?! src=| type="application\/ld\+json">)|\son[a-z]+=/,
      );
    }
  });

  it("give each attached file once, as a blob", () => {
    const blobs = archiveOf(everything())
      .files()
      .filter((file) => "blob" in file);
    expect(blobs.map(({ path }) => path.replace(/[0-9a-f]{32}/, "…")).sort()).toEqual([
      expect.stringMatching(/^media\/..\/…\.(?:mp4|pdf)$/),
      expect.stringMatching(/^media\/..\/…\.(?:mp4|pdf)$/),
    ]);
  });
});

describe("templates", () => {
  function folderOf(files: Record<string, string>): string {
    const folder = mkdtempSync(join(tmpdir(), "stillpress-templates-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return folder;
  }

  it("of the user replace the built-in ones by name", () => {
    const folder = folderOf({ "not-found.eta": "<h1>Nope</h1>", "assets/style.css": "body{}" });
    const archive = archiveOf(everything());
    const files = archive.files(folder);
    const lost = files.find(({ path }) => path === "404.html");
    expect(lost !== undefined && "content" in lost && lost.content()).toContain("<h1>Nope</h1>");
    const style = files.find(({ path }) => /^assets\/style\.[0-9a-f]{8}\.css$/.test(path));
    expect(style !== undefined && "content" in style && String(style.content())).toMatch(
      /^body\{\}\.r5\{/,
    );
    const key = files.find(({ path }) => path === "index.html");
    expect(key !== undefined && "key" in key && key.key()).not.toBe(
      archive.keys().get("index.html"),
    );
    rmSync(folder, { recursive: true });
  });

  it("may be missing altogether", () => {
    expect(archiveOf({}).files("/nowhere/at/all").length).toBeGreaterThan(5);
  });

  it.each([
    [{ "home.eta": "<% if ( %>" }, /home\.eta/],
    [{ "home.eta": "<%= it.nothing.here %>" }, /home\.eta/],
  ])("that fail are named: %o", (files, message) => {
    const folder = folderOf(files as unknown as Record<string, string>);
    const archive = archiveOf({});
    const render = (): void => {
      for (const file of archive.files(folder)) if ("content" in file) file.content();
    };
    expect(render).toThrow(ConfigError);
    expect(render).toThrow(message);
    rmSync(folder, { recursive: true });
  });

  it("keep the style sheet and the scripts of a page small", () => {
    const compressed = (named: RegExp) =>
      archiveOf({})
        .files()
        .flatMap((file) => (named.test(file.path) && "content" in file ? [file.content()] : []))
        .reduce((sum, content) => sum + gzipSync(content).length, 0);
    const style = compressed(/^assets\/style\.\w+\.css$/);
    expect(style).toBeGreaterThan(1_000);
    expect(style).toBeLessThan(9_000);
    // What the search page loads is a matter of its own.
    const scripts = compressed(/^assets\/(?!search|stemmer)[\w.-]+\.js$/);
    expect(scripts).toBeGreaterThan(1_000);
    expect(scripts).toBeLessThan(14_000);
  });
});
