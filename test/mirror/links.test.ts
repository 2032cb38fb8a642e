import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PagesOf } from "../../src/mirror/destinations.ts";
import { createLinker, type Linker } from "../../src/mirror/links.ts";
import { base, type Fixture, ids, makeConfig, makeFixture } from "./fixture.ts";

const [one = ""] = ids.images;
const [first = ""] = ids.articles;
let fixture: Fixture;
beforeAll(() => {
  fixture = makeFixture();
});
afterAll(() => fixture.close());

const pagesOf: PagesOf = ({ route }) => (route === "index" ? 2 : 1);

function linker(sections: Record<string, unknown> = {}): Linker {
  const config = makeConfig(sections);
  return createLinker(fixture.catalogue(config), config, pagesOf);
}

const rewritten = (text: string, sections?: Record<string, unknown>): unknown =>
  JSON.parse(linker(sections).rewrite(JSON.stringify(text), "api/v1/x.json"));

/** An archive of its own, in which an image has an original of a type and nothing else; or the origin has no file. */
function bareLinks(type: string | null, sections: Record<string, unknown>): unknown[] {
  const own = makeFixture();
  try {
    const { media } = own.store;
    const id = type === null ? ids.missingImage : one;
    const record = own.catalogue().snapshot.digestOf("images", id) ?? "";
    const entry = media.get("images", one);
    if (entry === undefined) throw new Error("no entry");
    const original = { ...entry.original, type: type ?? "", extension: type?.slice(6) ?? "" };
    if (type === null) media.putAbsence("images", id, { record, reason: "404", asked: true });
    else media.put({ ...entry, original, renditions: [] });
    const config = makeConfig(sections);
    const { rewrite } = createLinker(own.catalogue(config), config, pagesOf);
    const url = `${base}/images/${id}`;
    const written = [`${url}.jpg`, `${url}.jpg?thumb=1`, `${url}/download`];
    return JSON.parse(rewrite(JSON.stringify(written), "api/v1/x.json"));
  } finally {
    own.close();
  }
}

describe("the links of an image without renditions", () => {
  const file = (extension: string) => `./images/by/download/${one}.${extension}`;
  it.each<[string | null, Record<string, unknown>, (string | null)[]]>([
    ["image/png", {}, [file("png"), file("png"), file("png")]],
    ["image/heic", {}, [null, null, file("heic")]],
    ["image/png", { media: { publishOriginals: false } }, [null, null, null]],
    [null, {}, [null, null, null]],
  ])("%s, settings %o: lead to its original where browsers show it, or are null", (...row) => {
    const [type, settings, expected] = row;
    expect(bareLinks(type, settings)).toEqual(expected);
  });
});

describe("a string in the mirror's JSON", () => {
  const picture = `${base}/images/${one}.jpg`;
  const thumb = `images/by/thumb/square/${one}.jpg`;
  it.each<[string, string | null]>([
    [picture, `./images/${one}.jpg`],
    [`${picture}?thumb=1`, `./${thumb}`],
    [`${picture}?expires=1&thumb=1&signature=2&x=3`, `./${thumb}`],
    [`${base}/images/${one}/download`, `./images/by/download/${one}.png`],
    ["/api/v1/tags", "./tags/index.json"],
    ["/api/v1/tags/", "./tags/index.json"],
    ["//origin.test/api/v1/tags", "./tags/index.json"],
    [`${base}/articles?page=2`, "./articles/page/2.json"],
    [`${base}/articles?page=3`, `${base}/articles?page=3`],
    [`${base}/articles?tags=a`, "./articles/by/tags/a/index.json"],
    [`${base}/articles?tags=a%2Cb&page=2`, "./articles/by/tags/a/tags/b/page/2.json"],
    [`${base}/articles?tags=a&page=3`, `${base}/articles?tags=a&page=3`],
    [`${base}/articles?year=2024&month=05`, "./articles/by/year/2024/month/5/index.json"],
    [`${base}/articles?month=5`, "./articles/index.json"],
    [`${base}/articles?tags=o'n&page=2`, "./articles/by/tags/o_27n/page/2.json"],
    [`${base}/articles?year=x`, `${base}/articles?year=x`],
    [`${base}/articles/${first}/images`, `./articles/${first}/images/index.json`],
    ["https://origin.test/view/articles/article-0", "../../articles/article-0.html"],
    [
      "https://origin.test/view/articles/article-0/#c",
      "../../articles/article-0.html#user-content-c",
    ],
    // Pages prefix the ids of bodies; the id of an anchor is what its hash says once decoded (URL, "fragment").
    [
      "https://origin.test/view/articles/article-0#%C3%BCber%20uns",
      "../../articles/article-0.html#user-content-%C3%BCber-uns",
    ],
    [
      "<a href='https://origin.test/view/articles/article-0#it%27s'>x</a>",
      "<a href='../../articles/article-0.html#user-content-it%27s'>x</a>",
    ],
    // URL Fragment Text Directives: no id, and part of the link.
    [
      "https://origin.test/view/articles/article-0#:~:text=a-,b%2Cc",
      "../../articles/article-0.html#:~:text=a-,b%2Cc",
    ],
    [
      "https://origin.test/view/articles/article-0#a%26copy",
      "../../articles/article-0.html#user-content-a%26copy",
    ],
    [
      "http://origin.test/view/articles/article-0/?utm_source=x#c",
      "../../articles/article-0.html#user-content-c",
    ],
    [
      '<a href="https://origin.test/view/articles/article-0?fbclid=1&amp;utm_medium=a">',
      '<a href="../../articles/article-0.html">',
    ],
    ["https://origin.test/view/articles/article-0#", "../../articles/article-0.html"],
    [`${base}/images/${ids.unprovedImage}.jpg`, null],
    [`${base}/images/${ids.unprovedImage}`, null],
    [`https://origin.test/view/images/${ids.unprovedImage}`, null],
    [`held: ${base}/images/${ids.unprovedImage}.jpg!`, "held: about:invalid!"],
    [
      `(see ${picture}), or ${picture}; "${picture}".`,
      `(see ./images/${one}.jpg), or ./images/${one}.jpg; "./images/${one}.jpg".`,
    ],
    [`${picture},${picture} 2x`, `./images/${one}.jpg,./images/${one}.jpg 2x`],
    [`url(&quot;${picture}&quot;)`, `url(&quot;./images/${one}.jpg&quot;)`],
    [`url(/api/v1/images/${one}.jpg)`, `url(./images/${one}.jpg)`],
    [
      `<img srcset="/api/v1/images/${one}.jpg 1x, /api/v1/images/${one}.jpg?thumb=1 2x">`,
      `<img srcset="./images/${one}.jpg 1x, ./${thumb} 2x">`,
    ],
    ["text with /api/v1/tags in it", "text with /api/v1/tags in it"],
    ["<br/>a</p>", "<br/>a</p>"],
    ["/", "/"],
    ["//", "//"],
    ["https://", "https://"],
    ["", ""],
    ["https://elsewhere.test/?a=1&amp;b=2.", "https://elsewhere.test/?a=1&amp;b=2."],
  ])("%s → %s", (text, expected) => {
    expect(rewritten(text)).toBe(expected);
  });

  it("keeps the hash of a file", () => {
    const video = `${base}/videos/${ids.video}/download`;
    for (const hash of ["#t=10,20", "#page=12&zoom=50", "#"]) {
      expect(rewritten(`<a href="${video}${hash}">`)).toMatch(
        /^<a href="\.\.\/\.\.\/media\/[^"#]*/,
      );
      expect(rewritten(video + hash)).toBe(`${rewritten(video)}${hash}`);
      const api = { mirror: { links: "api" } };
      expect(rewritten(video + hash, api)).toBe(`${rewritten(video, api)}${hash}`);
    }
  });

  it("keeps ampersands as the text writes them", () => {
    const url = `${base}/images/${one}.jpg?orientation=l&thumb=1`;
    const api = { mirror: { links: "api" } };
    expect(rewritten(`<img src="${url.replace("&", "&amp;")}">`, api)).toBe(
      `<img src="/api/v1/images/${one}.jpg?orientation=l&amp;thumb=1">`,
    );
  });

  it.each([
    [`${base}/articles?page=1`, "/api/v1/articles?page=1"],
    [`${base}/articles?page=2&year=2024&x=1`, "/api/v1/articles?page=2&year=2024&x=1"],
    [`${base}/articles?tags=b%2Ca&page=1`, "/api/v1/articles?tags=b%2Ca&page=1"],
    [
      `${base}/articles?category=a+b&month=05&year=2024`,
      "/api/v1/articles?category=a+b&month=05&year=2024",
    ],
    [`//origin.test/api/v1/articles?page=1#top`, "/api/v1/articles?page=1#top"],
    ["/api/v1/articles?page=1", "/api/v1/articles?page=1"],
    [`${base}/tags?signature=1`, "/api/v1/tags"],
    [
      `${picture}?expires=5&height=290&width=290&signature=1`,
      `/api/v1/images/${one}.jpg?height=290&width=290`,
    ],
    // Static hosts answer a box without one of nearly its shape with 404, so the link names a file.
    [`${picture}?height=200&width=600`, `/api/v1/images/by/width/640/${one}.jpg`],
    [`${picture}?thumb=1&orientation=l`, `/api/v1/images/${one}.jpg?thumb=1&orientation=l`],
    [`${base}/images/${one}/download?expires=1`, `/api/v1/images/${one}/download`],
  ])("keeps the URL as the origin wrote it with links api: %s → %s", (url, expected) => {
    expect(rewritten(url, { mirror: { links: "api" } })).toBe(expected);
    const site = { mirror: { links: "api" }, site: { url: "https://archive.test/sub" } };
    expect(rewritten(url, site)).toBe(`https://archive.test/sub${expected}`);
    const root = { mirror: { links: "api", root: "/copy" } };
    expect(rewritten(url, root)).toBe(expected.replace("/api/v1/", "/copy/"));
  });

  it("may be long: no piece of it is read again and again", () => {
    const make = linker();
    for (const piece of [";", "https://", "/", "&quot;/", ",//", "#", "https://x/;"]) {
      // Quadratic time would be more than the test has.
      make.rewrite(JSON.stringify(`https://x${piece.repeat(200_000)}"`), "x.json");
    }
  });

  it("is the same text where nothing in it leads into the archive", () => {
    const make = linker();
    const piece = fc.constantFrom(
      "https://else.test/",
      "/",
      '"',
      "'",
      "(",
      "&amp;",
      "&quot;",
      "a",
      ",",
      "//",
      ".",
      "\\",
      "?",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const raw = JSON.stringify([pieces.join("")]);
        expect(make.rewrite(raw, "a/b.json")).toBe(raw);
      }),
      { numRuns: 500 },
    );
  });
});
