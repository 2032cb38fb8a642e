import { mix } from "./random.ts";

/** The latest moment of generated content, and the years before it that it fills. */
const end = Date.UTC(2025, 5, 12, 9, 30, 0);
const spanMs = 5 * 365.25 * 24 * 3600_000;

/** How many neighbours in a list share a time, as if they had been uploaded together. */
export function batched(index: number, size: number): number {
  return index - (index % size);
}

/**
 * Time of item `index` of `count`, latest first: each falls somewhere into its own share of five
 * years, on a whole second. An item whose share contains the turn of a year (UTC) falls half an
 * hour before it, which is another year in half of the world's time zones.
 */
export function spread(index: number, count: number, seed: number): number {
  const shareMs = spanMs / count;
  const latest = end - index * shareMs;
  const turn = Date.UTC(new Date(latest).getUTCFullYear(), 0, 1) - 1800_000;
  if (turn <= latest && turn > latest - shareMs) return turn;
  const within = ((mix(seed, index, 5) % 1000) / 1000) * 0.95 * shareMs;
  return Math.floor((latest - within) / 1000) * 1000;
}
