import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { relativeHref, sitePaths } from "../../src/routes/site.ts";

describe("sitePaths", () => {
  it.each([
    [sitePaths.articles(1), "articles/index.html"],
    [sitePaths.articles(2), "articles/page/2.html"],
    [sitePaths.category("news", 2), "categories/news/page/2.html"],
    [sitePaths.month("2024", "05", 1), "archive/2024/05/index.html"],
    [sitePaths.image("A/b"), "images/_41_2fb.html"],
    [sitePaths.media("abcdef", "mp4"), "media/ab/abcdef.mp4"],
    [sitePaths.media("abcdef", "PDF"), "media/ab/abcdef.pdf"],
    [sitePaths.media("abcdef", "txt"), "media/ab/abcdef.txt"],
    // What a browser runs, or shows with scripts in it.
    ...`html htm xhtml xht xml xsl xslt svg svgz mht mhtml js mjs css wasm swf hta rss atom rdf xul mathml kml`
      .split(" ")
      .map((name) => [sitePaths.media("abcdef", name), `media/ab/abcdef.${name}.txt`]),
    // What servers do not know, and so send as anything.
    [sitePaths.media("abcdef", "foo"), "media/ab/abcdef.foo.txt"],
    // What some servers run, even with something behind it.
    ...["shtml", "php", "php5", "phtml", "cgi", "asp", "jsp", "var"].map((name) => [
      sitePaths.media("abcdef", name),
      "media/ab/abcdef.txt",
    ]),
    ...[
      "",
      ".",
      "a/b",
      "../x",
      "p h",
      "html ",
      "html.",
      "%68tml",
      "waytoolong",
      "ht\0ml",
      "été",
    ].map((name) => [sitePaths.media("abcdef", name), "media/ab/abcdef.bin"]),
  ])("%s", (path, expected) => {
    expect(path).toBe(expected);
  });
});

describe("relativeHref", () => {
  it.each([
    ["index.html", "index.html", "index.html"],
    ["index.html", "a/b.html", "a/b.html"],
    ["a/b.html", "index.html", "../index.html"],
    ["a/b/c.html", "a/d/e.html", "../d/e.html"],
    ["a/b.html", "a", "../a"],
    ["a/a/x.html", "a/x.html", "../x.html"],
  ])("from %s to %s is %s", (from, to, href) => {
    expect(relativeHref(from, to)).toBe(href);
  });

  it("leads to the target from wherever the root stands", () => {
    const path = fc
      .array(fc.constantFrom("a", "b", "by", "page", "1"), { minLength: 1, maxLength: 5 })
      .map((segments) => `${segments.join("/")}.html`);
    fc.assert(
      fc.property(
        path,
        path,
        fc.constantFrom("http://h.test/", "file:///x/y/"),
        (from, to, root) => {
          expect(new URL(relativeHref(from, to), root + from).href).toBe(root + to);
        },
      ),
    );
  });
});
