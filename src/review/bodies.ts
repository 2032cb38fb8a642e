import { idOfHash } from "../routes/site.ts";
import { nameHeadings } from "../site/body-headings.ts";
import type { Lookup } from "../site/links.ts";
import { asText, elementsOfHtml } from "../site/nodes.ts";

/**
 * The links of a body that lead nowhere, as their author wrote them: `missing` ones to items and files of the origin that
 * are not in the archive, `dangling` ones to places that are not in the text. Only a body that may have some is read.
 *
 * @param texts those of its attributes, and maybe others
 * @param isOrigins whether a URL means an item or a file of the origin
 */
export function brokenLinks(
  texts: readonly string[],
  html: () => string,
  { lookup, isOrigins }: { lookup: Lookup; isOrigins: (url: string) => boolean },
) {
  const isMissing = (url: string): boolean => {
    const target = lookup(url);
    return target.type === "unavailable" || (target.type === "outside" && isOrigins(target.url));
  };
  const placeOf = (url: string): string | undefined => {
    const target = lookup(url);
    const id = target.type === "fragment" ? idOfHash(target.hash) : "";
    return /^(?:top)?$/i.test(id) ? undefined : id;
  };
  const suspects = texts.filter((url) => isMissing(url) || placeOf(url) !== undefined);
  if (suspects.length === 0) return { missing: [], dangling: [] };
  const { urls, places } = readLinks(html());
  const written = suspects.filter((url) => urls.has(url));
  return {
    missing: written.filter(isMissing),
    dangling: written.filter((url) => !places.has(placeOf(url) ?? "")).filter(placeOf),
  };
}

function readLinks(html: string) {
  const urls = new Set<string>();
  const places = new Set([""]);
  const elements = elementsOfHtml(html);
  for (const { id } of nameHeadings(elements, "")) places.add(id);
  for (const { properties } of elements) {
    const { href, src, poster, data, id, name } = properties;
    for (const url of [href, src, poster, data]) if (url) urls.add(asText(url));
    for (const place of [id, name]) if (place) places.add(asText(place));
  }
  return { urls, places };
}
