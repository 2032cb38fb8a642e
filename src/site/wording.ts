import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../errors.ts";
import { xmlText } from "../lib/foreign.ts";
import { isObject } from "../lib/objects.ts";
import type english from "./words/en.json";

export type WordKey = keyof typeof english;

/** A sentence, or one for each plural form of the language, which `n` chooses. `{name}` stands for a value. */
type Sentence = string | Record<string, string>;
/** Such a choice in the files of words, as ICU's MessageFormat writes it: "{n, plural, one {{n} page} other {{n} pages}}". */
const choice = /^\{n, plural,((?: \w+ \{(?:[^{}]|\{\w+\})*\})+)\}$/;
const form = /(\w+) \{((?:[^{}]|\{\w+\})*)\}/g;
type Sentences = Record<WordKey, Sentence>;
/** Numbers are written in the site's language. */
type Values = Record<string, string | number>;

const folder = fileURLToPath(new URL("./words", import.meta.url));

/** Characters of a word that fit on a line of the smallest phone. */
const longestWhole = 20;

const placeholder = /\{(\w+)\}/g;

/**
 * What the website itself says, in the nearest language that there are words for: the site's own words, those of the
 * package, English.
 *
 * @param language of the site, BCP 47
 * @param own contents of the site's files of words, by their paths
 * @throws ConfigError where one of them is not as it should be
 */
export function createWording(language: string, own: ReadonlyMap<string, string> = new Map()) {
  const sets = [
    ...Array.from(builtInWords(), ([file, text]) => setOf(file, text)),
    ...Array.from(own, ([file, text]) => checked(file, text)),
  ];
  const wanted = new Set(["en", baseOf(language)]);
  const chosen = [...wanted].flatMap((tag) => sets.filter((set) => set.language === tag));
  const all = chosen.flatMap((set) => Object.entries(set.sentences));
  const sentences = Object.fromEntries(all) as Sentences;
  const spoken = chosen.at(-1)?.language ?? "en";
  const plurals = new Intl.PluralRules(spoken);
  const numbers = new Intl.NumberFormat(language);

  const sentence = (key: WordKey, { n }: Values): string => {
    const found = sentences[key];
    if (found === undefined) throw new TypeError(`there are no words "${key}"`);
    return typeof found === "string"
      ? found
      : (found[plurals.select(Number(n))] ?? found.other ?? "");
  };
  const filled = (text: string, key: WordKey, values: Values): string =>
    text.replace(placeholder, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new TypeError(`the words "${key}" need a value for {${name}}`);
      return typeof value === "number" ? numbers.format(value) : value;
    });

  return {
    /** Language of the words: the site's, or English where there are none in that. */
    spoken,
    /** Plural forms of 0 to 199, with blanks between. Those of larger numbers are those of their last two digits. */
    plurals: Array.from({ length: 200 }, (_, n) => plurals.select(n)).join(" "),
    /** Those of the language, from 0 to 9. */
    digits: Array.from({ length: 10 }, (_, n) => numbers.format(n)).join(""),
    /** t("count.articles", { n: 2 }) → "2 articles" */
    t: (key: WordKey, values: Values = {}): string => filled(sentence(key, values), key, values),
    /** The same as HTML. The values are HTML already. */
    html: (key: WordKey, values: Values): string =>
      filled(xmlText(sentence(key, values)), key, values),
    escape: xmlText,
    /** A title as HTML in which hyphenated words of usual length are not broken. */
    title: (text: string): string =>
      xmlText(text).replace(/\S{1,4096}/g, (word) =>
        word.length <= longestWhole && /[\p{L}\p{N}][-‐][\p{L}\p{N}]/u.test(word)
          ? `<span class="whole">${word}</span>`
          : word,
      ),
    /** For scripts, which fill in the values themselves. JSON. */
    forScript: (...keys: WordKey[]): string =>
      JSON.stringify(Object.fromEntries(keys.map((key) => [key, sentences[key]]))),
  };
}

/** baseOf("de-AT") → "de" */
export const baseOf = (language: string): string => language.toLowerCase().replace(/-.*/, "");

/** Contents of the package's files of words, by their names. */
export function builtInWords(): Map<string, string> {
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** @param file whose name is the language, such as `words/de.json`; a website has one, so that regions need no files */
function setOf(file: string, text: string) {
  const sentences = JSON.parse(text, (_, value) => {
    const [, forms] = choice.exec(value) ?? [];
    return forms === undefined
      ? value
      : Object.fromEntries(Array.from(forms.matchAll(form), (one) => one.slice(1)));
  });
  return { language: baseOf(basename(file, ".json")), sentences };
}

function checked(file: string, text: string) {
  const fail = (reason: string): never => {
    throw new ConfigError(`${file}: ${reason}`, {
      hint: `${join(folder, "en.json")} has all words`,
    });
  };
  const { language, sentences } = readSet(file, text, fail);
  const english: Sentences = setOf("en.json", builtInWords().get("en.json") ?? "").sentences;
  for (const [key, sentence] of Object.entries(sentences)) {
    if (!Object.hasOwn(english, key)) fail(`"${key}" are no words of the website`);
    const forms = formsOf(sentence);
    if (forms === undefined) fail(`"${key}" must be a text, or "{n, plural, … other {…}}"`);
    const known = namesIn(formsOf(english[key as WordKey]));
    const unknown = namesIn(forms).find((name) => !known.includes(name));
    if (unknown !== undefined) fail(`"${key}" has no value {${unknown}}`);
  }
  return { language, sentences };
}

function readSet(file: string, text: string, fail: (reason: string) => never) {
  try {
    const set = setOf(file, text);
    return isObject(set.sentences) ? set : fail("must be an object of texts");
  } catch (error) {
    if (error instanceof SyntaxError) return fail(`is not JSON: ${error.message}`);
    throw error;
  }
}

/** The texts of a sentence; undefined where it is none. */
function formsOf(sentence: unknown): string[] | undefined {
  const forms = isObject(sentence) ? [sentence.other, ...Object.values(sentence)] : [sentence];
  const isForm = (one: unknown): one is string => typeof one === "string" && !one.includes("{n,");
  return forms.every(isForm) ? forms : undefined;
}

const namesIn = (texts: readonly string[] = []): string[] =>
  texts.flatMap((text) => Array.from(text.matchAll(placeholder), ([, name = ""]) => name));
