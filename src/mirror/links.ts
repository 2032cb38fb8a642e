import type { Catalogue } from "../catalogue/catalogue.ts";
import { rewriteJson } from "../lib/jsontext.ts";
import { withoutEnd } from "../lib/words.ts";
import { relativePath } from "../routes/site.ts";
import type { Preparation } from "../store/prepared.ts";
import { destinationFinder, type LinkConfig, type PagesOf } from "./destinations.ts";

/** Rewrites the URLs in raw JSON so that they lead into the archive. */
export type Linker = ReturnType<typeof createLinker>;

/** Replaces an unavailable URL in HTML: it is valid and never requested. */
const nowhere = "about:invalid";

const entity = "&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]|#0*6[02]|#x0*3[ce]);";
// No URL is longer, and millions of characters would overflow the stack of the expression.
const urlChars = `(?:(?!${entity}|,(?:https?:)?//)[^\\s"'<>()\\\\]){1,65536}`;
// An absolute URL anywhere in a text, or one from the host's root where an attribute, url() or a further candidate of
// a srcset begins.
const urlInText = new RegExp(
  `(?:https?:)?//${urlChars}|(?<=["'(=]|&quot;|&#0*3[49];|\\d[wx],\\s{0,8})/(?!/)${urlChars}`,
  "gi",
);
const wholeUrl = /^(?:https?:\/)?\/[^\s"<>\\]+$/i;
const ampersand = /&(?:amp|#0*38|#x0*26);/gi;

/** Paths of files are relative to the publish root, and written as URLs write them. */
export function createLinker(catalogue: Catalogue, config: LinkConfig, pagesOf: PagesOf) {
  const { site, mirror } = config;
  const destinationOf = destinationFinder(catalogue, config, pagesOf);

  function hrefOf(to: string, from: string): string {
    if (site.url !== null) return `${site.url}/${to}`;
    if (mirror.links === "api") return `/${to}`;
    const href = relativePath(from, to);
    // A server that answers at another address can tell such a link from other texts.
    return href.startsWith("../") ? href : `./${href}`;
  }

  return {
    hrefOf,
    /** The JSON with its URLs as the file at `from` writes them, and the nil UUID for ids that must not be named. */
    rewrite(raw: string, from: string): string {
      const rewritten = rewriteJson(raw, (text) =>
        rewriteText(text, (url) => {
          const place = destinationOf(url);
          if (place === undefined) return url;
          return place === null ? null : hrefOf(place, from);
        }),
      );
      return catalogue.withoutIds(rewritten);
    },
    /**
     * Where URLs in JSON lead, as one text: if two builds say the same of an object, and hide the same ids, they rewrite
     * it alike in any file.
     */
    destinations(urls: readonly string[]): string {
      const found = urls.map((url) => destinationOf(url));
      return found.map((place) => (place === null ? "unavailable" : (place ?? ""))).join("\n");
    },
  };
}

/** The URLs in JSON, each once. */
export function urlsOf(json: string): string[] {
  const urls = new Set<string>();
  rewriteJson(json, (text) => {
    rewriteText(text, (url) => {
      urls.add(url);
      return url;
    });
    return text;
  });
  return [...urls];
}

export const urlsOfRecord: Preparation<string[]> = { name: "urls", of: ({ raw }) => urlsOf(raw) };

/** `print` gets each URL and says what to write for it; null stands for a URL that must not be named. */
function rewriteText(text: string, print: (url: string) => string | null): string | null {
  if (!text.includes("/")) return text;
  if (wholeUrl.test(text)) return print(text);
  return text.replace(urlInText, (match) => {
    const written = withoutEnd(match, ".,:;!?]}");
    const url = written.replace(ampersand, "&");
    const printed = print(url);
    if (printed === url) return match;
    const html = printed !== null && url !== written ? printed.replaceAll("&", "&amp;") : printed;
    return (html ?? nowhere) + match.slice(written.length);
  });
}
