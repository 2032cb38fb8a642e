import { diffArrays } from "diff";

/** Words that were removed (-) or added (+), or that stand beside those (=); a text cut short has "…". */
export interface Piece {
  sign: "=" | "-" | "+";
  text: string;
}

/** Words that are shown on each side of a change. */
const context = 6;
const maxPieces = 40;
const maxLength = 300;
/** Words that may differ before two texts count as different altogether: the time grows with the square. */
const maxWords = 1_000;
/** Characters of two texts that are compared word by word. */
const maxCompared = 4_000_000;
/** Of two long texts fewer may differ: the time also grows with their words, for each word that differs. */
const maxSteps = 20_000_000;

const segmenter = new Intl.Segmenter("und", { granularity: "word" });
/** The segmenter's time grows with the square of its text, so that it is given sentences or lines. */
const stretches = /[^\n。！？；，、]{1,500}[\n。！？；，、]{0,500}|[\n。！？；，、]{1,500}/gu;

/**
 * The words in which two texts differ, with some words around them. Words are those of any script.
 *
 * diffWords("a red car", "a blue car") → [{ "=": "a " }, { "-": "red" }, { "+": "blue" }, { "=": " car" }], as pieces
 */
export function diffWords(before: string, after: string): Piece[] {
  const whole = [piece("-", before), piece("+", after)];
  if (before.length + after.length > maxCompared) return whole;
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const maxEditLength = Math.min(maxWords, Math.ceil(maxSteps / (old.length + now.length)));
  const parts = diffArrays(old, now, { maxEditLength });
  if (parts === undefined) return whole;
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
  if (pieces.length <= maxPieces) return pieces;
  const more = `… and ${pieces.length - maxPieces} more pieces`;
  return [...pieces.slice(0, maxPieces), { sign: "=", text: more }];
}

function wordsOf(text: string): string[] {
  const found = text.match(stretches) ?? [];
  return found.flatMap((one) => Array.from(segmenter.segment(one), ({ segment }) => segment));
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
