import type { Element, Properties, Root } from "hast";
import { type Schema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { elementsIn, text, textIn } from "./nodes.ts";

const shapes = ["path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text"];
const words = (text: string): string[] => text.trim().split(/\s+/);

/** Nothing that loads, runs, moves or repeats: no references but to a gradient or a clip of the same drawing. */
const paint = /^(?:url\(#[\w.:-]+\)|(?!.*url\()[\w#.,%() +-]*)$/i;
const presentation = words(`fill fillOpacity fillRule clipRule stroke strokeWidth strokeLineCap
  strokeLineJoin strokeDashArray strokeDashOffset strokeOpacity strokeMiterLimit opacity color display visibility
  fontFamily fontSize fontWeight fontStyle textAnchor dominantBaseline clipPath stopColor stopOpacity`);
const geometry =
  words(`x y x1 x2 y1 y2 cx cy r rx ry fx fy dx dy d points width height offset rotate transform
  gradientUnits gradientTransform spreadMethod clipPathUnits textLength`);
const drawing: Schema = {
  tagNames: [
    ...shapes,
    ...words("svg g defs tspan linearGradient radialGradient stop clipPath title"),
  ],
  strip: words("script style foreignObject metadata annotation"),
  attributes: {
    "*": [...geometry, "id", ...presentation.map((name): [string, RegExp] => [name, paint])],
    svg: ["viewBox", "preserveAspectRatio"],
  },
  clobber: [],
  protocols: {},
  required: {},
};

/** A drawing whose URL is longer is no part of a page. */
const maxLength = 1_500_000;
/** Whole pixels of a side that an attribute gives; undefined for none, and for other units. */
export const side = (value: unknown): number | undefined => {
  const pixels = /^\s*(\d{1,5}(?:\.\d+)?)(?:px)?\s*$/.exec(String(value))?.[1];
  return pixels === undefined ? undefined : Math.round(Number(pixels)) || undefined;
};

/** What a drawing says: its title, its label, or the words in it. */
export function labelOfSvg(svg: Element): string {
  const inside = elementsIn(svg);
  const title = inside.find(({ tagName }) => tagName === "title");
  const label = String(svg.properties.ariaLabel ?? "");
  const texts = title ? [title] : inside.filter(({ tagName }) => tagName === "text");
  return (label || texts.map((one) => textIn([one])).join(" ")).replace(/\s+/g, " ").trim();
}

/** Whether an SVG would do more than draw. */
export function isScripted(svg: Element): boolean {
  return [svg, ...elementsIn(svg)].some(
    ({ tagName, properties }) =>
      /^(?:script|foreignObject|handler|animate\w*|set)$/i.test(tagName) ||
      Object.keys(properties).some((name) => /^on/i.test(name)),
  );
}

/**
 * A drawing as an image of its own, which browsers neither run nor let load anything: its shapes, texts and gradients.
 * Undefined for one that draws nothing.
 *
 * @param print what to write of a text in it
 */
export function imageOfSvg(svg: Element, print: (text: string) => string): Properties | undefined {
  const root = sanitize({ type: "root", children: [styled(svg, print)] }, drawing) as
    | Root
    | Element;
  const safe = root.type === "root" ? root.children[0] : root;
  if (safe?.type !== "element" || !elementsIn(safe).some((one) => shapes.includes(one.tagName)))
    return;
  const [, , boxWidth, boxHeight] = String(safe.properties.viewBox ?? "")
    .trim()
    .split(/[\s,]+/);
  const width = side(safe.properties.width) ?? side(boxWidth);
  const height = side(safe.properties.height) ?? side(boxHeight);
  safe.properties.xmlns = "http://www.w3.org/2000/svg";
  const written = toHtml(safe, {
    space: "svg",
    closeEmptyElements: true,
    characterReferences: { useNamedReferences: false },
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
  }).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "");
  // Not base64: what looks for secrets in a page must be able to read it.
  const src = `data:image/svg+xml,${encodeURIComponent(written)}`;
  return src.length > maxLength ? undefined : { src, width, height };
}

/** An SVG with its inline styles as attributes, which say the same. SVG 2, "Presentation attributes". */
function styled(node: Element, print: (text: string) => string): Element {
  const { style, ...properties } = node.properties;
  for (const declaration of String(style ?? "").split(";")) {
    const [name = "", value = ""] = declaration.split(":", 2).map((part) => part.trim());
    const key = presentation.find(
      (one) => one.toLowerCase() === name.replaceAll("-", "").toLowerCase(),
    );
    if (key !== undefined) properties[key] = value.replace(/!important/i, "").trim();
  }
  const children = node.children.map((child) => {
    if (child.type === "text") return text(print(child.value));
    return child.type === "element" ? styled(child, print) : child;
  });
  return { ...node, properties, children };
}
