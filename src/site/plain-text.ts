import { nodesOfHtml } from "../lib/html.ts";
import { decodeAttribute, element, type Nodes, text } from "./nodes.ts";

// The class stands twice, because with `+` millions of letters can overflow the stack of the expression.
const bare = /\bhttps?:\/\/[^\s<>"“”«»][^\s<>"“”«»]*/gi;

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

const inlineTag =
  /<\/?(?:a|abbr|b|bdi|cite|code|dfn|em|i|kbd|mark|q|s|small|span|strong|su[bp]|u|var)(?:\s[^<>]*)?>/gi;

/**
 * A title or a caption as it was meant. Origins write HTML into members that are plain text.
 *
 * readable("What&#8217;s new <em>and</em> old") → "What’s new and old"
 */
export function readable(text: string): string {
  const line = text.replace(/<br\s*\/?>/gi, " ");
  // A title about a tag has no end of it.
  const trimmed = (line.includes("</") ? line.replace(inlineTag, "") : line).trim();
  return trimmed.includes("&") ? trimmed.replace(reference, decodeAttribute) : trimmed;
}

/** The same of a summary, which some origins write as a piece of HTML. */
export function readableSummary(text: string): string {
  const begun = text.search(/<(?:p|br)\b/i);
  const isHtml = (begun !== -1 && text.includes(">", begun)) || /<\/[a-z][a-z\d]*\s*>/i.test(text);
  return readable(isHtml ? withoutTags(text) : text);
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]{1,4096}/gu, "");
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
  return withoutHidden(html)
    .replace(/<[^>]*>?/g, " ")
    .replace(/\s+/g, " ");
}

/** Without scripts and their like. One that does not end is text: it could be the rest of the article. */
function withoutHidden(html: string): string {
  const endless = new Set<string>();
  let [out, copied] = ["", 0];
  for (const { 1: written = "", index } of html.matchAll(/<(script|style|template|svg)\b/gi)) {
    const name = written.toLowerCase();
    if (index < copied || endless.has(name)) continue;
    const end = new RegExp(`</${name}\\s*>`, "gi");
    end.lastIndex = index;
    if (end.test(html)) {
      out += `${html.slice(copied, index)} `;
      copied = end.lastIndex;
    } else endless.add(name);
  }
  return out + html.slice(copied);
}

const urlMark = /:\/\/|[?&;][\w-]+=/;

/** The parts of a signed link would be words like others, and no check of the build would know them. */
export function withoutUrls(text: string): string {
  if (!urlMark.test(text)) return text;
  let urlEnd = -1;
  // In pieces: millions of letters in a row would overflow the stack of the expression.
  return text.replace(/\S{1,65536}/g, (word, at: number) => {
    if (at !== urlEnd && !urlMark.test(word)) return word;
    urlEnd = at + word.length;
    return " ";
  });
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

export function excerpt(text: string, length = 200): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  return `${line.slice(0, length).replace(/\s+\S*$/, "")}…`;
}

/** Long titles are set smaller, so that none fills a screen. A character of Chinese or Japanese is as wide as two. */
export function titleClass(title: string) {
  const width = title.length + (title.match(/[\u2e80-\uffef]/g)?.length ?? 0);
  return width > 110 ? "longest" : width > 55 ? "long" : "";
}
