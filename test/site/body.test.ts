import fc from "fast-check";
import type { Element, Nodes, RootContent } from "hast";
import { fromParse5 } from "hast-util-from-parse5";
import { parseFragment } from "parse5";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { renderBody, textOfBody, urlsOf } from "../../src/site/body.ts";
import { possibleUrls } from "../../src/site/body-urls.ts";
import { createFormats } from "../../src/site/formats.ts";
import { createLookup, lookupKey } from "../../src/site/links.ts";
import { api, createArchive } from "./fixture.ts";
import { payloads } from "./payloads.ts";

const archive = createArchive({
  articles: [
    { id: "one", slug: "one" },
    { id: "two", slug: "two" },
  ],
  images: [
    { id: "pic", size: [1600, 1200] },
    { id: "small", size: [100, 50] },
    { id: "secret", state: "private" },
    { id: "held", state: "attached" },
    { id: "lost", kept: false },
  ],
  files: [
    { id: "clip", kind: "videos", type: "video/mp4", extension: "mp4" },
    { id: "paper", kind: "documents" },
    { id: "page", kind: "documents", type: "text/html", extension: "html" },
  ],
});
afterAll(() => archive.close());

const { catalogue } = archive;
const formats = createFormats("en", "UTC");
const page = "articles/one.html";
const lookup = createLookup(catalogue, page, "https://media.example.org/view/articles/one", api);
const link = (path: string): string => `../${path}`;

function body(html: string, from = lookup): string {
  return renderBody(html, { catalogue, formats, lookup: from, link }).html;
}

function elements(node: Nodes): Element[] {
  const here = node.type === "element" ? [node] : [];
  return "children" in node ? [...here, ...node.children.flatMap(elements)] : here;
}

const rel = 'rel="noopener noreferrer external"';

describe("renderBody, links", () => {
  it.each([
    [
      "a known article by its view",
      "https://media.example.org/view/articles/two",
      "../articles/two.html",
    ],
    ["a relative link to it", "two", "../articles/two.html"],
    ["a fragment on it", "/view/articles/two#part", "../articles/two.html#user-content-part"],
    ["an article of the API", `${api}/articles/two`, "../articles/two.html"],
    ["a place on the same page", "#part", "#user-content-part"],
    ["a place on the same page by its address", "/view/articles/one#part", "#user-content-part"],
    ["an image's page", "https://media.example.org/view/images/pic", "../images/pic.html"],
    ["an image file", `${api}/images/pic.jpg?width=640`, "../api/v1/images/by/width/640/pic.jpg"],
    ["a document", `${api}/documents/paper/download`, undefined],
    ["mail", "mailto:a@example.org", "mailto:a@example.org"],
    ["a telephone", "tel:+431234", "tel:+431234"],
  ])("leads %s into the archive", (_, href, expected) => {
    const html = body(`<p id="part"><a href="${href}">x</a></p>`);
    if (expected !== undefined) expect(html).toContain(`href="${expected}"`);
    else expect(html).toMatch(/href="\.\.\/media\/[0-9a-f]{2}\/[0-9a-f]{32}\.pdf"/);
  });

  it("leaves a jump to a place that is not there as plain text", () => {
    expect(body('<p><a href="#gone">x</a> <a href="#here">y</a> <a name="here">z</a></p>')).toBe(
      '<p><a>x</a> <a href="#user-content-here">y</a> <span id="user-content-here">z</span></p>',
    );
  });

  it.each([
    ["#top", "#"],
    ["#TOP", "#"],
    ["#part:~:text=a,-b", "#user-content-part:~:text=a,-b"],
    ["#:~:text=it%27s", "#:~:text=it%27s"],
    ["two#:~:text=x%2Cy", "../articles/two.html#:~:text=x%2Cy"],
    ["two#a%26b%20c", "../articles/two.html#user-content-a&#x26;b-c"],
  ])("leads %s to where browsers go: %s", (href, expected) => {
    expect(body(`<p id="part"><a href="${href}">x</a></p>`)).toContain(`href="${expected}"`);
  });

  it.each([
    "http://media.example.org/view/articles/two",
    "https://media.example.org/view/articles/two/?utm_source=newsletter&amp;utm_medium=mail",
    "two?fbclid=IwAR0",
    "//media.example.org/view/articles/two?gclid=1#",
  ])("takes %s for the page that it is", (href) => {
    expect(body(`<p><a href="${href}">x</a></p>`)).toBe(
      '<p><a href="../articles/two.html">x</a></p>',
    );
  });

  // RFC 8118 (PDF) and Media Fragments URI 1.0.
  it.each(["#page=12", "#page=2&amp;zoom=150", "#t=10,20"])(
    "keeps the place in a file: %s",
    (hash) => {
      const html = body(`<p><a href="${api}/documents/paper/download${hash}">x</a></p>`);
      expect(html).toMatch(/href="\.\.\/media\/..\/[\da-f]{32}\.pdf#[^"]+"/);
      expect(html).toContain(`.pdf${hash.replace("&amp;", "&#x26;")}"`);
      expect(body(`<video src="${api}/videos/clip/download${hash}"></video>`)).toContain(".mp4#");
    },
  );

  it.each([
    ["elsewhere", "https://other.example/x?a=1&b=2", "https://other.example/x?a=1&#x26;b=2"],
    ["without a scheme", "//other.example/x", "https://other.example/x"],
    [
      "relative, to nothing here",
      "../lost/page?x=1",
      "https://media.example.org/view/lost/page?x=1",
    ],
    ["with credentials", "https://user:pass@other.example/", "https://other.example/"],
    [
      "with parameters as signed links have them",
      "https://other.example/f?expires=never&signature=abc",
      "https://other.example/f?expires=never&#x26;signature=abc",
    ],
  ])("makes a link %s absolute and marks it", (_, href, expected) => {
    expect(body(`<p><a href="${href}" target="_blank" onclick="x()">x</a></p>`)).toBe(
      `<p><a href="${expected}" ${rel}>x</a></p>`,
    );
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " \u0001javascript:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://x/1",
    "http://[bad",
    `${api}/images/secret.jpg`,
    `${api}/images/held/download`,
    `${api}/images/held`,
    "https://media.example.org/view/images/secret",
    "/view/images/held?x#y",
  ])("keeps only the text of a link to %j", (href) => {
    expect(body(`<p><a href="${href.replaceAll('"', "&quot;")}">text</a></p>`)).toBe("<p>text</p>");
  });

  it("offers what a browser would run for saving, under its name", () => {
    expect(body(`<p><a href="${api}/documents/page/download" download="x">x</a></p>`)).toMatch(
      /^<p><a href="\.\.\/media\/..\/[0-9a-f]{32}\.html\.txt" download="File page\.html">x<\/a><\/p>$/,
    );
    expect(body(`<p><a href="${api}/documents/paper/download" download="x">x</a></p>`)).not.toMatch(
      /download=/,
    );
  });

  describe("from the root of the host, in an article on another host than the API", () => {
    const elsewhere = createLookup(catalogue, page, "https://www.example.org/read/one", api);

    it.each([
      ["/api/v1/articles/two", "../articles/two.html"],
      ["/api/v1/images/pic.jpg?width=640", "../api/v1/images/by/width/640/pic.jpg"],
      ["/api/v1/articles?page=2", `${api}/articles?page=2`],
      ["/read/two", "https://www.example.org/read/two"],
      ["//media.example.org/view/articles/two", "../articles/two.html"],
    ])("leads %s to %s", (href, expected) => {
      expect(body(`<p><a href="${href}">x</a></p>`, elsewhere)).toContain(`href="${expected}"`);
    });

    it("takes a URL without scheme for one of the API, whatever scheme the article has", () => {
      const plain = createLookup(catalogue, page, "http://www.example.org/read/one", api);
      const href = "//media.example.org/api/v1/documents/paper/download";
      expect(body(`<p><a href="${href}">x</a></p>`, plain)).toContain('href="../media/');
    });

    it("shows the images of the API, and holds those that are not public", () => {
      expect(body('<img src="/api/v1/images/pic.jpg" alt="a">', elsewhere)).toContain("srcset=");
      expect(body('<img src="/api/v1/images/secret.jpg" alt="a">', elsewhere)).toBe(
        '<span class="note">Picture not in this archive: a</span>',
      );
    });
  });

  it.each(["sec?x", "a/b:c", "a b", "100%", "x&y", "é", "a+b=c;d,e@f$", '"<'])(
    "keeps a jump to the place %j working",
    (id) => {
      const written = id.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
      for (const href of [written, encodeURIComponent(id)]) {
        const html = body(`<h2 id="${written}">T</h2><p><a href="#${href}">to</a></p>`);
        const found = elements(fromParse5(parseFragment(html)));
        const [heading, link] = [found[0], found.at(-1)];
        const fragment = String(link?.properties.href).slice(1);
        expect(decodeURIComponent(fragment)).toBe(heading?.properties.id);
        // As far as a fragment may hold its characters, it also reads the same.
        if (/^[\w/?:@&+=;,$.-]+$/.test(id)) expect(fragment).toBe(heading?.properties.id);
      }
    },
  );

  it.each([
    ["<div><li value=3>a</li></div>", "<div><div>a</div></div>"],
    ["<ul><li>a</li></ul>", "<ul><li>a</li></ul>"],
    ["<li>a</li>", "<div>a</div>"],
    ["<tt>a</tt>", "<code>a</code>"],
    ["<ul><li>a</li><ul><li>b</li></ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"],
    ["<ol><p>a</p><li>b</li></ol>", "<ol><li><p>a</p></li><li>b</li></ol>"],
    [
      '<a href="https://x.test/?{a}|\\#b#c">y</a>',
      '<a href="https://x.test/?%7Ba%7D%7C%5C#b%23c" rel="noopener noreferrer external">y</a>',
    ],
    ["<span><span><hr></span>b</span>", "<div><div><hr></div>b</div>"],
    ['<a href="https://x.test/" title="t"> </a>b', "<span> </span>b"],
    ['<a href="#k" id="k"><b></b></a>b', '<span id="user-content-k"><b></b></span>b'],
    [
      '<a name="What We Did">x</a><a href="#What We Did">y</a>',
      '<span id="user-content-What-We-Did">x</span><a href="#user-content-What-We-Did">y</a>',
    ],
  ])("makes valid HTML of %s", (html, expected) => {
    expect(body(html)).toBe(expected);
  });

  it("survives a jump to half a character", () => {
    expect(body('<p><a href="#\ud800">x</a></p>')).toBe("<p><a>x</a></p>");
  });

  it("keeps anchors working", () => {
    const html = body('<h2 id="a b">T</h2><p><a name="x">n</a><a href="#a%20b">to</a></p>');
    expect(html).toContain('id="user-content-a-b"');
    expect(html).toContain('id="user-content-x"');
    expect(html).toContain('href="#user-content-a-b"');
  });
});

describe("renderBody, images", () => {
  it("shows an image of the archive with all its sizes and both formats", () => {
    const html = body(
      `<p>A <img src="${api}/images/pic.jpg" alt="The &quot;pic&quot;" style="x"> b</p>`,
    );
    const img = elements(fromParse5(parseFragment(html))).find((one) => one.tagName === "img");
    expect(img?.properties).toMatchObject({
      alt: 'The "pic"',
      width: 1600,
      height: 1200,
      fetchPriority: "high",
      decoding: "async",
      srcSet: expect.stringContaining("../api/v1/images/by/width/320/pic.jpg 320w"),
    });
    expect(html).toContain('<source type="image/webp"');
    expect(html).not.toContain("style");
  });

  it("shows it as wide as its URL asks, and not wider than it is", () => {
    expect(body(`<img src="${api}/images/pic.jpg?width=320">`)).toContain(
      'width="1600" height="1200"',
    );
    expect(body(`<img src="${api}/images/small.jpg?width=320">`)).toContain(
      'width="100" height="50"',
    );
    expect(body(`<img src="${api}/images/pic.jpg?thumb=l">`)).not.toContain("thumb/landscape");
    expect(body(`<img src="${api}/images/pic.jpg" width="200">`)).toContain(
      'width="200" height="150"',
    );
  });

  it("finds images that a script would have loaded, once", () => {
    const html = body(
      `<img src="data:image/gif;base64,R0" data-src="${api}/images/pic.jpg"><noscript><img src="${api}/images/pic.jpg"></noscript>`,
    );
    expect(html.match(/<img/g)).toHaveLength(1);
    expect(
      body(`<picture><source srcset="${api}/images/pic.jpg 1x"><img alt="a"></picture>`),
    ).toContain("images/pic");
  });

  it("reads candidates as a browser does", () => {
    expect(body(`<img alt="a" srcset="https://x.example/a,b.jpg 1x">`)).toContain(
      'href="https://x.example/a,b.jpg"',
    );
    expect(body('<img srcset="data:image/png;base64,AAAA 1x">')).toBe("");
  });

  it("keeps the place that a link can lead to", () => {
    expect(body(`<img id="fig" src="${api}/images/small.jpg"><a href="#fig">x</a>`)).toMatch(
      /<img id="user-content-fig".*<a href="#user-content-fig">/,
    );
  });

  it.each(["png", "jpeg", "gif", "webp", "avif"])("keeps a %s in the body itself", (type) => {
    expect(
      body(`<p><img src="data:image/${type};base64,R0lG\nODlh" alt="A" width="40" onload="x"></p>`),
    ).toBe(`<figure><img src="data:image/${type};base64,R0lGODlh" alt="A" width="40"></figure>`);
  });

  it.each([
    ["DATA:Image/JPG;charset=utf-8;BASE64,R0lGODlh", "data:image/jpeg;base64,R0lGODlh"],
    [' data:image/png;base64,R0lG%4FDlh%3D" ', undefined],
    ["data:image/png;base64,R0lG%4FDlh", "data:image/png;base64,R0lGODlh"],
    ['data:image/png;base64,R0lG"><script>x</script>', undefined],
    ["data:image/svg+xml;base64,R0lGODlh", undefined],
    ["data:text/html;base64,R0lGODlh", undefined],
    ["data:image/png,R0lGODlh", undefined],
    ["data:image/png;base64,", undefined],
    ["data:;base64,R0lGODlh", undefined],
    [`data:image/png;base64,${"A".repeat(2_800_000)}`, undefined],
  ])("of other data in the body keeps nothing but pictures: %.60s", (src, expected) => {
    const html = body(`<p><img src="${src}" alt="A"></p>`);
    if (expected !== undefined) expect(html).toContain(`<img src="${expected}" alt="A">`);
    else
      expect(html.replace(/src="data:image\/png;base64,[A-Za-z0-9+/]*=*"/, "")).not.toMatch(
        /data:/,
      );
    if (src.length > 2_000_000) expect(html).toBe('<p><span class="note">A</span></p>');
  });

  it("keeps large pictures in the body, up to two megabytes", () => {
    const base64 = Buffer.alloc(2_000_000, 7).toString("base64");
    expect(body(`<img src="data:image/png;base64,${base64}">`)).toContain(base64);
  });

  it.each([
    '<a href="data:image/png;base64,R0lGODlh">x</a>',
    '<video poster="data:image/png;base64,R0lGODlh" src="data:image/png;base64,R0lGODlh"></video>',
    '<audio src="data:image/png;base64,R0lGODlh"></audio>',
    '<picture><source srcset="data:image/png;base64,R0lGODlh"></picture>',
    '<iframe src="data:image/png;base64,R0lGODlh"></iframe>',
    '<object data="data:image/png;base64,R0lGODlh"></object>',
    '<blockquote cite="data:image/png;base64,R0lGODlh">x</blockquote>',
    '<img src="data:image/png;base64,R0lGODlh" width="1" height="1">',
  ])("keeps data as the source of a picture only: %s", (html) => {
    expect(body(html)).not.toContain("data:");
  });

  it.each(["https://media.example.org/view/images/secret", `${api}/images/held.jpg`])(
    "names no picture that is not shown in a drawing or a formula: %s",
    (url) => {
      for (const html of [
        `<svg><path d="M0 0h9"/><text>see ${url}</text></svg>`,
        `<math><mtext>see ${url}</mtext><mi>x</mi></math>`,
        `<math><mtext>see <b>${url}</b></mtext></math>`,
        `<iframe srcdoc="<p>see ${url}</p>"></iframe>`,
      ]) {
        const safe = decodeURIComponent(body(html));
        expect(safe).toContain("[not in this archive]");
        expect(safe).not.toMatch(/secret|held/);
      }
    },
  );

  it.each(["secret", "held", "lost"])("replaces the image %s by a note", (id) => {
    expect(body(`<p><img src="${api}/images/${id}.jpg" alt="Alt"></p>`)).toBe(
      '<p><span class="note">Picture not in this archive: Alt</span></p>',
    );
  });

  it("makes a remote image a link, without loading it", () => {
    expect(body('<p><img src="https://cdn.example/x.jpg" alt="A cat"></p>')).toBe(
      `<p><a href="https://cdn.example/x.jpg" ${rel}>A cat</a></p>`,
    );
    expect(
      body('<p><a href="https://x.example/"><img src="https://cdn.example/x.jpg"></a></p>'),
    ).toBe(
      `<p><a href="https://x.example/" ${rel}><span class="note">Picture at cdn.example</span></a></p>`,
    );
  });

  it.each([
    '<img src="https://t.example/p.gif" width="1" height="1">',
    '<img src="https://t.example/p.gif" style="display: none">',
    '<img src="https://t.example/p.gif" hidden>',
    '<img src="https://t.example/p.gif" style="border:0;width:1px">',
    '<iframe src="https://t.example/p" width="0" height="0"></iframe>',
  ])("drops a picture that only counts its readers: %s", (html) => {
    expect(body(html)).toBe("");
  });

  const own = `${api}/images/pic.jpg`;
  it.each([
    `<amp-img src="${own}" width="600" height="400"></amp-img>`,
    `<img src="data:image/gif;base64,R0" data-any-name="${own}">`,
    `<img width="0" height="0" src="${own}">`,
    `<img src="/_next/image?url=${encodeURIComponent(own)}&amp;w=640&amp;q=75" width="0" height="0">`,
    `<div data-bg="${own}"></div>`,
    `<div data-background-image='${own}'></div>`,
    `<section data-anything="/api/v1/images/pic.jpg"></section>`,
    `<div style="background: #fff url('${own}') no-repeat"></div>`,
    `<div style="background-image:url(&quot;${own}&quot;)"></div>`,
    `<table><tr><td background="${own}"></td></tr></table>`,
    `<a href="https://x.example/" style="background-image:url(${own})"></a>`,
    `<iframe srcdoc="<img src='${own}'>"></iframe>`,
    `<iframe srcdoc="&lt;img src=&quot;${own}&quot;&gt;"></iframe>`,
    `<svg viewBox="0 0 9 9"><image href="${own}" width="9" height="9"/></svg>`,
    `<svg viewBox="0 0 9 9"><image xlink:href="${own}"/></svg>`,
    `<video poster="${own}"></video>`,
  ])("shows an own image wherever an attribute names it, and its page's key knows: %s", (html) => {
    const safe = body(html);
    expect(safe.match(/<img[^>]*api\/v1\/images\/by\/width/g)).toHaveLength(1);
    expect(lookupKey(urlsOf(html), lookup).images).toEqual(["pic"]);
  });

  it("shows an image once that a background repeats", () => {
    for (const attribute of [`style="background:url(${own})"`, `data-src="${own}?width=640"`]) {
      const html = `<div ${attribute}><p>a</p></div><div ${attribute}><img src="${own}"></div>`;
      expect(body(html).match(/<img/g)).toHaveLength(1);
      expect(body(html.replace(/<img[^>]*>/, "")).match(/<img/g)).toHaveLength(1);
    }
  });

  const away = "https://cdn.example/x.jpg";
  it.each([
    `<div style="background-image:url(${away})"></div>`,
    `<div data-bg="${away}"></div>`,
    `<amp-img src="${away}"></amp-img>`,
    `<img src="${away}" width="0" height="0" style="width:100%;height:auto">`,
    `<svg><image href="${away}"/></svg>`,
    `<iframe srcdoc="<p><img src='${away}'></p>"></iframe>`,
  ])("links to a picture elsewhere that only a script or a style shows: %s", (html) => {
    expect(body(html)).toContain(`<a href="${away}" ${rel}>Picture at cdn.example</a>`);
  });

  it.each([
    [`<iframe data-src="https://v.example/e"></iframe>`, 'href="https://v.example/e"'],
    [
      `<iframe src="about:blank" data-lazy-src="https://v.example/e"></iframe>`,
      'href="https://v.example/e"',
    ],
    [
      `<iframe src="data:text/html,x" data-litespeed-src="https://v.example/e"></iframe>`,
      'href="https://v.example/e"',
    ],
    [`<amp-iframe src="https://v.example/e"></amp-iframe>`, 'href="https://v.example/e"'],
    [
      `<amp-youtube data-videoid="dQw4w9WgXcQ"></amp-youtube>`,
      'href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"',
    ],
    [`<iframe srcdoc="<p>Said so.</p><script>x()</script>"></iframe>`, "<p>Said so.</p>"],
    [
      `<iframe srcdoc="<script>x()</script>" title="A chart"></iframe>`,
      '<span class="note">A chart</span>',
    ],
    [`<iframe></iframe>`, '<span class="note">Embedded content</span>'],
    [`<canvas></canvas>`, '<span class="note">Embedded content</span>'],
    [`<video data-src="https://v.example/1.mp4"></video>`, 'href="https://v.example/1.mp4"'],
    [
      `<video><source data-src="https://v.example/1.mp4"></video>`,
      'href="https://v.example/1.mp4"',
    ],
    [`<video data-src="${api}/videos/clip/download"></video>`, "<video src="],
    [`<amp-video src="${api}/videos/clip/download"></amp-video>`, "<video src="],
    [`<video src="blob:https://v.example/1"></video>`, '<span class="note">Video</span>'],
    [`<audio><p>Ask us.</p></audio>`, "<p>Ask us.</p>"],
    [
      `<svg aria-label="A plan"><script>x()</script><path d="M0 0h9"/></svg>`,
      '<span class="note">Picture: A plan</span>',
    ],
    [`<svg><foreignObject><p>x</p></foreignObject></svg>`, '<span class="note">Picture</span>'],
  ])("leaves nothing out in silence: %s", (html, expected) => {
    expect(body(`<div>${html}</div>`)).toContain(expected);
  });

  it.each([
    ["<svg></svg>", ""],
    ['<svg style="display:none"><symbol id="a"><path d="M0 0h9"/></symbol></svg>', ""],
    ['<svg width="0" height="0"><path d="M0 0h9"/></svg>', ""],
  ])("shows nothing for a drawing of nothing: %s", (html, expected) => {
    expect(body(html)).toBe(expected);
  });

  const red =
    '<svg viewBox="0 0 20 10"><defs><linearGradient id="g"><stop stop-color="red"/></linearGradient></defs>';
  it.each([
    `${red}<rect width="20" height="10" fill="red"/></svg>`,
    `${red}<rect width="20" height="10" style="fill: #f00 !important"/></svg>`,
    `${red}<g transform="scale(2)"><path fill="url(#g)" d="M0 0h10v5H0z"/></g></svg>`,
    `${red}<title>a & b</title><circle cx="10" cy="5" r="20" fill="red"/></svg>`,
  ])("keeps a drawing as a picture that is decoded as one: %s", async (svg) => {
    const encoded = svg
      .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
      .replace("a & b", "a &amp; b");
    for (const html of [
      svg,
      `<img src='data:image/svg+xml;utf8,${encodeURIComponent(encoded)}'>`,
      `<img src="data:image/svg+xml;base64,${btoa(encoded)}">`,
    ]) {
      const [, drawn = ""] =
        /^<figure><img src="data:image\/svg\+xml,([^"]+)"/.exec(body(html)) ?? [];
      const { data, info } = await sharp(Buffer.from(decodeURIComponent(drawn)))
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      expect([info.width, info.height]).toEqual([20, 10]);
      const middle = (5 * info.width + 10) * info.channels;
      expect([...data.subarray(middle, middle + 3)]).toEqual([255, 0, 0]);
    }
    expect(body(svg)).toContain('width="20" height="10"');
  });

  // MathML Core, "Fractions", "Subscripts and superscripts": markup alone tells 1/2 from 12.
  const half = '<math display="block"><mfrac linethickness="0"><mn>1</mn><mn>2</mn></mfrac></math>';
  it.each([
    [half, half],
    [
      `<math><msup><mi>x</mi><mn>2</mn></msup></math>`,
      `<math><msup><mi>x</mi><mn>2</mn></msup></math>`,
    ],
    [
      `<math><semantics><mrow><mo stretchy="false" onclick="x">(</mo></mrow><annotation encoding="application/x-tex">(</annotation></semantics></math>`,
      `<math><semantics><mrow><mo stretchy="false">(</mo></mrow></semantics></math>`,
    ],
    [`<math><mtext>if <b>not</b></mtext></math>`, `<math><mtext>if not</mtext></math>`],
    [
      `<span class="katex"><span class="katex-mathml">${half}</span><span class="katex-html" aria-hidden="true">12</span></span>`,
      half,
    ],
    [
      `<mjx-container><svg><path d="M0 0h9"/></svg><mjx-assistive-mml>${half}</mjx-assistive-mml></mjx-container>`,
      half,
    ],
  ])("keeps a formula as one: %s", (html, expected) => {
    expect(body(`<p>${html} x</p>`)).toBe(`<p>${expected} x</p>`);
  });

  it("makes a paragraph that is only a picture a figure", () => {
    expect(body(`<p> <img src="${api}/images/pic.jpg"> </p>`)).toMatch(
      /^<figure class="wide">.*<\/figure>$/s,
    );
  });
});

describe("renderBody, what readers see", () => {
  // HTML, "Hidden elements"; CSS Display, "none"; CSS 2.2, "visibility".
  it.each([
    "<p hidden>secret</p>",
    '<p hidden="hidden">secret</p>',
    '<div style="display:none">secret</div>',
    '<div style="color:red; DISPLAY : none !important">secret</div>',
    '<span style="visibility: hidden">secret</span>',
    "<dialog><p>secret</p></dialog>",
    `<p style="display:none"><a href="/secret">secret</a></p>`,
    '<figure hidden><img src="https://secret.example/x.png" width="600"></figure>',
    '<iframe srcdoc="<p hidden>secret</p><p>a</p>"></iframe>',
    '<svg style="display:none"><text>secret</text></svg>',
  ])("leaves hidden what is hidden, also from the search: %s", (html) => {
    expect(body(`<p>seen</p>${html}`)).not.toContain("secret");
    expect(textOfBody(`<p>seen</p>${html}`)).toMatch(/^ ?seen (?:(?!secret).)*$/);
  });

  it.each([
    ['<p hidden="until-found">seen</p>', "<p>seen</p>"],
    ["<dialog open><p>seen</p></dialog>", "<p>seen</p>"],
    ["<details><summary>s</summary>seen</details>", "<details><summary>s</summary>seen</details>"],
    ['<p style="display:block;overflow:hidden">seen</p>', "<p>seen</p>"],
    ['<code>style="display:none"</code>', '<code>style="display:none"</code>'],
    ["<s>a</s><strike>b</strike><del>c</del>", "<s>a</s><s>b</s><del>c</del>"],
    ['<span style="text-decoration:line-through">a</span>', "<span><s>a</s></span>"],
    ['<p style="text-decoration-line: underline line-through">a</p>', "<p><s>a</s></p>"],
    [
      '<ul style="text-decoration: red line-through"><li>a</li><li>b</li></ul>',
      "<ul><li><s>a</s></li><li><s>b</s></li></ul>",
    ],
    ['<p style="text-decoration:underline">a</p>', "<p>a</p>"],
    // As GitHub writes task lists (GFM, 5.3).
    [
      '<ul><li><input type="checkbox" checked="" disabled=""> done</li><li><input type=checkbox disabled> open</li></ul>',
      "<ul><li>\u2611  done</li><li>\u2610  open</li></ul>",
    ],
    ['<label><input type="CHECKBOX" checked>done</label>', "\u2611 done"],
    ['<input type="radio" checked>this', "\u25c9 this"],
    ['<input type="text" value="x"><input type="hidden" value="y">z', "z"],
  ])("shows the rest as it is seen: %s", (html, expected) => {
    expect(body(`<div>${html}</div>`)).toBe(`<div>${expected}</div>`);
  });

  const own = `${api}/images/pic.jpg`;
  const away = "https://cdn.example/pic";
  const blank = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
  it.each([
    `<img src="${blank}" data-src="${own}"><noscript><img src="${own}?width=640"></noscript>`,
    `<picture><source data-srcset="${own} 1x"><img src="${blank}"></picture>\n<noscript><img src="${own}"></noscript>`,
    `<div><span><img src="${own}"></span></div><noscript><img src="${own}"></noscript>`,
    `<noscript><img src="${own}"></noscript><img data-src="${own}">`,
    `<div><img data-src="${own}"></div><div><noscript><img src="${own}"></noscript></div>`,
    `<img src="/_next/image?url=${encodeURIComponent(own)}&amp;w=9"><noscript><img src="${own}"></noscript>`,
    `<img src="${blank}" class="lazy"><noscript><img src="${own}"></noscript>`,
    `<span><img src="${blank}"></span><noscript><img src="${own}"></noscript>`,
    `<img><noscript><p><img src="${own}"></p></noscript>`,
    `<img src="https://x.example/img/lazy_placeholder.gif"><noscript><img src="${own}"></noscript>`,
  ])("shows a lazy picture once, at its own address: %s", (html) => {
    const safe = body(`<div>${html}</div>`);
    expect(safe.match(/<img/g)).toHaveLength(1);
    expect(safe).toContain("/pic.jpg");
    expect(safe).not.toMatch(/data:|cdn|x\.example/);
  });

  it.each([
    [
      `<img src="${blank}" data-src="${away}-20x20.jpg"><noscript><img src="${away}-600x400.jpg"></noscript>`,
      1,
    ],
    [`<img data-src="${away}.jpg?w=20"><noscript><img src="${away}.jpg?w=600"></noscript>`, 1],
    [`<iframe data-src="${away}"></iframe><noscript><iframe src="${away}"></iframe></noscript>`, 1],
    [
      `<video data-src="${away}.mp4"></video><noscript><video src="${away}.mp4"></video></noscript>`,
      1,
    ],
    [`<iframe></iframe><noscript><iframe src="${away}"></iframe></noscript>`, 1],
    [`<img src="${away}.jpg"><noscript><img src="${away}-b.jpg"></noscript>`, 2],
  ])("links once to what stands there twice: %s", (html, times) => {
    const links = body(`<div>${html}</div>`).match(/<a /g);
    expect(links).toHaveLength(times);
  });

  it("keeps a lazy picture beside the pixel that counts its readers", () => {
    const pixel =
      '<noscript><img height="1" width="1" style="display:none" src="https://t.example/p"></noscript>';
    expect(body(`<img src="${blank}" data-src="${own}">${pixel}`)).toContain("/pic.jpg");
    expect(body(`<img alt="A" src="${blank}">${pixel}`)).toContain("data:image/gif");
  });
});

describe("renderBody, the rest", () => {
  it("makes embedded pages links", () => {
    expect(body('<iframe src="https://www.video.example/embed/1" title="A film"></iframe>')).toBe(
      `<span class="embed"><a href="https://www.video.example/embed/1" ${rel}>A film</a> <small>Embedded content at video.example</small></span>`,
    );
    expect(body('<object data="https://x.example/y.swf"><p>fallback</p></object>')).toContain(
      "fallback",
    );
  });

  it.each([
    [
      "https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0",
      "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
      "Video at YouTube",
    ],
    [
      "//www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
      "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
      "Video at YouTube",
    ],
    ["https://player.vimeo.com/video/76979871?h=8", "https://vimeo.com/76979871", "Video at Vimeo"],
    [
      "https://open.spotify.com/embed/track/11dF",
      "https://open.spotify.com/track/11dF",
      "Sound at Spotify",
    ],
    [
      "https://youtube.com.evil.example/embed/dQw4w9WgXcQ",
      "https://youtube.com.evil.example/embed/dQw4w9WgXcQ",
      "Embedded content at youtube.com.evil.example",
    ],
    [
      "https://www.maps.example/x",
      "https://www.maps.example/x",
      "Embedded content at maps.example",
    ],
  ])("links from an embedded %s to the page that readers share", (src, href, label) => {
    const expected = `<span class="embed"><a href="${href}" ${rel}>${label}</a></span>`;
    expect(body(`<iframe src="${src}"></iframe>`)).toBe(expected);
    expect(body(`<iframe src="about:blank" data-src="${src}"></iframe>`)).toBe(expected);
  });

  it.each([
    [
      '<blockquote class="instagram-media" data-instgrm-permalink="https://www.instagram.com/p/1/"></blockquote>',
      "https://www.instagram.com/p/1/",
      "Post at Instagram",
    ],
    [
      '<blockquote class="tiktok-embed" cite="https://www.tiktok.com/@a/video/1"><p>x</p></blockquote>',
      "https://www.tiktok.com/@a/video/1",
      "Video at TikTok",
    ],
    [
      '<div class="fb-post" data-href="https://www.facebook.com/a/posts/1"></div>',
      "https://www.facebook.com/a/posts/1",
      "Post at Facebook",
    ],
  ])("links to a post that a script would fetch: %s", (html, href, label) => {
    const safe = body(`${html}<script async src="https://s.example/embed.js"></script>`);
    expect(safe).toContain(`<span class="embed"><a href="${href}" ${rel}>${label}</a></span>`);
    expect(safe).not.toMatch(/script|s\.example/);
  });

  it("keeps a post's own text and link, and adds none to it", () => {
    const post = '<p>Said.</p><a href="https://twitter.com/a/status/1">May 2, 2024</a>';
    for (const cite of ["", ' cite="https://twitter.com/a/status/1"']) {
      const safe = body(`<blockquote class="twitter-tweet"${cite}>${post}</blockquote>`);
      expect(safe).toMatch(
        /^<blockquote[^>]*><p>Said\.<\/p><a [^>]*>May 2, 2024<\/a><\/blockquote>$/,
      );
    }
    expect(body('<blockquote cite="https://b.example/">A quote</blockquote>')).not.toContain("<a");
    expect(body('<div class="fb-post" data-href="javascript:alert(1)">x</div>')).toBe(
      "<div>x</div>",
    );
  });

  it("plays videos of the archive, and links to others", () => {
    expect(body(`<video autoplay><source src="${api}/videos/clip/download"></video>`)).toMatch(
      /^<video src="\.\.\/media\/[^"]+\.mp4" controls preload="none"><\/video>$/,
    );
    expect(body('<video src="https://v.example/1.mp4"></video>')).toContain(
      'href="https://v.example/1.mp4"',
    );
  });

  const levels = (html: string) =>
    elements(fromParse5(parseFragment(html)))
      .filter(({ tagName }) => /^h\d$/.test(tagName))
      .map(({ tagName }) => tagName)
      .join(" ");
  const headingsOf = (written: string): string =>
    [...written].map((level) => `<h${level}>x</h${level}>`).join("");

  it.each([
    ["12", "h2 h3"],
    ["35", "h2 h3"],
    ["16", "h2 h3"],
    ["2443", "h2 h3 h3 h3"],
    ["2424", "h2 h3 h2 h3"],
    ["432", "h2 h2 h2"],
    ["123456", "h2 h3 h4 h5 h6 h6"],
  ])("skips no level of headings: %s", (written, expected) => {
    expect(levels(body(headingsOf(written)))).toBe(expected);
  });

  it("never skips a level of headings, whatever an author wrote", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 30 }), (written) => {
        let before = 1;
        for (const tag of levels(body(headingsOf(written.join(""))))
          .split(" ")
          .filter(Boolean)) {
          const level = Number(tag[1]);
          expect(level).toBeGreaterThan(1);
          expect(level).toBeLessThanOrEqual(before + 1);
          before = level;
        }
      }),
    );
  });

  const idsOf = (html: string) =>
    elements(fromParse5(parseFragment(html)))
      .filter(({ tagName }) => /^h\d$/.test(tagName))
      .map(({ properties }) => properties.id);

  it.each([
    ["<h2>What’s <em>new</em> in 2024?</h2>", ["whats-new-in-2024"]],
    ["<h2>A</h2><h2>A</h2><h2>a</h2>", ["a", "a-1", "a-2"]],
    ["<h2>A</h2><h2>B</h2><h2>A</h2>", ["a", "b", "a-1"]],
    ["<h2>A</h2><p id='a'>x</p>", ["a-1"]],
    ["<h2 id='own'>A</h2><h2>Own</h2>", ["own", "own-1"]],
    ["<h2 id='user-content-own'>A</h2>", ["own"]],
    ["<h2>Personas {#personas}</h2>", ["personas"]],
    ["<h2>الجزء الأول</h2><h2>第一章</h2>", ["الجزء-الأول", "第一章"]],
    ["<h2>?!</h2><h2> </h2>", ["section", undefined]],
  ])("names headings as others do: %s", (html, expected) => {
    expect(idsOf(body(html))).toEqual(expected.map((id) => id && `user-content-${id}`));
  });

  it.each([
    ["#whats-new", "#user-content-whats-new"],
    ["#user-content-whats-new", "#user-content-whats-new"],
    ["#What-s-New", "#user-content-whats-new"],
    ["/view/articles/one#whats_new", "#user-content-whats-new"],
    ["/view/articles/two#user-content-part", "../articles/two.html#user-content-part"],
  ])("leads the author's link %s to the heading", (href, expected) => {
    const html = body(`<p><a href="${href}">to</a></p><h2>What’s new</h2>`);
    expect(html).toContain(`<a href="${expected}"`);
  });

  it("lets wide tables scroll", () => {
    const html = body('<table><tr><td headers="h1 h2">x<table><tr><td>y</table></td></tr></table>');
    expect(html).toMatch(
      /^<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>/,
    );
    expect(html.match(/class="scroll"/g)).toHaveLength(1);
    expect(html).toContain('headers="user-content-h1 user-content-h2"');
  });

  it("survives thousands of nested elements", () => {
    const deep = "<div>".repeat(50_000);
    const html = body(`${deep}deep <b>text</b> &amp; more<script>bad()</script>`);
    expect(html).toBe("<p>deep text &#x26; more</p>");
    expect(body(`${deep}${api}/images/secret`)).toBe("<p>[not in this archive]</p>");
    expect(body(`${deep}https://media.example.org/view/articles/two`)).toContain(
      '<a href="../articles/two.html">',
    );
    expect(body(deep)).toBe("");
  });

  it("is empty for an empty body", () => {
    expect(body("")).toBe("");
    expect(body(" \n ")).toBe("");
  });
});

describe("renderBody, plain text", () => {
  const outside = (url: string): string => `<a href="${url}" ${rel}>${url}</a>`;

  it.each([
    ["One line", "<p>One line</p>"],
    ["One\ntwo\n\n\nthree", "<p>One<br>two</p><p>three</p>"],
    ["\r\nOne\r\n \t\r\ntwo\r\n", "<p>One</p><p>two</p>"],
    ["1 < 2 &amp; 3 <4", "<p>1 &#x3C; 2 &#x26; 3 &#x3C;4</p>"],
    ["&lt;b&gt;", "<p>&#x3C;b></p>"],
    ["See https://x.example/a.", `<p>See ${outside("https://x.example/a")}.</p>`],
    ["(http://x.example/a_(b)), so", `<p>(${outside("http://x.example/a_(b)")}), so</p>`],
    [
      "a https://x.example/?a=1&amp;b=2\nhttps://x.example/b!",
      `<p>a ${outside("https://x.example/?a=1&#x26;b=2")}<br>${outside("https://x.example/b")}!</p>`,
    ],
    [
      "https://media.example.org/view/articles/two",
      '<p><a href="../articles/two.html">https://media.example.org/view/articles/two</a></p>',
    ],
    ["javascript:alert(1) //x.example", "<p>javascript:alert(1) //x.example</p>"],
    ["http:// https://", "<p>http:// https://</p>"],
  ])("%j → %s", (text, expected) => {
    expect(body(text)).toBe(expected);
  });

  it("is what has no tag at all", () => {
    expect(body("a\n\nb<br>c")).toBe("a\n\nb<br>c");
  });

  it("has its URLs in the key of the page", () => {
    expect([...urlsOf("a https://x.example/?a=1&amp;b=2, (https://y.example)")]).toEqual([
      "https://x.example/?a=1&b=2",
      "https://y.example",
    ]);
  });

  it("takes no longer for brackets without end", () => {
    expect(body(`https://x.example/${")".repeat(200_000)}`)).toMatch(/^<p><a/);
  });
});

/** The rest of a drawing is shapes: nothing that runs, moves, loads or links. SVG 2, "Secure static mode". */
function expectDrawn(encoded: string): void {
  const svg = decodeURIComponent(encoded);
  for (const { tagName, properties } of elements(fromParse5(parseFragment(svg)))) {
    expect(tagName).toMatch(
      /^(?:svg|g|defs|title|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|stop|clipPath|(?:linear|radial)Gradient)$/,
    );
    for (const [name, value] of Object.entries(properties)) {
      expect(name).not.toMatch(/^on|href|src|style|begin|attributeName/i);
      expect(String(value)).not.toMatch(/javascript:|url\((?!#)|data:/i);
    }
  }
}

function nodesBelow(tree: Nodes, tagName: string): RootContent[] {
  return elements(tree).flatMap((one) => (one.tagName === tagName ? one.children : []));
}

const svgPayloads = [
  '<svg onload="alert(1)"><rect width="9" height="9"/></svg>',
  '<svg><set attributeName="href" to="javascript:alert(1)"/><rect width="9" height="9"/></svg>',
  '<svg><a href="javascript:alert(1)"><rect width="9" height="9" onclick="x()"/></a></svg>',
  '<svg><rect width="9" height="9" fill="url(https://evil.example/x#a)"/></svg>',
  '<svg><rect width="9" height="9" style="fill:url(//evil.example/x);background:url(x)"/></svg>',
  '<svg><image href="https://evil.example/x.png"/><rect width="9" height="9"/></svg>',
  '<svg><use href="https://evil.example/x.svg#a"/><rect width="9" height="9"/></svg>',
  '<svg><style>@import url(https://evil.example/)</style><rect width="9" height="9"/></svg>',
  '<svg><filter id="f"><feImage href="//evil.example/x"/></filter><rect filter="url(#f)"/></svg>',
  "<svg><text>&lt;script&gt;alert(1)&lt;/script&gt;</text><desc><img src=x onerror=alert(1)></desc></svg>",
  '<svg><title>"&gt;&lt;/title&gt;<script>alert(1)</script></title><path d="M0 0"/></svg>',
  '<svg xml:base="javascript:" xmlns:x="y"><rect x:href="javascript:alert(1)" width="9"/></svg>',
];
const hostile = [
  ...payloads,
  ...svgPayloads,
  ...svgPayloads.map((svg) => `<img src="data:image/svg+xml,${encodeURIComponent(svg)}">`),
  ...svgPayloads.map((svg) => `<img src="data:image/svg+xml;base64,${btoa(svg)}">`),
  ...svgPayloads.map((svg) => `<iframe srcdoc="${svg.replaceAll('"', "&quot;")}"></iframe>`),
  '<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"></iframe>',
  '<div style="background:url(javascript:alert(1))" data-bg="javascript:alert(1)">x</div>',
  '<td background="javascript:alert(1)"><amp-img src="javascript:alert(1)" onerror="x()"></amp-img>',
  "<math><mi><p>x</p><style><img src=x onerror=alert(1)></style></mi><mtext><img src=x onerror=y></mtext></math>",
  '<math><maction actiontype="statusline" href="javascript:alert(1)"><mn>1</mn></maction></math>',
  '<math><annotation-xml encoding="application/xhtml+xml"><iframe srcdoc="x"></iframe></annotation-xml></math>',
];

describe("renderBody, hostile", () => {
  const allowed = /^(?:https?:|mailto:|tel:|\.\.\/|#)/;

  it.each(hostile)("leaves nothing that runs or loads: %s", (payload) => {
    for (const html of [payload, `<p>${payload}</p>`, `<table><tr><td>${payload}</table>`]) {
      const safe = body(html);
      const tree = fromParse5(parseFragment(safe));
      for (const { tagName, properties } of elements(tree)) {
        expect(tagName).not.toMatch(
          /^(?:script|style|iframe|object|embed|frame|svg|mglyph|malignmark|annotation|annotation-xml|form|input|button|base|meta|link|template|noscript|textarea|select|title|xmp|plaintext|applet|marquee)$/,
        );
        for (const [name, value] of Object.entries(properties)) {
          expect(name).not.toMatch(
            /^on|^(?:style|srcDoc|action|formAction|background|ping|data|target)/,
          );
          if (name === "href" || name === "cite") expect(String(value)).toMatch(allowed);
          if (name === "src" || name === "poster" || name === "srcSet") {
            const [, svg] = /^data:image\/svg\+xml,([\w%.!~*'()-]+)$/.exec(String(value)) ?? [];
            if (svg !== undefined && name === "src" && tagName === "img") expectDrawn(svg);
            else expect(String(value)).toMatch(/^\.\.\/(?:api|media)\//);
          }
        }
        if (tagName !== "math") continue;
        for (const inside of elements({ type: "root", children: nodesBelow(tree, "math") })) {
          expect(inside.tagName).toMatch(
            /^(?:merror|mfrac|mi|mmultiscripts|mn|mo|mover|mpadded|mphantom|mprescripts|mroot|mrow|ms|mspace|msqrt|mstyle|msub|msubsup|msup|mtable|mtd|mtext|mtr|munder|munderover|none|semantics)$/,
          );
          expect(Object.keys(inside.properties).join()).not.toMatch(/href|src|style|action|on/i);
        }
      }
      // Read once more by a parser it says the same: nothing changes its meaning on the way.
      const again = body(safe.replaceAll("user-content-", ""));
      expect(elements(fromParse5(parseFragment(again))).map((one) => one.tagName)).not.toContain(
        "script",
      );
    }
  });

  it("has at least 60 payloads", () => {
    expect(payloads.length).toBeGreaterThanOrEqual(60);
  });
});

describe("possibleUrls", () => {
  it.each([
    ['<a href="x/y">', ["x/y"]],
    ["<a href = 'x y'>", ["x y"]],
    ["<a href=x>", ["x"]],
    ['<img srcset="a 1x, b 2x">', ["a", "b"]],
    ['<img srcset="a,b 1x,c, d 2x">', ["a,b", "c", "d"]],
    ['<a href="a&amp;b&#47;c">', ["a&b/c"]],
    ['text = "not <a href="real">', ["real"]],
    ['<a href="a\nb">', ["a\nb"]],
  ])("misses none in %j", (html, expected) => {
    const found = possibleUrls(html);
    for (const url of expected) expect(found).toContain(url);
  });

  it("gives a key that changes with the answers only", () => {
    const answers = (html: string) => lookupKey(possibleUrls(html), lookup);
    const key = (html: string): string => answers(html).key;
    const image = `<img src="${api}/images/pic.jpg">`;
    expect(key(image)).toBe(key(image));
    expect(key(image)).not.toBe(key(image.replace("pic", "held")));
    expect(answers(image).images).toEqual(["pic"]);
  });
});
