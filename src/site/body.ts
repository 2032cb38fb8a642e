import type { Element, Root, RootContent } from "hast";
import { sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { opensInBrowsers } from "../catalogue/saved-names.ts";
import { nodesOfHtml } from "../lib/html.ts";
import { append } from "../lib/many.ts";
import { isObject } from "../lib/objects.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { bodyHash, bodyPrefix, idOfHash } from "../routes/site.ts";
import type { StoredObject } from "../store/objects.ts";
import type { Preparation } from "../store/prepared.ts";
import { isPost, rewriteEmbed, rewritePlayer, rewritePost } from "./body-embeds.ts";
import { arrange } from "./body-figures.ts";
import { type Heading, lettersOf, linkHeadings, nameHeadings } from "./body-headings.ts";
import {
  type BodyContext,
  backgrounds,
  hrefOf,
  relOf,
  replaced,
  rewriteImage,
  rewriteSvg,
  type State,
  shownText,
} from "./body-media.ts";
import { possibleUrls } from "./body-urls.ts";
import { mendElements } from "./body-valid.ts";
import { mayHide, shownBy, visibleOf } from "./body-visible.ts";
import { captionOf } from "./captions.ts";
import { asText, decodeAttribute, element, elementsIn, type Nodes, text, textIn } from "./nodes.ts";
import { bareUrls, isPlainText, paragraphsOf, plainTextOf, withoutTags } from "./plain-text.ts";
import { bodySchema, mathTags } from "./schema.ts";
import { wideSizes } from "./sizes.ts";
import { directed, languageOf } from "./written.ts";

/**
 * A body for a page: its URLs lead into the archive where they can, it loads nothing from elsewhere, its headings stand
 * below the page's own, and it holds only what `bodySchema` allows. Empty where the body says nothing. `odd` says
 * why it is not whole, such as without markup that goes beyond what `nodesOfHtml` takes.
 */
export function renderBody(html: string, context: BodyContext) {
  try {
    const odd =
      html.length < maxLength ? undefined : "its text is too long: the page has its start";
    return { ...rewrite(html, context), odd };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const odd = "its markup is nested too deeply, or grows: it is shown as plain text";
    return { ...rewrite(withoutTags(html), context), odd };
  }
}

/** Every text that `renderBody` may look up, and maybe others. */
export function urlsOf(html: string): Set<string> {
  if (isPlainText(html)) return new Set(bareUrls(plainTextOf(html)));
  const urls = possibleUrls(html);
  for (const url of bareUrls(decodeAttribute(html))) urls.add(url);
  return urls;
}

/** The words of a body as one line, without tags, attributes, scripts and what is hidden. */
export function textOfBody(html: string): string {
  if (isPlainText(html)) return decodeAttribute(html);
  const parsed = mayHide(html) ? orUndefined(() => nodesOfHtml(html)) : undefined;
  if (parsed === undefined) return decodeAttribute(withoutTags(html));
  const children = visibleOf(parsed, () => ({ type: "nothing" })) as RootContent[];
  const bare = sanitize({ type: "root", children }, { ...bodySchema, attributes: {} });
  return decodeAttribute(withoutTags(toHtml(bare)));
}

/** Each post looks at all links in it. */
const maxNestedPosts = 8;

/** A document in a document in a document. */
const maxNestedFrames = 2;

/** Characters of a body that are read: seven of the largest pictures that a body can hold, and a novel. */
const maxLength = 20_000_000;

type Single = StoredObject<"articles.single">;

/** The single form of an article, if the snapshot has it, its record, and its body; empty without one. */
export function readBody({ snapshot }: Catalogue, id: string) {
  const single = snapshot.find("articles.single", "articles.single", id);
  return { single, ...(single === undefined ? { record: undefined, html: "" } : bodyOf(single)) };
}

function bodyOf({ raw, normal }: Single) {
  const record: unknown = JSON.parse(raw);
  let body = normal.bodyPath ? record : undefined;
  for (const name of normal.bodyPath ?? []) body = isObject(body) ? body[name] : undefined;
  return { record, html: typeof body === "string" ? body.slice(0, maxLength) : "" };
}

const mayBeReplaced =
  /<(?:svg|iframe|canvas|video|audio|object|embed|amp-)|background|bg=|svg\+xml/i;

/** What can be told of an article's body without showing it. */
export const bodyFacts = {
  name: "body",
  of(single: Single) {
    const { html } = bodyOf(single);
    return {
      view: single.normal.view,
      /** Every text that its page may look up. */
      urls: [...urlsOf(html)],
      category: single.normal.category,
      isEmpty: isEmpty(html),
      hasPicture: /<img\b/i.test(html),
      /** Whether a note or a picture may stand for one of its elements. */
      mayBeReplaced: mayBeReplaced.test(html),
    };
  },
} satisfies Preparation<unknown, "articles.single">;

/** Whether a body shows nothing. Most of them show so in their first characters, and are long. */
function isEmpty(html: string): boolean {
  const hasText = (text: string): boolean => textOfBody(text).trim() !== "";
  if (hasText(html.slice(0, 500)) || /<(?:img|video|audio|iframe)\b/i.test(html)) return false;
  return !hasText(html);
}

function rewrite(html: string, context: BodyContext) {
  const parsed = isPlainText(html) ? paragraphsOf(plainTextOf(html)) : nodesOfHtml(html);
  const nodes = visibleOf(parsed, context.lookup);
  let shown: Set<string> | undefined;
  const state: State = {
    ...context,
    insideLink: false,
    posts: 0,
    frames: 0,
    found: {
      pictures: new Map(),
      scripted: new Map(),
      played: new Set(),
      replaced: new Set(),
      shown: () => (shown ??= shownBy(elementsIn(element("div", {}, nodes)), context.lookup)),
    },
  };
  const root: Root = { type: "root", children: rewriteAll(nodes, state) as RootContent[] };
  const safe = sanitize(root, bodySchema) as Root | RootContent;
  const children = safe.type === "root" ? safe.children : [safe];
  const whole = element("div", {}, children);
  mendElements(whole);
  const elements = elementsIn(whole);
  const headings = nameHeadings(elements, bodyPrefix);
  mendAnchors(elements, headings);
  const { pictures, scripted, played } = state.found;
  // The sanitiser takes every `data-` attribute away, so that all of these are ours.
  for (const { tagName, properties } of elements) {
    if (tagName !== "img") continue;
    const { thumbHash, animation } = scripted.get(String(properties.src)) ?? {};
    Object.assign(properties, { dataHash: thumbHash, dataAnimation: animation });
  }
  const imageOfSource = (src: string) => {
    const id = pictures.get(src);
    if (id === undefined) return undefined;
    const { width = 0, height = 0 } = context.catalogue.media("images", id)?.original ?? {};
    return { ...captionOf(context.catalogue, id), wide: wideSizes({ width, height }) };
  };
  const arranged = directed(arrange(children, imageOfSource, context.formats)) as RootContent[];
  const said = textIn(arranged).trim();
  const label = context.formats.t("body.heading");
  linkHeadings(elementsIn(element("div", {}, arranged)), headings, label);
  return {
    html: toHtml(arranged).trim(),
    headings,
    text: said,
    /** Where its script tells it. */
    language: languageOf(said),
    pictures: new Set(pictures.values()),
    played,
    replaced: state.found.replaced,
  };
}

function rewriteAll(nodes: Nodes, state: State): Nodes {
  const out: Nodes = [];
  for (const node of nodes) {
    if (node.type === "text") out.push(text(shownText(node.value, state)));
    if (node.type === "element") append(out, rewriteElement(node, state));
  }
  return out;
}

function rewriteElement(node: Element, state: State): Nodes {
  const inner = (): Nodes => rewriteAll(node.children, state);
  switch (node.tagName) {
    case "img":
    case "amp-img":
    case "amp-anim":
      return rewriteImage(node, [node], state);
    case "picture": {
      const inside = elementsIn(node);
      const img = inside.find((one) => one.tagName === "img");
      return rewriteImage(img ?? node, img ? [img, ...inside] : inside, state);
    }
    case "svg":
      return rewriteSvg(node, state);
    case "math":
      return [formula(node, state)];
    case "a":
    case "area":
      return rewriteLink(node, state);
    case "iframe":
      return rewriteEmbed(node, srcdocOf(node, state), state);
    case "embed":
    case "object":
    case "amp-iframe":
    case "amp-youtube":
    case "canvas":
      return rewriteEmbed(node, inner(), state);
    case "video":
    case "audio":
    case "amp-video":
    case "amp-audio":
      return rewritePlayer(node, inner(), state);
    default:
      // Renderers of formulas write each one twice: for readers, and for programs that read aloud.
      if (node.tagName === "mjx-container" || asText(node.properties.className ?? "") === "katex") {
        const math = elementsIn(node).find(({ tagName }) => tagName === "math");
        if (math !== undefined) return [formula(math, state)];
      }
      if (!isPost(node) || state.posts === maxNestedPosts) return [generic(node, state)];
      return rewritePost(node, [generic(node, { ...state, posts: state.posts + 1 })], state);
  }
}

/** A formula of MathML alone: HTML in it is text, so that no parser reads it in another way than this one. */
function formula({ tagName, properties, children }: Element, state: State): Element {
  const inside = children.flatMap((child): Nodes => {
    if (child.type === "element" && mathTags.includes(child.tagName))
      return [formula(child, state)];
    const isStripped = child.type === "element" && bodySchema.strip?.includes(child.tagName);
    return isStripped ? [] : [text(shownText(textIn([child]), state))];
  });
  return element(tagName, properties, inside);
}

/** The document that a frame has in itself. */
function srcdocOf({ properties: { srcDoc } }: Element, state: State): Nodes {
  const nodes = typeof srcDoc === "string" ? orUndefined(() => nodesOfHtml(srcDoc)) : undefined;
  if (nodes === undefined || state.frames === maxNestedFrames) return [];
  const inside = rewriteAll(visibleOf(nodes, state.lookup), { ...state, frames: state.frames + 1 });
  return [element("div", {}, replaced("iframe", inside, state))];
}

function generic(node: Element, state: State): Element {
  const { src, srcSet, poster, href, headers, ...properties } = node.properties;
  if (headers !== undefined && headers !== null) {
    properties.headers = asText(headers)
      .split(/\s+/)
      .map((id) => bodyPrefix + id);
  }
  const { id, name } = properties;
  if (isPrefixed(id)) properties.id = id.slice(bodyPrefix.length);
  if (isPrefixed(name)) properties.name = name.slice(bodyPrefix.length);
  const children = [...backgrounds(node, state), ...rewriteAll(node.children, state)];
  return element(node.tagName, properties, children);
}

/** Whether an author's own page had the prefix that the sanitiser puts before each id. */
const isPrefixed = (id: unknown): id is string =>
  typeof id === "string" && id.startsWith(bodyPrefix);

function rewriteLink(node: Element, state: State): Nodes {
  const { href, rel, target: _, download: __, ...properties } = node.properties;
  const target = typeof href === "string" ? state.lookup(href) : { type: "nothing" as const };
  const images = elementsIn(node).filter(({ tagName }) => /^(?:img|picture)$/.test(tagName));
  const address = hrefOf(target, state, images.length > 0);
  const insideLink = state.insideLink || address !== undefined;
  const within = { ...state, insideLink };
  const children = [...backgrounds(node, within), ...rewriteAll(node.children, within)];
  if (address === undefined) {
    return "id" in properties || "name" in properties
      ? [element("a", properties, children)]
      : children;
  }
  const isSaved = target.type === "file" && !opensInBrowsers(target.path);
  const download = isSaved ? target.name : undefined;
  return [element("a", { ...properties, href: address, ...relOf(target), download }, children)];
}

/** Links to places that are not in the body lead to that of such a name, first a heading's, or become plain text. */
function mendAnchors(elements: readonly Element[], headings: readonly Heading[]): void {
  const places = new Set(elements.flatMap(({ properties: { id, name } }) => [id, name]));
  const ids = [...places].filter((id) => typeof id === "string");
  const byLetters = new Map(
    [...ids, ...headings.map(({ id }) => id)].map((id) => [lettersOf(id), id]),
  );
  for (const { tagName, properties } of elements) {
    const { href } = properties;
    if (tagName !== "a" || typeof href !== "string" || !/^#./.test(href)) continue;
    const id = idOfHash(href);
    if (id === "" || places.has(id)) continue;
    const place = byLetters.get(lettersOf(id));
    if (place !== undefined) properties.href = bodyHash(`#${encodeURIComponent(place)}`);
    // Where nothing has this name, browsers go to the beginning of the page. HTML, "select the indicated part".
    else if (/top$/i.test(id) && id.length === bodyPrefix.length + 3) properties.href = "#";
    else delete properties.href;
  }
}
