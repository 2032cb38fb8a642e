/**
 * Signed links are secrets with a life of twelve hours: `expires` and `signature` are cut before anything is
 * hashed, stored, printed or published ("Image binary retrieval" in the API document).
 */

const secretNames = /^(?:expires|signature)=/i;
const anySecret = /(?:expires|signature)(?:=|%3d)/i;
// A query, up to what ends a URL in text, CSS or HTML: white space, quotes, brackets, written plainly or as entities.
const query =
  /\?((?:&#0*38;|&#x0*26;|\\u0026|(?!&(?:quot|apos|lt|gt|#0*3[49]|#x0*2[27]|#0*6[02]|#x0*3[ce]);)[^\s"'<>#()\\])*)/gi;
// \u0026 is how JSON inside of HTML writes it.
const separator = /(&amp;|&#0*38;|&#x0*26;|\\u0026|&)/i;
const nested = /(%3f|%26)(?:expires|signature)%3d(?:(?!%26|%23|%22|%27|%20)[^&"'\s<>#()\\])*/gi;

/**
 * Cuts `expires` and `signature` out of every URL in a text, HTML included; other parameters keep their order.
 *
 * withoutSignatures("…/1.jpg?expires=9&thumb=1&signature=ab") → "…/1.jpg?thumb=1"
 */
export function withoutSignatures(text: string): string {
  if (!anySecret.test(text)) return text;
  return text
    .replace(query, (whole, inner: string) => {
      if (!anySecret.test(inner)) return whole;
      const pieces = inner.split(separator);
      let kept = "";
      for (let i = 0; i < pieces.length; i += 2) {
        const piece = pieces[i] as string;
        if (secretNames.test(piece)) continue;
        kept += (kept === "" ? "" : (pieces[i - 1] ?? "")) + piece;
      }
      return kept === "" ? "" : `?${kept}`;
    })
    .replace(nested, (_, lead: string) => (lead.toLowerCase() === "%3f" ? "%3F" : ""));
}

/** A URL that may be printed: no signature, no expiry, no credentials. */
export function printable(url: string | URL): string {
  const text = String(url).replace(/^([a-z]+:\/\/)[^/@\s]*@/i, "$1");
  return withoutSignatures(text);
}
