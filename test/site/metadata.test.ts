import { describe, expect, it } from "vitest";
import { type Archive, type Content, closedArchives, isPage } from "./fixture.ts";

const archiveOf = closedArchives();

const url = "https://archive.example/old";
const odd = `A & B </script><!-- "D" ]]> \u2028`;

const content = (): Content => ({
  categories: [{ id: "c", title: "Nature", slug: "nature" }],
  tags: [{ slug: "sea", title: "Sea" }],
  images: [
    { id: "i", title: "Harbour", caption: "At dawn" },
    { id: "lost", kept: false },
    { id: "priv-7", state: "private", title: "Secret thing" },
  ],
  articles: [
    {
      id: "a",
      title: odd,
      synopsis: "In short",
      category: { id: "c", title: "Nature" },
      tags: ["sea", "unlisted"],
      images: ["priv-7", "i"],
    },
    { id: "bare", published_at: null },
  ],
  galleries: [{ id: "g", images: ["priv-7", "i"] }, { id: "empty" }],
});

/** Contents of the meta elements of a page, by name or property. */
function metaOf(archive: Archive, path: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const metas = archive
    .page(path)
    .matchAll(/<meta (?:name|property)="([^"]*)"(?: media="[^"]*")? content="([^"]*)">/g);
  for (const [, name = "", value = ""] of metas) {
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return found;
}

interface Thing extends Record<string, unknown> {
  "@type": string;
}

/** What a page says in JSON-LD, by type. */
function thingsOf(archive: Archive, path: string): Record<string, Thing> {
  const scripts = [
    ...archive.page(path).matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs),
  ];
  expect(scripts).toHaveLength(1);
  const data = JSON.parse(scripts[0]?.[1] ?? "") as { "@context": string; "@graph": Thing[] };
  expect(data["@context"]).toBe("https://schema.org");
  return Object.fromEntries(data["@graph"].map((thing) => [thing["@type"], thing]));
}

describe("the head of a page", () => {
  it("tells the facts of an article in the words of Open Graph", () => {
    const archive = archiveOf(content(), { site: { url, language: "de-AT" } });
    const meta = metaOf(archive, "articles/article-a.html");
    expect(Object.fromEntries(meta)).toMatchObject({
      "og:type": ["article"],
      "og:locale": ["de_AT"],
      "article:published_time": ["2024-05-02T10:00:00.000Z"],
      "article:section": ["Nature"],
      "article:tag": ["Sea", "unlisted"],
      "twitter:card": ["summary_large_image"],
    });
    const bare = metaOf(archive, "articles/article-bare.html");
    expect([...bare.keys()].filter((name) => name.startsWith("article:"))).toEqual([]);
  });

  it.each([
    "index.html",
    "articles/index.html",
    "articles/article-a.html",
    "categories/nature/index.html",
    "galleries/index.html",
    "galleries/gallery-g.html",
    "images/index.html",
    "images/i.html",
  ])("has the picture of %s with its size and its own alternative text", (path) => {
    const meta = metaOf(archiveOf(content(), { site: { url } }), path);
    expect(meta.get("og:image")).toEqual([`${url}/share/images/i.jpg`]);
    expect(meta.get("og:image:width")).toEqual(["1200"]);
    expect(meta.get("og:image:height")).toEqual(["630"]);
    expect(meta.get("og:image:alt")).toEqual(["Harbour"]);
  });

  it.each([
    ["galleries/gallery-empty.html", "Gallery empty"],
    ["images/lost.html", "Image lost"],
    ["tags/index.html", "Tags"],
  ])("has the title of %s as a picture where there is no other", (path, alt) => {
    const meta = metaOf(archiveOf(content(), { site: { url } }), path);
    const name = path.replace(".html", "");
    expect(meta.get("og:image")).toEqual([`${url}/share/pages/${name}.jpg`]);
    expect(meta.get("og:image:alt")).toEqual([alt]);
  });

  it("has a picture only with an address", () => {
    expect(metaOf(archiveOf(content()), "images/i.html").has("og:image")).toBe(false);
  });

  it("has a picture as it is, or none, where the settings make no others", () => {
    const small = { id: "small", size: [320, 200] as [number, number] };
    const archive = archiveOf(
      {
        ...content(),
        images: [...(content().images ?? []), small],
        galleries: [{ id: "g", images: ["small"] }, { id: "empty" }],
      },
      { site: { url, sharePictures: false } },
    );
    const image = metaOf(archive, "images/i.html");
    expect(image.get("og:image")).toEqual([`${url}/api/v1/images/by/width/1280/i.jpg`]);
    expect(image.get("twitter:card")).toEqual(["summary_large_image"]);
    expect(metaOf(archive, "galleries/gallery-g.html").get("twitter:card")).toEqual(["summary"]);
    expect(metaOf(archive, "galleries/gallery-empty.html").has("og:image")).toBe(false);
  });

  it("describes the website in the words of the settings", () => {
    const plain = archiveOf(content());
    const old = "An archive of media.example.org as it was on 1 June 2024.";
    expect(metaOf(plain, "index.html").get("description")).toEqual([old]);
    const described = archiveOf(content(), { site: { description: "Pictures & words" } });
    expect(metaOf(described, "index.html").get("description")).toEqual(["Pictures &amp; words"]);
    expect(described.page("index.html")).toContain(
      '<p class="standfirst" dir="auto">Pictures &amp; words</p>',
    );
  });
});

describe("the description of a page", () => {
  it.each([
    ["articles/index.html", {}, "Articles · Archive"],
    ["search.html", { description: "Words" }, "Search · Words"],
    ["galleries/gallery-g.html", {}, "1 image · 2 April 2024"],
  ])("is there without words of the origin: %s", (path, settings, description) => {
    const archive = archiveOf(
      {
        ...content(),
        galleries: [{ id: "g", images: ["i"] }],
      },
      { site: settings },
    );
    expect(metaOf(archive, path).get("description")).toEqual([description]);
    expect(metaOf(archive, path).get("og:description")).toEqual([description]);
  });
});

describe("the web manifest", () => {
  it("names the website, its start and its icon, in the colours of the pages", () => {
    const archive = archiveOf(content(), { site: { url, title: odd, description: "Words" } });
    const manifest = JSON.parse(archive.page("manifest.webmanifest")) as Record<string, unknown>;
    expect(manifest).toMatchObject({ name: odd, description: "Words", lang: "en", dir: "ltr" });
    expect(manifest.start_url).toBe("index.html");
    const [icon] = manifest.icons as { src: string }[];
    expect(archive.keys().has(icon?.src ?? "")).toBe(true);
    const style = archive.files().find(({ path }) => path.endsWith(".css"));
    const css = style !== undefined && "content" in style ? String(style.content()) : "";
    const paper = Array.from(css.matchAll(/--paper: (#\w+)/g), ([, colour]) => colour);
    // The third is for printing.
    expect(metaOf(archive, "index.html").get("theme-color")).toEqual(paper.slice(0, 2));
    expect(manifest.theme_color).toBe(paper[0]);
  });

  it("is linked only where the website has an address", () => {
    expect(archiveOf({}).page("tags/index.html")).not.toContain('rel="manifest"');
    expect(archiveOf({}, { site: { url } }).page("tags/index.html")).toContain(
      '<link rel="manifest" href="../manifest.webmanifest">',
    );
  });
});

describe("JSON-LD", () => {
  it("describes an article", () => {
    const archive = archiveOf(content(), { site: { url } });
    const picture = `${url}/api/v1/images/by/width/1280/i.jpg`;
    expect(thingsOf(archive, "articles/article-a.html")).toMatchObject({
      NewsArticle: {
        headline: odd.trim(),
        description: "In short",
        datePublished: "2024-05-02T10:00:00.000Z",
        articleSection: "Nature",
        keywords: ["Sea", "unlisted"],
        url: `${url}/articles/article-a.html`,
        image: { "@type": "ImageObject", url: picture, width: 1280, height: 960 },
        isPartOf: { "@type": "WebSite", name: "Archive", url: `${url}/` },
      },
      BreadcrumbList: {
        itemListElement: [
          { "@type": "ListItem", position: 1, name: "Home", item: `${url}/` },
          { position: 2, name: "Articles", item: `${url}/articles/` },
          { position: 3, name: "Nature", item: `${url}/categories/nature/` },
          { position: 4, name: odd.trim(), item: `${url}/articles/article-a.html` },
        ],
      },
    });
    const { NewsArticle: bare } = thingsOf(archive, "articles/article-bare.html");
    expect(Object.keys(bare ?? {}).sort()).toEqual(["@type", "headline", "isPartOf", "url"]);
  });

  it("describes a gallery, an image and the website", () => {
    const archive = archiveOf(content(), { site: { url, description: "Words" } });
    const contentUrl = `${url}/api/v1/images/by/width/1280/i.jpg`;
    expect(thingsOf(archive, "galleries/gallery-g.html").ImageGallery).toMatchObject({
      name: "Gallery g",
      datePublished: "2024-04-02T10:00:00.000Z",
      url: `${url}/galleries/gallery-g.html`,
      image: { "@type": "ImageObject", contentUrl },
    });
    expect(thingsOf(archive, "images/i.html").ImageObject).toMatchObject({
      name: "Harbour",
      caption: "At dawn",
      uploadDate: "2024-01-01T00:00:00.000Z",
      contentUrl,
      width: 1280,
      height: 960,
    });
    // Search engines want no ImageObject without its file.
    expect(thingsOf(archive, "images/lost.html")).not.toHaveProperty("ImageObject");
    expect(Object.values(thingsOf(archive, "index.html"))).toEqual([
      { "@type": "WebSite", name: "Archive", url: `${url}/`, description: "Words" },
    ]);
  });

  it("links relatively without an address", () => {
    const things = thingsOf(archiveOf(content()), "images/i.html");
    expect(things.ImageObject?.contentUrl).toBe("../api/v1/images/by/width/1280/i.jpg");
    expect(things.ImageObject?.url).toBe("i.html");
  });

  it("cannot end its element, stands on every page but the one for unknown addresses, and names nothing private", () => {
    const archive = archiveOf(content(), { site: { url, title: odd, description: odd } });
    for (const { path } of archive.files().filter(isPage)) {
      const html = archive.page(path);
      expect(html, path).not.toMatch(/priv-7|Secret thing/);
      if (path === "404.html") {
        expect(html).not.toContain("ld+json");
        continue;
      }
      const text = /<script type="application\/ld\+json">(.*?)<\/script>\n/s.exec(html)?.[1];
      expect(text, path).not.toMatch(/[<>&]/);
      expect(thingsOf(archive, path)).not.toEqual({});
    }
  });
});
