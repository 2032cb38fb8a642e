import type { Element, Properties } from "hast";
import { isTracker } from "./body-media.ts";
import { pictureUrls } from "./body-urls.ts";
import type { Lookup } from "./links.ts";
import { element, elementsIn, type Nodes, text, textIn } from "./nodes.ts";

const hidingStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i;
const strikingStyle = /(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*\bline-through\b/i;

/** Whether a piece of HTML may hide some of it. */
export const mayHide = (html: string): boolean =>
  /\bhidden\b|display\s*:\s*none|<dialog\b/i.test(html);

/**
 * What readers see of a body whose scripts have run: nothing that is hidden, ticks for the boxes of a list, what a style
 * strikes through struck, and each `noscript` only where nothing beside it shows the same.
 */
export function visibleOf(nodes: Nodes, lookup: Lookup, around: Element[] = []): Nodes {
  const seen = nodes.filter((node) => node.type !== "element" || !isHidden(node));
  const inside = seen.filter((node) => node.type === "element");
  const besides = new Map(
    inside.map((node, at) => {
      const near = [inside[at - 1], inside[at + 1]].filter((one) => one !== undefined);
      return [node, near.length > 0 ? near : around];
    }),
  );
  const dropped = new Set<Nodes[number]>();
  for (const [node, beside] of besides) {
    if (node.tagName !== "noscript") continue;
    const own = shownBy(few(node), lookup);
    if (own.size === 0) continue;
    const repeats = beside.some((one) =>
      [...shownBy(few(one), lookup)].some((key) => own.has(key)),
    );
    if (repeats) dropped.add(node);
    else for (const one of beside) if (isPlaceholder(one, lookup)) dropped.add(one);
  }
  return seen.flatMap((node): Nodes => {
    if (dropped.has(node)) return [];
    if (node.type !== "element") return [node];
    if (node.tagName === "input") return tickOf(node.properties);
    const children = visibleOf(node.children, lookup, besides.get(node)) as Element["children"];
    const whole = { ...node, children };
    return [isStruck(node.properties) ? struck(whole) : whole];
  });
}

function isHidden({ tagName, properties }: Element): boolean {
  const { hidden = false, open, style } = properties;
  if (tagName === "dialog") return open === undefined || open === false;
  // Browsers show it where a search finds something in it. HTML, "The hidden attribute".
  if (hidden !== false && hidden !== "until-found") return true;
  // A script shows a picture that it has loaded.
  const isLazy = Object.keys(properties).some((name) => /^data\w*src/i.test(name));
  return typeof style === "string" && hidingStyle.test(style) && !isLazy;
}

/** Tables and lists hold only their own parts. */
const structural = /^(?:table|thead|tbody|tfoot|tr|ul|ol|dl)$/;

const isStruck = ({ style }: Properties): boolean =>
  typeof style === "string" && strikingStyle.test(style);

function struck(node: Element): Element {
  if (node.children.length === 0) return node;
  const children = structural.test(node.tagName)
    ? node.children.map((child) => (child.type === "element" ? struck(child) : child))
    : [element("s", {}, node.children)];
  return { ...node, children };
}

/** A box to tick becomes its sign: the archive has no forms. */
function tickOf({ type, checked = false }: Properties): Nodes {
  const signs = { checkbox: "\u2610\u2611", radio: "\u25cb\u25c9" }[String(type).toLowerCase()];
  return signs === undefined ? [] : [text(`${signs[checked === false ? 0 : 1]} `)];
}

/** Elements of a `noscript`, and of what it repeats: a larger part of a text is neither. */
const most = 200;

/** An element and those below it, if they are few. */
function few(node: Element): Element[] {
  const found = [node, ...elementsIn(node, most)];
  return found.length > most ? [] : found;
}

const mediaTags = /^(?:(?:amp-)?(?:img|iframe|video|audio)|source|embed|image)$/;
const mediaOf = (elements: readonly Element[]): Element[] =>
  elements.filter(({ tagName }) => mediaTags.test(tagName));

/** What pictures, frames and players show: ids of own images, and keys that sizes do not change. */
export function shownBy(elements: readonly Element[], lookup: Lookup): Set<string> {
  const shown = mediaOf(elements).filter((one) => !isHidden(one) && !isTracker(one.properties));
  const targets = pictureUrls(shown).sure.map(lookup);
  const keys = targets.map((target) => {
    if (target.type === "image") return target.entry.id;
    if (target.type === "page" || target.type === "file") return target.path;
    return target.type === "outside" ? sizeless(target.url) : "";
  });
  return new Set(keys.filter((key) => key !== ""));
}

/** WordPress names the size of a picture in its file's name, other services in its query. */
function sizeless(url: string): string {
  const plain = url
    .replace(/^https?:/, "")
    .replace(/(?<=\.(?:jpe?g|png|webp|avif|gif))[?#].*$/i, "");
  return plain.replace(/-\d{1,5}x\d{1,5}(?=\.\w{1,5}$)/, "");
}

const placeholderName =
  /(?:blank|placeholder|spacer|spinner|loading|transparent|pixel|lazy)[^/]{0,40}$/i;

/** Whether an element only keeps the place of what a script would load. */
function isPlaceholder(node: Element, lookup: Lookup): boolean {
  const media = mediaOf(few(node));
  if (media.length === 0 || textIn([node]).trim() !== "") return false;
  return pictureUrls(media).sure.every((url) => {
    const target = lookup(url);
    return (
      target.type === "nothing" || (target.type === "outside" && placeholderName.test(target.url))
    );
  });
}
