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
  const words = "Boats &#x26; nets <small>Ann &#x3C;b>Blum&#x3C;/b></small>";
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
      "<small>Ann &#x3C;b>Blum&#x3C;/b></small>",
    ]);
  });

  it("stand below the picture above the text", () => {
    const [hero] = captions("<p>Words</p>", { images: ["a"] });
    expect(hero).toBe("Boats &amp; nets <small>Ann &lt;b&gt;Blum&lt;/b&gt;</small>");
    expect(captions("<p>Words</p>", { images: ["b"] })).toEqual([]);
    const [credit] = captions("", { images: ["a"], title: "Boats & nets" });
    expect(credit?.trim()).toBe("<small>Ann &lt;b&gt;Blum&lt;/b&gt;</small>");
  });

  it.each([
    [{ Credit: "Ann", copyright: "© Ann 2020", source: " " }, "Ann, © Ann 2020"],
    [{ "Photo-Credit": "x", location: "Lagos", file: "a.jpg" }, ""],
    [{ photographer: "Ann", author: "Ann", COPYRIGHT_NOTICE: "©\nPress" }, "Ann, © Press"],
  ])("name whom %o is from", (pairs, expected) => {
    expect(creditOf(pairs as Record<string, string>)).toBe(expected);
  });
});
