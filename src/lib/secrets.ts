/**
 * Signed links are secrets with a life of twelve hours: `expires` and `signature` are cut before anything is
 * hashed, stored, printed or published ("Image binary retrieval" in the API document).
 *
 * They are recognised as parameters of a URL in every spelling in which one can stand in a text: plain, with HTML
 * entities, with the escapes of JSON and scripts, percent-encoded once or several times as part of another URL, also
 * with its entities; and, where no URL is around them any more, by values that look like a time and a signature.
 */

const words = "(?:expires|signature)";
const name = `${words}(?:\\[\\]|%5b%5d)?`;

/** A semicolon that ends an entity, such as that of a quotation mark, separates no parameters. */
const semicolon = "(?<!&(?:amp;)*#?\\w{1,31});";
const ampersand = `(?:&(?:amp;?)*(?:#0*38;?|#x0*26;?)?|\\\\u0026|\\\\x26|${semicolon})`;
const question = "(?:\\?|#|&(?:amp;)*(?:quest|num|#0*63|#x0*3f|#0*35|#x0*23);|\\\\u003f|\\\\x3f)";
const equals = "(?:=|&(?:amp;)*(?:equals|#0*61|#x0*3d);|\\\\u003d|\\\\x3d)";
const parameter = `${name}${equals}[^\\s"'<>()#\\\\&;,]*`;
// An ampersand joins another parameter only if it does not begin an entity, such as that of a quotation mark.
const plain = new RegExp(
  `(?:(${question})|${ampersand})${parameter}(?:${ampersand}${parameter})*` +
    `(${ampersand}(?![a-z0-9#]+;)(?=[^\\s"'<>()&;,]))?`,
  "gi",
);

/** A sign that is percent-encoded, by its code, or by those of several; once or several times. */
const encoded = (codes: string): string => `(?:%|&(?:percnt|#0*37|#x0*25);)(?:25)*(?:${codes})`;
/** An HTML entity whose signs are percent-encoded: by its name, or by its decimal and its hexadecimal number. */
const encodedEntity = (names: string, numbers: string): string =>
  `${encoded("26")}(?:amp${encoded("3b")})*(?:${names}|${encoded("23")}(?:${numbers}))${encoded("3b")}`;
const encodedName = `${words}(?:\\[\\]|${encoded("5b")}${encoded("5d")})?`;
/** As a plain one, see there. */
const encodedSemicolon = `(?<!${encoded("26")}(?:amp${encoded("3b")})*(?:${encoded("23")})?\\w{1,31})${encoded("3b")}`;
const encodedAmpersand =
  `(?:${encoded("26")}(?:amp(?:${encoded("3b")})?)*` +
  `(?:${encoded("23")}(?:0*38|x0*26)(?:${encoded("3b")})?)?|${encodedSemicolon})`;
const encodedQuestion = `(?:${encoded("3f|23")}|${encodedEntity("quest|num", "0*63|x0*3f|0*35|x0*23")})`;
const encodedEquals = `(?:${encoded("3d")}|${encodedEntity("equals", "0*61|x0*3d")})`;
/** What ends a value, percent-encoded. */
const encodedEnd = encoded("2[02367c]|3b");
const encodedParameter = `${encodedName}${encodedEquals}(?:(?!${encodedEnd})[^\\s"'<>()#\\\\&;,])*`;
const nested = new RegExp(
  `(?:(${encodedQuestion})|${encodedAmpersand})${encodedParameter}` +
    `(?:${encodedAmpersand}${encodedParameter})*` +
    `(${encodedAmpersand}(?!(?:[a-z0-9]|${encoded("23")})+${encoded("3b")}))?`,
  "gi",
);

/** Only one of the two signs is encoded, as where a part of a URL was put into another one unencoded. */
const mixed = new RegExp(
  `(?:${question}|${ampersand})${encodedParameter}|` +
    `(?:${encodedQuestion}|${encodedAmpersand})${name}${equals}(?:(?!${encodedEnd})[^\\s"'<>()#\\\\&;,])*`,
  "gi",
);

const anyEquals = `(?:${equals}|${encodedEquals})`;
const bare = new RegExp(
  `(?<![a-z0-9_$.\\[-])(?:expires${anyEquals}\\d{9,}|signature${equals}[\\w+/.%~=-]{16,}` +
    `|signature${encodedEquals}(?:[\\w+/.~=-]|${encoded("2[5bdef]|3d|5f|7e")}){16,})`,
  "gi",
);

/**
 * Cuts `expires` and `signature` out of every URL in a text, HTML included; other parameters keep their order.
 *
 * withoutSignatures("…/1.jpg?expires=9&thumb=1&signature=ab") → "…/1.jpg?thumb=1"
 */
export function withoutSignatures(text: string): string {
  let left = text;
  // What stood on both sides of a cut may make another parameter.
  while (mayHoldSignatures.test(left)) {
    const urls = left.replace(plain, joined).replace(nested, joined);
    const clean = urls.replace(mixed, "").replace(bare, "");
    if (clean === left) break;
    left = clean;
  }
  return left;
}

/** Texts worth a closer look; also JSON in which letters and signs are written as escapes. */
export const mayHoldSignatures = /expires|signature|\\u00[2-7]/i;

/** What stays of a cut between two parameters: the question mark where it was the first one, else the next joint. */
function joined(_: string, first: string | undefined, next: string | undefined): string {
  return next === undefined ? "" : (first ?? next);
}

/** A URL that may be printed: no signature, no expiry, no credentials. */
export function printable(url: string | URL): string {
  const text = String(url).replace(/^([a-z]+:\/\/)[^/@\s]*@/i, "$1");
  return withoutSignatures(text);
}
