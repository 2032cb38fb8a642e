import type { Element } from "hast";
import { append } from "../lib/many.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { asText, decodeAttribute } from "./nodes.ts";

/**
 * URLs of a `srcset`, as browsers read it: a URL ends at white space, and may hold commas.
 *
 * srcsetUrls("a,b.jpg 1x, c.jpg") → ["a,b.jpg", "c.jpg"]
 */
export function srcsetUrls(text: string): string[] {
  // Behind a URL, its descriptors go up to a comma, unless one ended the URL.
  const candidates = text.matchAll(/([^\s,](?:\S*[^\s,])?)(?:,|\s[^,]*|$)/g);
  return Array.from(candidates, ([, url = ""]) => url);
}

const name = /(?<![\w:-])([\w:-]{1,64})[ \t\r\n\f]*=/g;
const known = /(?:href|src|src-?set|poster|data|data-original|cite|permalink)$/i;
const value = /[ \t\r\n\f]*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*))/y;
/** Documents in attributes: `srcdoc`. */
const maxNested = 3;

/** Every text in a body that could be a URL in an attribute, and maybe more: no parser, only the attributes' names. */
export function possibleUrls(html: string, nested = 0): Set<string> {
  const urls = new Set<string>();
  // A value without quotes ends at white space, so that no other begins in it.
  let unquotedEnd = 0;
  for (const match of html.matchAll(name)) {
    const start = match.index + match[0].length;
    if (start < unquotedEnd && !/["']/.test(html[start] ?? "")) continue;
    value.lastIndex = start;
    const found = value.exec(html);
    const written = found?.[1] ?? found?.[2] ?? found?.[3];
    if (written === undefined) continue;
    if (written === found?.[3]) unquotedEnd = value.lastIndex;
    const text = decodeAttribute(written);
    if (known.test(match[1] ?? "")) {
      urls.add(text);
      if (/[\s,]/.test(text)) for (const part of srcsetUrls(text)) urls.add(part);
    }
    for (const url of addressesIn(match[1] ?? "", text).urls) urls.add(url);
    if (nested === maxNested || !text.includes("<")) continue;
    for (const url of possibleUrls(text, nested + 1)) urls.add(url);
  }
  return urls;
}

/** Attributes whose name says that a picture stands at their address, whatever script would load it. */
const ofPicture = /src|original|lazy|poster|bg|background|^data-?(?:image|img|url)/i;
/** The same of an element that is no picture by itself. */
export const ofBackground = /bg|background/i;
/** How an address of a file begins where nothing else tells that it is one. */
const addressLike = /^\s*(?:(?:https?:)?\/\/|\.{0,2}\/)\S+\s*$/i;
/** Addresses of other things than what an element shows, and texts. */
const others = /^(?:href|cite|action|id|name|alt|title|srcdoc|class(?:name)?)$/i;
/** CSS Values, "URLs": one without quotes has no bracket. No two of its parts can take the same characters. */
const cssUrl = /url\(\s{0,99}(?:"([^"]*)"|'([^']*)'|([^()"'\s]*))\s{0,99}\)/gi;

/**
 * The addresses in an attribute of any name: in its style, its candidates, or the whole of it; also those that another
 * one holds, as in `/_next/image?url=`. `sure` tells whether the name says that they are pictures.
 */
function addressesIn(name: string, value: string, ofSure = ofPicture) {
  if (others.test(name)) return { urls: [], sure: false };
  const isStyle = name === "style";
  const sure = isStyle || ofSure.test(name);
  const urls = isStyle
    ? Array.from(value.matchAll(cssUrl), ([, a, b, c]) => a ?? b ?? c ?? "")
    : /(?:src-?|bg)set$/i.test(name)
      ? srcsetUrls(value)
      : [value];
  const asked = urls.filter((url) => sure || addressLike.test(url));
  return { urls: asked.flatMap((url) => [...innerUrls(url), url]), sure };
}

function innerUrls(url: string): string[] {
  const written = /[?&](?:url|src)=((?:https?%3A|%2F)[^&#]*)/i.exec(url)?.[1];
  return written === undefined ? [] : [orUndefined(() => decodeURIComponent(written)) ?? written];
}

/** Where the pictures may be that elements show; `sure` ones stand in attributes for pictures. */
export function pictureUrls(carriers: readonly Element[], ofSure = ofPicture) {
  const found = { sure: [] as string[], maybe: [] as string[] };
  for (const { properties } of carriers) {
    for (const [name, value] of Object.entries(properties)) {
      if (typeof value !== "string" && !Array.isArray(value)) continue;
      const { urls, sure } = addressesIn(name, asText(value), ofSure);
      append(found[sure ? "sure" : "maybe"], urls);
    }
  }
  return found;
}
