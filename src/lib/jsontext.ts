/**
 * JSON as text, so that it stays as it was written: the order of members, `__proto__`, 4.50, 12345678901234567890. All
 * functions expect text that `JSON.parse` accepts.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Index just behind the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  // indexOf is several times faster on article bodies than a loop over characters.
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let i = start;
  while (text.charCodeAt(i) <= 0x20) i++;
  return i;
}

/** Index just behind the value that starts at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  let i = start;
  if (first !== "{" && first !== "[") {
    while (i < text.length && !",]}".includes(text[i] as string) && text.charCodeAt(i) > 0x20) i++;
    return i;
  }
  for (let depth = 0; ; i++) {
    const char = text[i];
    if (char === '"') i = endOfString(text, i) - 1;
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return i + 1;
  }
}

/**
 * Where each value of an object stands. Of two members with one name the last one wins, as in JSON.parse.
 *
 * @param last name of a member that is the last one: its value is not looked through
 */
function spansOf(text: string, last?: string): Map<string, { start: number; end: number }> {
  const spans = new Map<string, { start: number; end: number }>();
  let i = skipSpace(text, 0);
  if (text[i] !== "{") return spans;
  i = skipSpace(text, i + 1);
  while (text[i] === '"') {
    const nameEnd = endOfString(text, i);
    const name = JSON.parse(text.slice(i, nameEnd)) as string;
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1);
    const end = name === last ? text.length - 1 : endOfValue(text, start);
    spans.set(name, { start, end });
    i = skipSpace(text, end);
    if (text[i] !== ",") break;
    i = skipSpace(text, i + 1);
  }
  return spans;
}

/**
 * The text of each value of an object; nothing for other values.
 *
 * @param last name of the member with which the text ends, if it is known: its value is not looked through
 */
export function membersOf(text: string, last?: string): Map<string, string> {
  return new Map(
    [...spansOf(text, last)].map(([name, { start, end }]) => [name, text.slice(start, end)]),
  );
}

/** An object with what `map` makes of the text of each value; the text around the values, and other values, stay. */
export function mapMembers(text: string, map: (name: string, text: string) => string): string {
  const spans = [...spansOf(text)].sort(([, a], [, b]) => a.start - b.start);
  let out = "";
  let copied = 0;
  for (const [name, { start, end }] of spans) {
    out += text.slice(copied, start) + map(name, text.slice(start, end));
    copied = end;
  }
  return out + text.slice(copied);
}

/** The text of each row of a list; of an object with places, in their order. */
export function elementsOf(text: string): string[] {
  if (text[skipSpace(text, 0)] === "{") {
    const rows = [...membersOf(text)].sort(([a], [b]) => Number(a) - Number(b));
    return rows.map(([, row]) => row);
  }
  const elements: string[] = [];
  let i = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[i] !== "]") {
    const end = endOfValue(text, i);
    elements.push(text.slice(i, end));
    i = skipSpace(text, end);
    if (text[i] === ",") i = skipSpace(text, i + 1);
  }
  return elements;
}

/**
 * The same JSON without white space between tokens, and with what `replace` makes of each string value. A string that
 * `replace` leaves alone keeps its escapes.
 *
 * @param concerned whether a string, as it is written, must be seen
 * @param replaceName what becomes of members' names
 */
export function rewriteJson(
  text: string,
  replace: (value: string) => string | null,
  {
    concerned,
    replaceName,
  }: { concerned?: (written: string) => boolean; replaceName?: (name: string) => string } = {},
): string {
  let out = "";
  let copied = 0;
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20) {
      out += text.slice(copied, i);
      copied = i + 1;
    }
    if (code !== QUOTE) continue;
    const start = i;
    const end = endOfString(text, start);
    i = end - 1;
    const isName = text.charCodeAt(skipSpace(text, end)) === 0x3a;
    const change = isName ? replaceName : replace;
    const token = text.slice(start, end);
    if (change === undefined || concerned?.(token) === false) continue;
    const value = token.includes("\\") ? (JSON.parse(token) as string) : token.slice(1, -1);
    const replaced = change(value);
    if (replaced === value) continue;
    out += text.slice(copied, start) + JSON.stringify(replaced);
    copied = end;
  }
  return out + text.slice(copied);
}
