const quote = 34;
const backslash = 92;

/**
 * Whether a JSON text nests arrays and objects deeper than a number of levels. In linear time, without recursion,
 * and for a text that is no JSON too, so that it can be asked before anything that goes down level by level.
 *
 * nestsDeeper("[[1],[2]]", 1) → true
 */
export function nestsDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    // [ and {, ] and } differ by this bit only.
    else if ((code | 32) === 123) {
      if (++depth > levels) return true;
    } else if ((code | 32) === 125) depth--;
  }
  return false;
}

/** Where the quotation mark stands that ends a string; the text's end where none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at++;
  }
  return text.length;
}
