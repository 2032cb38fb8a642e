import type { Catalogue } from "../catalogue/catalogue.ts";
import { keyOf } from "../lib/digest.ts";
import { printable } from "../lib/secrets.ts";
import type { MediaEntry } from "../store/media.ts";
import { entryKey } from "./pictures.ts";

/** An image that is shown, and the file that its URL asks for. */
export interface ImageTarget {
  type: "image";
  entry: MediaEntry;
  path: string;
  page: string | undefined;
}

export type Target =
  | ImageTarget
  /** No URL, or a scheme that is not allowed. */
  | { type: "nothing" }
  /** A place on the same page. */
  | { type: "fragment"; hash: string }
  | { type: "page"; path: string; hash: string }
  | { type: "file"; path: string; name: string; hash: string; entry: MediaEntry }
  /** An image of the origin that may not be shown or is missing, or its page. */
  | { type: "unavailable" }
  /** Absolute, without credentials. */
  | { type: "outside"; url: string };

export type Lookup = (url: string) => Target;

const outward = new Set(["http:", "https:", "mailto:", "tel:"]);

/**
 * Looks up the URLs of one body.
 *
 * @param path page that the body stands on
 * @param view address of the body at the origin; its relative URLs start there
 * @param baseUrl of the API, whose files a body may name from the root of the host
 */
export function createLookup(
  catalogue: Catalogue,
  path: string,
  view: string | null,
  baseUrl: string,
): Lookup {
  const base = view !== null && URL.canParse(view) ? view : baseUrl;
  // If the API has a folder of its own, every URL in it is meant for it.
  const belowRoot = new URL(baseUrl).pathname !== "/";
  return (raw) => {
    const text = raw.trim();
    if (text.startsWith("#")) return { type: "fragment", hash: text };
    const url = text === "" ? undefined : parsed(text, base);
    if (url === undefined || !outward.has(url.protocol)) return { type: "nothing" };
    if (url.protocol === "mailto:" || url.protocol === "tel:") {
      return { type: "outside", url: url.href };
    }
    // A URL that begins at the root of a host, or with the host, is one of the API before it is one of the article.
    const atApi = text.startsWith("/") ? parsed(text, baseUrl) : undefined;
    const target = (atApi && known(atApi)) ?? known(url);
    if (target !== undefined) return target;
    const named = atApi !== undefined && belowRoot && catalogue.routes.resolve(atApi.href);
    const outside = named ? atApi : url;
    [outside.username, outside.password] = ["", ""];
    // The parser of URLs leaves what HTML does not take.
    const { href } = outside;
    const start = href.indexOf("#") + 1 || href.length;
    const whole = href.slice(0, start) + href.slice(start).replaceAll("#", "%23");
    return { type: "outside", url: whole.replace(/[\\{}|^`]/g, encodeURIComponent) };
  };

  /** Undefined for a URL that leads nowhere in the archive. */
  function known(url: URL): Target | undefined {
    const { hash } = url;
    const clean = printable(url);
    const located = catalogue.locate(clean);
    if (located?.type === "page") {
      return located.path === path && hash !== ""
        ? { type: "fragment", hash }
        : { type: "page", path: located.path, hash };
    }
    if (located?.type === "file") return { ...located, hash };
    if (located?.type === "image") {
      const entry = catalogue.media("images", located.id);
      if (entry === undefined) return { type: "unavailable" };
      const page = catalogue.page("images", located.id);
      return { type: "image", entry, path: located.path, page };
    }
    // With any query, it is still the page of that image.
    const bare = clean.replace(/[?#].*$/s, "");
    if (!catalogue.mayName(clean) || !catalogue.mayName(bare)) return { type: "unavailable" };
    const request = catalogue.routes.resolve(clean);
    if (request?.route === "binary" || request?.route === "download")
      return { type: "unavailable" };
    if (request?.route === "single") {
      const page = catalogue.page(request.index, request.id);
      if (page !== undefined) return { type: "page", path: page, hash };
    }
    return undefined;
  }
}

/** What the archive answers to the URLs of a body, as a key, and the images and the paths of pages among the answers. */
export function lookupKey(urls: Iterable<string>, lookup: Lookup) {
  const answers: string[] = [];
  const images = new Set<string>();
  const pages = new Set<string>();
  for (const url of urls) {
    const target = lookup(url);
    if (target.type === "image") {
      images.add(target.entry.id);
      answers.push(`${target.path} ${target.page} ${entryKey(target.entry)}`);
    } else if (target.type === "file") {
      answers.push(target.path, target.name, entryKey(target.entry));
    } else if (target.type === "page") {
      answers.push(target.path);
      pages.add(target.path);
    } else if (target.type === "outside" || target.type === "unavailable") {
      answers.push(target.type);
    }
    // Nothing and fragments follow from the text alone.
  }
  return { key: keyOf(answers), images: [...images], pages: [...pages] };
}

function parsed(text: string, base: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}
