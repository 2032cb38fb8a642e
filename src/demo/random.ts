/**
 * Deterministic numbers and ids: everything generated is a function of (seed, kind, index), so that
 * one item of a million can be made on demand, and an id tells which item it belongs to.
 */

const ODD_1 = 0x7feb352d;
const ODD_2 = 0x846ca68b;
const INVERSE_1 = inverse(ODD_1);
const INVERSE_2 = inverse(ODD_2);

/** An unsigned 32-bit number that looks random, from any whole numbers. */
export function mix(...parts: number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = scramble((hash ^ part) >>> 0);
    hash = (Math.imul(hash, 0x01000193) + 0x7f4a7c15) >>> 0;
  }
  return scramble(hash);
}

/** A 32-bit number for a short text, to be used as a part of `mix`. */
export function textKey(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}

/** A source of numbers for one item: each call of a method moves on by one. */
export interface Dice {
  /** A whole number from 0 to below `sides`. */
  roll(sides: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  /** One element of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** Up to `count` different elements, in the order of the list. */
  some<T>(list: readonly T[], count: number): T[];
}

/** Dice that always fall the same way for the same parts. */
export function dice(...parts: number[]): Dice {
  const start = mix(...parts);
  let turn = 0;
  const roll = (sides: number): number => {
    turn += 1;
    return mix(start, turn) % sides;
  };
  return {
    roll,
    chance: (percent) => roll(100) < percent,
    pick: (list) => list[roll(list.length)] as (typeof list)[number],
    some: (list, count) => {
      const order = list.map((_, at) => at);
      for (let at = order.length - 1; at > 0; at -= 1) {
        const other = roll(at + 1);
        [order[at], order[other]] = [order[other] as number, order[at] as number];
      }
      const chosen = new Set(order.slice(0, count));
      return list.filter((_, at) => chosen.has(at));
    },
  };
}

/** Ids of one kind of item, readable backwards. */
export interface Ids {
  /** The id of the item at an index (0 to 2^32 - 1). */
  at(index: number): string;
  /** The index an id belongs to; undefined for one that is not of this kind and seed. */
  indexOf(id: string): number | undefined;
}

/**
 * Ids of a kind ("article", "image" ...) under a seed: UUIDs of version 4 in lower case, or what
 * `form` makes of them. It must keep the first eight digits and tell all UUIDs apart.
 */
export function ids(kind: string, seed: number, form = (uuid: string): string => uuid): Ids {
  const key = mix(textKey(kind), seed);
  const uuidAt = (index: number): string => {
    const head = scramble((index ^ key) >>> 0);
    const second = mix(key, index, 1);
    const third = mix(key, index, 2);
    const fourth = mix(key, index, 3);
    const version = `4${hex(second).slice(5)}`;
    const variant = `${"89ab"[third & 3]}${hex(third).slice(5)}`;
    const tail = hex(fourth) + hex(third ^ second).slice(4);
    return `${hex(head)}-${hex(second).slice(0, 4)}-${version}-${variant}-${tail}`;
  };
  const at = (index: number): string => form(uuidAt(index));
  const indexOf = (id: string): number | undefined => {
    if (!/^[0-9a-f]{8}/i.test(id)) return undefined;
    const index = (unscramble(Number.parseInt(id.slice(0, 8), 16)) ^ key) >>> 0;
    return at(index) === id ? index : undefined;
  };
  return { at, indexOf };
}

/** Two digits for each byte: `toString(16)` would be most of the cost of a page. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(number: number): string {
  const upper = `${bytes[number >>> 24]}${bytes[(number >>> 16) & 255]}`;
  return `${upper}${bytes[(number >>> 8) & 255]}${bytes[number & 255]}`;
}

/** A one-to-one mapping of the 32-bit numbers onto themselves. */
function scramble(number: number): number {
  let x = number >>> 0;
  x = (x ^ (x >>> 16)) >>> 0;
  x = Math.imul(x, ODD_1) >>> 0;
  x = (x ^ (x >>> 16)) >>> 0;
  x = Math.imul(x, ODD_2) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

function unscramble(number: number): number {
  let x = number >>> 0;
  x = (x ^ (x >>> 16)) >>> 0;
  x = Math.imul(x, INVERSE_2) >>> 0;
  x = (x ^ (x >>> 16)) >>> 0;
  x = Math.imul(x, INVERSE_1) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

/** The number that undoes a 32-bit multiplication by an odd one (Newton's method, 5 steps). */
function inverse(odd: number): number {
  let x = odd;
  for (let step = 0; step < 5; step += 1) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x >>> 0;
}
