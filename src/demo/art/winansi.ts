/** Characters of WinAnsiEncoding from 0x80 to 0x9f; the others are those of Latin-1. */
const upperControls = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** Characters of other scripts and signs that have a usual spelling in Latin letters. */
const spellings: Readonly<Record<string, string>> = {
  "−": "-",
  "‑": "-",
  "→": "->",
  "←": "<-",
  "≤": "<=",
  "≥": ">=",
  "′": "'",
  "″": '"',
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ı: "i",
  ħ: "h",
  "✓": "x",
};

/** Widths of Helvetica from the space to the tilde, in thousandths of the font size (Adobe AFM). */
const widths = (
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 " +
  "556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 " +
  "722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 " +
  "278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 " +
  "556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
)
  .split(" ")
  .map(Number);

/** Widths of characters outside ASCII that are not as wide as their base letter. */
const otherWidths: Readonly<Record<string, number>> = {
  "—": 1000,
  "–": 556,
  "…": 1000,
  "‘": 222,
  "’": 222,
  "“": 333,
  "”": 333,
  "„": 333,
  "•": 350,
  Æ: 1000,
  æ: 889,
  Œ: 1000,
  œ: 944,
  ß: 611,
  Ø: 778,
  ø: 611,
};

/**
 * Text reduced to the characters of WinAnsiEncoding.
 *
 * Letters with marks the encoding lacks lose the marks, signs with a Latin spelling get it,
 * anything else becomes "?"; all white space becomes single spaces.
 */
export function toWinAnsi(text: string): string {
  let reduced = "";
  for (const character of text.normalize("NFC").replaceAll("\u00ad", "").replaceAll(/\s+/g, " ")) {
    if (winAnsiCode(character) !== undefined) {
      reduced += character;
      continue;
    }
    const bare = character.normalize("NFKD").replaceAll(/\p{M}+/gu, "");
    const spelling = spellings[character] ?? bare;
    const known = [...spelling].every((letter) => winAnsiCode(letter) !== undefined);
    // Marks and joiners that stand alone have nothing to show.
    if (known || /\p{Cf}|\p{M}/u.test(character)) reduced += known ? spelling : "";
    else reduced += "?";
  }
  return reduced;
}

/** Bytes of a text that `toWinAnsi` returned, as characters up to 0xff. */
export function winAnsiBytes(text: string): string {
  const code = (character: string) => String.fromCharCode(winAnsiCode(character) ?? 0x3f);
  return [...text].map(code).join("");
}

/** Width of a text in Helvetica; same unit as `size`. Bold letters are about 6 % wider. */
export function textWidth(text: string, size: number, bold = false): number {
  let total = 0;
  for (const character of text) {
    const base = character.normalize("NFD").charCodeAt(0);
    total += otherWidths[character] ?? widths[base - 32] ?? 556;
  }
  return (total * size * (bold ? 1.06 : 1)) / 1000;
}

function winAnsiCode(character: string): number | undefined {
  const point = character.codePointAt(0) ?? 0;
  if ((point >= 0x20 && point < 0x7f) || (point >= 0xa0 && point <= 0xff)) return point;
  const upper = character === " " ? -1 : upperControls.indexOf(character);
  return upper < 0 ? undefined : 0x80 + upper;
}
