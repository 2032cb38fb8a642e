/** Two hexadecimal digits, or decimal ones, of a letter, digit, dash, dot or underscore. */
const hex = "(?:2[de]|3\\d|[46][1-9a-f]|[57][\\da]|5f)";
const decimal = "(?:4[5689]|5[0-7]|6[5-9]|[78]\\d|9[05789]|1[01]\\d|12[012])(?!\\d)";
const ampersand = "&(?:amp;)*";
const names: Readonly<Record<string, string>> = {
  amp: "&",
  bsol: "\\",
  lowbar: "_",
  num: "#",
  percnt: "%",
  period: ".",
  semi: ";",
  sol: "/",
};
/** An escape of JSON, a script, a URL or HTML. What was escaped again the same way is one escape. */
const escapes = new RegExp(
  `\\\\(?:([\\\\/])|u\\{0*([\\da-f]{2})\\}|x([\\da-f]{2}))|[\\\\%]u00([\\da-f]{2})|%(?:25)*([\\da-f]{2})|` +
    `${ampersand}(?:#x0*([\\da-f]{2,6});?|#0*(\\d{2,7});?|(${Object.keys(names).join("|")});)`,
  "gi",
);
/** An escape of a letter, or of a sign with which another one begins. */
const begun = new RegExp(
  `[\\\\%]u00${hex}|\\\\x${hex}|\\\\u\\{0*${hex}\\}|%(?:25)*${hex}|${ampersand}#(?:x0*${hex}|0*${decimal})|` +
    `(?:u0026|%(?:25)*26|&#0*38;|&#x0*26;)(?:amp|#|%(?:25)*23)|u00(?:25|5c)|%(?:25)*5c|` +
    `${ampersand}(?:bsol|lowbar|num|percnt|period|#0*(?:35|37|92)|#x0*(?:23|25|5c));`,
  "i",
);
const isSought = /[\w./%&#;\\-]/;
const maxReadings = 8;

/** A text without one layer of escapes, and where each of its characters, and its end, stand in what was written. */
export interface Reading {
  text: string;
  places: Int32Array;
}

/**
 * What a text says to parsers of JSON, scripts, URLs and HTML, one behind the other, as far as letters, digits and
 * `-._/` are concerned. None where it has no escapes of these. Takes time in proportion to the text.
 *
 * [...readingsOf("%2535f0c &#97;")].map(({ text }) => text) → ["5f0c a"]
 */
export function* readingsOf(written: string): Generator<Reading> {
  if (!begun.test(written)) return;
  const places = new Int32Array(written.length + 1).map((_, at) => at);
  let last: Reading = { text: written, places };
  for (let layer = 0; layer < maxReadings; layer++) {
    let text = "";
    const places = new Int32Array(last.text.length + 1);
    let at = 0;
    const copyTo = (end: number): void => {
      const from = text.length;
      text += last.text.slice(at, end);
      places.set(last.places.subarray(at, end), from);
      at = end;
    };
    for (const match of last.text.matchAll(escapes)) {
      const sign = signOf(match);
      if (!isSought.test(sign)) continue;
      copyTo(match.index);
      places[text.length] = last.places[at] as number;
      text += sign;
      at += match[0].length;
    }
    if (at === 0) return;
    copyTo(last.text.length);
    places[text.length] = written.length;
    last = { text, places };
    yield last;
  }
}

/** The character that a match of `escapes` stands for; "" for one beyond ASCII. */
function signOf([, itself, ...codes]: RegExpExecArray): string {
  if (itself !== undefined) return itself;
  const name = codes.pop();
  if (name !== undefined) return names[name.toLowerCase()] ?? "";
  const decimal = codes.pop();
  const digits = codes.find((code) => code !== undefined) ?? "";
  const code = Number.parseInt(decimal ?? digits, decimal === undefined ? 16 : 10);
  return code < 128 ? String.fromCharCode(code) : "";
}
