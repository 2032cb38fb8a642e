import { sha256 } from "../lib/digest.ts";

/**
 * Map from strings to a few 32-bit numbers each, for a million entries: keys are kept as 128 bits of their
 * SHA-256 in one typed array, which costs a third of the memory of a Map and nothing of the garbage collector.
 */
export interface Table {
  readonly size: number;
  has(key: string): boolean;
  /** The numbers of a key; a view that is valid until the next change. */
  get(key: string): Uint32Array | undefined;
  /** Sets the numbers of a key; false where it was there before. */
  set(key: string, ...numbers: number[]): boolean;
  /** Sets the numbers of a key that is given in the form of `packKey`. */
  setPacked(key: Uint32Array, ...numbers: number[]): boolean;
}

/** Writes the 128 bits that stand for a key into four words, and returns these. */
type Pack = (key: string, into: Uint32Array) => Uint32Array;

const keyWords = 4;
/** Slots are doubled when more than this share of them is taken. */
const maxLoad = 0.7;
const firstSlots = 256;

/**
 * A table whose entries have `width` numbers each, at least 0.
 *
 * @param pack `packKey` only where no key comes from outside: a digest stands there for itself, so that an id of 32
 *   hexadecimal digits could be taken for the id of which it is the digest
 */
export function createTable(width: number, pack: Pack = packText): Table {
  // One word more tells that a slot is taken.
  const stride = keyWords + 1 + width;
  let slots = firstSlots;
  let words = new Uint32Array(slots * stride);
  let size = 0;
  const packed = new Uint32Array(keyWords);

  /** Start of the slot that holds a key, or of the empty one where it belongs. */
  function slotOf(key: Uint32Array): number {
    const mask = slots - 1;
    for (let slot = (key[0] as number) & mask; ; slot = (slot + 1) & mask) {
      const start = slot * stride;
      if (words[start + keyWords] === 0) return start;
      if (
        words[start] === key[0] &&
        words[start + 1] === key[1] &&
        words[start + 2] === key[2] &&
        words[start + 3] === key[3]
      ) {
        return start;
      }
    }
  }

  function grow(): void {
    const old = words;
    slots *= 2;
    words = new Uint32Array(slots * stride);
    for (let from = 0; from < old.length; from += stride) {
      if (old[from + keyWords] === 0) continue;
      const start = slotOf(old.subarray(from, from + keyWords));
      for (let word = 0; word < stride; word++) words[start + word] = old[from + word] as number;
    }
  }

  function setPacked(key: Uint32Array, ...numbers: number[]): boolean {
    if (size >= slots * maxLoad) grow();
    const start = slotOf(key);
    const isNew = words[start + keyWords] === 0;
    if (isNew) {
      for (let word = 0; word < keyWords; word++) words[start + word] = key[word] as number;
      words[start + keyWords] = 1;
      size++;
    }
    for (let n = 0; n < width; n++) words[start + keyWords + 1 + n] = numbers[n] as number;
    return isNew;
  }

  return {
    get size() {
      return size;
    },
    has: (key) => words[slotOf(pack(key, packed)) + keyWords] !== 0,
    get(key) {
      const start = slotOf(pack(key, packed));
      const first = start + keyWords + 1;
      return words[first - 1] === 0 ? undefined : words.subarray(first, first + width);
    },
    set: (key, ...numbers) => setPacked(pack(key, packed), ...numbers),
    setPacked,
  };
}

const digestForm = /^[0-9a-f]{32}$/;

/** The 128 bits that stand for a key: a digest's own, or those of its SHA-256. */
export function packKey(key: string, into: Uint32Array = new Uint32Array(keyWords)): Uint32Array {
  return digestForm.test(key) ? packHex(key, into) : packText(key, into);
}

/** The first 128 bits of a text's SHA-256. */
function packText(text: string, into: Uint32Array): Uint32Array {
  return packHex(sha256(text), into);
}

function packHex(hex: string, into: Uint32Array): Uint32Array {
  for (let word = 0; word < keyWords; word++) {
    into[word] = Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16);
  }
  return into;
}

/** The digest, 32 hexadecimal characters, of which the words are made. */
export function unpackDigest(words: Uint32Array): string {
  let hex = "";
  for (const word of words) hex += word.toString(16).padStart(8, "0");
  return hex;
}
