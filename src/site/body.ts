import type { Element, Root, RootContent } from "hast";
import { fromHtml } from "hast-util-from-html";
import { sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { savedName } from "../routes/site.ts";
import {
  type BodyContext,
  hrefOf,
  rewriteEmbed,
  rewriteImage,
  rewritePlayer,
  type State,
} from "./body-media.ts";
import { possibleUrls } from "./links.ts";
import { asText, element, elementsIn, type Nodes, text, textOf } from "./nodes.ts";
import { bareUrls, isPlainText, paragraphsOf, plainTextOf, withUrls } from "./plain-text.ts";
import { bodySchema } from "./schema.ts";

export interface Body {
  /** Safe HTML; empty where the body says nothing. */
  html: string;
  /** Whether a picture of the archive is in it. */
  pictures: boolean;
  /** Paths of the videos and audio files that play in it. */
  played: ReadonlySet<string>;
}

/**
 * A body as it stands on a page of the archive: its URLs lead to the archive where the archive has what they
 * name, it loads nothing from elsewhere, its headings stand below the page's own, and it holds only what
 * `bodySchema` allows.
 */
export function renderBody(html: string, context: BodyContext): Body {
  try {
    return rewrite(html, context);
  } catch (error) {
    // Thousands of nested elements exhaust the stack of the parser's tree builder.
    if (error instanceof RangeError)
      return { html: withoutTags(html, context), pictures: false, played: new Set() };
    throw error;
  }
}

/** Every text in a body that `renderBody` may look up, and maybe others. */
export function urlsOf(html: string): Set<string> {
  if (isPlainText(html)) return new Set(bareUrls(plainTextOf(html)));
  const urls = possibleUrls(html, decodeAttribute);
  for (const url of bareUrls(html.includes("&") ? decodeAttribute(html) : html)) urls.add(url);
  return urls;
}

function rewrite(html: string, context: BodyContext): Body {
  const tree: { children: Nodes } = isPlainText(html)
    ? { children: paragraphsOf(plainTextOf(html)) }
    : fromHtml(html, { fragment: true });
  const state: State = {
    ...context,
    insideLink: false,
    headingShift: 2 - highestHeading(tree),
    found: { pictures: false, played: new Set() },
  };
  const root: Root = { type: "root", children: rewriteAll(tree.children, state) as RootContent[] };
  const safe = sanitize(root, bodySchema) as Root;
  const children = "children" in safe ? safe.children : [safe as RootContent];
  dropDanglingAnchors(children);
  const rewritten: Root = { type: "root", children: arrange(children) as RootContent[] };
  return { html: toHtml(rewritten).trim(), ...state.found };
}

function rewriteAll(nodes: Nodes, state: State): Nodes {
  const out: Nodes = [];
  let before = "";
  for (const node of nodes) {
    if (node.type === "text") out.push(text(withoutUnavailable(node.value, state)));
    if (node.type !== "element") continue;
    // The fallback of a picture that a script would have loaded; that picture is shown anyway.
    if (node.tagName !== "noscript" || before !== "img") out.push(...rewriteElement(node, state));
    before = node.tagName;
  }
  return out;
}

/** A text that does not name images that may not be shown. */
function withoutUnavailable(value: string, { lookup }: BodyContext): string {
  return withUrls(value, (url) =>
    lookup(url).type === "unavailable" ? "[not in this archive]" : url,
  );
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
    case "portal":
      return rewriteEmbed(node, [], state);
    case "object":
      return rewriteEmbed(node, rewriteAll(node.children, state), state);
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
  const { href, rel, target: _, download, ...properties } = node.properties;
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
  const name = target.type === "file" ? savedName(target.path) : undefined;
  if (name !== undefined) properties.download = name;
  return [element("a", properties, children)];
}

/** Links to places in the body that are not there, or did not survive the sanitising, become plain text. */
function dropDanglingAnchors(nodes: Nodes): void {
  const elements = elementsIn(element("div", {}, nodes));
  const places = new Set(elements.flatMap(({ properties: { id, name } }) => [id, name]));
  for (const { tagName, properties } of elements) {
    const { href } = properties;
    if (tagName !== "a" || typeof href !== "string" || !/^#./.test(href)) continue;
    if (!places.has(decodeURIComponent(href.slice(1)))) delete properties.href;
  }
}

/**
 * Wide tables scroll by themselves, so that the page does not; a paragraph that is only a picture becomes a
 * figure.
 */
function arrange(nodes: Nodes): Nodes {
  return nodes.map((node) => {
    if (node.type !== "element") return node;
    if (node.tagName === "table") {
      const properties = { className: ["scroll"], tabIndex: 0, role: "group", ariaLabel: "Table" };
      return element("div", properties, [node]);
    }
    if (node.tagName === "p" && isPicture(node)) return { ...node, tagName: "figure" };
    return { ...node, children: arrange(node.children) } as Element;
  });
}

/** Whether a picture is all that an element holds, maybe inside a link. */
function isPicture(node: Element): boolean {
  const [only, ...others] = node.children.filter(
    (child) => child.type !== "text" || child.value.trim() !== "",
  );
  if (only?.type !== "element" || others.length > 0) return false;
  if (only.tagName === "img" || only.tagName === "picture") return true;
  return only.tagName === "a" && isPicture(only);
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

function containsImage(node: Element): boolean {
  return elementsIn(node).some(({ tagName }) => tagName === "img" || tagName === "picture");
}

/** Text of an attribute as the parser reads it: character references resolved. */
export function decodeAttribute(written: string): string {
  const quoted = written.replaceAll('"', "&quot;");
  const node = fromHtml(`<i title="${quoted}"></i>`, { fragment: true }).children[0];
  return node?.type === "element" ? String(node.properties.title ?? "") : "";
}

function withoutTags(html: string, context: BodyContext): string {
  const bare = html
    .replace(/<(script|style|template|svg)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  const tree = fromHtml(bare.replaceAll("<", "&lt;"), { fragment: true });
  const texts = tree.children.filter((node) => node.type === "text");
  const safe = sanitize(
    { type: "root", children: texts.map(({ value }) => text(withoutUnavailable(value, context))) },
    { tagNames: [], strip: ["script"] },
  );
  return `<p>${toHtml(safe)}</p>`;
}
