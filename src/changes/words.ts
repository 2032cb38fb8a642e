import { diffArrays } from "diff";

/** Words that were removed (-) or added (+), or that stand beside those (=); a text cut short has "…". */
export interface Piece {
  sign: "=" | "-" | "+";
  text: string;
}

/** Words that are shown on each side of a change. */
const context = 6;
/** Passages that are shown of one text. */
const maxPassages = 12;
/** Characters that are shown of one piece. */
const maxLength = 300;
/** Words that may differ before two texts count as different altogether: the time grows with the square. */
const maxWords = 1_000;

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
/** The segmenter's time grows with the square of its text, so that it is given sentences or lines. */
const stretches = /[^\n。！？；，、]{1,500}[\n。！？；，、]*|[\n。！？；，、]+/gu;

/**
 * The words in which two texts differ, with some words around them. Words are those of any script.
 *
 * diffWords("a red car", "a blue car") → [{ "=": "a " }, { "-": "red" }, { "+": "blue" }, { "=": " car" }], as pieces
 */
export function diffWords(before: string, after: string): Piece[] {
  const [old, now] = unequalStretches(before, after).map(wordsOf) as [string[], string[]];
  const parts = diffArrays(old, now, { maxEditLength: maxWords });
  if (parts === undefined) return [piece("-", before), piece("+", after)];
  const pieces: Piece[] = [];
  let [removed, added, gap] = ["", "", ""];
  const flush = (): void => {
    if (removed.trim() !== "") pieces.push(piece("-", removed));
    if (added.trim() !== "") pieces.push(piece("+", added));
    [removed, added] = ["", ""];
  };
  for (const [at, { value, ...part }] of parts.entries()) {
    const text = value.join("");
    if (part.removed || part.added) {
      // Spaces between two changes do not part them.
      removed += gap + (part.removed ? text : "");
      added += gap + (part.added ? text : "");
      gap = "";
    } else if (text.trim() === "" && at > 0) gap = text;
    else {
      flush();
      pieces.push({ sign: "=", text: shortened(value, at > 0, at < parts.length - 1) });
    }
  }
  flush();
  return bounded(pieces);
}

/** What is left of two texts without the stretches that both begin and end with, but for one on each side. */
function unequalStretches(before: string, after: string): string[][] {
  const [a, b] = [before.match(stretches) ?? [], after.match(stretches) ?? []];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [from, kept] = [Math.max(start - 1, 0), Math.max(end - 1, 0)];
  return [a, b].map((all) => all.slice(from, all.length - kept));
}

function wordsOf(texts: string[]): string[] {
  return texts.flatMap((text) => Array.from(segmenter.segment(text), ({ segment }) => segment));
}

/** Equal words, as far as they are near a change. Each word has a space or a sign behind it. */
function shortened(words: string[], changeBefore: boolean, changeBehind: boolean): string {
  const all = words.join("");
  if (all.length <= maxLength / 2) return all;
  const head = changeBefore ? words.slice(0, 2 * context).join("") : "";
  return `${head}…${changeBehind ? words.slice(-2 * context).join("") : ""}`;
}

function piece(sign: Piece["sign"], text: string): Piece {
  if (text.length <= maxLength) return { sign, text };
  return { sign, text: `${text.slice(0, maxLength)} … (${text.length} characters)` };
}

function bounded(pieces: Piece[]): Piece[] {
  const passages = pieces.filter(({ sign }) => sign === "=").length;
  if (passages <= maxPassages) return pieces;
  let left = maxPassages;
  const end = pieces.findIndex(({ sign }) => sign === "=" && left-- === 0);
  const more = `… and ${passages - maxPassages} more passages`;
  return [...pieces.slice(0, end), { sign: "=", text: more }];
}
