/** Stream of repeatable pseudo-random values; the same seed gives the same stream. */
export interface Random {
  /** Next value, at least 0 and below 1. */
  next(): number;
  /** Value between `low` and `high`. */
  range(low: number, high: number): number;
  /** Whole number from `low` to `high`, both included. */
  int(low: number, high: number): number;
  /** One entry of the list. Throws RangeError when the list is empty. */
  pick<T>(list: readonly T[]): T;
  /** Whether an event of this probability (0 to 1) happened. */
  chance(probability: number): boolean;
  /** Copy of the list in another order. */
  shuffle<T>(list: readonly T[]): T[];
}

/** Smooth field with values from -1 to 1; `y` may be left out for a line. */
export type Noise = (x: number, y?: number) => number;

/** Entry of the list, counted around its end. Throws RangeError when the list is empty. */
export function cycle<T>(list: readonly T[], index: number): T {
  if (list.length === 0) throw new RangeError("cannot take an entry of an empty list");
  return list[((index % list.length) + list.length) % list.length] as T;
}

/** Seed of 32 bits made of two numbers, for independent streams of one seed (murmur3 finaliser). */
export function mixSeed(seed: number, index: number): number {
  let hash = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Random stream of a seed, by the mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  }
  return {
    next,
    range: (low, high) => low + (high - low) * next(),
    int: (low, high) => low + Math.floor((high - low + 1) * next()),
    pick: (list) => cycle(list, Math.floor(next() * list.length)),
    chance: (probability) => next() < probability,
    shuffle(list) {
      const keyed = list.map((entry) => ({ entry, key: next() }));
      return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
    },
  };
}

/** Value noise on a lattice of 64 by 64, repeating after 64 units. */
export function createNoise(random: Random): Noise {
  const lattice = Float64Array.from({ length: 4096 }, () => random.next() * 2 - 1);
  const at = (x: number, y: number) => lattice[(y & 63) * 64 + (x & 63)] ?? 0;
  return (x, y = 0) => {
    const left = Math.floor(x);
    const top = Math.floor(y);
    const u = smooth(x - left);
    const v = smooth(y - top);
    const upper = at(left, top) * (1 - u) + at(left + 1, top) * u;
    if (v === 0) return upper;
    return upper * (1 - v) + (at(left, top + 1) * (1 - u) + at(left + 1, top + 1) * u) * v;
  };
}

/** Sum of `octaves` copies of the noise, each twice as fine and half as strong; about -1 to 1. */
export function layeredNoise(noise: Noise, octaves: number, x: number, y = 0): number {
  let sum = 0;
  let total = 0;
  for (let octave = 0; octave < octaves; octave++) {
    const scale = 2 ** octave;
    sum += noise(x * scale + octave * 17.3, y * scale) / scale;
    total += 1 / scale;
  }
  return sum / total;
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}
