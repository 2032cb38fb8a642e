/**
 * How a token can stand in a text: the one definition for what is cut out of an origin's answers, for what may be
 * printed, and for the last look before publishing.
 *
 * A text names a token where one of its forms stands there after decoding: the token itself, its bytes in
 * hexadecimal, or something in base64 that has it within, such as an Authorization header. Each character can be
 * encoded on its own, as URLs, HTML, JSON and scripts do it, once or several times: `%2541`, `&amp;#65;`, `\\u0041`.
 */

/** Shorter ones are no secrets but words, and would be found by chance. */
const minLength = 8;
/** Shorter ones could be an id, a time, or a part of a number. */
const minDigits = 16;
/** So often a text is decoded; a doubled `%25`, `&amp;` or backslash counts once. */
const maxDecodings = 8;
/** Fewer characters in a row, and looking for them spares nothing. */
const minAnchor = 6;

/** A part of a text: from its first character to before its end. */
export interface Place {
  start: number;
  end: number;
}

/** Finds a token in texts of any kind. */
export interface TokenFinder {
  /** Whether a text may name the token: quick, and right where it says no. */
  mayName(text: string): boolean;
  /** Whether a text names the token. */
  names(text: string): boolean;
  /** Where a text names the token, in order, none overlapping another. */
  placesIn(text: string): Place[];
  /** The text with a mark in the place of the token. */
  without(text: string, mark?: string): string;
}

/** What stands where a token stood. */
export const tokenMark = "[token]";

/** Whether anything looks for a token: one that could be a word or a number is found everywhere. */
export function isFindable(token: string): boolean {
  const least = /^[\d.eE+-]*$/.test(token) ? minDigits : minLength;
  return token.length >= least;
}

/**
 * createTokenFinder("secret-token").without("?t=secret%2dtoken") → "?t=[token]"
 */
export function createTokenFinder(token: string): TokenFinder {
  const forms = isFindable(token) ? formsOf(token) : [];
  // Where a form stands in a text without its longest word, some character of that word is encoded.
  const anchors = new Set(forms.map(longestWord));
  const always = [...anchors].some((anchor) => anchor.length < minAnchor);
  const quick = new RegExp([...anchors, hidesWords.source].join("|"));

  const mayName = (text: string): boolean => forms.length > 0 && (always || quick.test(text));

  function names(text: string): boolean {
    if (!mayName(text)) return false;
    let left = text;
    for (let count = 0; count <= maxDecodings; count++) {
      if (forms.some((form) => left.includes(form))) return true;
      const next = left.replace(encoded, (...match) => characterOf(match) ?? match[0]);
      if (next === left) break;
      left = next;
    }
    return false;
  }

  function placesIn(text: string): Place[] {
    if (!names(text)) return [];
    const found: Place[] = [];
    let level: Decoded | undefined = { text, origin: undefined };
    for (let count = 0; level !== undefined && count <= maxDecodings; count++) {
      for (const form of forms) found.push(...placesOf(form, level));
      level = decoded(level);
    }
    return joined(found);
  }

  function without(text: string, mark = tokenMark): string {
    let left = text;
    // What stood around a token may name it once more, but not for ever.
    for (let count = 0; count < maxDecodings; count++) {
      const places = placesIn(left);
      if (places.length === 0) break;
      left = replaced(left, places, mark);
    }
    return left;
  }

  return { mayName, names, placesIn, without };
}

/** What is looked for in decoded texts. */
function formsOf(token: string): string[] {
  const forms = new Set([token]);
  // A token with signs that are themselves an encoding looks another way when it is decoded.
  let level: Decoded | undefined = { text: token, origin: undefined };
  for (let count = 0; level !== undefined && count <= maxDecodings; count++) {
    if (isFindable(level.text)) forms.add(level.text);
    level = decoded(level);
  }
  for (const inside of new Set([
    token,
    token.replaceAll("/", "\\/"),
    encodeURIComponent(token),
    encodeURIComponent(token).replace(/%../g, (code) => code.toLowerCase()),
  ])) {
    const hexadecimal = Buffer.from(inside).toString("hex");
    forms.add(hexadecimal).add(hexadecimal.toUpperCase());
    for (const base64 of inBase64(inside)) forms.add(base64);
  }
  return [...forms];
}

/** The characters that only the secret decides, for each of the three places where it can begin in a group of bytes. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const first = Math.ceil((offset * 8) / 6);
    const sure = text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function longestWord(form: string): string {
  const words = form.match(/[0-9A-Za-z]+/g) ?? [];
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

/** Names of the signs of ASCII in HTML. */
const signs: Record<string, string> = {
  excl: "!",
  quot: '"',
  num: "#",
  dollar: "$",
  percnt: "%",
  amp: "&",
  apos: "'",
  lpar: "(",
  rpar: ")",
  ast: "*",
  midast: "*",
  plus: "+",
  comma: ",",
  period: ".",
  sol: "/",
  colon: ":",
  semi: ";",
  lt: "<",
  equals: "=",
  gt: ">",
  quest: "?",
  commat: "@",
  lsqb: "[",
  lbrack: "[",
  bsol: "\\",
  rsqb: "]",
  rbrack: "]",
  hat: "^",
  lowbar: "_",
  underbar: "_",
  grave: "`",
  diacriticalgrave: "`",
  lcub: "{",
  lbrace: "{",
  verbar: "|",
  vert: "|",
  verticalline: "|",
  rcub: "}",
  rbrace: "}",
};

/** One encoded character: groups for a code in hexadecimal, a code in decimal, a name, the character itself. */
const encoded = new RegExp(
  [
    "%(?:25)*(?:u00)?([0-7][0-9a-f])",
    "&(?:amp;)*#0*(?:x0*([0-7]?[0-9a-f])(?![0-9a-f]);?|(\\d{1,3})(?!\\d);?)",
    `&(?:amp;)*(${Object.keys(signs).join("|")});`,
    "\\\\+(?:(?:u00|x)([0-7][0-9a-f])|u\\{0*([0-7]?[0-9a-f])\\}|([^\\w\\s\\\\]))",
    "\\\\(\\\\)+",
  ].join("|"),
  "gi",
);

/** Codes of letters, digits, and the signs with which an encoded character is written. */
const codes = "2[35]|3[0-9bB]|4[1-9a-fA-F]|5[0-9aAcC]|6[1-9a-fA-F]|7[0-9aAbBdD]";
const decimals = "3[57]|4[89]|5[0-79]|6[5-9]|[78]\\d|9[0-27-9]|1[01]\\d|12[0-35]";

/** Whether letters, digits, or the signs of an encoding are themselves encoded, which is rare. */
const hidesWords = new RegExp(
  [
    `%(?:25)*(?:[uU]00)?(?:${codes}|26)`,
    `\\\\(?:(?:[uU]00|[xX])(?:${codes}|26)|[uU]\\{|[%&#;{}])`,
    // An ampersand is encoded everywhere, and seldom before what then is an entity.
    "&(?:[aA][mM][pP];|#0*38;?|#[xX]0*26;?)+(?=[#%\\\\]|[a-zA-Z]{2,16};)",
    `&#0*(?:(?:${decimals})(?!\\d)|[xX]0*(?:${codes})(?![0-9a-fA-F]))`,
    "&(?:percnt|num|semi|bsol|lcub|lbrace|rcub|rbrace);",
  ].join("|"),
);

/** A text decoded any number of times. */
interface Decoded {
  text: string;
  /** Where each of its characters, and its end, stand in the text as it was given; undefined: there. */
  origin: number[] | undefined;
}

/** A text decoded once more; undefined where nothing in it is encoded. */
function decoded({ text, origin }: Decoded): Decoded | undefined {
  const places: number[] = [];
  let out = "";
  let copied = 0;
  const copy = (end: number): void => {
    out += text.slice(copied, end);
    for (let at = copied; at < end; at++) places.push(origin?.[at] ?? at);
  };
  for (const match of text.matchAll(encoded)) {
    const character = characterOf(match);
    if (character === undefined) continue;
    copy(match.index);
    out += character;
    places.push(origin?.[match.index] ?? match.index);
    copied = match.index + match[0].length;
  }
  if (copied === 0) return undefined;
  copy(text.length);
  places.push(origin?.[text.length] ?? text.length);
  return { text: out, origin: places };
}

/** The character that is encoded so; undefined for one beyond ASCII, in which no token is written. */
function characterOf(match: readonly string[]): string | undefined {
  const [, percent, hexadecimal, decimal, name, escaped, braced, itself, backslash] = match;
  const code = percent ?? hexadecimal ?? escaped ?? braced;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) {
    return Number(decimal) < 128 ? String.fromCharCode(Number(decimal)) : undefined;
  }
  return name === undefined ? (itself ?? backslash) : signs[name.toLowerCase()];
}

function placesOf(form: string, { text, origin }: Decoded): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
    const end = at + form.length;
    places.push({ start: origin?.[at] ?? at, end: origin?.[end] ?? end });
  }
  return places;
}

/** Places in order, those that overlap as one. */
function joined(places: readonly Place[]): Place[] {
  const out: Place[] = [];
  for (const { start, end } of [...places].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last === undefined || start >= last.end) out.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return out;
}

function replaced(text: string, places: readonly Place[], mark: string): string {
  let out = "";
  let copied = 0;
  for (const { start, end } of places) {
    out += text.slice(copied, start) + mark;
    copied = end;
  }
  return out + text.slice(copied);
}
