import { describe, expect, it } from "vitest";
import { renderBody } from "../../src/site/body.ts";
import { createFormats } from "../../src/site/formats.ts";
import { createLookup } from "../../src/site/links.ts";
import { directionOf, languageOf } from "../../src/site/written.ts";
import { api, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

describe("the direction of a text", () => {
  it.each([
    ["12. The harbour", "ltr"],
    ["«المنارة» and more", "rtl"],
    ["— שלום", "rtl"],
    ["灯塔", "ltr"],
    ["12–14", undefined],
  ])("%s: %s", (text, direction) => {
    expect(directionOf(text)).toBe(direction);
  });
});

describe("the language of a text", () => {
  it.each([
    ["守塔人每天夜里都把天气写在一本蓝色的本子里。", "zh"],
    ["灯台の番人は毎晩、天気を青い帳面に書いた。", "ja"],
    ["등대지기는 매일 밤 날씨를 파란 공책에 적었다.", "ko"],
    ["The keeper wrote 天气 into a blue book every night.", ""],
    ["كان الحارس يكتب", ""],
    ["", ""],
  ])("%s: %s", (text, language) => {
    expect(languageOf(text)).toBe(language);
  });
});

describe("a body in two directions", () => {
  function body(html: string) {
    const { catalogue } = archiveOf({ articles: [{ id: "a" }] });
    const lookup = createLookup(catalogue, "articles/a.html", null, api);
    const formats = createFormats("en", "UTC");
    return renderBody(html, { catalogue, formats, lookup, link: (path) => path }).html;
  }

  it("says of the blocks that run the other way", () => {
    expect(body("<p>One</p><p>مرحبا</p><ul><li>Two</li><li>اثنان</li></ul>")).toBe(
      '<p>One</p><p dir="rtl">مرحبا</p><ul><li>Two</li><li dir="rtl">اثنان</li></ul>',
    );
    expect(body("<p>مرحبا</p><blockquote><p>One</p><p>واحد</p></blockquote>")).toBe(
      '<p>مرحبا</p><blockquote dir="ltr"><p>One</p><p dir="rtl">واحد</p></blockquote>',
    );
  });

  it("leaves what the author said, and code", () => {
    const html = '<p>One</p><p dir="auto">مرحبا</p>';
    expect(body(html)).toBe(html);
    expect(body("<p>مرحبا</p><pre>const a = 1;</pre>")).not.toMatch(/<pre[^>]*dir/);
  });
});
