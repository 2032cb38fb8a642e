import { percentDecoded } from "../lib/urls.ts";
import { srcsetUrls } from "../site/links.ts";
import { decodeAttribute } from "../site/nodes.ts";

/** A URL that leads into the archive. */
export interface Reference {
  url: string;
  /** Relative to the publish root. */
  path: string;
  query: string;
  fragment: string;
  /** False where an author may have written it: then it may lead nowhere. */
  ours: boolean;
}

const urlAttribute = /\s(href|src|srcset|poster|cite|action|data)="([^"]*)"/g;
const idAttribute = /\s(?:id|name)="([^"]*)"/g;

function* urlsOfHtml(html: string): Generator<string> {
  for (const [, attribute = "", value = ""] of html.matchAll(urlAttribute)) {
    const text = decodeAttribute(value);
    if (attribute === "srcset") yield* srcsetUrls(text);
    else yield text;
  }
}

export function idsOfHtml(html: string): Set<string> {
  return new Set(Array.from(html.matchAll(idAttribute), ([, id = ""]) => decodeAttribute(id)));
}

export interface Place {
  /** File with the URLs, relative to the publish root. */
  path: string;
  /** Address of the publish root; null where links are relative. */
  home: string | null;
}

export function* referencesOfPage(html: string, place: Place): Generator<Reference> {
  for (const url of urlsOfHtml(html)) {
    const found = referenceOf(url, place);
    // A link to a place on another page may be the author's.
    if (found !== undefined) yield { ...found, ours: found.fragment === "" || url.startsWith("#") };
  }
}

/** The links of an answer, those of its items, and those in its HTML. */
export function* referencesOfAnswer(text: string, place: Place): Generator<Reference> {
  yield* inValue(JSON.parse(text), place, "text");
}

/** A link of the API, the members around such links, or any text. */
type Meaning = "link" | "meta" | "text";

function* inValue(value: unknown, place: Place, meaning: Meaning): Generator<Reference> {
  if (typeof value === "string") {
    const urls = meaning === "link" ? [value] : urlsOfHtml(value);
    for (const url of urls) {
      const found = referenceOf(url, place);
      if (found === undefined || (meaning !== "link" && !/^(?:\.\.?\/|https?:)/.test(url)))
        continue;
      yield { ...found, ours: meaning === "link" || /^https?:/.test(url) };
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      yield* inValue(inner, place, meaningOf(name, meaning));
    }
  }
}

function meaningOf(name: string, around: Meaning): Meaning {
  if (name === "meta") return "meta";
  if (name === "links" || (around === "meta" && name === "path")) return "link";
  // Texts beside the links to single pages.
  return around === "link" && (name === "label" || name === "active") ? "text" : around;
}

/** Undefined for a URL that leads out of the archive. */
function referenceOf(url: string, { path, home }: Place): Reference | undefined {
  const root = new URL(`${home ?? "https://archive.invalid"}/`);
  // The page for missing addresses is shown at any depth, so its links start at the root.
  const from = new URL(path === "404.html" && !url.startsWith("#") ? "" : path, root);
  if (!URL.canParse(url, from.href)) return undefined;
  const { origin, pathname, search, hash } = new URL(url, from);
  if (origin !== root.origin) return undefined;
  const isBelow = pathname.startsWith(root.pathname);
  // Beside the archive, the host may have other things.
  if (!isBelow && /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(url)) return undefined;
  const above = isBelow ? root.pathname : "/";
  const target = percentDecoded(pathname.slice(above.length)).replace(/(?<=^|\/)$/, "index.html");
  const fragment = percentDecoded(hash.slice(1));
  return { url, path: target, query: search.slice(1), fragment, ours: false };
}
