/** What a function returns; undefined where it throws, for reasons that do not matter. */
export function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
