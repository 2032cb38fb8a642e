import fc from "fast-check";

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, "0");
const named: Record<string, string> = {
  "|": "&vert;",
  "/": "&sol;",
  "+": "&plus;",
  "=": "&equals;",
  ".": "&period;",
  _: "&lowbar;",
};

/** One character in many ways. */
const ways: ((character: string) => string)[] = [
  (c) => c,
  (c) => `%${hex(c)}`,
  (c) => `%${hex(c).toUpperCase()}`,
  (c) => `%25${hex(c)}`,
  (c) => `&#${c.charCodeAt(0)};`,
  (c) => `&#x${hex(c)};`,
  (c) => `&#X00${hex(c).toUpperCase()};`,
  (c) => `&amp;#${c.charCodeAt(0)};`,
  (c) => `&#38;#x${hex(c)};`,
  (c) => `&#37;${hex(c)}`,
  (c) => `%26%23${c.charCodeAt(0)}%3B`,
  (c) => `\\u00${hex(c)}`,
  (c) => `\\\\u00${hex(c)}`,
  (c) => `\\x${hex(c)}`,
  (c) => `\\u{${hex(c)}}`,
  (c) => named[c] ?? c,
  (c) => (/\w/.test(c) ? c : `\\${c}`),
];

/** A token in the ways in which an origin can repeat it; in those of `seed`, each character in one of its own. */
export function spelled(token: string, seed = 1): Record<string, string> {
  const each = (write: (character: string, at: number) => string): string =>
    [...token].map(write).join("");
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const inHex = Buffer.from(token).toString("hex");
  const json = token.replaceAll("/", "\\/");
  return {
    plainly: token,
    "percent-encoded": encodeURIComponent(token),
    "percent-encoded twice": encodeURIComponent(encodeURIComponent(token)),
    "percent-encoded partly": each((c, at) => (at % 3 === 0 ? `%${hex(c)}` : c)),
    "in decimal entities": each((c) => `&#${c.charCodeAt(0)};`),
    "in hexadecimal entities": each((c) => `&#x${hex(c)};`),
    "with named entities": each((c) => named[c] ?? c),
    "in entities of entities": each((c) => `&amp;#${c.charCodeAt(0)};`),
    "in escapes": each((c) => `\\u00${hex(c)}`),
    "in escapes of escapes": each((c) => `\\\\u00${hex(c)}`),
    "as JSON has it": json,
    "each character another way": each((c, at) =>
      (ways[(seed + at * (1 + (seed % 7))) % ways.length] as (c: string) => string)(c),
    ),
    "in base64": base64(token),
    "in base64, as credentials": base64(`user:${token}`),
    "in base64, as a header": base64(`Bearer ${token}`),
    "in base64, between others": base64(`ab${token}c`),
    "in base64 with JSON around it": base64(`{"t":"${json}"}`),
    "in base64 of a URL": base64(`?t=${encodeURIComponent(token)}&`),
    "in base64url": Buffer.from(`Bearer ${token}`).toString("base64url"),
    "in base64, percent-encoded": encodeURIComponent(base64(`x${token}`)),
    "in hexadecimal": inHex,
    "in hexadecimal, upper case": inHex.toUpperCase(),
  };
}

/** Tokens as services hand them out: of the characters of RFC 6750, and with the `|` of some. */
export const tokens: fc.Arbitrary<string> = fc
  .string({
    unit: fc.constantFrom(..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-._~+/=|"),
    minLength: 8,
    maxLength: 40,
  })
  .filter((token) => /[A-Za-z].*[G-Zg-z]/.test(token) && !/^(.)\1+$/.test(token));
