import type { Element, Properties } from "hast";
import { percentDecoded } from "../lib/urls.ts";
import type { Scaling } from "../routes/slots.ts";
import { type Lookup, srcsetUrls, type Target } from "./links.ts";
import { asText, element, elementsIn, type Nodes, text } from "./nodes.ts";
import type { Link, Picture, PictureWish } from "./pictures.ts";
import { bodySchema, inlineTypes } from "./schema.ts";

/** What the rewriting of one body needs from the page it stands on. */
export interface BodyContext {
  lookup: Lookup;
  link: Link;
  picture: (target: Extract<Target, { type: "image" }>, wish: PictureWish) => Picture | undefined;
}

/** Where in a body the rewriting is. */
export interface State extends BodyContext {
  insideLink: boolean;
  headingShift: number;
  /** Shared by the whole body. */
  found: { pictures: boolean; played: Set<string> };
}

/** Pixels of the column of text, and what a picture that fills it says about its size. */
const column = 640;
const columnSizes = "(min-width: 44rem) 40rem, calc(100vw - 2.5rem)";
/** Both sides up to this many pixels: nobody looks at it, it only counts its readers. */
const trackerPixels = 3;
/** Pictures inside a body that are larger than this are not kept: each reader of the page would load them. */
const maxInlineBytes = 2_000_000;
const dataUrl = new RegExp(`^data:image/(${inlineTypes}|jpg)(?:;[^,;]*)*;base64,`, "i");

/** An image: the archive's own as a picture, a remote one as a link, an unavailable one as a note. */
export function rewriteImage(node: Element, carriers: Element[], state: State): Nodes {
  const { properties } = node;
  const alt = typeof properties.alt === "string" ? properties.alt.trim() : "";
  const targets = imageUrls(carriers).map((url) => state.lookup(url));
  const image = targets.find((target) => target.type === "image");
  if (image !== undefined) return ownImage(node, image, alt, state);
  if (targets.some((target) => target.type === "unavailable")) {
    return [
      note(alt === "" ? "Picture not in this archive" : `Picture not in this archive: ${alt}`),
    ];
  }
  if (isTracker(properties)) return [];
  const remote = targets.find((target) => target.type === "outside" || target.type === "page");
  if (remote === undefined) return inlineImage(node, alt);
  const label = alt === "" ? labelOf("Picture", remote) : alt;
  return [linkOut(remote, label, state)];
}

/** A picture that the body carries in itself. Its bytes are written anew, so that nothing else is in the URL. */
function inlineImage({ properties }: Element, alt: string): Nodes {
  const src = typeof properties.src === "string" ? properties.src.trim() : "";
  const head = dataUrl.exec(src.slice(0, 200));
  const type = head?.[1]?.toLowerCase().replace("jpg", "jpeg");
  const bytes = Buffer.from(
    head === null ? "" : percentDecoded(src.slice(head[0].length)),
    "base64",
  );
  if (bytes.length === 0 || bytes.length > maxInlineBytes) return alt === "" ? [] : [note(alt)];
  const side = (value: unknown) => (/^\d{1,5}$/.test(String(value)) ? Number(value) : undefined);
  return [
    element("img", {
      ...idAndTitleOf(properties),
      src: `data:image/${type};base64,${bytes.toString("base64")}`,
      alt,
      width: side(properties.width),
      height: side(properties.height),
    }),
  ];
}

function ownImage(
  node: Element,
  target: Extract<Target, { type: "image" }>,
  alt: string,
  state: State,
): Nodes {
  const picture = state.picture(target, wishOf(node.properties, target.scaling));
  if (picture === undefined) {
    const label = alt === "" ? "Picture without a preview" : `Picture without a preview: ${alt}`;
    if (state.insideLink || target.page === undefined) return [note(label)];
    return [element("a", { href: state.link(target.page) }, [text(label)])];
  }
  state.found.pictures = true;
  const { src, width, height, srcset, sizes, sources } = picture;
  const img = element("img", {
    ...idAndTitleOf(node.properties),
    src,
    ...(srcset === null ? {} : { srcSet: srcset, sizes: sizes ?? undefined }),
    alt,
    width,
    height,
    loading: "lazy",
    decoding: "async",
  });
  const whole =
    sources.length === 0
      ? img
      : element("picture", {}, [
          ...sources.map((source) =>
            element("source", {
              type: source.type,
              srcSet: source.srcset,
              ...(sizes === null ? {} : { sizes }),
            }),
          ),
          img,
        ]);
  if (state.insideLink || target.page === undefined || width < 200) return [whole];
  return [element("a", { href: state.link(target.page), className: ["picture-link"] }, [whole])];
}

/** What stays of an author's picture besides the picture: that a link can lead to it, and what it says. */
function idAndTitleOf({ id, title }: Properties): Properties {
  return {
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof title === "string" ? { title } : {}),
  };
}

/** The size on the page: what the URL asks for, or else what the author wrote, or else the column. */
function wishOf(properties: Properties, scaling: Scaling): PictureWish {
  const asked = Object.values(scaling).some((value) => value !== undefined);
  const written = Number(properties.width);
  if (!asked && Number.isInteger(written) && written > trackerPixels) {
    return written < column ? { scaling: { width: written } } : { scaling: {}, sizes: columnSizes };
  }
  const small = (scaling.width ?? column) < column || scaling.thumb !== undefined;
  return small ? { scaling } : { scaling, sizes: columnSizes };
}

function imageUrls(carriers: Element[]): string[] {
  const urls: string[] = [];
  for (const { properties } of carriers) {
    for (const name of ["src", "dataSrc", "dataOriginal", "dataLazySrc"]) {
      if (typeof properties[name] === "string") urls.push(properties[name]);
    }
    for (const name of ["srcSet", "dataSrcSet", "dataSrcset"]) {
      const value = properties[name];
      if (value !== undefined && value !== null) urls.push(...srcsetUrls(asText(value)));
    }
  }
  return urls;
}

function isTracker({ width, height, style, hidden }: Properties): boolean {
  if (hidden !== undefined && hidden !== null && hidden !== false) return true;
  const tiny = (side: unknown): boolean =>
    side !== undefined && side !== "" && Number.parseInt(String(side), 10) <= trackerPixels;
  const css = typeof style === "string" ? style : "";
  return (
    tiny(width) ||
    tiny(height) ||
    /display\s*:\s*none|visibility\s*:\s*hidden|(?:^|[;\s])(?:width|height)\s*:\s*[0-3](?:px)?\s*(?:;|!|$)/i.test(
      css,
    )
  );
}

/** A document from elsewhere inside the body: only a link to it, and what it shows itself in its place. */
export function rewriteEmbed(node: Element, inner: Nodes, state: State): Nodes {
  const { src, data, title } = node.properties;
  const raw = [src, data].find((value) => typeof value === "string");
  const target: Target = typeof raw === "string" ? state.lookup(raw) : { type: "nothing" };
  const label = typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
  if (target.type === "image") return ownImage(element("img", {}), target, label ?? "", state);
  if (target.type === "nothing" || target.type === "unavailable" || target.type === "fragment") {
    return inner;
  }
  if (isTracker(node.properties)) return [];
  return [
    element("span", { className: ["embed"] }, [
      linkOut(target, label ?? labelOf("Embedded content", target), state),
    ]),
    ...inner,
  ];
}

export function rewritePlayer(node: Element, state: State): Nodes {
  const carriers = [node, ...elementsIn(node).filter((one) => one.tagName === "source")];
  const urls = carriers.flatMap(({ properties: { src } }) =>
    typeof src === "string" ? [src] : [],
  );
  const targets = urls.map((url) => state.lookup(url));
  const file = targets.find((target) => target.type === "file");
  const label = node.tagName === "video" ? "Video" : "Sound";
  if (file === undefined) {
    const remote = targets.find((target) => target.type === "outside");
    return remote === undefined
      ? []
      : [
          element("span", { className: ["embed"] }, [
            linkOut(remote, labelOf(label, remote), state),
          ]),
        ];
  }
  state.found.played.add(file.path);
  const properties: Properties = {
    src: state.link(file.path),
    controls: true,
    preload: "metadata",
  };
  const { poster, width, height } = node.properties;
  if (node.tagName === "video") {
    const target = typeof poster === "string" ? state.lookup(poster) : undefined;
    if (target?.type === "image") properties.poster = state.link(target.path);
    if (Number(width) > 0) properties.width = Number(width);
    if (Number(height) > 0) properties.height = Number(height);
  }
  return [element(node.tagName, properties)];
}

function linkOut(target: Target, label: string, state: State): Element {
  const href = hrefOf(target, state, false);
  if (state.insideLink || href === undefined) return note(label);
  const rel = target.type === "outside" ? { rel: ["noopener", "noreferrer", "external"] } : {};
  return element("a", { href, ...rel }, [text(label)]);
}

function labelOf(what: string, target: Target): string {
  if (target.type !== "outside" || !URL.canParse(target.url)) return what;
  return `${what} at ${new URL(target.url).hostname.replace(/^www\./, "")}`;
}

function note(label: string): Element {
  return element("span", { className: ["note"] }, [text(label)]);
}

/** The link that a target becomes; undefined where there is nothing to link to. */
export function hrefOf(target: Target, state: State, aroundImage: boolean): string | undefined {
  switch (target.type) {
    case "nothing":
    case "unavailable":
      return undefined;
    case "fragment":
      return target.id === "" ? "#" : anchor(target.id);
    case "page":
      return state.link(target.path) + (target.fragment === "" ? "" : anchor(target.fragment));
    case "file":
      return state.link(target.path);
    case "image":
      return state.link((aroundImage ? target.page : undefined) ?? target.path);
    case "outside":
      return target.url;
  }
}

/** Only what a fragment cannot hold is encoded, so that it reads like the id that it names. */
function anchor(id: string): string {
  // Half of a surrogate pair cannot be encoded, and no browser would find it.
  const encoded = encodeURIComponent(id.replace(/\p{Surrogate}/gu, "\uFFFD"));
  const readable = encoded.replace(/%(?:2[46BCF]|3[ABDF]|40)/g, decodeURIComponent);
  return `#${bodySchema.clobberPrefix}${readable}`;
}
