// Where the origin's text names a URL of its own, the mirror's must name a place of the mirror. All else is the same.

const character = "[^\\s\"'<>()\\\\]";
const entity = "&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]|#0*6[02]|#x0*3[ce]);";
// An absolute URL anywhere in a text, or one from the host's root where an attribute or url() begins.
const urlInText = new RegExp(
  `(?:https?:)?//(?:(?!${entity})${character})+` +
    `|(?<=["'(=]|&quot;|&#0*3[49];)/(?!/)(?:(?!${entity})${character})+`,
  "gi",
);
const wholeUrl = /^(?:https?:\/)?\/[^\s"<>\\]+$/i;
const endOfSentence = /[.,:;!?\]}]+$/;

/** A text, cut where it names URLs of the server it comes from: between two pieces stands one of them. */
export interface CutText {
  pieces: string[];
  urls: OwnUrl[];
}

interface OwnUrl {
  /** As it is written. */
  text: string;
  /** Whether the archive may keep it, because it is no request to the API. */
  mayStay: boolean;
}

/** Whose URLs are looked for in the origin's answers. */
export interface OriginHosts {
  base: URL;
  /** Whether it is a documented request to the origin. */
  isRequest(url: string): boolean;
  /** A text without the signatures that no archive may keep. */
  clean(text: string): string;
}

export function cutOriginText(written: string, hosts: OriginHosts): CutText {
  return cutText(hosts.clean(written), wholeUrl, urlInText, (url) => ownUrl(url, hosts));
}

/** Cuts a text of a file where it leads into the archive: by a relative URL, from the host's root, or its public address. */
export function cutFileText(text: string, home: string | null): CutText {
  const forms = [...(home === null ? [] : [belowHome(home)]), `\\.{1,2}/${character}*`];
  const whole = new RegExp(`^(?:${forms.join("|")}|/(?!/)${character}*)$`, "i");
  const inHtml = `(?<=["'(=]|&quot;|&#0*3[49];)/(?!/)${character}+`;
  const inText = new RegExp([...forms, inHtml].join("|"), "gi");
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
    const own = ownUrlIn(found.replace(endOfSentence, ""));
    if (own === undefined) continue;
    pieces.push(text.slice(from, index));
    urls.push(own);
    from = index + own.text.length;
  }
  pieces.push(text.slice(from));
  return { pieces, urls };
}

function ownUrl(text: string, { base, isRequest }: OriginHosts): OwnUrl | undefined {
  const decoded = withoutEntities(text);
  if (!URL.canParse(decoded, base.href)) return undefined;
  const url = new URL(decoded, base.href);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  return { text, mayStay: !isRequest(url.href) };
}

/** A URL with its ampersands decoded, which HTML writes as references. */
export const withoutEntities = (url: string) => url.replace(/&(?:amp|#0*38|#x0*26);/gi, "&");

/** The pattern of URLs below these addresses of the mirror: where it was asked, and where it is public. */
export function mirrorUrls(homes: readonly string[]): string {
  return [...homes.map(belowHome), `/(?!/)${character}*`, `\\.{1,2}/${character}*`].join("|");
}

function belowHome(home: string): string {
  return `${escaped(home.replace(/\/+$/, ""))}(?:[/?#]${character}*)?`;
}

/** The mirror's URLs where the cut text has the origin's, as they are written; undefined where the texts differ. */
export function matchText(cut: CutText, text: string, mirror: string): string[] | undefined {
  const { pieces, urls } = cut;
  if (urls.length === 0) return pieces[0] === text ? [] : undefined;
  const parts = pieces.map((piece, at) => {
    const own = urls[at];
    if (own === undefined) return escaped(piece);
    const kept = escaped(own.text);
    const isKept = `${kept}|(?!${kept}${escaped(pieces[at + 1] ?? "")})`;
    return `${escaped(piece)}(?:${own.mayStay ? isKept : ""}(${mirror}))`;
  });
  const found = new RegExp(`^${parts.join("")}$`).exec(text);
  return found?.slice(1).filter((url) => url !== undefined);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
