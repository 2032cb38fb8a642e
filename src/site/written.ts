import type { Element } from "hast";
import type { Nodes } from "./nodes.ts";

type Direction = "ltr" | "rtl";

/** ISO 15924. */
export const scriptsFromRight = ["Arab", "Hebr", "Syrc", "Thaa", "Nkoo", "Adlm", "Rohg"];
const letterFromRight = new RegExp(
  scriptsFromRight.map((script) => `\\p{Script=${script}}`).join("|"),
  "u",
);

/** Undefined for a text without letters. As `dir="auto"` has it: by the first letter. */
export function directionOf(text: string): Direction | undefined {
  const letter = /\p{L}/u.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return letterFromRight.test(letter) ? "rtl" : "ltr";
}

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/**
 * The language of a text whose script tells it: "zh", "ja" or "ko"; empty for every other. One set of characters is drawn
 * in a different way in each of the three.
 */
export function languageOf(text: string): string {
  if (!eastAsian.test(text)) return "";
  const letters = text.match(/\p{L}/gu)?.length ?? 1;
  const share = (script: RegExp): number => (text.match(script)?.length ?? 0) / letters;
  const kana = share(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const hangul = share(/\p{Script=Hangul}/gu);
  const han = share(/\p{Script=Han}/gu);
  if (kana + hangul + han < 0.5) return "";
  if (hangul > 0.25) return "ko";
  return kana > 0.02 ? "ja" : "zh";
}

const blocks = new Set(
  "p h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote figcaption table caption td th details summary".split(
    " ",
  ),
);

/** Blocks whose text runs the other way than the text around them say so. */
export function directed(nodes: Nodes): Nodes {
  const directions = new Map<Nodes[number], Direction | undefined>();
  const note = (node: Nodes[number]): Direction | undefined => {
    let found = node.type === "text" ? directionOf(node.value) : undefined;
    for (const child of node.type === "element" ? node.children : []) {
      const first = note(child);
      found ??= first;
    }
    directions.set(node, found);
    return found;
  };
  const within = (inside: Nodes, around: Direction | undefined): Nodes =>
    inside.map((node) => {
      if (node.type !== "element") return node;
      const { properties, tagName } = node;
      if (properties.dir !== undefined || tagName === "pre") return node;
      const own = blocks.has(tagName) ? directions.get(node) : undefined;
      const children = within(node.children, own ?? around) as Element["children"];
      const dir = own === around ? undefined : own;
      return { ...node, properties: { ...properties, dir }, children };
    });
  const [first] = nodes.map(note).filter((found) => found !== undefined);
  return within(nodes, first);
}
