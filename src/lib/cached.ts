/** The function with at least its `limit` latest results kept, at most twice as many. Meant for slow reads. */
export function cached<T>(limit: number, load: (key: string) => T): (key: string) => T {
  // Two generations: dropping the oldest of one map takes time in proportion to its size.
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  return (key) => {
    if (young.has(key)) return young.get(key) as T;
    const value = old.has(key) ? (old.get(key) as T) : load(key);
    if (young.size >= limit) {
      old = young;
      young = new Map();
    }
    // A key cut out of a long text would keep all of that text in memory.
    young.set(` ${key}`.slice(1), value);
    return value;
  };
}
