import type { Element, ElementContent, Properties, Root, RootContent } from "hast";
import { fromHtml } from "hast-util-from-html";
import { sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { withoutSignatures } from "../lib/secrets.ts";
import type { Scaling } from "../routes/slots.ts";
import type { Lookup, Target } from "./links.ts";
import type { Link, Picture, PictureWish } from "./pictures.ts";
import { bodySchema } from "./schema.ts";

/** What the rewriting of one body needs from the page it stands on. */
export interface BodyContext {
  lookup: Lookup;
  link: Link;
  picture: (target: Extract<Target, { type: "image" }>, wish: PictureWish) => Picture | undefined;
}

export interface Body {
  /** Safe HTML; empty where the body says nothing. */
  html: string;
  /** Whether a picture of the archive is in it. */
  pictures: boolean;
}

type Nodes = (RootContent | ElementContent)[];

interface State extends BodyContext {
  insideLink: boolean;
  headingShift: number;
  /** Shared by the whole body. */
  found: { pictures: boolean };
}

/** Pixels of the column of text, and what a picture that fills it says about its size. */
const column = 640;
const columnSizes = "(min-width: 44rem) 40rem, calc(100vw - 2.5rem)";
/** Both sides up to this many pixels: nobody looks at it, it only counts its readers. */
const trackerPixels = 3;

/**
 * A body as it stands on a page of the archive: its URLs lead to the archive where the archive has what they
 * name, it loads nothing from elsewhere, its headings stand below the page's own, and it holds only what
 * `bodySchema` allows.
 */
export function renderBody(html: string, context: BodyContext): Body {
  const text = withoutSignatures(html);
  try {
    return rewrite(text, context);
  } catch (error) {
    // Thousands of nested elements exhaust the stack of the parser's tree builder.
    if (error instanceof RangeError) return { html: plainText(text), pictures: false };
    throw error;
  }
}

function rewrite(html: string, context: BodyContext): Body {
  const tree = fromHtml(html, { fragment: true });
  const state: State = {
    ...context,
    insideLink: false,
    headingShift: 2 - highestHeading(tree),
    found: { pictures: false },
  };
  const root: Root = { type: "root", children: rewriteAll(tree.children, state) as RootContent[] };
  const safe = sanitize(root, bodySchema) as Root;
  const children = "children" in safe ? safe.children : [safe as RootContent];
  const rewritten: Root = { type: "root", children: wrapTables(children) as RootContent[] };
  return { html: toHtml(rewritten).trim(), pictures: state.found.pictures };
}

function rewriteAll(nodes: Nodes, state: State): Nodes {
  const out: Nodes = [];
  nodes.forEach((node, at) => {
    if (node.type === "text") out.push(node);
    if (node.type !== "element") return;
    if (node.tagName === "noscript") {
      // The fallback of a picture that a script would have loaded; that picture is shown anyway.
      const before = nodes.slice(0, at).findLast((one) => one.type === "element");
      if (before?.type === "element" && before.tagName === "img") return;
    }
    out.push(...rewriteElement(node, state));
  });
  return out;
}

function rewriteElement(node: Element, state: State): Nodes {
  switch (node.tagName) {
    case "img":
      return rewriteImage(node, [node], state);
    case "picture": {
      const img = elementsIn(node).find((one) => one.tagName === "img");
      return rewriteImage(img ?? node, [...(img ? [img] : []), ...elementsIn(node)], state);
    }
    case "a":
    case "area":
      return rewriteLink(node, state);
    case "iframe":
    case "frame":
    case "embed":
    case "object":
    case "portal":
      return rewriteEmbed(node, state);
    case "video":
    case "audio":
      return rewritePlayer(node, state);
    case "math":
      return [element("span", {}, [text(textOf(node))])];
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6": {
      const level = Math.min(6, Math.max(2, Number(node.tagName[1]) + state.headingShift));
      return [{ ...generic(node, state), tagName: `h${level}` }];
    }
    default:
      return [generic(node, state)];
  }
}

/** Any other element: no URL but a citation's stays on it. */
function generic(node: Element, state: State): Element {
  const { src, srcSet, poster, href, cite, headers, ...properties } = node.properties;
  if (typeof cite === "string") {
    const target = state.lookup(cite);
    if (target.type === "outside" && /^https?:/.test(target.url)) properties.cite = target.url;
    if (target.type === "page") properties.cite = state.link(target.path);
  }
  if (headers !== undefined && headers !== null) {
    properties.headers = asText(headers)
      .split(/\s+/)
      .map((id) => bodySchema.clobberPrefix + id);
  }
  return element(node.tagName, properties, rewriteAll(node.children, state));
}

function rewriteLink(node: Element, state: State): Nodes {
  const { href, rel, target: _, ...properties } = node.properties;
  const target = typeof href === "string" ? state.lookup(href) : { type: "nothing" as const };
  const address = hrefOf(target, state, containsImage(node));
  const inside = address !== undefined;
  const children = rewriteAll(node.children, { ...state, insideLink: state.insideLink || inside });
  if (address === undefined) {
    return "id" in properties || "name" in properties
      ? [element("a", properties, children)]
      : children;
  }
  properties.href = address;
  if (target.type === "outside") properties.rel = ["noopener", "noreferrer", "external"];
  return [element("a", properties, children)];
}

function hrefOf(target: Target, state: State, aroundImage: boolean): string | undefined {
  switch (target.type) {
    case "nothing":
    case "withheld":
      return undefined;
    case "fragment":
      return target.id === ""
        ? "#"
        : `#${bodySchema.clobberPrefix}${encodeURIComponent(target.id)}`;
    case "page": {
      const fragment = encodeURIComponent(target.fragment);
      return state.link(target.path) + (fragment && `#${bodySchema.clobberPrefix}${fragment}`);
    }
    case "file":
      return state.link(target.path);
    case "image":
      return state.link((aroundImage ? target.page : undefined) ?? target.path);
    case "outside":
      return target.url;
  }
}

/** An image: the archive's own as a picture, a remote one as a link, a withheld one as a note. */
function rewriteImage(node: Element, carriers: Element[], state: State): Nodes {
  const { properties } = node;
  const alt = typeof properties.alt === "string" ? properties.alt.trim() : "";
  const targets = imageUrls(carriers).map((url) => state.lookup(url));
  const image = targets.find((target) => target.type === "image");
  if (image !== undefined) return ownImage(node, image, alt, state);
  if (targets.some((target) => target.type === "withheld")) {
    return [
      note(alt === "" ? "Picture not in this archive" : `Picture not in this archive: ${alt}`),
    ];
  }
  if (isTracker(properties)) return [];
  const remote = targets.find((target) => target.type === "outside" || target.type === "page");
  if (remote === undefined) return alt === "" ? [] : [note(alt)];
  const label = alt === "" ? labelOf("Picture", remote) : alt;
  return [linkOut(remote, label, state)];
}

function ownImage(
  node: Element,
  target: Extract<Target, { type: "image" }>,
  alt: string,
  state: State,
): Nodes {
  const picture = state.picture(target, wishOf(node.properties, target.scaling));
  if (picture === undefined) {
    return [
      note(alt === "" ? "Picture not in this archive" : `Picture not in this archive: ${alt}`),
    ];
  }
  state.found.pictures = true;
  const { src, width, height, srcset, sizes, sources } = picture;
  const img = element("img", {
    src,
    ...(srcset === null ? {} : { srcSet: srcset, sizes: sizes ?? undefined }),
    alt,
    width,
    height,
    loading: "lazy",
    decoding: "async",
    ...(typeof node.properties.title === "string" ? { title: node.properties.title } : {}),
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
      if (value === undefined || value === null) continue;
      for (const candidate of asText(value).split(",")) {
        const url = candidate.trim().split(/\s+/)[0];
        if (url !== undefined && url !== "") urls.push(url);
      }
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

/** A document from elsewhere inside the body: only a link to it. */
function rewriteEmbed(node: Element, state: State): Nodes {
  const { src, data, title } = node.properties;
  const raw = [src, data].find((value) => typeof value === "string");
  const target: Target = typeof raw === "string" ? state.lookup(raw) : { type: "nothing" };
  const label = typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
  const inner = node.tagName === "object" ? rewriteAll(node.children, state) : [];
  if (target.type === "image") return ownImage(element("img", {}), target, label ?? "", state);
  if (target.type === "nothing" || target.type === "withheld" || target.type === "fragment") {
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

function rewritePlayer(node: Element, state: State): Nodes {
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

/** Wide tables scroll by themselves, so that the page does not. */
function wrapTables(nodes: Nodes): Nodes {
  return nodes.map((node) => {
    if (node.type !== "element") return node;
    if (node.tagName !== "table")
      return { ...node, children: wrapTables(node.children) } as Element;
    const properties = { className: ["scroll"], tabIndex: 0, role: "group", ariaLabel: "Table" };
    return element("div", properties, [node]);
  });
}

function highestHeading(tree: { children: Nodes }): number {
  let highest = 7;
  for (const node of tree.children) {
    if (node.type !== "element") continue;
    const level = /^h[1-6]$/.test(node.tagName) ? Number(node.tagName[1]) : highestHeading(node);
    highest = Math.min(highest, level);
  }
  return highest;
}

function elementsIn(node: Element): Element[] {
  return node.children.flatMap((child) =>
    child.type === "element" ? [child, ...elementsIn(child)] : [],
  );
}

function containsImage(node: Element): boolean {
  return elementsIn(node).some(({ tagName }) => tagName === "img" || tagName === "picture");
}

function textOf(node: Element): string {
  return node.children
    .map((child) =>
      child.type === "text" ? child.value : child.type === "element" ? textOf(child) : "",
    )
    .join("");
}

/** A property that the parser may have split into a list. */
function asText(value: Properties[string]): string {
  return Array.isArray(value) ? value.join(" ") : String(value);
}

function element(tagName: string, properties: Properties, children: Nodes = []): Element {
  return { type: "element", tagName, properties, children: children as ElementContent[] };
}

function text(value: string): ElementContent {
  return { type: "text", value };
}

/** Text of an attribute as the parser reads it: character references resolved. */
export function decodeAttribute(written: string): string {
  const quoted = written.replaceAll('"', "&quot;");
  const node = fromHtml(`<i title="${quoted}"></i>`, { fragment: true }).children[0];
  return node?.type === "element" ? String(node.properties.title ?? "") : "";
}

function plainText(html: string): string {
  const bare = html
    .replace(/<(script|style|template|svg)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const tree = fromHtml(bare.replaceAll("<", "&lt;"), { fragment: true });
  const safe = sanitize(
    { type: "root", children: tree.children },
    { tagNames: [], strip: ["script"] },
  );
  return `<p>${toHtml(safe)}</p>`;
}
