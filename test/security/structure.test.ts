// An author, with a short body of which a parser makes a large or deep tree: letters that nobody closes, boxes in boxes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodesOfHtml } from "../../src/lib/html.ts";
import { brokenLinks } from "../../src/review/bodies.ts";
import { renderBody } from "../../src/site/body.ts";
import { createFormats } from "../../src/site/formats.ts";
import { createLookup } from "../../src/site/links.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";
import { api, createArchive } from "../site/fixture.ts";

const archive = createArchive({ articles: [{ id: "one", slug: "one" }] });
afterAll(() => archive.close());
const { catalogue } = archive;
const formats = createFormats("en", "UTC");
const lookup = createLookup(catalogue, "articles/one.html", null, api);
const render = (html: string) =>
  renderBody(html, { catalogue, formats, lookup, link: (path) => `../${path}` });

const times = (count: number, write: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => write(n)).join("");

/** Each is between 4 and 100 kB. */
const growing: Record<string, string> = {
  "letters that each paragraph opens again": `${times(300, (n) => `<p><b id=${n}>`)}${"<p>x".repeat(300)}`,
  "the same, larger": `${times(1500, (n) => `<p><b id=${n}>`)}${"<p>x".repeat(1500)}`,
  "fonts of other colours": `${times(800, (n) => `<font color=${n}>`)}${"<p>x".repeat(3000)}`,
  "letters in the cells of a table": `<table>${times(400, (n) => `<i id=${n}><td>`)}${"<p>x".repeat(900)}`,
  "one long attribute": `<p><b title="${"a".repeat(20_000)}">${"<p>x".repeat(2000)}`,
  "links that are closed in another order": `${times(400, (n) => `<a href=/${n}><u id=${n}><div>`)}${"</a></u>x".repeat(900)}`,
};
const deep: Record<string, string> = {
  spans: "<span>".repeat(10_000),
  "boxes with text": "<div>x".repeat(10_000),
  lists: "<ul><li>".repeat(5_000),
  tables: "<table><td>".repeat(3_000),
  "forms that end early": "<form><div></form>".repeat(3_000),
  templates: "<template>".repeat(5_000),
  drawings: "<svg><foreignObject>".repeat(2_000),
  formulas: "<math><mi>".repeat(3_000),
};

describe("a body that grows", () => {
  it.each(Object.entries(growing))("becomes no larger than its text allows: %s", (_, html) => {
    const rendered = render(html);
    expect(rendered.html.length).toBeLessThan(100_000 + 10 * html.length);
    // What it says is still there.
    expect(rendered.text).toContain("x");
  });

  it.each(Object.entries(deep))("is shown, however deep: %s", (_, html) => {
    const rendered = render(`<p>before</p>${html}within`);
    expect(rendered.text).toContain("before");
    expect(rendered.html.length).toBeLessThan(20 * html.length);
    expect(() =>
      brokenLinks(["#a"], () => `<a href="#a">${html}`, { lookup, isOrigins: () => true }),
    ).not.toThrow();
  });

  it("keeps its markup up to the depth at which Chromium stops", () => {
    const html = (levels: number) => `${"<div>".repeat(levels)}x`;
    expect(render(html(500))).toMatchObject({
      odd: undefined,
      html: expect.stringMatching("<div>"),
    });
    expect(render(html(600))).toMatchObject({
      odd: expect.stringMatching("plain text"),
      html: "<p>x</p>",
    });
  });

  it("may repeat the letters that an author did not close, as browsers do", () => {
    const html = `<p><b>one${"<p>two".repeat(200)}`;
    expect(render(html).html).toBe(`<p><b>one</b></p>${"<p><b>two</b></p>".repeat(200)}`);
  });

  it("is bounded, whatever its tags are", () => {
    const names = ["p", "b", "i", "a", "font", "div", "table", "td", "li", "form", "h1", "nobr"];
    const tag = fc.tuple(fc.constantFrom(...names), fc.boolean(), fc.nat(40));
    const soup = fc
      .tuple(fc.array(tag, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 300 }))
      .map(([tags, count]) =>
        times(count, (n) =>
          tags.map(([name, end, id]) => (end ? `</${name}>` : `<${name} id=${id + n}>x`)).join(""),
        ),
      );
    fc.assert(
      fc.property(soup, (html) => {
        expect(render(html).html.length).toBeLessThan(100_000 + 20 * html.length);
      }),
      { numRuns: 60 },
    );
  });

  it("meets one parser", () => {
    const src = join(import.meta.dirname, "../../src");
    const paths = readdirSync(src, { recursive: true, encoding: "utf8" });
    const parsing = paths.filter(
      (path) =>
        path.endsWith(".ts") &&
        /from "(?:parse5|hast-util-from|rehype)/.test(readFileSync(join(src, path), "utf8")),
    );
    expect(parsing).toEqual([join("lib", "html.ts")]);
    expect(() => nodesOfHtml(growing["the same, larger"] ?? "")).toThrow(RangeError);
  });
});

describe("a build with such a body", () => {
  let publishing: Publishing;
  beforeEach(() => {
    publishing = startPublishing();
  });
  afterEach(() => publishing.close());
  const flat = { reason: expect.stringMatching("shown as plain text") };

  it("says so in each night, until the author has mended it", async () => {
    publishing.edit("First", growing["the same, larger"]);
    const remark = expect.objectContaining(flat);
    const first = await publishing.build();
    expect(first.remarks).toContainEqual(remark);
    // Nothing is new, and then another page is.
    expect((await publishing.build()).remarks).toContainEqual(remark);
    const other = await publishing.build({ hosts: ["nginx"] });
    expect(other.remarks).toContainEqual(remark);
    publishing.edit("First", "<p>Mended</p>");
    expect((await publishing.build()).remarks).not.toContainEqual(remark);
  });

  it("hears signals before the next page", async () => {
    publishing.edit("First", growing["the same, larger"]);
    const stop = new AbortController();
    let files = 0;
    const progress = { expect() {}, note() {}, end() {} };
    const stage = () => ({
      ...progress,
      advance() {
        if (++files === 5) stop.abort(new Error("stopped"));
      },
    });
    const reporter = { stage, info() {}, warn() {}, problem() {} };
    const build = publishing.build({}, { signal: stop.signal, reporter });
    await expect(build).rejects.toThrow("stopped");
    expect(files).toBe(5);
  });
});
