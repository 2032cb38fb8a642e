/*
 * For as many items as an origin may have. Calls take some 100,000 arguments at most: `list.push(...items)` and
 * `Math.max(...items)` throw a RangeError beyond that.
 */

/** Adds items to the end of a list. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** The largest number; -Infinity if there is none. */
export function largest(numbers: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}

/** The smallest number; Infinity if there is none. */
export function smallest(numbers: Iterable<number>): number {
  return -largest(Array.from(numbers, (number) => -number));
}
