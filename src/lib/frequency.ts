/** How often each value occurs. */
export function counted(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Each value once, the most frequent first. */
export function mostFrequentFirst(values: Iterable<string>): string[] {
  return [...counted(values)].sort(([, a], [, b]) => b - a).map(([value]) => value);
}
