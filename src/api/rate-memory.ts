import { z } from "zod";
import { readText, writeDurably } from "../lib/files.ts";
import type { GovernorState } from "./governor.ts";

/** Keeps the governor's state between runs: an origin does not begin to count anew because we do. */
export interface RateMemory {
  /** What the last run left; undefined where nothing usable is there. */
  readonly state: GovernorState | undefined;
  save(state: GovernorState): void;
}

const Remembered = z.object({
  origin: z.string(),
  starts: z.array(z.number()),
  pausedUntil: z.number(),
});

/**
 * @param file path of the file; undefined for no memory
 * @param origin scheme, host and port that the state is of; another origin's is ignored
 */
export function openRateMemory(file: string | undefined, origin: string): RateMemory {
  return {
    state: file === undefined ? undefined : recall(file, origin),
    save(state) {
      if (file === undefined) return;
      try {
        writeDurably(file, `${JSON.stringify({ origin, ...state })}\n`);
      } catch {
        // A courtesy to the origin is no reason to fail; a full disk shows where it matters.
      }
    },
  };
}

function recall(file: string, origin: string): GovernorState | undefined {
  try {
    const parsed = Remembered.safeParse(JSON.parse(readText(file) ?? ""));
    return parsed.success && parsed.data.origin === origin ? parsed.data : undefined;
  } catch {
    // Without it the first window of a run may be too full, and the origin says so.
    return undefined;
  }
}
