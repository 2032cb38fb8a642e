/** The same function with its latest results kept, the oldest dropped above `limit`. Meant for slow reads. */
export function cached<T>(limit: number, load: (key: string) => T): (key: string) => T {
  const kept = new Map<string, T>();
  return (key) => {
    if (kept.has(key)) return kept.get(key) as T;
    const value = load(key);
    kept.set(key, value);
    if (kept.size > limit) kept.delete(kept.keys().next().value as string);
    return value;
  };
}
