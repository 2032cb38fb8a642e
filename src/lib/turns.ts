import { keyOf } from "./digest.ts";

/** Ids lie on a circle of so many places, for good; each night's turn is the piece that follows the last one's. */
const circle = 2 ** 32;

/** A piece of the circle: from the end of the last turn on. Positions grow on with each time around. */
export interface Turn {
  from: number;
  to: number;
}

/**
 * Whether an id has its turn. Turns that follow each other come to each id once in each time around, so that the one
 * that waited longest is always the next.
 *
 * @param every 2 for what has its turn every second time around only
 */
export function isTurnOf(id: string, { from, to }: Turn, every: 1 | 2 = 1): boolean {
  if (to - from >= circle) return true;
  const around = circle * every;
  const place = Number.parseInt(keyOf(id).slice(0, 8), 16) * every;
  return (((place - from) % around) + around) % around < to - from;
}

/** The turn that follows a position, of a share of everything. */
export function turnAfter(from: number, share: number): Turn {
  return { from, to: from + Math.ceil(circle * share) };
}

/** Turns until everything has had one, at this pace; undefined where none ever comes. */
export function turnsAround({ from, to }: Turn, every: 1 | 2 = 1): number | undefined {
  if (to - from >= circle) return 1;
  return to > from ? Math.ceil((circle * every) / (to - from)) : undefined;
}

/** How many turns ago the id that comes next had one. @param ends of turns, oldest first; everything was read at the first */
export function oldestTurn(ends: readonly number[], every: 1 | 2 = 1): number {
  const last = ends.at(-1) ?? 0;
  return ends.length - 1 - ends.findIndex((end) => end > last - circle * every);
}

/** The ends of turns that `oldestTurn` still needs. */
export function recentTurns(ends: readonly number[]): number[] {
  const last = ends.at(-1) ?? 0;
  return ends.filter((end) => end > last - circle * 2);
}
