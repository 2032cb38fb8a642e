import { keyOf } from "./digest.ts";

/** Rounds in which a rolling share comes to everything once: 0.15 → 7; 0 where the share is 0. */
export function roundsOf(share: number): number {
  return share > 0 ? Math.ceil(1 / share) : 0;
}

/**
 * Whether it is an id's turn. Each has its turn in one round of so many, and the same id always in the same one: an
 * item's record and its file are asked for in the same night.
 *
 * @param round number of the round, counted up without an end
 * @param rounds at least 1
 */
export function isTurnOf(id: string, round: number, rounds: number): boolean {
  return Number.parseInt(keyOf(id).slice(0, 8), 16) % rounds === round % rounds;
}
