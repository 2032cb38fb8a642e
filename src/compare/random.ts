/** Numbers that look random, and are the same again for the same seeds. */
export interface Random {
  /** From 0 up to, but not, 1. */
  next(): number;
  /** A whole number from 0 up to, but not, `limit`. */
  below(limit: number): number;
  /** @throws RangeError for an empty list */
  pick<T>(list: readonly T[]): T;
  chance(share: number): boolean;
  /** The same items in another order. */
  shuffled<T>(list: readonly T[]): T[];
}

/** Mulberry32, started at a hash of all seeds. Not for secrets. */
export function createRandom(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const seed of seeds) {
    // Seeds may be above 32 bits.
    for (const part of [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0]) {
      state = Math.imul(state ^ part, 0x85ebca6b);
      state = Math.imul(state ^ (state >>> 15), 0xc2b2ae35);
      state ^= state >>> 13;
    }
  }

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError("nothing to pick from");
      return list[below(list.length)] as T;
    },
    chance: (share) => next() < share,
    shuffled<T>(list: readonly T[]): T[] {
      const mixed = [...list];
      for (let end = mixed.length - 1; end > 0; end--) {
        const at = below(end + 1);
        [mixed[end], mixed[at]] = [mixed[at] as T, mixed[end] as T];
      }
      return mixed;
    },
  };
}
