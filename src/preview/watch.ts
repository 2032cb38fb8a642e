import { setTimeout as pause } from "node:timers/promises";
import type { Preview, States } from "./preview.ts";

/** How often the files are looked at, in milliseconds. */
const everyMs = 100;
/** A file that an editor writes in several steps is left alone for so long, in milliseconds. */
const settleMs = 30;
/** Share of the time that may be spent with looking, where a folder is large or slow. */
const maxShare = 0.05;

/**
 * Calls `onChange` with the names of the files that changed, until it is aborted.
 *
 * The files are looked at, because to be told of changes is less sure: on Linux, Node 20 does not notice a file that an
 * editor replaces for the second time, and folders of another machine or of a container's host tell nothing at all.
 */
export async function watchPreview(
  preview: Pick<Preview, "look" | "seen">,
  onChange: (names: string[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now();
    let states = preview.look();
    const tookMs = performance.now() - started;
    if (differing(preview.seen, states).length > 0) {
      let before: States;
      do {
        before = states;
        await pause(settleMs);
        states = preview.look();
      } while (differing(before, states).length > 0);
      const names = differing(preview.seen, states);
      if (names.length > 0) await onChange(names);
    }
    await pause(Math.max(everyMs, tookMs / maxShare), undefined, { signal }).catch(() => {});
  }
}

/** Names of what is not the same in two states. */
function differing(before: States, after: States): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}
