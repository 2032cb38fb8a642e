import { setImmediate as nextTurn } from "node:timers/promises";

const turnMs = 5;
let lastTurn = 0;

/** Lets timers and signals come, unless they just had their turn. Long work without it hears nothing. */
export async function otherWork(): Promise<void> {
  if (performance.now() - lastTurn < turnMs) return;
  await nextTurn();
  lastTurn = performance.now();
}
