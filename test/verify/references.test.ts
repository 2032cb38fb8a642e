import { describe, expect, it } from "vitest";
import {
  idsOfHtml,
  type Reference,
  referencesOfAnswer,
  referencesOfPage,
} from "../../src/verify/references.ts";

const shown = ({ path, query, fragment, ours }: Reference): string =>
  `${path}${query && `?${query}`}${fragment && `#${fragment}`}${ours ? "" : " (perhaps)"}`;

function ofPage(html: string, path = "articles/a.html", home: string | null = null): string[] {
  return [...referencesOfPage(html, { path, home })].map(shown);
}

function ofAnswer(value: unknown, path = "api/v1/articles/1.json", home: string | null = null) {
  return [...referencesOfAnswer(JSON.stringify(value), { path, home })].map(shown);
}

describe("a page leads to", () => {
  it.each([
    ['<a href="../images/1.html">', ["images/1.html"]],
    ['<a href="b%20c.html?x=1&amp;y=2">', ["articles/b c.html?x=1&y=2"]],
    ['<a href="#part%201">', ["articles/a.html#part 1"]],
    ['<a href="b.html#part">', ["articles/b.html#part (perhaps)"]],
    ['<a href="../">', ["index.html"]],
    [
      '<img src="1.jpg" srcset="2.jpg 1x, a,b.jpg 2x">',
      ["1.jpg", "2.jpg", "a,b.jpg"].map(inArticles),
    ],
    ['<video poster="&#x31;.jpg"><a href="https://elsewhere.test/">', ["articles/1.jpg"]],
    ['<a href="&#x110000;&#xD800;&#0;.html">', [inArticles("\ufffd\ufffd\ufffd.html")]],
    // HTML, "attributes": single quotes, none, and any case; what code or a comment shows is no attribute.
    ["<IMG SRC='1.jpg'><img src=2.jpg>", ["1.jpg", "2.jpg"].map(inArticles)],
    ['<code>&lt;img src="/assets/x.gif"&gt; and <b>href="/y"</b></code>', []],
    ['<pre>a href="gone.html" b</pre><p title=\'<img src="z.gif">\'></p>', []],
    ['<!-- <img src="/old.gif"> --><textarea> <a href="/old"> </textarea>', []],
    [
      '<a href="b.html#:~:text=a-,b"><a href="#part:~:text=a">',
      [inArticles("b.html"), inArticles("a.html#part")],
    ],
    ['<a href="mailto:a@b.test"><a href="//elsewhere.test/x">', []],
  ])("%s → %o", (html, expected) => {
    expect(ofPage(html)).toEqual(expected);
  });

  it("places below the archive's own address", () => {
    const html = '<link href="https://a.test/tags/"><a href="https://a.test.evil/x"></a>';
    expect(ofPage(html, "tags/index.html", "https://a.test")).toEqual(["tags/index.html"]);
  });

  it("its own places by whole addresses, not to others on its host", () => {
    const links = ["https://a.test/sub/tags/", "https://a.test/about", "https://a.test/sub-old/x"];
    const html = [...links, "https://a.test/sub", "//a.test/x"].map((url) => `<a href="${url}">`);
    // An author may have written the whole address of a page that never existed; our own links are relative.
    expect(ofPage(html.join(""), "index.html", "https://a.test/sub")).toEqual([
      "tags/index.html (perhaps)",
    ]);
  });

  it("places from the root, where it is shown for missing addresses", () => {
    expect(ofPage('<a href="/index.html"><a href="#top">', "404.html")).toEqual([
      "index.html",
      "404.html#top",
    ]);
    const html = '<a href="/sub/tags/"><a href="/subway.html">';
    expect(ofPage(html, "404.html", "https://a.test/sub")).toEqual([
      "tags/index.html",
      "subway.html",
    ]);
  });
});

const inArticles = (path: string): string => `articles/${path}`;

describe("an answer leads to", () => {
  it("its links, those of its items, and what its meta names", () => {
    const answer = {
      data: [{ title: "./no", links: { view: "../../../articles/a.html", thumbnail: null } }],
      links: { next: "page/2.json", prev: null },
      meta: { path: "./index.json", links: [{ url: "./page/2.json", label: "2", active: false }] },
    };
    expect(ofAnswer(answer, "api/v1/articles/index.json")).toEqual([
      "articles/a.html",
      "api/v1/articles/page/2.json",
      "api/v1/articles/index.json",
      "api/v1/articles/page/2.json",
    ]);
  });

  it("what its HTML names, of which an author may have written the relative ones", () => {
    const body = '<img src="./1.jpg"><a href="x">x</a><a href="https://a.test/y#z">';
    expect(ofAnswer({ data: { body } })).toEqual(["api/v1/articles/1.jpg (perhaps)"]);
    expect(ofAnswer({ data: { body } }, "x.json", "https://a.test")).toEqual([
      "1.jpg (perhaps)",
      "y#z (perhaps)",
    ]);
  });

  it("nothing that its HTML shows as text", () => {
    const shown = '<code>&lt;img src="./x.gif"&gt;</code> ./y.gif <p title=\'<a href="./z">\'>';
    expect(ofAnswer({ data: { body: shown, title: 'a href="./t.html"' } })).toEqual([]);
  });
});

it("names can be led to as well as ids", () => {
  const html = `<p id="a&amp;b"><a name='c'></a><code>&lt;p id="d"></code>`;
  expect(idsOfHtml(html)).toEqual(new Set(["a&b", "c"]));
});
