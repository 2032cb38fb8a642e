import { parseAtomFeed } from "feedsmith";
import { describe, expect, it } from "vitest";
import { found, requireProgram } from "../support/programs.ts";
import { requireValid } from "../support/xmllint.ts";
import { type Archive, api, type Content, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

const url = "https://archive.example/old";
const odd = 'A & B < C > "D" ]]> \u0000\u000b\ufffe\ud800 é 🙂';
const oddInXml = "A &amp; B &lt; C &gt; &quot;D&quot; ]]&gt;  é 🙂";

const content = (): Content => ({
  categories: [
    { id: "c", title: "Nature", slug: "nature" },
    { id: "e", title: "Empty", slug: "empty" },
  ],
  tags: [{ slug: "sea", title: odd }],
  images: [{ id: "i" }, { id: "priv-7", state: "private", title: "Secret thing" }],
  articles: [
    {
      id: "old",
      published_at: "2023-01-01T00:00:00Z",
      category: { id: "c", title: "Nature" },
      tags: ["sea", "unlisted"],
      images: ["i"],
      synopsis: odd,
      title: odd,
    },
    { id: "new", published_at: "2024-05-02T12:00:00+02:00", images: ["priv-7"] },
    { id: "undated", published_at: null },
  ],
});

interface JsonItem {
  id: string;
  url?: string;
  image?: string;
  title?: string;
  authors?: { name: string }[];
  content_text?: string;
  content_html?: string;
  date_published: string;
  tags: string[];
  attachments?: { url: string; mime_type: string; size_in_bytes: number }[];
}

function jsonFeed(archive: Archive, path = "feed.json") {
  return JSON.parse(archive.page(path)) as {
    version: string;
    title: string;
    home_page_url?: string;
    feed_url?: string;
    description?: string;
    items: JsonItem[];
  };
}

const idsOf = (atom: string): string[] =>
  Array.from(atom.matchAll(/<id>([^<]*)<\/id>/g), ([, id = ""]) => id);
const feedPaths = ({ files }: Archive): string[] =>
  files().flatMap(({ path }) => (/(?:^|\/)feed\.(?:xml|json)$/.test(path) ? [path] : []));

requireProgram("xmllint");

describe("a feed", () => {
  it
    .runIf(found("xmllint"))
    .each([{ site: {} }, { site: { url, title: odd, description: odd, language: "de-AT" } }])(
    "is valid Atom by RFC 4287, with $site",
    (settings) => {
      const archive = archiveOf(content(), settings);
      const paths = feedPaths(archive).filter((path) => path.endsWith(".xml"));
      expect(paths).toEqual([
        "feed.xml",
        "categories/empty/feed.xml",
        "categories/nature/feed.xml",
        "tags/sea/feed.xml",
      ]);
      for (const path of paths) requireValid(archive.page(path), "atom.rng");
    },
  );

  it("lists the latest articles first, with what is known of them", () => {
    const archive = archiveOf(content(), { site: { url, description: "Words" } });
    const atom = archive.page("feed.xml");
    const [newest, oldest] = atom.split("<entry>").slice(1);
    expect(newest).toContain("<published>2024-05-02T10:00:00.000Z</published>");
    expect(oldest).toContain(`<title>${oddInXml}</title>`);
    expect(oldest).toContain(`<summary>${oddInXml}</summary>`);
    expect(oldest).toContain('<category term="Nature"/>');
    expect(oldest).toContain(`<category term="${oddInXml}"/>\n<category term="unlisted"/>`);
    expect(oldest).toContain(`type="text/html" href="${url}/articles/article-old.html"/>`);
    const picture = `${url}/api/v1/images/by/width/1280/i.jpg`;
    expect(oldest).toContain(
      `<link rel="enclosure" type="image/jpeg" length="1228800" href="${picture}"/>`,
    );
    expect(atom).toContain("<subtitle>Words</subtitle>");
    expect(atom).toContain(`<link rel="self" type="application/atom+xml" href="${url}/feed.xml"/>`);
    expect(atom).not.toContain("article-undated");
  });

  it("has the members of JSON Feed 1.1, all addresses absolute", () => {
    const feed = jsonFeed(archiveOf(content(), { site: { url, description: "Words" } }));
    expect(feed).toMatchObject({
      version: "https://jsonfeed.org/version/1.1",
      title: "Archive",
      home_page_url: `${url}/`,
      feed_url: `${url}/feed.json`,
      description: "Words",
    });
    const picture = `${url}/api/v1/images/by/width/1280/i.jpg`;
    expect(feed.items).toMatchObject([
      { url: `${url}/articles/article-new.html`, content_text: "Article new", tags: [] },
      {
        url: `${url}/articles/article-old.html`,
        title: odd,
        summary: odd.trim(),
        image: picture,
        date_published: "2023-01-01T00:00:00.000Z",
        tags: ["Nature", odd, "unlisted"],
        attachments: [{ url: picture, mime_type: "image/jpeg", size_in_bytes: 1_228_800 }],
      },
    ]);
  });

  it("has whole texts, the lead picture and the authors, as a reader sees them", async () => {
    const articles = [
      {
        id: "whole",
        title: "A <b>bold</b> title",
        author: "Ada Blum",
        images: ["i"],
        body: `<h2>Part</h2><p>First &amp; last <a href="${api}/articles/old">word</a></p><p>]]> <b>x</b></p>`,
      },
      ...(content().articles ?? []),
    ];
    for (const site of [{}, { url }]) {
      const archive = archiveOf({ ...content(), articles }, { site });
      const { entries = [] } = parseAtomFeed(archive.page("feed.xml"));
      const entry = entries.find(({ title }) => JSON.stringify(title).includes("bold"));
      const html = entry?.content?.value ?? "";
      expect(entry?.authors).toEqual([{ name: "Ada Blum" }]);
      expect(html).toMatch(/<h2[^>]*>Part/);
      expect(html).toContain("First &#x26; last");
      expect(html).toContain("]]> <b>x</b>");
      const root = "url" in site ? `${url}/` : "";
      expect(html).toContain(`<img src="${root}api/v1/images/by/width/1280/i.jpg" alt="Image i"/>`);
      expect(html).toContain(`href="${root}articles/article-old.html"`);
      const json = jsonFeed(archive).items.find(({ title }) => title?.includes("bold"));
      expect(json?.content_html).toContain(html);
      expect(json?.authors).toEqual([{ name: "Ada Blum" }]);
    }
  });

  it("names the sheet that makes it a page, wherever it lies", () => {
    const archive = archiveOf(content());
    expect(archive.page("tags/sea/feed.xml")).toContain(
      '<?xml-stylesheet type="text/xsl" href="../../feed-style.xml"?>',
    );
    expect(archive.page("feed-style.xml")).toContain("This is a feed");
    expect(archive.page("categories/nature/index.html")).toMatch(
      /<footer.*<a href="feed\.xml" title="Nature · Archive">Feed<\/a>/s,
    );
  });

  it("without an address links relatively where its format says what to, and keeps its ids", () => {
    const [plain, placed] = [archiveOf(content()), archiveOf(content(), { site: { url } })];
    const atom = plain.page("categories/nature/feed.xml");
    expect(atom).toContain('rel="alternate" type="text/html" href="index.html"/>');
    expect(atom).toContain('type="text/html" href="../../articles/article-old.html"/>');
    expect(atom).not.toContain("https://archive");
    expect(idsOf(plain.page("feed.xml"))).toEqual(idsOf(placed.page("feed.xml")));
    for (const id of idsOf(atom)) {
      expect(id).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
    }
    const feed = jsonFeed(plain, "tags/sea/feed.json");
    expect(feed.home_page_url ?? feed.feed_url).toBeUndefined();
    expect(feed.items[0]?.url ?? feed.items[0]?.image).toBeUndefined();
    expect(feed.items[0]?.content_html).toContain('<a href="../../articles/article-old.html">');
    const idsOfAll = [plain, placed].flatMap((archive) =>
      feedPaths(archive).flatMap((path) =>
        path.endsWith(".json") ? [] : idsOf(archive.page(path)).slice(0, 1),
      ),
    );
    expect(new Set(idsOfAll).size).toBe(4);
  });

  it("holds the latest 20, whatever their order at the origin", () => {
    const articles = Array.from({ length: 30 }, (_, at) => ({
      id: `${at}`,
      published_at: `2024-01-${String(((at * 7) % 30) + 1).padStart(2, "0")}T00:00:00Z`,
    }));
    const times = jsonFeed(archiveOf({ articles })).items.map((item) => item.date_published);
    expect(times).toHaveLength(20);
    expect(times[0]).toBe("2024-01-30T00:00:00.000Z");
    expect(times).toEqual([...times].sort().reverse());
  });

  it("is as old as its newest article, and changes with its content alone", () => {
    const later = { ...content(), time: "2030-01-01T00:00:00.000Z" };
    const [today, tomorrow] = [archiveOf(content()), archiveOf(later)];
    for (const path of feedPaths(today)) {
      expect(tomorrow.page(path)).toBe(today.page(path));
      expect(tomorrow.keys().get(path)).toBe(today.keys().get(path));
    }
    const updated = (path: string) => /<updated>([^<]*)/.exec(today.page(path))?.[1];
    expect(updated("feed.xml")).toBe("2024-05-02T10:00:00.000Z");
    expect(updated("categories/nature/feed.xml")).toBe("2023-01-01T00:00:00.000Z");
    expect(updated("categories/empty/feed.xml")).toBe("1970-01-01T00:00:00.000Z");
  });

  it("gets a new key with a tag's title and the description", () => {
    const before = archiveOf(content()).keys().get("feed.xml");
    const renamed = { ...content(), tags: [{ slug: "sea", title: "Ocean" }] };
    expect(archiveOf(renamed).keys().get("feed.xml")).not.toBe(before);
    const described = archiveOf(content(), { site: { description: "Words" } });
    expect(described.keys().get("feed.xml")).not.toBe(before);
  });

  it("never shows a private image", () => {
    const thumbnail = `${api}/images/priv-7.jpg?thumb=1`;
    const articles = [{ id: "a", images: ["priv-7"], links: { thumbnail } }];
    const archive = archiveOf({ ...content(), articles }, { site: { url } });
    for (const path of feedPaths(archive)) {
      expect(archive.page(path)).not.toMatch(/priv-7|Secret thing|enclosure|attachments/);
    }
  });

  it("is named in the head of the pages, those of categories and tags with their own", () => {
    const archive = archiveOf(content());
    const linksIn = (path: string): string[] =>
      Array.from(
        archive.page(path).matchAll(/<link rel="alternate" type="([^"]*)" .*href="([^"]*)">/g),
        ([, type, href]) => `${type} ${href}`,
      );
    expect(linksIn("articles/article-old.html")).toEqual([
      "application/atom+xml ../feed.xml",
      "application/feed+json ../feed.json",
    ]);
    expect(linksIn("categories/nature/index.html")).toEqual([
      "application/atom+xml feed.xml",
      "application/feed+json feed.json",
    ]);
    expect(linksIn("tags/sea/index.html")).toContain("application/atom+xml feed.xml");
  });
});
