import type { Element, Properties } from "hast";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { percentDecoded } from "../lib/urls.ts";
import { bodyHash } from "../routes/site.ts";
import { type EmbedKind, embedAt, embedOf } from "./embeds.ts";
import type { Formats } from "./formats.ts";
import { type ImageTarget, type Lookup, srcsetUrls, type Target } from "./links.ts";
import { asText, element, elementsIn, type Nodes, text } from "./nodes.ts";
import { type Link, type PictureWish, pictureOf } from "./pictures.ts";
import { inlineTypes } from "./schema.ts";
import { columnSizes } from "./sizes.ts";
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
  headingShift: number;
  /** Shared by the whole body. */
  found: {
    /** Ids of the images that it shows, by the `src` of their pictures. */
    pictures: Map<string, string>;
    /** ThumbHashes by the same. */
    hashes: Map<string, string>;
    /** Paths of files that play in it. */
    played: Set<string>;
  };
}

/** Pixels of the column of text. */
const column = 640;
/** A smaller picture only counts its readers. */
const trackerPixels = 3;
/** Every reader would load larger pictures with the page. */
const maxInlineBytes = 2_000_000;
const dataUrl = new RegExp(`^data:image/(${inlineTypes}|jpg)(?:;[^,;]*)*;base64,`, "i");

/** The archive's image becomes a picture, a remote one a link, an unavailable one a note. */
export function rewriteImage(node: Element, carriers: Element[], state: State): Nodes {
  const { properties } = node;
  const alt = typeof properties.alt === "string" ? properties.alt.trim() : "";
  const targets = imageUrls(carriers).map((url) => state.lookup(url));
  const image = targets.find((target) => target.type === "image");
  if (image !== undefined) return ownImage(node, image, alt, state);
  if (targets.some((target) => target.type === "unavailable")) {
    return [note(withAlt("body.pictureMissing", alt, state))];
  }
  if (isTracker(properties)) return [];
  const remote = targets.find((target) => target.type === "outside" || target.type === "page");
  if (remote === undefined) return inlineImage(node, alt);
  return [linkOut(remote, alt || labelOf("picture", remote, state), state)];
}

/** A picture in a data URL. Its bytes are written anew, so that the URL holds nothing else. */
function inlineImage({ properties }: Element, alt: string): Nodes {
  const src = typeof properties.src === "string" ? properties.src.trim() : "";
  const [head = "", kind = ""] = dataUrl.exec(src.slice(0, 200)) ?? [];
  const bytes = Buffer.from(head && percentDecoded(src.slice(head.length)), "base64");
  if (bytes.length === 0 || bytes.length > maxInlineBytes) return alt === "" ? [] : [note(alt)];
  const type = kind.toLowerCase().replace("jpg", "jpeg");
  const side = (value: unknown) => (/^\d{1,5}$/.test(String(value)) ? Number(value) : undefined);
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

function ownImage(node: Element, target: ImageTarget, alt: string, state: State): Nodes {
  const wish = wishOf(node.properties);
  const picture = pictureOf(state.catalogue, target.entry, state.link, wish);
  const linked = state.insideLink ? undefined : target.page;
  if (picture === undefined) {
    const label = withAlt("body.pictureBare", alt, state);
    if (linked === undefined) return [note(label)];
    return [element("a", { href: state.link(linked) }, [text(label)])];
  }
  const { src, width, height, srcset, sizes, sources, thumbHash } = picture;
  const isFirst = state.found.pictures.size === 0;
  state.found.pictures.set(src, target.entry.id);
  if (thumbHash !== null) state.found.hashes.set(src, thumbHash);
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

function imageUrls(carriers: Element[]): string[] {
  return carriers.flatMap(({ properties }) => {
    const urls = ["src", "dataSrc", "dataOriginal", "dataLazySrc"].map((name) => properties[name]);
    const sets = ["srcSet", "dataSrcSet", "dataSrcset"].map((name) => properties[name] ?? "");
    return [
      ...urls.filter((url) => typeof url === "string"),
      ...sets.flatMap((set) => srcsetUrls(asText(set))),
    ];
  });
}

const hidingStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:^|[;\s])(?:width|height)\s*:\s*[0-3](?:px)?\s*(?:;|!|$)/i;

function isTracker({ width, height, style, hidden = false }: Properties): boolean {
  const tiny = (side: unknown): boolean => Number.parseInt(String(side), 10) <= trackerPixels;
  if (hidden !== false || tiny(width) || tiny(height)) return true;
  return typeof style === "string" && hidingStyle.test(style);
}

/** An embedded document becomes a link, with its fallback. */
export function rewriteEmbed(node: Element, inner: Nodes, state: State): Nodes {
  const { title } = node.properties;
  const raw = embeddedUrl(node);
  const target: Target = raw === undefined ? { type: "nothing" } : state.lookup(raw);
  const name = typeof title === "string" ? title.trim() : "";
  if (target.type === "image") return ownImage(element("img", {}), target, name, state);
  if (target.type === "nothing" || target.type === "unavailable" || target.type === "fragment") {
    return inner;
  }
  if (isTracker(node.properties)) return [];
  if (target.type !== "outside") {
    return [embedded(target, name || state.formats.t("embed"), state), ...inner];
  }
  const { url, label } = embedOf(target.url, state.formats);
  const at = name === "" || name === label ? "" : label;
  return [embedded({ type: "outside", url }, name || label, state, at), ...inner];
}

/** A post that a script would fetch: the text that stands for it, and a link to it unless the text has one. */
export function rewritePost(node: Element, inner: Nodes, state: State): Nodes {
  const url = embeddedUrl(node);
  const target: Target = url === undefined ? { type: "nothing" } : state.lookup(url);
  const known = elementsIn(node).some(({ properties: { href } }) => {
    const linked = typeof href === "string" ? state.lookup(href) : undefined;
    return linked?.type === "outside" && target.type === "outside" && linked.url === target.url;
  });
  return known ? inner : [...rewriteEmbed(node, [], state), ...inner];
}

/** The document that an element embeds; for a post, the address that its script would read. */
function embeddedUrl({ properties }: Element): string | undefined {
  const names = ["src", "dataSrc", "data", "dataInstgrmPermalink", "dataHref", "cite"];
  const urls = names.map((name) => properties[name]);
  return urls.find(
    (url) => typeof url === "string" && url.trim() !== "" && url !== "about:blank",
  ) as string | undefined;
}

/** Whether an element is a place where the script of a social network puts a post. */
export function isPost({ tagName, properties: { className } }: Element): boolean {
  if (tagName !== "blockquote" && tagName !== "div") return false;
  return asText(className ?? "")
    .split(/\s+/)
    .some((name) => postClasses.test(name));
}

const postClasses = /^(?:twitter-(?:tweet|video)|instagram-media|tiktok-embed|fb-(?:post|video))$/;

export function rewritePlayer(node: Element, state: State): Nodes {
  const carriers = [node, ...elementsIn(node).filter((one) => one.tagName === "source")];
  const targets = carriers.flatMap(({ properties: { src } }) =>
    typeof src === "string" ? [state.lookup(src)] : [],
  );
  const isVideo = node.tagName === "video";
  const file = targets.find((target) => target.type === "file");
  if (file === undefined) {
    const remote = targets.find((target) => target.type === "outside");
    if (remote === undefined) return [];
    return [embedded(remote, labelOf(isVideo ? "video" : "sound", remote, state), state)];
  }
  state.found.played.add(file.path);
  const player = { src: state.link(file.path), controls: true, preload: "none" };
  if (!isVideo) return [element(node.tagName, player)];
  const { poster, width, height } = node.properties;
  const image = typeof poster === "string" ? state.lookup(poster) : undefined;
  return [
    element(node.tagName, {
      ...player,
      poster: image?.type === "image" ? state.link(image.path) : undefined,
      width: Number(width) > 0 ? Number(width) : undefined,
      height: Number(height) > 0 ? Number(height) : undefined,
    }),
  ];
}

/** @param at where it is, if the label does not tell */
function embedded(target: Target, label: string, state: State, at = ""): Element {
  const link = linkOut(target, label, state);
  const more = at === "" ? [] : [text(" "), element("small", {}, [text(at)])];
  return element("span", { className: ["embed"] }, [link, ...more]);
}

function linkOut(target: Target, label: string, state: State): Element {
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

function labelOf(what: EmbedKind, target: Target, { formats }: State): string {
  const host = target.type === "outside" ? new URL(target.url).hostname : "";
  return embedAt(what, host, formats);
}

const note = (label: string): Element => element("span", { className: ["note"] }, [text(label)]);

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
      return state.link(target.path);
    case "image":
      return state.link((aroundImage ? target.page : undefined) ?? target.path);
    case "outside":
      return target.url;
  }
}
