import type { Element } from "hast";
import { cached } from "../lib/cached.ts";
import { type Caption, unsaid } from "./captions.ts";
import type { Formats } from "./formats.ts";
import { element, elementsIn, type Nodes, text, textIn } from "./nodes.ts";

/** The caption of the image that a picture shows, by the picture's `src`; undefined for other pictures. */
export type CaptionOfSource = (src: string) => Caption | undefined;

/** A smaller picture is a part of the text, such as a sign. */
const captionedWidth = 200;

/**
 * Wide tables and code scroll by themselves, and a picture alone becomes a figure. A figure without a caption gets the
 * caption of its image, unless the body says it.
 */
export function arrange(nodes: Nodes, captionOfSource: CaptionOfSource, { t }: Formats): Nodes {
  const said = textIn(nodes);
  // Each looks through the whole text.
  const unsaidOf = cached(256, (src: string) => {
    const caption = captionOfSource(src);
    return caption && unsaid(caption, said);
  });
  const captioned = (figure: Element): Element => {
    const [image, ...others] = elementsIn(figure).filter(({ tagName }) => tagName === "img");
    if (image === undefined || others.length > 0) return figure;
    if (Number(image.properties.width) < captionedWidth) return figure;
    const caption = unsaidOf(String(image.properties.src));
    return caption === undefined
      ? figure
      : { ...figure, children: [...figure.children, ...figcaption(caption)] };
  };
  const within = (inside: Nodes, inFigure: boolean): Nodes =>
    inside.map((node) => {
      if (node.type !== "element") return node;
      if (node.tagName === "table") {
        return element("div", { className: ["scroll"], ...scrolling(t("body.table")) }, [node]);
      }
      if (node.tagName === "pre") {
        return { ...node, properties: { ...node.properties, ...scrolling(t("body.code")) } };
      }
      if (node.tagName === "p" && isPictureAlone(node)) {
        if (inFigure) return { ...node, tagName: "div" };
        return captioned(element("figure", {}, node.children));
      }
      const children = within(node.children, inFigure || node.tagName === "figure");
      const arranged = { ...node, children } as Element;
      const isBare = node.tagName === "figure" && !inFigure && !hasCaption(node);
      return isBare ? captioned(arranged) : arranged;
    });
  return within(nodes, false).map((node) =>
    node.type === "element" && isPicture(node) ? captioned(element("figure", {}, [node])) : node,
  );
}

/** What scrolls by itself can be reached by keyboard. */
const scrolling = (ariaLabel: string) => ({ tabIndex: 0, role: "group", ariaLabel });

function figcaption({ caption, credit }: Caption): Element[] {
  const parts = caption === "" ? [] : [text(credit === "" ? caption : `${caption} `)];
  if (credit !== "") parts.push(element("small", {}, [text(credit)]));
  return parts.length === 0 ? [] : [element("figcaption", { dir: "auto" }, parts)];
}

const hasCaption = (figure: Element): boolean =>
  elementsIn(figure).some(({ tagName }) => tagName === "figcaption");

/** Whether an element is a picture, maybe inside a link. */
function isPicture(node: Element): boolean {
  if (node.tagName === "img" || node.tagName === "picture") return true;
  return node.tagName === "a" && isPictureAlone(node);
}

function isPictureAlone({ children }: Element): boolean {
  const [only, ...others] = children.filter(
    (child) => child.type !== "text" || child.value.trim() !== "",
  );
  return only?.type === "element" && others.length === 0 && isPicture(only);
}
