/** Remembers results by a key, the most recently used ones, up to a weight. A result may be awaited by several. */
export interface Cache<T> {
  /** The remembered result, or that of `make`; a failure is not remembered. */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

/**
 * @param maxWeight in the unit of `weightOf`, such as bytes
 */
export function createCache<T>(maxWeight: number, weightOf: (value: T) => number): Cache<T> {
  const kept = new Map<string, { value: Promise<T>; weight: number }>();
  let total = 0;

  function forget(key: string): void {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  return {
    get(key, make) {
      const known = kept.get(key);
      if (known !== undefined) {
        kept.delete(key);
        kept.set(key, known);
        return known.value;
      }
      const entry = { value: make(), weight: 0 };
      kept.set(key, entry);
      entry.value.then(
        (value) => {
          if (kept.get(key) !== entry) return;
          entry.weight = weightOf(value);
          total += entry.weight;
          for (const oldest of kept.keys()) {
            if (total <= maxWeight) break;
            forget(oldest);
          }
        },
        () => {
          if (kept.get(key) === entry) forget(key);
        },
      );
      return entry.value;
    },
  };
}
