/** How often each value occurs. */
export function counted<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Each value once, the most frequent first. */
export function mostFrequentFirst(values: Iterable<string>): string[] {
  return [...counted(values)].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

/** Adds a value to the list of a key. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, value: T): void {
  const known = lists.get(key);
  // Most lists stay at one; an empty list that grows would reserve room for many.
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** The items by a key of theirs, in the order in which the keys come first. */
export function groupedBy<K, T>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) addTo(groups, keyOf(item), item);
  return groups;
}
