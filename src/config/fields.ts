import { z } from "zod";
import { orUndefined } from "../lib/or-undefined.ts";

/*
 * Every message says what was expected, and begins with that word: what was found instead, where it stands and
 * what is near to it is added when a configuration is read.
 */

export const text = z.string("expected a text").min(1, "expected a text that is not empty");
export const share = z
  .number("expected a share from 0 to 1")
  .min(0, "expected a share from 0 to 1")
  .max(1, "expected a share from 0 to 1");

/** True unless it is set. */
export function flag(meaning: string) {
  return z.boolean("expected true or false").default(true).describe(meaning);
}

/** One of some words, the first one by default. */
export function oneOf<const W extends readonly [string, ...string[]]>(words: W, meaning: string) {
  return z.enum(words).default(words[0]).describe(meaning);
}

/** A whole number of something, both limits included. */
export function whole(unit: string, minimum: number, maximum: number) {
  return z
    .int(`expected a whole number of ${unit}`)
    .min(minimum, `expected ${minimum} or more ${unit}`)
    .max(maximum, `expected at most ${maximum} ${unit}`);
}

export const pixels = whole("pixels", 1, 65_535);
/** Width and height. */
export const size = z.tuple([pixels, pixels], "expected [width, height] in pixels");
export const quality = whole("percent", 1, 100);
export const count = whole("items", 0, Number.MAX_SAFE_INTEGER);

/** Above 0, fractions allowed. */
export function seconds(maximum: number) {
  return z
    .number("expected a number of seconds")
    .gt(0, "expected a number of seconds above 0")
    .max(maximum, `expected at most ${maximum} seconds`);
}

/** An object whose keys are all known. */
export function section<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, "expected an object");
}

export function list<T extends z.ZodType>(item: T) {
  return z.array(item, "expected a list in [ ]");
}

/** Words of a list, each at most once. */
export function choices<const W extends readonly string[]>(words: W, noun: string) {
  return list(z.enum(words)).refine(
    (items) => new Set(items).size === items.length,
    `expected each ${noun} once`,
  );
}

/** An http(s) URL without slashes at its end. */
export const address = z
  .url({ protocol: /^https?$/, error: "expected an http(s) URL" })
  .refine(isPlainAddress, "expected a URL without user, query and fragment")
  .transform((url) => url.replace(/\/+$/, ""));

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return username === "" && password === "" && !/[?#]/.test(text);
}

/** A text in this form. */
export function matching(pattern: RegExp, expected: string) {
  return z.string(expected).regex(pattern, expected);
}

/** A text for which this gives something, and does not throw. */
export function usable(use: (text: string) => unknown, expected: string) {
  return z.string(expected).refine((text) => orUndefined(() => use(text)) !== undefined, expected);
}
