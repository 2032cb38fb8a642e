import { type HtmlLimits, ownHtml } from "../lib/html.ts";
import { percentDecoded } from "../lib/urls.ts";
import { idOfHash } from "../routes/site.ts";
import { srcsetUrls } from "../site/body-urls.ts";
import { asText, elementsOfHtml } from "../site/nodes.ts";

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

/** The URLs in attributes, each with the name of its element. */
function* urlsOfHtml(html: string, limits?: HtmlLimits): Generator<[url: string, tagName: string]> {
  // No attribute without a tag, and most texts have none.
  if (!/<[a-z]/i.test(html)) return;
  for (const { tagName, properties } of elementsOfHtml(html, limits)) {
    const { href, src, srcSet, poster, cite, action, data } = properties;
    for (const url of [href, src, poster, cite, action, data]) {
      if (typeof url === "string") yield [url, tagName];
    }
    for (const url of srcsetUrls(asText(srcSet ?? ""))) yield [url, tagName];
  }
}

export function idsOfHtml(html: string): Set<string> {
  const ids = elementsOfHtml(html, ownHtml).flatMap(({ properties: { id, name } }) => [id, name]);
  return new Set(ids.filter((id) => typeof id === "string"));
}

export interface Place {
  /** File with the URLs, relative to the publish root. */
  path: string;
  /** Address of the publish root; null where links are relative. */
  home: string | null;
}

export function* referencesOfPage(html: string, place: Place): Generator<Reference> {
  for (const [url, tagName] of urlsOfHtml(html, ownHtml)) {
    const found = referenceOf(url, place);
    if (found === undefined) continue;
    // An author may have named a place on another page, or a page below the archive's own address.
    const isAuthors = found.fragment !== "" ? !url.startsWith("#") : /^https?:/i.test(url);
    yield { ...found, ours: !(tagName === "a" && isAuthors) };
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
    const ours = meaning === "link";
    const urls = ours ? [value] : Array.from(urlsOfHtml(value), ([url]) => url);
    for (const url of urls) {
      const found = referenceOf(url, place);
      if (found !== undefined && (ours || /^(?:\.\.?\/|https?:)/.test(url)))
        yield { ...found, ours };
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
  const fragment = idOfHash(hash);
  return { url, path: target, query: search.slice(1), fragment, ours: false };
}
