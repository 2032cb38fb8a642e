import type { Element, Properties } from "hast";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { percentDecoded } from "../lib/urls.ts";
import { bodyHash } from "../routes/site.ts";
import { imageOfSvg, isScripted, labelOfSvg, side } from "./body-svg.ts";
import { ofBackground, pictureUrls } from "./body-urls.ts";
import { type EmbedKind, embedAt } from "./embeds.ts";
import type { Formats } from "./formats.ts";
import type { ImageTarget, Lookup, Target } from "./links.ts";
import { element, elementsIn, elementsOfHtml, type Nodes, text } from "./nodes.ts";
import { type Link, type PictureWish, pictureOf } from "./pictures.ts";
import { withUrls } from "./plain-text.ts";
import { bodySchema, inlineTypes } from "./schema.ts";
import { columnSizes } from "./sizes.ts";
import type { Picture } from "./views.ts";
import type { WordKey } from "./wording.ts";

export interface BodyContext {
  catalogue: Catalogue;
  formats: Formats;
  lookup: Lookup;
  link: Link;
}

export interface State extends BodyContext {
  insideLink: boolean;
  /** Number of posts around. */
  posts: number;
  /** Number of documents of frames around. */
  frames: number;
  /** Shared by the whole body. */
  found: {
    /** Ids of the images that it shows, by the `src` of their pictures. */
    pictures: Map<string, string>;
    /** What scripts need of them, by the same. */
    scripted: Map<string, Pick<Picture, "thumbHash" | "animation">>;
    /** Paths of files that play in it. */
    played: Set<string>;
    /** Elements that something else stands for, by their names. */
    replaced: Set<string>;
    /** Ids of the images that pictures of the body show. */
    shown: () => Set<string>;
  };
}

/** Pixels of the column of text. */
const column = 640;
/** A smaller picture only counts its readers. */
const trackerPixels = 3;
/** Every reader would load larger pictures with the page. */
const maxInlineBytes = 2_000_000;
const dataUrl = new RegExp(`^data:image/(${inlineTypes}|jpg)(?:;[^,;]*)*;base64,`, "i");

/** A text without the URLs of what may not be shown. */
export function shownText(written: string, { lookup, formats }: State): string {
  return withUrls(written, (url) =>
    lookup(url).type === "unavailable" ? formats.t("body.urlMissing") : url,
  );
}

/** The archive's image becomes a picture, a remote one a link, an unavailable one a note. */
export function rewriteImage(node: Element, carriers: Element[], state: State): Nodes {
  const { properties } = node;
  const alt = typeof properties.alt === "string" ? properties.alt.trim() : "";
  const { sure, maybe } = pictureUrls(carriers);
  const targets = sure.map((url) => state.lookup(url));
  const others = maybe.map((url) => state.lookup(url));
  const image = [...targets, ...others].find((target) => target.type === "image");
  if (image !== undefined) return ownImage(node, image, alt, state);
  if (targets.some((target) => target.type === "unavailable")) {
    return [note(withAlt("body.pictureMissing", alt, state))];
  }
  if (isTracker(properties)) return [];
  const remote = targets.find((target) => target.type === "outside" || target.type === "page");
  if (remote === undefined) return inlineImage(node, alt, state);
  return [linkOut(remote, alt || labelOf("picture", remote, state), state)];
}

/** A picture in a data URL. Its bytes are written anew, so that the URL holds nothing else. */
function inlineImage({ properties }: Element, alt: string, state: State): Nodes {
  const src = typeof properties.src === "string" ? properties.src.trim() : "";
  const svg = svgOfData(src);
  if (svg !== undefined) return drawn(svg, { ...properties, alt }, state);
  const [head = "", kind = ""] = dataUrl.exec(src.slice(0, 200)) ?? [];
  const bytes = Buffer.from(head && percentDecoded(src.slice(head.length)), "base64");
  if (bytes.length === 0 || bytes.length > maxInlineBytes) return alt === "" ? [] : [note(alt)];
  const type = kind.toLowerCase().replace("jpg", "jpeg");
  return [
    element("img", {
      id: properties.id,
      title: properties.title,
      src: `data:image/${type};base64,${bytes.toString("base64")}`,
      alt,
      width: side(properties.width),
      height: side(properties.height),
    }),
  ];
}

/** An SVG in a data URL, which may be base64 or percent-encoded. */
function svgOfData(src: string): Element | undefined {
  const [head] = /^data:image\/svg\+xml[^,]{0,100},/i.exec(src.slice(0, 200)) ?? [];
  if (head === undefined || src.length > maxInlineBytes) return undefined;
  const data = src.slice(head.length);
  const markup = /;base64,$/i.test(head)
    ? Buffer.from(percentDecoded(data), "base64").toString()
    : percentDecoded(data);
  return elementsOfHtml(markup).find(({ tagName }) => tagName === "svg");
}

/** A drawing in the text: its picture, and the pictures in it; a note instead of one that runs. */
export function rewriteSvg(svg: Element, state: State): Nodes {
  if (isTracker(svg.properties)) return [];
  const pictures = elementsIn(svg).flatMap((one) => {
    if (one.tagName !== "image") return [];
    const { href, xLinkHref } = one.properties;
    const img = element("img", { src: href ?? xLinkHref });
    return rewriteImage(img, [img], state);
  });
  return [...drawn(svg, svg.properties, state), ...pictures];
}

function drawn(svg: Element, { id, alt, title, width, height }: Properties, state: State): Nodes {
  const scripted = isScripted(svg);
  const image = scripted ? undefined : imageOfSvg(svg, (said) => shownText(said, state));
  const label = shownText(String(alt ?? "") || labelOfSvg(svg), state);
  if (image !== undefined) {
    const size = { width: side(width) ?? image.width, height: side(height) ?? image.height };
    return [element("img", { id, title, ...image, alt: label, ...size })];
  }
  if (elementsIn(svg).every((one) => showsNothing.has(one.tagName))) {
    return label === "" ? [] : [note(label)];
  }
  // A sign from another file says nothing without a label.
  return replaced(
    "svg",
    label === "" && !scripted ? [] : [note(withAlt("body.picture", label, state))],
    state,
  );
}

/** What an SVG may hold that shows nothing by itself, or is a picture of its own. */
const showsNothing = new Set("title desc defs g style image symbol script".split(" "));

/** Notes for the desk that an element is shown as something else. */
export function replaced(tagName: string, by: Nodes, { found }: State): Nodes {
  found.replaced.add(tagName);
  return by;
}

/** The pictures that an element without content of its own names: in its style, or for a script that would show them. */
export function backgrounds(node: Element, state: State): Nodes {
  if (bodySchema.strip?.includes(node.tagName)) return [];
  const { sure, maybe } = pictureUrls([node], ofBackground);
  const targets = [...sure, ...maybe].map((url) => state.lookup(url));
  const image = targets.find((target) => target.type === "image");
  if (image !== undefined) {
    const shown = state.found.shown();
    if (shown.has(image.entry.id)) return [];
    shown.add(image.entry.id);
    return replaced("background", ownImage(element("img", {}), image, "", state), state);
  }
  const target = targets
    .slice(0, sure.length)
    .find(({ type }) => type === "outside" || type === "unavailable");
  if (target === undefined || isTracker(node.properties)) return [];
  if (target.type === "unavailable") return [note(withAlt("body.pictureMissing", "", state))];
  return replaced("background", [linkOut(target, labelOf("picture", target, state), state)], state);
}

export function ownImage(node: Element, target: ImageTarget, alt: string, state: State): Nodes {
  const wish = wishOf(node.properties);
  const picture = pictureOf(state.catalogue, target.entry, state.link, wish);
  const linked = state.insideLink ? undefined : target.page;
  if (picture === undefined) {
    const label = withAlt("body.pictureBare", alt, state);
    if (linked === undefined) return [note(label)];
    return [element("a", { href: state.link(linked) }, [text(label)])];
  }
  const { src, width, height, srcset, sizes, sources } = picture;
  const isFirst = state.found.pictures.size === 0;
  state.found.pictures.set(src, target.entry.id);
  state.found.scripted.set(src, picture);
  const img = element("img", {
    id: node.properties.id,
    title: node.properties.title,
    src,
    srcSet: srcset ?? undefined,
    sizes: srcset === null ? undefined : sizes,
    alt,
    width,
    height,
    ...(isFirst ? { fetchPriority: "high" } : { loading: "lazy" }),
    decoding: "async",
  });
  const others = sources.map((source) =>
    element("source", { type: source.type, srcSet: source.srcset, sizes }),
  );
  const whole = others.length === 0 ? img : element("picture", {}, [...others, img]);
  if (linked === undefined || width < 200) return [whole];
  // A link around a picture that says nothing would have no name.
  const ariaLabel = alt.trim() === "" ? state.formats.t("body.open") : undefined;
  const properties = { href: state.link(linked), className: ["picture-link"], ariaLabel };
  return [element("a", properties, [whole])];
}

/** The width that the author wrote, if it is smaller than the column; what a URL asks for is no wish for a small picture. */
function wishOf(properties: Properties): PictureWish {
  const written = Number(properties.width);
  const isSmall = Number.isInteger(written) && written > trackerPixels && written < column;
  return isSmall ? { width: written } : { sizes: columnSizes };
}

const hidingStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:^|[;\s])(?:width|height)\s*:\s*[0-3](?:px)?\s*(?:;|!|$)/i;

/** A width of its own in a style wins over the attribute, which Next.js writes as 0. HTML, "presentational hints". */
const ownWidth = /(?:^|[;\s])(?:max-)?width\s*:\s*(?:[4-9]|\d{2}|calc|min|max)/i;

export function isTracker({ width, height, style, hidden = false }: Properties): boolean {
  const tiny = (side: unknown): boolean => Number.parseInt(String(side), 10) <= trackerPixels;
  if (hidden !== false || (typeof style === "string" && hidingStyle.test(style))) return true;
  if (typeof style === "string" && ownWidth.test(style)) return false;
  return tiny(width) || tiny(height);
}

export function linkOut(target: Target, label: string, state: State): Element {
  const href = hrefOf(target, state, false);
  if (state.insideLink || href === undefined) return note(label);
  return element("a", { href, ...relOf(target) }, [text(label)]);
}

export function relOf(target: Target): Properties {
  return target.type === "outside" ? { rel: ["noopener", "noreferrer", "external"] } : {};
}

function withAlt(key: WordKey, alt: string, { formats: { t } }: State): string {
  return alt === "" ? t(key) : t("body.labelled", { label: t(key), text: alt });
}

export function labelOf(what: EmbedKind, target: Target, { formats }: State): string {
  const host = target.type === "outside" ? new URL(target.url).hostname : "";
  return embedAt(what, host, formats);
}

export const note = (label: string): Element =>
  element("span", { className: ["note"] }, [text(label)]);

/** Undefined where there is nothing to link to. */
export function hrefOf(target: Target, state: State, aroundImage: boolean): string | undefined {
  switch (target.type) {
    case "nothing":
    case "unavailable":
      return undefined;
    case "fragment":
      return bodyHash(target.hash) || "#";
    case "page":
      return state.link(target.path) + bodyHash(target.hash);
    case "file":
      return state.link(target.path) + target.hash;
    case "image":
      return state.link((aroundImage ? target.page : undefined) ?? target.path);
    case "outside":
      return target.url;
  }
}
