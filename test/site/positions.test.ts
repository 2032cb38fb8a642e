import { describe, expect, it } from "vitest";
import { type Archive, api, type Content, closedArchives, isPage } from "./fixture.ts";

const archiveOf = closedArchives();

/** The positions in galleries that a page shows, as text with the links in brackets. */
function placesOn(archive: Archive, path: string): string[] {
  const [, nav = ""] = /<nav class="positions[^>]*>(.*?)<\/nav>/s.exec(archive.page(path)) ?? [];
  return [...nav.matchAll(/<p id="([^"]*)">(.*?)<\/p>/gs)].map(([, id, html = ""]) => {
    const text = html.replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g, "[$2 $1]");
    return `${id}: ${text
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ")
      .trim()}`;
  });
}

const images = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `i${at}` }));
const ids = (count: number) => images(count).map(({ id }) => id);

describe("an image's page", () => {
  it("tells its position in each of its galleries, with the images before and after it there", () => {
    const archive = archiveOf({
      images: images(4),
      galleries: [
        { id: "g", title: "Sea", images: ["i0", "i1", "i2"] },
        { id: "h", title: "Salt", images: ["i3", "i1"] },
      ],
    });
    expect(placesOn(archive, "images/i1.html")).toEqual([
      "in-g: [Previous i0.html#in-g] 2 of 3 in [Sea ../galleries/gallery-g.html#tile-i1] [Next i2.html#in-g]",
      "in-h: [Previous i3.html#in-h] 2 of 2 in [Salt ../galleries/gallery-h.html#tile-i1]",
    ]);
    expect(placesOn(archive, "images/i0.html")).toEqual([
      "in-g: 1 of 3 in [Sea ../galleries/gallery-g.html#tile-i0] [Next i1.html#in-g]",
    ]);
    const gallery = archive.page("galleries/gallery-h.html");
    expect(gallery).toMatch(/<a id="tile-i1" href="\.\.\/images\/i1\.html#in-h"/);
    expect(gallery).toContain('id="image-i1"');
  });

  it("leads to its neighbours in the index only where it stands in no gallery", () => {
    const archive = archiveOf({
      images: images(3),
      galleries: [{ id: "g", images: ["i2", "i0"] }],
    });
    const alone = archive.page("images/i1.html");
    expect(placesOn(archive, "images/i1.html")).toEqual([]);
    expect(alone).toContain('aria-label="Neighbouring images"');
    expect(alone).toContain('<link rel="next" href="i2.html">');
    const shown = archive.page("images/i0.html");
    expect(shown).not.toContain('aria-label="Neighbouring images"');
    expect(shown).toContain('<link rel="prev" href="i2.html">');
    expect(shown).not.toContain('<link rel="next"');
  });

  it("neither counts nor links images that are not published", () => {
    const archive = archiveOf({
      images: [
        { id: "i0" },
        { id: "priv-7", state: "private", title: "Secret" },
        { id: "held-7", state: "attached" },
        { id: "i1" },
      ],
      galleries: [{ id: "g", title: "Sea", images: ["priv-7", "i0", "priv-7", "held-7", "i1"] }],
    });
    expect(placesOn(archive, "images/i1.html")).toEqual([
      "in-g: [Previous i0.html#in-g] 2 of 2 in [Sea ../galleries/gallery-g.html#tile-i1]",
    ]);
    for (const file of archive.files()) {
      if (isPage(file)) expect(String(file.content())).not.toMatch(/priv-7|held-7|Secret/);
    }
  });

  it("counts an image once that a gallery has twice", () => {
    const archive = archiveOf({
      images: images(2),
      galleries: [{ id: "g", title: "Sea", images: ["i0", "i1", "i0"] }],
    });
    expect(placesOn(archive, "images/i0.html")).toEqual([
      "in-g: 1 of 2 in [Sea ../galleries/gallery-g.html#tile-i0] [Next i1.html#in-g]",
    ]);
  });

  it("only counts what would be too much to list", () => {
    const many = Array.from({ length: 53 }, (_, at) => ({ id: `${at}`, images: ["i0"] }));
    const archive = archiveOf({ images: images(1), galleries: many, articles: many.slice(0, 51) });
    expect(placesOn(archive, "images/i0.html")).toHaveLength(50);
    expect(archive.page("images/i0.html")).toContain("and 4 more");
  });

  it("escapes what comes from outside", () => {
    const archive = archiveOf({
      images: [{ id: '"><b>', title: "<i>", caption: "<s>" }],
      galleries: [{ id: '"><u>', slug: "g", title: "<em>", images: ['"><b>'] }],
    });
    const paths = ["galleries/g.html", "images/_22_3e_3cb_3e.html"];
    for (const path of paths) expect(archive.page(path)).not.toMatch(/<(?:i|s|u|em)>|<b>(?!&lt;i)/);
  });
});

describe("the key of an image's page", () => {
  const content = (): Content => ({
    images: images(8),
    articles: [{ id: "a", images: ["i0"], body: `<img src="${api}/images/i1.jpg">` }],
    galleries: [
      { id: "g", title: "Sea", images: ids(6) },
      { id: "h", title: "Salt", images: ["i5", "i6"] },
    ],
  });
  const first = ({ galleries }: Content) => galleries?.[0] ?? {};

  it.each<[string, (content: Content) => void, string[]]>([
    ["nothing", () => {}, []],
    [
      "the gallery's title",
      (it) => Object.assign(first(it), { title: "Ocean" }),
      ["i0", "i1", "i2", "i3", "i4", "i5"],
    ],
    [
      "two images that changed their positions",
      (it) => Object.assign(first(it), { images: ["i0", "i2", "i1", "i3", "i4", "i5"] }),
      ["i0", "i1", "i2", "i3"],
    ],
    [
      "an image less in the gallery",
      (it) => Object.assign(first(it), { images: ids(5) }),
      ["i0", "i1", "i2", "i3", "i4", "i5"],
    ],
    [
      "another gallery's order",
      (it) => Object.assign(it.galleries?.[1] ?? {}, { images: ["i6", "i5"] }),
      ["i5", "i6"],
    ],
    ["a neighbour's title", (it) => Object.assign(it.images?.[2] ?? {}, { title: "New" }), ["i2"]],
    ["a neighbour in the index", (it) => it.images?.splice(7, 1), []],
    ["the gallery's day", (it) => Object.assign(first(it), { published_at: null }), []],
  ])("changes if and only if the page does: %s", (_, change, expected) => {
    const changed = content();
    change(changed);
    const pagesOf = (archive: Archive) => {
      const pages = archive.files().filter(isPage);
      return new Map(pages.map((page) => [page.path, [page.key(), String(page.content())]]));
    };
    const [before, after] = [pagesOf(archiveOf(content())), pagesOf(archiveOf(changed))];
    const differing = (part: 0 | 1) =>
      ids(7).filter((id) => {
        const path = `images/${id}.html`;
        return before.get(path)?.[part] !== after.get(path)?.[part];
      });
    expect(differing(1)).toEqual(expected);
    expect(differing(0)).toEqual(expected);
  });
});
