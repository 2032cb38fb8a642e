import type { Element, ElementContent, Properties, RootContent } from "hast";
import { type HtmlLimits, nodesOfHtml } from "../lib/html.ts";

/** Children of an element or of a whole body. */
export type Nodes = (RootContent | ElementContent)[];

/** All elements below one, in document order; those beyond `most` of them need not be there. */
export function elementsIn(node: Element, most = Number.POSITIVE_INFINITY): Element[] {
  const found: Element[] = [];
  const add = ({ children }: Element): void => {
    for (const child of children) {
      if (found.length > most) return;
      if (child.type !== "element") continue;
      found.push(child);
      add(child);
    }
  };
  add(node);
  return found;
}

/** All elements of a piece of HTML; none beyond what `nodesOfHtml` takes: such a body is shown as text. */
export function elementsOfHtml(html: string, limits?: HtmlLimits): Element[] {
  try {
    return elementsIn(element("div", {}, nodesOfHtml(html, limits)));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [];
  }
}

/** A property that the parser may have split into a list. */
export function asText(value: Properties[string]): string {
  return Array.isArray(value) ? value.join(" ") : String(value);
}

export function element(tagName: string, properties: Properties, children: Nodes = []): Element {
  return { type: "element", tagName, properties, children: children as ElementContent[] };
}

export function text(value: string): ElementContent {
  return { type: "text", value };
}

/** All text in some nodes, in document order. */
export function textIn(nodes: Nodes): string {
  let out = "";
  for (const node of nodes) {
    if (node.type === "text") out += node.value;
    else if (node.type === "element") out += textIn(node.children);
  }
  return out;
}

/** Text of an attribute as the parser reads it: character references resolved. */
export function decodeAttribute(written: string): string {
  if (!written.includes("&")) return written;
  const quoted = written.replaceAll('"', "&quot;");
  const node = nodesOfHtml(`<i title="${quoted}"></i>`)[0];
  return node?.type === "element" ? String(node.properties.title ?? "") : "";
}
