import { rewriteJson } from "./jsontext.ts";

/** What stands where a token stood. */
export const tokenMark = "[token]";

/** Whether anything looks for a token: one that could be a word or a number is found everywhere. */
export function isFindable(token: string): boolean {
  return token.length >= (/^[\d.eE+-]*$/.test(token) ? 16 : 8);
}

/**
 * Finds a token in texts of any kind, each time in proportion to the text.
 *
 * createTokenFinder("secret/token").without("?t=secret%2Ftoken") → "?t=[token]"
 */
export function createTokenFinder(token: string, mark = tokenMark) {
  const forms = isFindable(token) ? spellingsOf(token) : [];
  const words = forms.map(
    (form) => form.split(/[^0-9A-Za-z]+/).sort((a, b) => b.length - a.length)[0] ?? "",
  );
  const anchors = [...new Set(words)];
  return {
    /** Whether a text may name the token, also with signs escaped by JSON; right where it says no. */
    mayName: (text: string): boolean => anchors.some((anchor) => text.includes(anchor)),
    /** Where a text names the token; -1 where it does not. */
    indexIn(text: string): number {
      const form = forms.find((one) => text.includes(one));
      return form === undefined ? -1 : text.indexOf(form);
    },
    /** The text with the mark in the place of the token. */
    without: (text: string): string =>
      forms.reduce((left, form) => left.replaceAll(form, mark), text),
  };
}

export type TokenFinder = ReturnType<typeof createTokenFinder>;

/**
 * Makes the function that cuts a token out of a text in JSON, wherever the text repeats it, members' names
 * included: what is stored is published. The text stays valid JSON, its strings stay strings; one that does not
 * repeat the token stays as it is, byte by byte. What is no JSON is cut as a plain text.
 *
 * tokenCutter("secret-token")('{"you":"secret\\u002dtoken"}') → '{"you":"[token]"}'
 */
export function tokenCutter(token: string): (text: string) => string {
  const finder = createTokenFinder(token);
  return (text) => {
    if (!finder.mayName(text)) return text;
    if (!isJson(text)) return finder.without(text);
    let found = false;
    const cut = (value: string): string => {
      const clean = finder.without(value);
      if (clean !== value) found = true;
      return clean;
    };
    const clean = rewriteJson(text, cut, { replaceName: cut });
    return found ? clean : text;
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * How a token stands in a text: itself, in a URL, in JSON, in HTML, in hexadecimal, and within something in base64,
 * such as an Authorization header.
 */
function spellingsOf(token: string): string[] {
  const bytes = Buffer.from(token);
  // Of base64 what the token alone decides, for the three places where it can begin in a group of bytes.
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return text.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const inUrl = encodeURIComponent(token);
  const escaped = (write: (code: number) => string): string =>
    token.replace(/[^\w.-]/g, (sign) => write(sign.charCodeAt(0)));
  const json = JSON.stringify(token).slice(1, -1);
  const html = token.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const forms = [
    ...[token, json, json.replaceAll("/", "\\/")],
    ...[inUrl, inUrl.replace(/%../g, (code) => code.toLowerCase()), encodeURIComponent(inUrl)],
    ...[html, html.replaceAll('"', "&quot;").replaceAll("'", "&#39;")],
    escaped((code) => `&#${code};`),
    escaped((code) => `&#x${code.toString(16)};`),
    escaped((code) => `&#x${code.toString(16).toUpperCase()};`),
    ...[bytes.toString("hex"), bytes.toString("hex").toUpperCase()],
    ...base64.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]),
  ];
  return [...new Set(forms)];
}
