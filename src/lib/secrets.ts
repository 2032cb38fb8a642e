import { hostnameOf, percentDecoded } from "./urls.ts";

/*
 * Signed links are secrets with a life of twelve hours: `expires` and `signature` are cut before anything is hashed,
 * stored or published ("Image binary retrieval" in the API document). Only URLs of the service lose them: in
 * other URLs, and in prose, they are content.
 */

const name = /expires|signature/gi;
/** Strings of JSON, as it writes them, that may hold a signed link: a letter of a name may be an escape. */
export const mayHoldSignatures = /expires|signature|\\u00[2-7]/i;
/** The sign before a parameter as in HTML, as in HTML that was escaped twice, or as in a script. */
const parameter =
  /(?:&(?:amp;){0,3}(?:#38;|#x26;)?|\\u0026)(?:expires|signature)=(?:[\w.~%+/=:@-]*[\w~%+/=@-])?/gi;
const firstSign = /^(?:&(?:amp;){0,3}(?:#38;|#x26;)?|\\u0026)/i;
/** A word is what stands between characters that no URL holds. */
const isInWord = (text: string, at: number): boolean =>
  text.charCodeAt(at) > 0x20 && !"\"'<>`".includes(text[at] as string);
/** Where a URL begins or ends in a word. Two slashes within a path are neither. */
const joint =
  /(?<![\w.~%/\x80-\uffff-])(?:\/\/|\\\/\\\/)|\\(?!\/|u0026)|&(?!amp;|#38;|#x26;)#?\w{2,8};| $/gi;
/** How a URL without a host begins in a text. */
const path = /(?:^|[=(,])\.{0,2}\\?\//;
const expiry = /(?:[?&;]|u0026)expires=\d/i;
const signature = /(?:[?&;]|u0026)signature=[\w.~%+/=-]{8}/i;
/** A URL that is a parameter of another one. */
const encodedUrl = /(?:https?%(?:25){0,3}3A|%(?:25){0,3}2F%(?:25){0,3}2F)[\w.!~*%-]*/gi;
/** A link in a slug is encoded twice in the address of its page. */
const maxDecodings = 4;

/**
 * The text without both parameters in URLs of these hosts (as in `URL.hostname`), and in signed links without a host.
 * Everything else stays, byte for byte. Takes time in proportion to the text.
 *
 * withoutSignatures("https://o.test/1.jpg?expires=9&thumb=1&signature=ab", hosts) → "https://o.test/1.jpg?thumb=1"
 */
export function withoutSignatures(
  text: string,
  hosts: ReadonlySet<string>,
  decodings = maxDecodings,
): string {
  if (text.search(name) === -1) return text;
  const plain = cutWords(text, hosts);
  if (decodings === 0 || !plain.includes("%")) return plain;
  return plain.replace(encodedUrl, (written) => {
    const url = percentDecoded(written);
    const clean = withoutSignatures(url, hosts, decodings - 1);
    return clean === url ? written : encodeURIComponent(clean);
  });
}

/** The same for plain URLs: looks only at words that name a parameter. */
function cutWords(text: string, hosts: ReadonlySet<string>): string {
  let out = "";
  let copied = 0;
  for (const { 0: found, index } of text.matchAll(name)) {
    // In the same word as the one before it.
    if (index < copied) continue;
    let start = index;
    while (start > copied && isInWord(text, start - 1)) start--;
    let end = index + found.length;
    while (end < text.length && isInWord(text, end)) end++;
    const word = text.slice(start, end);
    out += text.slice(copied, start) + cutWord(word, word.length === text.length, hosts);
    copied = end;
  }
  return out + text.slice(copied);
}

function cutWord(word: string, isWhole: boolean, hosts: ReadonlySet<string>): string {
  let out = "";
  let from = 0;
  let [before, opened, ours] = ["", false, false];
  for (const { 0: sign, index } of `${word} `.matchAll(joint)) {
    const part = word.slice(from, index);
    // A URL in a parameter of one of ours: what follows belongs to the outer one.
    const inner = ours && opened && before.includes("?") && /=(?:https?:)?$/i.test(before);
    ours = inner || (opened && part.includes("?") && hosts.has(hostnameOf(part)));
    const isPath = !opened && ((isWhole && part === word) || path.test(part));
    if (inner) out += cutQueries(`?${part}`).slice(1);
    else if (ours || (isPath && expiry.test(part) && signature.test(part))) out += cutQueries(part);
    else out += part;
    out += sign;
    [before, opened, from] = [part, sign.endsWith("/"), index + sign.length];
  }
  return out.slice(0, -1);
}

function cutQueries(text: string): string {
  return text.replace(/\?[^?]*/g, (query) => {
    const left = `&${query.slice(1)}`.replace(parameter, "");
    return left.length === query.length ? query : left.replace(firstSign, "?");
  });
}

/** A URL or a text for people: no signature, no expiry, no credentials. */
export function printable(url: string | URL): string {
  return cutQueries(String(url).replace(/^([a-z]{1,64}:\/\/)[^/@\s]*@/i, "$1"));
}
