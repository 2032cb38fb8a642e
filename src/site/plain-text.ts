import { nodesOfHtml } from "../lib/html.ts";
import { decodeAttribute, element, type Nodes, text } from "./nodes.ts";

const bare = /\bhttps?:\/\/[^\s<>"“”«»]+/gi;

/** Without a mark of HTML, line breaks are what the author meant. */
export function isPlainText(body: string): boolean {
  return !/<[a-z/!?]/i.test(body);
}

/** Origins write plain text with character references, too. */
export function plainTextOf(body: string): string {
  return nodesOfHtml(body)
    .map((node) => (node.type === "text" ? node.value : ""))
    .join("");
}

const reference = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,30});/gi;

/**
 * A title or a caption as it was meant. Origins write character references of HTML into members that are plain text.
 *
 * readable("What&#8217;s new") → "What’s new"
 */
export function readable(text: string): string {
  const trimmed = text.trim();
  return trimmed.includes("&") ? trimmed.replace(reference, decodeAttribute) : trimmed;
}

/** The same of a summary, which some origins write as a piece of HTML. */
export function readableSummary(text: string): string {
  const isHtml = /<\/[a-z][a-z\d]*\s*>|<(?:p|br)\b[^>]*>/i.test(text);
  return readable(isHtml ? withoutTags(text) : text);
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "");
/** Letters of a summary that no text begins with by chance. */
const telling = 20;

/** Whether a text begins with its summary. Many origins cut it out of the text, wherever its space ended. */
export function beginsWith(text: string, summary: string): boolean {
  const letters = lettersOf(summary);
  return (
    letters.length >= telling && lettersOf(text.slice(0, summary.length * 2)).startsWith(letters)
  );
}

/** The text of a piece of HTML as one line. */
export function withoutTags(html: string): string {
  return html
    .replace(/<(script|style|template|svg)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>?/g, " ")
    .replace(/\s+/g, " ");
}

/** Paragraphs where blank lines are, `<br>` where single lines end, links where URLs stand. */
export function paragraphsOf(plain: string): Nodes {
  const paragraphs: string[][] = [[]];
  for (const line of plain.split("\n")) {
    if (line.trim() === "") paragraphs.push([]);
    else paragraphs.at(-1)?.push(line.trim());
  }
  const broken = (lines: string[]): Nodes =>
    lines.flatMap((line, at) => [...(at === 0 ? [] : [element("br", {})]), ...linked(line)]);
  return paragraphs
    .filter((lines) => lines.length > 0)
    .map((lines) => element("p", {}, broken(lines)));
}

export function bareUrls(plain: string): string[] {
  return piecesOf(plain).flatMap(({ value, isUrl }) => (isUrl ? [value] : []));
}

export function withUrls(plain: string, print: (url: string) => string): string {
  return piecesOf(plain)
    .map(({ value, isUrl }) => (isUrl ? print(value) : value))
    .join("");
}

function linked(line: string): Nodes {
  return piecesOf(line).map(({ value, isUrl }) =>
    isUrl ? element("a", { href: value }, [text(value)]) : text(value),
  );
}

/** A text, cut at its URLs. */
function piecesOf(plain: string): { value: string; isUrl: boolean }[] {
  const pieces: { value: string; isUrl: boolean }[] = [];
  let from = 0;
  for (const match of plain.matchAll(bare)) {
    const url = urlIn(match[0]);
    pieces.push({ value: plain.slice(from, match.index), isUrl: false });
    pieces.push({ value: url, isUrl: true });
    from = match.index + url.length;
  }
  pieces.push({ value: plain.slice(from), isUrl: false });
  return pieces.filter(({ value }) => value !== "");
}

/** Without the marks of the sentence; a closing bracket stays if the URL opened it. */
function urlIn(match: string): string {
  let unopened = 0;
  for (const char of match) unopened += char === "(" ? -1 : char === ")" ? 1 : 0;
  let end = match.length;
  for (; end > 0; end--) {
    const last = match[end - 1] as string;
    if (last === ")" && unopened-- > 0) continue;
    if (!".,:;!?'’…*]".includes(last)) break;
  }
  return match.slice(0, end);
}
