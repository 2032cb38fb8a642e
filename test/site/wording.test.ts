import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/errors.ts";
import { createWording } from "../../src/site/wording.ts";

type Sentences = Record<string, string | Record<string, string>>;

const folder = new URL("../../src/site/words/", import.meta.url);
/** Choices between plural forms as objects. */
const read = (name: string): Sentences =>
  JSON.parse(readFileSync(new URL(name, folder), "utf8"), (_, value) => {
    if (typeof value !== "string" || !value.startsWith("{n, plural, ")) return value;
    const forms = value.slice("{n, plural, ".length, -2).split(/\} (?=\w+ \{)/);
    return Object.fromEntries(forms.map((one) => /^(\w+) \{(.*)$/.exec(one)?.slice(1) ?? []));
  });
const english = read("en.json");
const formsOf = (sentence: Sentences[string] = ""): string[] =>
  typeof sentence === "string" ? [sentence] : Object.values(sentence);
const namesIn = (text = ""): string[] => [...new Set(text.match(/\{\w+\}/g))].sort();
/** Singular and dual forms may say the number as a word. */
const spelled = /^(?:zero|one|two)$/;

describe.each(readdirSync(folder))("the words of %s", (name) => {
  const sentences = read(name);
  const { pluralCategories } = new Intl.PluralRules(name.slice(0, -5)).resolvedOptions();

  it("say the same as the English ones", () => {
    expect(Object.keys(sentences)).toEqual(Object.keys(english));
    for (const [key, sentence] of Object.entries(sentences)) {
      const wanted = namesIn(formsOf(english[key]).at(-1));
      if (typeof sentence === "string") expect(namesIn(sentence), key).toEqual(wanted);
      else {
        for (const [form, text] of Object.entries(sentence)) {
          const names = namesIn(text);
          const isWhole = names.join() === wanted.join();
          expect(isWhole || (spelled.test(form) && names.length === 0), `${key} ${form}`).toBe(
            true,
          );
        }
      }
      for (const text of formsOf(sentence)) expect(text.trim(), key).not.toBe("");
    }
  });

  it("have every plural form of the language", () => {
    for (const [key, sentence] of Object.entries(sentences)) {
      if (typeof sentence === "string") continue;
      expect(Object.keys(sentence).sort(), key).toEqual([...pluralCategories].sort());
    }
  });
});

describe("wording", () => {
  it("chooses the plural form of the language, and writes numbers as it does", () => {
    expect(createWording("en").t("count.articles", { n: 1 })).toBe("1 article");
    expect(createWording("en").t("count.articles", { n: 1234 })).toBe("1,234 articles");
    expect(createWording("de").t("count.galleries", { n: 1234 })).toBe("1.234 Galerien");
    const arabic = createWording("ar-EG");
    expect(arabic.t("count.articles", { n: 2 })).toBe("مقالتان");
    expect(arabic.t("count.articles", { n: 3 })).toBe("٣ مقالات");
    expect(arabic.t("count.articles", { n: 11 })).toBe("١١ مقالة");
  });

  it("is English where there are no words in the language", () => {
    expect(createWording("fr")).toMatchObject({ spoken: "en" });
    expect(createWording("fr").t("skip")).toBe("Skip to content");
    expect(createWording("de-AT")).toMatchObject({ spoken: "de" });
  });

  it("takes the site's own words before others, whatever the region", () => {
    const own = new Map([
      ["words/de-AT.json", '{ "newer": "Neueres", "older": "Älteres" }'],
      ["words/fr.json", '{ "newer": "Plus récent" }'],
    ]);
    const austrian = createWording("de-AT", own);
    expect(["newer", "older", "next"].map((key) => austrian.t(key as "newer"))).toEqual([
      "Neueres",
      "Älteres",
      "Weiter",
    ]);
    const french = createWording("fr-CA", own);
    expect(french.spoken).toBe("fr");
    expect(french.t("newer")).toBe("Plus récent");
    expect(french.t("older")).toBe("Older");
  });

  it("takes plural forms as MessageFormat writes them", () => {
    const own = new Map([
      ["words/en.json", '{ "count.articles": "{n, plural, one {a story} other {{n} stories}}" }'],
    ]);
    const { t } = createWording("en", own);
    expect([1, 2].map((n) => t("count.articles", { n }))).toEqual(["a story", "2 stories"]);
  });

  it("makes words harmless in HTML and keeps the values", () => {
    const own = new Map([["words/en.json", '{ "origin": "<b>{address}</b> & more" }']]);
    expect(createWording("en", own).html("origin", { address: "<a>x</a>" })).toBe(
      "&lt;b&gt;<a>x</a>&lt;/b&gt; &amp; more",
    );
  });

  it("keeps hyphenated words of titles whole, as far as they fit on a phone", () => {
    const { title } = createWording("en");
    expect(title("A 508-compliant <b> &, well -ish")).toBe(
      'A <span class="whole">508-compliant</span> &lt;b&gt; &amp;, well -ish',
    );
    expect(title("Government-wide-Digital-Analytics")).not.toContain("span");
  });

  it("tells scripts the plural forms of small numbers, and the digits", () => {
    expect(createWording("en").plurals.split(" ").slice(0, 3)).toEqual(["other", "one", "other"]);
    expect(createWording("ar-EG").digits).toBe("٠١٢٣٤٥٦٧٨٩");
  });

  it("wants every value", () => {
    expect(() => createWording("en").t("page")).toThrow(/"page" need a value for \{n\}/);
  });

  it.each([
    ["[]", "must be an object of texts"],
    ["{", "is not JSON"],
    ['{ "never": "x" }', '"never" are no words of the website'],
    ['{ "newer": 3 }', '"newer" must be a text'],
    ['{ "count.articles": "{n, plural, one {x}}" }', '"count.articles" must be a text'],
    ['{ "count.articles": "{n, plural, other x}" }', '"count.articles" must be a text'],
    ['{ "count.articles": "{n, plural, other {{m}}}" }', '"count.articles" has no value {m}'],
    ['{ "page": "Page {number}" }', '"page" has no value {number}'],
  ])("does not take %s", (text, message) => {
    const own = new Map([["words/en.json", text]]);
    expect(() => createWording("en", own)).toThrow(ConfigError);
    expect(() => createWording("en", own)).toThrow(`words/en.json: ${message}`);
  });
});
