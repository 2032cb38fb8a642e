import type { Element, RootContent } from "hast";
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
  const figcaptionOf = (figure: Element): Element[] => {
    const images = elementsIn(figure).filter(({ tagName }) => tagName === "img");
    const [image, ...others] = images;
    if (image === undefined || others.length > 0) return [];
    if (Number(image.properties.width) < captionedWidth) return [];
    const caption = captionOfSource(String(image.properties.src));
    return caption === undefined ? [] : figcaption(unsaid(caption, said));
  };
  const figure = (picture: Nodes): Element => {
    const whole = element("figure", {}, picture);
    whole.children.push(...figcaptionOf(whole));
    return whole;
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
        return inFigure ? { ...node, tagName: "div" } : figure(node.children);
      }
      const children = within(node.children, inFigure || node.tagName === "figure");
      const arranged = { ...node, children } as Element;
      const isBare = node.tagName === "figure" && !inFigure && !hasCaption(node);
      if (isBare) arranged.children.push(...figcaptionOf(node));
      return arranged;
    });
  return within(nodes, false).map((node) =>
    node.type === "element" && isPicture(node) ? figure([node as RootContent]) : node,
  );
}

/** What scrolls by itself can be reached by keyboard. */
const scrolling = (ariaLabel: string) => ({ tabIndex: 0, role: "group", ariaLabel });

function figcaption({ caption, credit }: Caption): Element[] {
  if (caption === "" && credit === "") return [];
  const small = element("small", {}, [text(credit)]);
  const parts = [
    ...(caption === "" ? [] : [text(caption)]),
    ...(caption === "" || credit === "" ? [] : [text(" ")]),
    ...(credit === "" ? [] : [small]),
  ];
  return [element("figcaption", { dir: "auto" }, parts)];
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
