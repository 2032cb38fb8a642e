import { describe, expect, it } from "vitest";
import { creditOf } from "../../src/site/captions.ts";
import { api, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();
const img = (id: string): string => `<p><img src="${api}/images/${id}.jpg"></p>`;

describe("the images attached to an article", () => {
  const images = ["a", "b", "c"].map((id) => ({ id }));
  /** Ids of the images in the gallery below the article, and the count in its heading. */
  const below = (body: string, attached: string[]) => {
    const archive = archiveOf({ images, articles: [{ id: "one", images: attached, body }] });
    const html = archive.page("articles/article-one.html");
    const [, section = ""] = /<section class="text attached"([\s\S]*?)<\/section>/.exec(html) ?? [];
    return {
      ids: Array.from(
        section.matchAll(/<li [^>]*><a [^>]*href="[^"]*images\/(\w)\.html"/g),
        ([, id]) => id,
      ),
      count: /class="count">(\d+)</.exec(section)?.[1],
      archive,
    };
  };

  it("stand below it if they are not in its body", () => {
    const { ids, count, archive } = below(img("b"), ["a", "b", "c"]);
    expect(ids).toEqual(["a", "c"]);
    expect(count).toBe("2");
    expect(archive.page("images/b.html")).toContain("articles/article-one.html");
  });

  it("have no section if all of them are in its body", () => {
    expect(below(img("b") + img("a"), ["a", "b"])).toMatchObject({ ids: [], count: undefined });
  });

  it("do not repeat the picture above the text", () => {
    expect(below("<p>Words</p>", ["a", "b"]).ids).toEqual(["b"]);
    expect(below("<p>Words</p>", ["a"])).toMatchObject({ ids: [], count: undefined });
  });
});

describe("captions", () => {
  const meta = { photographer: "Ann <b>Blum</b>", licence: "CC0" };
  const images = [
    { id: "a", caption: "Boats & nets", meta },
    { id: "b", caption: "", meta: {} },
  ];
  const words = "Boats &#x26; nets <small>Ann Blum</small>";
  const captions = (body: string, more: object = {}): string[] => {
    const archive = archiveOf({ images, articles: [{ id: "one", body, ...more }] });
    const html = archive.page("articles/article-one.html");
    return Array.from(
      html.matchAll(/<figcaption[^>]*>(.*?)<\/figcaption>/gs),
      ([, one = ""]) => one,
    );
  };
  const picture = `<img src="${api}/images/a.jpg">`;

  it.each([
    ["a paragraph", `<p>${picture}</p>`],
    ["a link", `<p><a href="https://x.example/">${picture}</a></p>`],
    ["a figure", `<figure>${picture}</figure>`],
    ["a figure with a paragraph", `<figure><p>${picture}</p></figure>`],
    ["nothing", picture],
  ])("come from the record of a picture in %s", (_, body) => {
    expect(captions(body)).toEqual([words]);
  });

  it.each([
    ["has its own", `<figure>${picture}<figcaption>Own</figcaption></figure>`, ["Own"]],
    ["stands in a line of text", `<p>See ${picture} here</p>`, []],
    ["is a small sign", `<p><img src="${api}/images/a.jpg" width="24"></p>`, []],
    ["has no words in its record", `<p><img src="${api}/images/b.jpg"></p>`, []],
    ["is one of several", `<figure>${picture}<img src="${api}/images/b.jpg"></figure>`, []],
  ])("are left alone where a picture %s", (_, body, expected) => {
    expect(captions(body)).toEqual(expected);
  });

  it("do not repeat what the body says", () => {
    expect(captions(`<p>${picture}</p><p><i>Boats &amp;\nnets</i></p>`)).toEqual([
      "<small>Ann Blum</small>",
    ]);
  });

  it("stand below the picture above the text", () => {
    const [hero] = captions("<p>Words</p>", { images: ["a"] });
    // The picture has it as its alternative text.
    expect(hero).toBe('<span aria-hidden="true">Boats &amp; nets</span> <small>Ann Blum</small>');
    expect(captions("<p>Words</p>", { images: ["b"] })).toEqual([]);
    const [credit] = captions("", { images: ["a"], title: "Boats & nets" });
    expect(credit?.trim()).toBe("<small>Ann Blum</small>");
  });

  it.each([
    [{ Credit: "Ann", copyright: "© Ann 2020", source: " " }, "Ann, © Ann 2020"],
    [{ "Photo-Credit": "x", location: "Lagos", file: "a.jpg" }, ""],
    [{ photographer: "Ann", author: "Ann", COPYRIGHT_NOTICE: "©\nPress" }, "Ann, © Press"],
  ])("name whom %o is from", (pairs, expected) => {
    expect(creditOf(pairs as Record<string, string>)).toBe(expected);
  });
});

describe("large pictures in a text", () => {
  const sized = (id: string, width: number, height: number) => ({
    ...{ id, size: [width, height] as [number, number], caption: "" },
  });
  const images = [
    sized("wide", 1600, 900),
    sized("high", 900, 1600),
    sized("small", 600, 400),
    { id: "told", title: "Boats", caption: "Boats" },
  ];
  const bodyOf = (body: string): string => {
    const html = archiveOf({ images, articles: [{ id: "one", body }] }).page(
      "articles/article-one.html",
    );
    return /<div class="prose text"[^>]*>(.*?)<\/div>\s*<div class="after/s.exec(html)?.[1] ?? "";
  };
  const outline = (html: string): string[] =>
    Array.from(
      html.matchAll(/<(?:figure|div)( class="[^"]*")?/g),
      ([, name]) => name?.trim() ?? "",
    );

  it.each([
    [img("wide"), ['class="wide"']],
    [img("high"), [""]],
    [img("small"), [""]],
    [img("wide") + img("high"), ['class="row"', 'class="r18"', 'class="r6"']],
    [
      `<p>${img("wide").slice(3, -4)} ${img("small").slice(3, -4)}</p>`,
      [...['class="row"', 'class="r18"', 'class="r15"']],
    ],
    [img("wide").repeat(4), Array(4).fill('class="wide"')],
    [`${img("wide")}<p>Text</p>${img("wide")}`, ['class="wide"', 'class="wide"']],
    [`<ul><li>${img("wide")}</li></ul>`, [""]],
  ])("stand as they fit: %s", (body, expected) => {
    expect(outline(bodyOf(body))).toEqual(expected);
  });

  it("tell a caption that is their alternative text once", () => {
    const figure = (alt: string) =>
      bodyOf(
        `<figure><img alt="${alt}" src="${api}/images/wide.jpg"><figcaption>Boats</figcaption></figure>`,
      );
    expect(figure("Boats")).toMatch(/alt="Boats".*<figcaption[^>]* aria-hidden="true"/s);
    expect(figure("Ships")).not.toContain("aria-hidden");
  });
});

describe("the list of all images", () => {
  it("begins with the latest one, whatever order the origin has", () => {
    const images = ["2020", "2022", "2021"].map((year) => ({
      ...{ id: `i${year}`, title: year, created_at: `${year}-01-01T00:00:00Z` },
    }));
    const html = archiveOf({ images }, { site: { perPage: 2 } }).page("images/index.html");
    expect(html).toContain("page 1 of 2");
    const shown = html.matchAll(/<a id="tile-i(\d+)"/g);
    expect(Array.from(shown, ([, year]) => year)).toEqual(["2022", "2021"]);
  });
});
