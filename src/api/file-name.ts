import { orUndefined } from "../lib/or-undefined.ts";
import { mayHoldSignatures } from "../lib/secrets.ts";
import { type Headers, headerOf } from "./headers.ts";

/** The name that an answer gives its file; undefined where it gives none, or one that holds what must not be stored. */
export function fileNameOf(headers: Headers, clean: (text: string) => string): string | undefined {
  const name = nameIn(headerOf(headers, "content-disposition"));
  const mayBeKept = name !== undefined && clean(name) === name && !mayHoldSignatures.test(name);
  return mayBeKept ? name : undefined;
}

/**
 * The name in `Content-Disposition`, as it came (RFC 6266, RFC 8187). As browsers do, this takes a name without quotes,
 * bytes of UTF-8, and escapes of URLs in a plain name.
 *
 * nameIn("attachment; filename*=UTF-8''J%C3%A4ger.pdf") → "Jäger.pdf"
 */
function nameIn(header = ""): string | undefined {
  const [, charset, extended] =
    /filename\*\s*=\s*"?([\w-]*)'[^'\s]*'([^\s;"]+)/i.exec(header) ?? [];
  const named = extended && decoded(extended, charset);
  if (named) return named;
  const [, quoted, bare] = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)|([^";][^;]*))/i.exec(header) ?? [];
  const plain = quoted?.replace(/\\(.)/g, "$1") ?? bare?.trim();
  return plain ? (decoded(plain) ?? plain) : undefined;
}

/** A text of Latin-1 letters as what its bytes are, those behind `%` too; undefined where they are no such text. */
function decoded(text: string, charset = "utf-8"): string | undefined {
  const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return orUndefined(() =>
    new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, "latin1")),
  );
}
