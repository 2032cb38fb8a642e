import { keyOf } from "./digest.ts";

/** Rounds until a rolling share has come to everything: 0.15 → 7; 0 for a share of 0. */
export function roundsOf(share: number): number {
  return share > 0 ? Math.ceil(1 / share) : 0;
}

/**
 * Whether an id has its turn. It has one in every `rounds`, always the same one, so that an item and its file are asked
 * for in the same night.
 *
 * @param round counted up without an end
 * @param rounds at least 1
 */
export function isTurnOf(id: string, round: number, rounds: number): boolean {
  return Number.parseInt(keyOf(id).slice(0, 8), 16) % rounds === round % rounds;
}
