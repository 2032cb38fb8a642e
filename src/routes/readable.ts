import anyAscii from "any-ascii";
import type { Config } from "../config.ts";

/** Letters and digits beyond those of ASCII. */
const beyondAscii = /(?![A-Za-z])\p{L}|(?![0-9])\p{Nd}/u;
/** Of a name, so that a file system takes it with an ending, and with digits behind it that make it unique. */
const most = { characters: 60, bytes: 176, read: 2_000 };

/**
 * The words of a slug with letters beyond ASCII: letters and digits in lower case, in normal form C, with "-" between
 * words; in "ascii", as its letters spell them, "" where they cannot. Undefined for every other slug.
 *
 * readableName("البحر والناس", "unicode") → "البحر-والناس"
 */
export function readableName(slug: string, paths: Config["site"]["paths"]): string | undefined {
  // The time of a normal form can grow with the square of its text.
  const read = slug.slice(0, most.read);
  if (!beyondAscii.test(read.normalize("NFC"))) return undefined;
  // Nobody sees them, and some file systems leave them out.
  const visible = read.replace(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFC");
  const text = paths === "ascii" ? anyAscii(visible).replace(/['`]/g, "") : visible;
  const words = text
    .toLowerCase()
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/(?<=^|-)\p{M}+/gu, "");
  return cut(words).replace(/^-+|-+$/g, "");
}

/** A slug that came percent-encoded, as WordPress keeps it; its last letter may have been cut. */
export function decodedSlug(slug: string): string {
  return slug.replace(/(?:%[\da-f]{2}){1,4096}/gi, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString().replaceAll("\ufffd", ""),
  );
}

/** Two paths that a file system or a host may take for one have one such form: by their case, or by how accents are written. */
export function foldedPath(path: string): string {
  if (/^[\0-\x7f]*$/.test(path)) return path.toLowerCase();
  return path.normalize("NFKD").toLowerCase().toUpperCase().toLowerCase().normalize("NFKD");
}

/** Items from the oldest on; the id orders those of one time, and those without a time, which come last. */
export function byAge<T extends { createdAt: string | null }>(
  items: Iterable<T>,
  idOf: (item: T) => string,
): T[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...items].sort(
    (a, b) => compare(a.createdAt ?? "9", b.createdAt ?? "9") || compare(idOf(a), idOf(b)),
  );
}

/** The longest start that is not too long. A letter keeps its marks, or is left out with them. */
function cut(words: string): string {
  const characters = Array.from(words);
  let end = 0;
  let bytes = 0;
  for (const character of characters.slice(0, most.characters)) {
    bytes += Buffer.byteLength(character);
    if (bytes > most.bytes) break;
    end++;
  }
  while (end > 0 && /^\p{M}/u.test(characters[end] ?? "")) end--;
  return characters.slice(0, end).join("");
}
