import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields } from "../../src/changes/fields.ts";
import { plainText } from "../../src/changes/text.ts";
import { diffWords } from "../../src/changes/words.ts";

/** Pieces as `a [-red-]{+blue+} car`. */
function marked(before: string, after: string): string {
  const marks = { "=": ["", ""], "-": ["[-", "-]"], "+": ["{+", "+}"] } as const;
  return diffWords(before, after)
    .map(({ sign, text }) => marks[sign][0] + text + marks[sign][1])
    .join("");
}

describe("the words in which two texts differ", () => {
  it.each([
    ["a red car", "a blue car", "a [-red-]{+blue+} car"],
    ["one two three", "four five three", "[-one two-]{+four five+} three"],
    ["end", "end.", "end{+.+}"],
    ["كان البيت الكبير هنا", "كان البيت الصغير هنا", "كان البيت [-الكبير-]{+الصغير+} هنا"],
    ["你好世界，今天天气很好", "你好世界，明天天气很好", "你好世界，[-今天-]{+明天+}天气很好"],
    ["มนุษย์ทั้งหลายเกิดมา", "มนุษย์ทั้งหลายตายมา", "มนุษย์ทั้งหลาย[-เกิด-]{+ตาย+}มา"],
    ["", "new", "{+new+}"],
  ])("of %j and %j are %s", (before, after, expected) => {
    expect(marked(before, after)).toBe(expected);
  });

  it("stand with a few words around them, however long the texts are", () => {
    const long = (word: string): string =>
      `${"Some words before it. ".repeat(8_000)}\nThe ${word} house.\n${"And behind. ".repeat(8_000)}`;
    const text = marked(long("old"), long("new"));
    expect(text).toContain("The [-old-]{+new+} house.");
    expect(text.length).toBeLessThan(500);
  });

  it("are bounded where everything differs, in any script and without a space", () => {
    const [a, b] = ["中文的文章內容變化測試", "完全不同的東西在這裡"].map((text) =>
      text.repeat(5_000),
    );
    expect(marked(a as string, b as string).length).toBeLessThan(1_000);
    const words = (from: number): string =>
      Array.from({ length: 5_000 }, (_, n) => `w${from + n}`).join(" ");
    expect(marked(words(0), words(9_000)).length).toBeLessThan(1_000);
    const every = (word: string): string =>
      `${"same same same same ".repeat(20)}${word} `.repeat(99);
    expect(marked(every("a"), every("b"))).toContain("… and ");
  });

  it("make the texts again, as long as nothing is left out", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c d", "é", "好"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const pieces = diffWords(a.join(" "), b.join(" "));
        const without = (sign: string): string =>
          pieces
            .filter((piece) => piece.sign !== sign)
            .map((piece) => piece.text)
            .join("");
        const words = (all: string): string => all.replaceAll(" ", "");
        expect(words(without("+"))).toBe(words(a.join("")));
        expect(words(without("-"))).toBe(words(b.join("")));
      }),
    );
  });
});

describe("the text of a value", () => {
  it.each([
    ["<p>One <b>two</b></p><p>three</p>", "One two\nthree"],
    ["<ul><li>a<li>b</ul><script>no()</script>&amp; more", "a\nb\n& more"],
    ["plain,\n\n  with lines < 3", "plain,\nwith lines < 3"],
    [[{ type: "text", html: "<p>in blocks</p>" }, { n: 1 }], "text\nin blocks"],
    [null, ""],
    [`<b title="1 > 0">Deep</b>${"<i>".repeat(9)}er`, "Deeper"],
  ])("%j is %j", (value, expected) => {
    expect(plainText(value)).toBe(expected);
  });

  it("is found however deep or broken its markup is", () => {
    for (const tag of ["<b>", "<script>", "<!--", '<a "', "<", "</p", "&amp;"]) {
      expect(plainText(`start<p>${tag.repeat(50_000)}`)).toMatch(/^start/);
    }
  });
});

describe("the members in which two objects differ", () => {
  const diff = (before: unknown, after: unknown, ignored: string[] = []) =>
    changedFields(JSON.stringify(before), JSON.stringify(after), ignored);

  it.each<[string, unknown, unknown]>([
    ["the order of members", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["the order of tags", { tags: ["a", "b"] }, { tags: ["b", "a"] }],
    [
      "the form of a time",
      { at: "2024-05-02T10:00:00.000000Z" },
      { at: "2024-05-02T12:00:00+0200" },
    ],
    ["how nothing is written", { a: null, b: "", c: [] }, { meta: {} }],
    [
      "members that are ignored",
      { rating: { average: 4 }, n: 1 },
      { rating: { average: 5 }, n: 1 },
    ],
    ["counts that follow from other changes", { articles_count: 3 }, { articles_count: 4 }],
  ])("are not told where they differ in %s", (_, before, after) => {
    expect(diff(before, after, ["rating"])).toEqual([]);
  });

  it("are not told where a number is written otherwise", () => {
    expect(changedFields('{"n":4.50,"m":1e2}', '{"m":100,"n":4.5}', [])).toEqual([]);
  });

  it.each<[unknown, unknown, unknown]>([
    [{ order: 1 }, { order: 2 }, { name: "order", before: 1, after: 2 }],
    [{ slug: "a" }, { slug: "b" }, { name: "slug", before: "a", after: "b" }],
    [{ caption: "Some text" }, {}, { name: "caption", before: "Some text", after: null }],
    [
      { links: { view: "a" } },
      { links: { view: "b" } },
      { name: "links.view", before: "a", after: "b" },
    ],
    [{ tags: ["a", "b"] }, { tags: ["b", "c"] }, { name: "tags", added: ["c"], removed: ["a"] }],
    [
      { body: "<p>A b</p>" },
      { body: "<h1>A b</h1>" },
      { name: "body", note: "only markup or white space" },
    ],
    [{ steps: ["a", "b"] }, { steps: ["b", "a"] }, { name: "steps", note: "in another order" }],
    [
      { body: "<p>A b c</p>" },
      { body: "<p>A <i>d</i> c</p>" },
      {
        name: "body",
        words: [
          { sign: "=", text: "A " },
          { sign: "-", text: "b" },
          { sign: "+", text: "d" },
          { sign: "=", text: " c" },
        ],
      },
    ],
  ])("of %j and %j are %j", (before, after, expected) => {
    expect(diff(before, after)).toEqual([expected]);
  });
});
