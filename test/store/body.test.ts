import { describe, expect, it } from "vitest";
import { locateBody, unknownMembers } from "../../src/store/body.ts";

const html = "<p>Text</p>";
const long = "One sentence of a text. ".repeat(10);
const blocks = [{ type: "paragraph", data: { text: long } }];

describe("locateBody", () => {
  it.each<[string, unknown, string, string[]]>([
    ["by its usual name", { body: "plain" }, "auto", ["body"]],
    ["by another usual name", { id: "1", content_html: html }, "auto", ["content_html"]],
    ["body before content", { content: html, body: html }, "auto", ["body"]],
    ["content before a body of white space", { body: " \n", content: html }, "auto", ["content"]],
    ["content before a body of null", { body: null, content: html }, "auto", ["content"]],
    ["content before a body of blocks", { body: blocks, content: html }, "auto", ["content"]],
    ["in an object", { content: { raw: "x", rendered: html } }, "auto", ["content", "rendered"]],
    [
      "in an object's object",
      { content: { rendered: { html } } },
      "auto",
      ["content", "rendered", "html"],
    ],
    [
      "not in an object's empty text",
      { content: { html: "", rendered: html } },
      "auto",
      ["content", "rendered"],
    ],
    [
      "not in an object of blocks, but beside them",
      { content: { blocks, html } },
      "auto",
      ["content", "html"],
    ],
    ["in an object of any name", { article: { body: "Short" } }, "auto", ["article", "body"]],
    [
      "in an object of any name before other markup",
      { teaser: `${html}${html}`, data: { article: { body: html } } },
      "auto",
      ["data", "article", "body"],
    ],
    ["not as the text of anything", { author: { text: "Bio" }, story: html }, "auto", ["story"]],
    ["by its markup", { title: "t", story: html }, "auto", ["story"]],
    ["by its markup, before an empty body", { body: "", story: html }, "auto", ["story"]],
    ["by its markup in an object", { main: { story: html } }, "auto", ["main", "story"]],
    [
      "as the longest text with markup",
      { teaser: html, story: `${html}${html}`, note: long },
      "auto",
      ["story"],
    ],
    ["not as the synopsis", { synopsis: `${html}${html}`, story: html }, "auto", ["story"]],
    ["by its length", { note: "short", story: long }, "auto", ["story"]],
    ["by its length in any script", { story: "文".repeat(200) }, "auto", ["story"]],
    ["by the name that is set", { body: html, story: "x" }, "story", ["story"]],
    ["by the name of an object that is set", { story: { html } }, "story", ["story", "html"]],
    [
      "by the path that is set",
      { content: { rendered: html, html: "no" } },
      "content.rendered",
      ["content", "rendered"],
    ],
    ["by a long path", { a: { b: { c: { d: html } } } }, "a.b.c.d", ["a", "b", "c", "d"]],
    ["by a path to an object", { a: { b: { html } } }, "a.b", ["a", "b", "html"]],
    ["by a name with a dot in it", { "a.b": html, a: { b: "no" } }, "a.b", ["a.b"]],
  ])("finds it %s", (_, object, bodyField, path) => {
    expect(locateBody(object, bodyField)).toEqual({ path, state: "found" });
  });

  it.each<[string, unknown, string, string[] | null]>([
    ["an empty text", { body: "" }, "auto", ["body"]],
    ["null", { body: null }, "auto", null],
    ["an empty text rather than null", { body: null, content: "" }, "auto", ["content"]],
    ["an empty text beside a long one without markup", { body: "", note: long }, "auto", ["body"]],
    ["an empty list", { body: [] }, "auto", null],
    ["an object with an empty text", { content: { html: "" } }, "auto", ["content", "html"]],
    ["the empty text that is set", { story: "" }, "story", ["story"]],
    ["the null that is set", { a: { b: null } }, "a.b", null],
  ])("takes %s for an empty body", (_, object, bodyField, path) => {
    expect(locateBody(object, bodyField)).toEqual({ path, state: "empty" });
  });

  it.each<[string, unknown, string]>([
    ["there is none of its names", { id: "1", title: long, synopsis: html }, "auto"],
    ["it is made of blocks", { body: blocks }, "auto"],
    ["it is made of blocks, with a teaser", { body: blocks, teaser: html, note: long }, "auto"],
    ["it is an object of blocks", { content: { version: 2, blocks } }, "auto"],
    ["it is made of texts", { body: ["One.", "Two."] }, "auto"],
    ["a text has no blocks and is short", { note: "<b>bold</b>" }, "auto"],
    ["a long text is one word", { share: `https://a.test/?${"x".repeat(300)}` }, "auto"],
    ["a long text is JSON", { data: JSON.stringify({ blocks, time: 1 }) }, "auto"],
    ["markup stands in documented members", { category: { title: html } }, "auto"],
    ["the set name is missing", { body: html }, "story"],
    ["the set path is missing", { content: { html } }, "content.rendered"],
    ["the set path leads through a text", { content: html }, "content.length"],
    ["the set name is an object's own", { body: html }, "constructor"],
    ["the set name holds blocks", { story: blocks, body: html }, "story"],
    ["the article is a text", "text", "auto"],
    ["the article is null", null, "auto"],
  ])("misses it where %s", (_, object, bodyField) => {
    expect(locateBody(object, bodyField)).toEqual({ path: null, state: "missing" });
  });
});

describe("unknownMembers", () => {
  it("names what the API document does not, with its form", () => {
    const article = { id: "1", links: {}, lead: "x", blocks: [], author: {}, tags: [] };
    expect(unknownMembers(article)).toEqual(["lead", "blocks (array)", "author (object)"]);
    expect(unknownMembers("text")).toEqual([]);
  });
});
