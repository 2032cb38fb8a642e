/** Shorter ones are no secrets but words, and would be found by chance. */
const minLength = 8;

/**
 * Makes the function that cuts a token out of a text in JSON, wherever the text repeats it, plainly, with
 * characters escaped (`\/`, `\u002b`) or as part of a URL (`%2B`): what is stored is published. The text stays
 * valid JSON, its strings stay strings.
 *
 * tokenCutter("secret-token")('{"you":"secret\\u002dtoken"}') → '{"you":"[token]"}'
 */
export function tokenCutter(token: string): (text: string) => string {
  // What could be a part of a number is none that a service gives out.
  if (token.length < minLength || /^[\d.eE+-]*$/.test(token)) return (text) => text;
  const pattern = new RegExp(Array.from(token, writtenAs).join(""), "g");
  return (text) =>
    text.replace(pattern, (found, at: number) => (isEscaped(text, at) ? found : "[token]"));
}

/** Pattern of one character of a JSON string, in all ways in which it can be written. */
function writtenAs(character: string): string {
  const ways = [];
  if (!/["\\]/.test(character)) ways.push(plain(character));
  if (/["\\/]/.test(character)) ways.push(`\\\\${plain(character)}`);
  let units = "";
  for (const unit of character.split("")) {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, "0");
    units += `\\\\u${digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
  }
  return `(?:${[...ways, units, percentEncoded(character)].join("|")})`;
}

/** Pattern of a character as it stands in a URL, where it need not be encoded but may be. */
function percentEncoded(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, "0"));
  return bytes
    .map((hex) => `%${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`)
    .join("");
}

function plain(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
}

/** Whether a backslash before a place in a JSON text takes it for its own, as in `\\u0041`. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
