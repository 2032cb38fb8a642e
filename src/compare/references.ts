import { withoutEnd } from "../lib/words.ts";

// Where the origin's text names a URL of its own, the mirror's must name a place of the mirror. All else is the same.

const entity = "&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]|#0*6[02]|#x0*3[ce]);";
const character = `(?:(?!${entity})[^\\s"'<>()\\\\])`;
// No URL is longer, and millions of characters would overflow the stack of the expression.
const [some, any] = [`${character}{1,65536}`, `${character}{0,65536}`];
/** A URL from the host's root where an attribute or url() begins. */
const rooted = `(?<=["'(=]|&quot;|&#0*3[49];)/(?!/)${some}`;
/** Such a URL, or an absolute one anywhere in a text. */
const urlInText = new RegExp(`(?:https?:)?//${some}|${rooted}`, "gi");
const wholeUrl = /^(?:https?:\/)?\/(?!$)[^\s"<>\\]*$/i;

/** A text, cut where it names URLs of the server it comes from: between two pieces stands one of them. */
export interface CutText {
  pieces: string[];
  urls: OwnUrl[];
}

interface OwnUrl {
  text: string;
  /** Whether the archive may keep it, because it is no request to the API. */
  mayStay: boolean;
}

/** Whose URLs are looked for in the origin's answers. */
export interface OriginHosts {
  base: URL;
  /** Whether it is a documented request to the origin. */
  isRequest: (url: string) => boolean;
  /** A text without the signatures that no archive may keep. */
  clean: (text: string) => string;
}

export function cutOriginText(written: string, { base, isRequest, clean }: OriginHosts): CutText {
  return cutText(clean(written), wholeUrl, urlInText, (text) => {
    const decoded = withoutEntities(text);
    if (!URL.canParse(decoded, base.href)) return undefined;
    const url = new URL(decoded, base.href);
    return /^https?:$/.test(url.protocol) ? { text, mayStay: !isRequest(url.href) } : undefined;
  });
}

/** Cuts a text of a file where it leads into the archive: by a relative URL, from the host's root, or its public address. */
export function cutFileText(text: string, home: string | null): CutText {
  const forms = [...(home === null ? [] : [belowHome(home)]), `\\.{1,2}/${any}`];
  const whole = new RegExp(`^(?:${forms.join("|")}|/(?!/)${any})$`, "i");
  const inText = new RegExp([...forms, rooted].join("|"), "gi");
  return cutText(text, whole, inText, (url) => ({ text: url, mayStay: false }));
}

function cutText(
  text: string,
  whole: RegExp,
  inText: RegExp,
  ownUrlIn: (found: string) => OwnUrl | undefined,
): CutText {
  const own = whole.test(text) ? ownUrlIn(text) : undefined;
  if (own !== undefined) return { pieces: ["", ""], urls: [own] };
  const pieces: string[] = [];
  const urls: OwnUrl[] = [];
  let from = 0;
  for (const { 0: found, index } of text.includes("/") ? text.matchAll(inText) : []) {
    const own = ownUrlIn(withoutEnd(found, ".,:;!?]}"));
    if (own === undefined) continue;
    pieces.push(text.slice(from, index));
    urls.push(own);
    from = index + own.text.length;
  }
  pieces.push(text.slice(from));
  return { pieces, urls };
}

/** A URL with its ampersands decoded, which HTML writes as references. */
export const withoutEntities = (url: string) => url.replace(/&(?:amp|#0*38|#x0*26);/gi, "&");

/** The pattern of URLs below these addresses of the mirror: where it was asked, and where it is public. */
export function mirrorUrls(homes: readonly string[]): string {
  return [...homes.map(belowHome), `/(?!/)${any}`, `\\.{1,2}/${any}`].join("|");
}

function belowHome(home: string): string {
  const escaped = withoutEnd(home, "/").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return `${escaped}(?:[/?#]${any})?`;
}

/** The mirror's URLs where the cut text has the origin's, as they are written; undefined where the texts differ. */
export function matchText(cut: CutText, text: string, mirror: string): string[] | undefined {
  const { pieces, urls } = cut;
  if (urls.length === 0) return pieces[0] === text ? [] : undefined;
  const place = new RegExp(mirror, "y");
  const [first = "", ...others] = pieces;
  if (!text.startsWith(first)) return undefined;
  const found: string[] = [];
  let from = first.length;
  for (const [at, piece] of others.entries()) {
    const own = urls[at] as OwnUrl;
    let end = from + own.text.length;
    if (!own.mayStay || !text.startsWith(own.text + piece, from)) {
      place.lastIndex = from;
      const url = place.exec(text)?.[0] ?? "";
      // The signs that end a sentence could belong to a URL.
      end = from + url.length - piece.search(/[^.,:;!?\]}]|$/);
      if (url === "" || !text.startsWith(piece, end)) return undefined;
      found.push(text.slice(from, end));
    }
    from = end + piece.length;
  }
  return from === text.length ? found : undefined;
}
