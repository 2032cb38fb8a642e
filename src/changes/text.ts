import { nodesOfHtml } from "../lib/html.ts";
import { isObject } from "../lib/objects.ts";

/** Comments, scripts, styles, and tags with their names. By hand, because bodies can be too deep for a parser. A
 * tag of millions of characters would overflow the stack of the expression. */
const markup =
  /<!--.*?(?:-->|$)|<(script|style|template)\b.*?(?:<\/\1\s*>|$)|<[/!?]?([a-z][a-z0-9]*)(?:"[^"]*"|'[^']*'|[^>"']){0,65536}>?/gis;
const block =
  /^(?:address|article|aside|blockquote|br|d[dlt]|div|fig\w+|footer|h[1-6r]|header|li|main|nav|ol|p|pre|section|t[dhr]|table|ul)$/i;

/**
 * What a reader sees of a value: the text of HTML, a line for each block, or all texts of a list or an object.
 *
 * plainText("<p>One <b>two</b></p><p>three</p>") → "One two\nthree"
 */
export function plainText(value: unknown): string {
  if (Array.isArray(value)) return value.map(plainText).filter(Boolean).join("\n");
  if (isObject(value)) return plainText(Object.values(value));
  if (typeof value !== "string") return "";
  const text = /<[a-z/!?]|&[#a-z]/i.test(value) ? textOfHtml(value) : value;
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  return lines.filter((line) => line !== "").join("\n");
}

function textOfHtml(html: string): string {
  const oneLine = html.replace(/\s+/g, " ");
  const bare = oneLine.replace(markup, (_, __, name?: string) =>
    name && block.test(name) ? "\n" : "",
  );
  // What is left are character references.
  return nodesOfHtml(bare.replaceAll("<", "&lt;"))
    .map((node) => (node.type === "text" ? node.value : ""))
    .join("");
}
