import type { Element } from "hast";
import { element, elementsIn, textIn } from "./nodes.ts";

/** Elements of former versions of HTML, by what stands for them today. */
const renamed = new Map([
  ["tt", "code"],
  ["strike", "s"],
]);
const blocks =
  /^(?:address|aside|blockquote|details|div|dl|figure|h[1-6]|hr|ol|p|pre|section|table|ul)$/;

const isSeen = (link: Element): boolean =>
  textIn(link.children).trim() !== "" ||
  elementsIn(link).some(({ tagName }) => /^(?:img|svg|math|video|audio)$/.test(tagName));

const isList = ({ tagName }: Element): boolean => tagName === "ul" || tagName === "ol";

/** Makes valid HTML of what parsers take although HTML does not allow it. From the inside out: a change may ask for more. */
export function mendElements(root: Element): void {
  for (const one of [root, ...elementsIn(root)].reverse()) {
    const { children } = one;
    one.tagName = renamed.get(one.tagName) ?? one.tagName;
    if (isList(one)) one.children = inItems(children);
    for (const child of children) {
      if (child.type !== "element") continue;
      if (child.tagName === "li" && !isList(one)) {
        child.tagName = "div";
        delete child.properties.value;
      }
      if (child.tagName === "p" && /^h[1-6]$/.test(one.tagName)) child.tagName = "span";
      if (one.tagName === "span" && blocks.test(child.tagName)) one.tagName = "div";
    }
    const { name, href } = one.properties;
    // An anchor to link to; or a link that shows nothing, where the keyboard stops for no visible reason.
    if (one.tagName === "a" && ((name && href === undefined) || !isSeen(one))) {
      one.tagName = "span";
      one.properties = { id: one.properties.id ?? name };
    }
    const { id } = one.properties;
    // As `bodyHash` has it.
    if (typeof id === "string") one.properties.id = id.replace(/\s/g, "-");
  }
}

/** What stands between the items of a list, such as another list, belongs to the item before it. */
function inItems(children: Element["children"]): Element["children"] {
  const items: Element["children"] = [];
  let last: Element | undefined;
  for (const child of children) {
    if (child.type !== "element" || child.tagName === "li") items.push(child);
    else if (last !== undefined) last.children.push(child);
    else items.push(element("li", {}, [child]));
    const added = items.at(-1);
    if (added?.type === "element") last = added;
  }
  return items;
}
