import type { Element } from "hast";
import { cached } from "../lib/cached.ts";
import { type Caption, unsaid } from "./captions.ts";
import type { Formats } from "./formats.ts";
import { asText, element, elementsIn, type Nodes, text, textIn } from "./nodes.ts";
import { ratioClass } from "./pictures.ts";
import { wideWidth } from "./sizes.ts";

/** The image that a picture shows, by the picture's `src`; undefined for other pictures. */
export type ImageOfSource = (src: string) => ImageOfBody | undefined;

interface ImageOfBody extends Caption {
  /** For the `sizes` of a picture that may be wider than the text; undefined for others. */
  wide: string | undefined;
}

/** A smaller picture is a part of the text, such as a sign. */
const captionedWidth = 200;

/**
 * Wide tables and code scroll by themselves, and a picture alone becomes a figure. A figure without a caption gets the
 * caption of its image, unless the body says it.
 */
export function arrange(nodes: Nodes, imageOfSource: ImageOfSource, { t }: Formats): Nodes {
  const said = textIn(nodes);
  // Each looks through the whole text.
  const unsaidOf = cached(256, (src: string) => {
    const caption = imageOfSource(src);
    return caption && unsaid(caption, said);
  });
  const captioned = (figure: Element): Element => {
    const image = onlyImage(figure);
    const caption = image && unsaidOf(String(image.properties.src));
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
  const figures = within(nodes.flatMap(eachAlone), false).map((node) =>
    node.type === "element" && isPicture(node) ? captioned(element("figure", {}, [node])) : node,
  );
  return besides(figures, imageOfSource);
}

/** A paragraph of two or three pictures as paragraphs of one. */
function eachAlone(node: Nodes[number]): Nodes {
  if (node.type !== "element" || node.tagName !== "p") return [node];
  const children = node.children.filter((child) => child.type !== "text" || child.value.trim());
  const isRow = children.every((child) => child.type === "element" && isPicture(child));
  if (!isRow || children.length < 2 || children.length > mostInRow) return [node];
  return children.map((child) => element("p", {}, [child]));
}

const mostInRow = 3;

/** Two or three figures that follow each other stand side by side; a large one alone may be wider than the text. */
function besides(nodes: Nodes, imageOfSource: ImageOfSource): Nodes {
  const out: Nodes = [];
  let row: Element[] = [];
  const end = (): void => {
    const isRow = row.length > 1 && row.length <= mostInRow;
    if (isRow) out.push(element("div", { className: ["row"] }, row.map(inRow)));
    else for (const figure of row) out.push(widened(figure, imageOfSource));
    row = [];
  };
  for (const node of nodes) {
    if (node.type === "text" && node.value.trim() === "" && row.length > 0) continue;
    if (node.type === "element" && node.tagName === "figure" && onlyImage(node)) {
      row.push(sayingOnce(node));
    } else {
      end();
      out.push(node);
    }
  }
  end();
  return out;
}

/** The image of a figure that is large enough to be seen as one, and is the only one there. */
function onlyImage(figure: Element): Element | undefined {
  const [image, ...others] = elementsIn(figure).filter(({ tagName }) => tagName === "img");
  const isLarge = Number(image?.properties.width) >= captionedWidth;
  return isLarge && others.length === 0 ? image : undefined;
}

function inRow(figure: Element): Element {
  const { width, height } = onlyImage(figure)?.properties ?? {};
  const className = [ratioClass(Number(width), Number(height))];
  return { ...figure, properties: { ...figure.properties, className } };
}

function widened(figure: Element, imageOfSource: ImageOfSource): Element {
  const { src, width } = onlyImage(figure)?.properties ?? {};
  // A smaller one is as wide as its author said.
  const wide = Number(width) < wideWidth ? undefined : imageOfSource(String(src))?.wide;
  if (wide === undefined) return figure;
  for (const { properties } of elementsIn(figure)) if (properties.sizes) properties.sizes = wide;
  return { ...figure, properties: { ...figure.properties, className: ["wide"] } };
}

/** A caption that says what the picture's alternative text says is not read a second time. */
function sayingOnce(figure: Element): Element {
  const alt = asText(onlyImage(figure)?.properties.alt ?? "").trim();
  const caption = elementsIn(figure).find(({ tagName }) => tagName === "figcaption");
  const isSame = alt !== "" && caption && textIn(caption.children).trim() === alt;
  if (isSame && elementsIn(caption).every(({ tagName }) => tagName !== "a"))
    caption.properties.ariaHidden = "true";
  return figure;
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
