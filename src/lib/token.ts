import { rewriteJson } from "./jsontext.ts";
import { orUndefined } from "./or-undefined.ts";

export const tokenMark = "[token]";

/** Shorter tokens and numbers would be found everywhere. */
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
    /** False is certain; true may be wrong. */
    mayName: (text: string): boolean => anchors.some((anchor) => text.includes(anchor)),
    /** -1 where the text does not name the token. */
    indexIn(text: string): number {
      const form = forms.find((one) => text.includes(one));
      return form === undefined ? -1 : text.indexOf(form);
    },
    without: (text: string): string =>
      forms.reduce((left, form) => left.replaceAll(form, mark), text),
  };
}

/**
 * Cuts a token out of JSON text, also out of names of members: what is stored is published. The text stays valid JSON, and
 * the same bytes if it does not name the token. Other text is cut as plain text.
 *
 * tokenCutter("secret-token")('{"you":"secret\\u002dtoken"}') → '{"you":"[token]"}'
 */
export function tokenCutter(token: string): (text: string) => string {
  const finder = createTokenFinder(token);
  return (text) => {
    if (!finder.mayName(text)) return text;
    if (orUndefined(() => JSON.parse(text)) === undefined) return finder.without(text);
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

/** The forms of a token in plain text, URLs, JSON, HTML, hexadecimal and base64, such as an Authorization header. */
function spellingsOf(token: string): string[] {
  const bytes = Buffer.from(token);
  // The part of the base64 that depends on the token alone, for its three possible offsets.
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
