/** Repeatable numbers that look random. Not for secrets. */

/** An unsigned 32-bit number from any whole numbers. */
export function mix(...parts: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const part of parts) {
    hash = Math.imul(scrambled(hash ^ part), 0x01000193) + 0x7f4a7c15;
  }
  return scrambled(hash);
}

function scrambled(number: number): number {
  let x = number >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x846ca68b) >>> 0;
  return (x ^ (x >>> 16)) >>> 0;
}

export type Dice = ReturnType<typeof dice>;

/** Dice that fall the same way for the same seeds; each call moves on by one. */
export function dice(...seeds: readonly number[]) {
  // A seed may be above 32 bits.
  const parts = seeds.map((seed) => (seed < 2 ** 32 ? [seed] : [seed, Math.floor(seed / 2 ** 32)]));
  const start = mix(...parts.flat());
  let turn = 0;
  const turned = (): number => mix(start, ++turn);
  /** From 0 to below `sides`. */
  const roll = (sides: number): number => turned() % sides;
  /** From 0 to below 1. */
  const share = (): number => turned() / 2 ** 32;
  return {
    roll,
    share,
    between: (low: number, high: number): number => low + (high - low) * share(),
    /** True in `percent` of 100 cases. */
    chance: (percent: number): boolean => roll(100) < percent,
    /** Throws a RangeError if the list is empty. */
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("nothing to pick from");
      return list[roll(list.length)] as T;
    },
    /** Up to `count` different elements, in the order of the list. */
    some<T>(list: readonly T[], count: number): T[] {
      const keys = list.map(turned);
      const limit = [...keys].sort((a, b) => a - b)[count] ?? 2 ** 32;
      return list.filter((_, at) => (keys[at] as number) < limit);
    },
    shuffled<T>(list: readonly T[]): T[] {
      const keyed = list.map((item) => ({ item, key: turned() }));
      return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
    },
  };
}
