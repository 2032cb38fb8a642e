import { type Dice, dice } from "../../../src/lib/random.ts";

/** A kind of name that nobody should choose, and that somebody chose. */
type Kind = (throws: Dice) => string;

const steps = [
  "../",
  "..\\",
  "%2e%2e%2f",
  "%2E%2E/",
  "%252e%252e%252f",
  "..%c0%af",
  "..%ef%bc%8f",
  "..;/",
  "....//",
  "\u2025/",
  "\uff0e\uff0e\uff0f",
  "./",
  "//",
];
const targets = ["etc/passwd", "index.html", "store/draft", "windows\\win.ini", "~/.ssh/id", ""];
const absolutes = [
  "/etc/passwd",
  "C:\\boot.ini",
  "C:",
  "c:/x",
  "\\\\host\\share\\x",
  "//host/share/x",
  "\\\\?\\C:\\x",
  "\\\\.\\nul",
  "file:///etc/passwd",
  "~root",
  "/dev/null",
];
const reserved = ["con", "prn", "aux", "nul", "com1", "com9", "lpt1", "lpt0", "conin$", "clock$"];
const superscripts = ["com\u00b9", "lpt\u00b2", "com\u00b3"];
const ownWords = ["index", "page", "by", "none", "404", "web", "download", "images", "tags", "api"];
const endings = ["", ".", "..", " ", ".txt", ".json", ".html", ".jpg", ".tar.gz", " .", ":stream"];
const controls = ["\0", "\u0001", "\t", "\n", "\r\n", "\u007f", "\u0085", "\u009f", "\u2028"];
const bidi = ["\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u200b", "\u00ad", "\ufeff"];
const pairs = [
  "\u00e9",
  "e\u0301",
  "\u212b",
  "\u00c5",
  "A\u030a",
  "\ufb01",
  "fi",
  "\uac00",
  "\u0131",
];
const folded = [
  "\u00df",
  "SS",
  "\u1e9e",
  "\u0130",
  "i\u0307",
  "\u03c2",
  "\u03c3",
  "K",
  "\u212a",
  "k",
];
const astral = ["\u{1f4a9}", "\u{1f1e6}\u{1f1f9}", "\u{10ffff}", "\u{e0041}", "\ufffd", "\uffff"];
const halves = ["\ud800", "\udbff", "\udc00", "\udfff", "\udc00\ud800"];
const patterns = [
  "$&",
  "$1",
  "$`",
  "{id}",
  `$${"{id}"}`,
  "__proto__",
  "constructor",
  "%s",
  "{{x}}",
];
const marks = [
  "?",
  "#",
  "&",
  "=",
  ",",
  ";",
  "*",
  "|",
  "<",
  ">",
  '"',
  "'",
  "`",
  "\\",
  ":",
  "+",
  "%",
];
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

function word(throws: Dice, most = 9): string {
  let text = "";
  for (let left = 1 + throws.roll(most); left > 0; left--) text += throws.pick([...letters]);
  return text;
}

function hex(throws: Dice, digits: number): string {
  let text = "";
  while (text.length < digits) text += throws.roll(16).toString(16);
  return text;
}

function uuid(throws: Dice): string {
  const parts = [8, 4, 4, 4, 12].map((digits) => hex(throws, digits));
  return parts.join("-");
}

/** The same letters, some of them in upper case. */
function shouted(throws: Dice, text: string): string {
  return [...text].map((char) => (throws.chance(30) ? char.toUpperCase() : char)).join("");
}

const kinds: Record<string, Kind> = {
  traversal: (throws) =>
    throws.pick(steps).repeat(1 + throws.roll(8)) + throws.pick(targets) + throws.pick(endings),
  absolute: (throws) => throws.pick(absolutes) + throws.pick(["", word(throws)]),
  control: (throws) => word(throws) + throws.pick(controls) + throws.pick(["", word(throws)]),
  bidi: (throws) => throws.pick(bidi) + word(throws) + throws.pick(bidi),
  reserved: (throws) =>
    shouted(throws, throws.pick([...reserved, ...superscripts])) + throws.pick(endings),
  own: (throws) => shouted(throws, throws.pick(ownWords)) + throws.pick(endings),
  trailing: (throws) => word(throws) + throws.pick([".", " "]).repeat(1 + throws.roll(5)),
  dots: (throws) => ".".repeat(1 + throws.roll(6)),
  blank: (throws) => throws.pick([" ", "\u00a0", "\u3000", "\t"]).repeat(1 + throws.roll(4)),
  long: (throws) =>
    throws
      .pick([...letters, ...astral, ...bidi])
      .repeat(60 + throws.roll(throws.chance(5) ? 5_000 : 200)),
  nearLimit: (throws) => "a".repeat(60 + throws.roll(80)) + word(throws, 3),
  surrogate: (throws) => word(throws) + throws.pick(halves) + throws.pick(["", word(throws)]),
  astral: (throws) => throws.pick(astral).repeat(1 + throws.roll(60)),
  cased: (throws) => shouted(throws, `name-${throws.roll(500)}`),
  casedId: (throws) => shouted(throws, uuid(throws)),
  normalised: (throws) => word(throws, 2) + throws.pick(pairs) + throws.pick(pairs),
  folded: (throws) => throws.pick(folded) + throws.pick(folded) + String(throws.roll(50)),
  percent: (throws) => `%${hex(throws, 2)}`.repeat(1 + throws.roll(12)) + throws.pick(["", "%"]),
  encoded: (throws) => encodeURIComponent(throws.pick(steps) + word(throws)),
  // What the encoding of another name may look like.
  escaped: (throws) =>
    `_${hex(throws, 2)}`.repeat(1 + throws.roll(6)) + throws.pick(["", "_u", "_"]),
  digest: (throws) => `${"a".repeat(80)}_-${hex(throws, 32)}`,
  upperForm: (throws) => `${uuid(throws)}_u`,
  pattern: (throws) => throws.pick(patterns) + word(throws, 3),
  marked: (throws) => word(throws) + throws.pick(marks) + word(throws),
  plain: (throws) => uuid(throws),
};

/** Kinds of names that there are. */
export const nameKinds: readonly string[] = Object.keys(kinds);

export interface HostileName {
  kind: string;
  name: string;
}

/** The hostile name with a number; the same for the same seed. A quarter is made of two kinds, one behind the other. */
export function hostileName(seed: number, number: number): HostileName {
  const throws = dice(seed, number);
  const kind = throws.pick(nameKinds);
  const name = (kinds[kind] as Kind)(throws);
  if (!throws.chance(25)) return { kind, name };
  const other = throws.pick(nameKinds);
  return { kind: `${kind}+${other}`, name: name + (kinds[other] as Kind)(throws) };
}
