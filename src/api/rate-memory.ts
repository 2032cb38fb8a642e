import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import { readText, writeDurably } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { type Governor, type GovernorState, longestPauseMs } from "./governor.ts";

interface RateMemoryOptions {
  file: string | undefined;
  /** Scheme, host and port that the state is of; another origin's is ignored. */
  origin: string;
  rate: Config["origin"]["rate"];
  clock: Pick<Clock, "now">;
}

const Remembered = z.object({
  origin: z.string(),
  starts: z.array(z.number()),
  pausedUntil: z.number(),
  /** Requests that may have started later, but before `until`; 0 where the run came to its end. */
  unwritten: z.int().min(0).max(10_000).default(0),
  until: z.number().default(0),
});

const everyMs = 1_000;

/**
 * Keeps the governor's state between runs: an origin does not begin to count anew because we do.
 *
 * The file is written once a second or with every tenth request (every hundredth part of the rate where that is more).
 * A run that was killed counts as having started as many requests after the last write as it could without another one.
 * What is written at once for a pause, and at the end, survives a power cut; the rest the end of the process.
 */
export function createRateMemory({ file, origin, rate, clock }: RateMemoryOptions) {
  const everyRequests = rate === "auto" ? 10 : Math.max(10, Math.ceil(rate.requests / 100));
  let writtenAt = Number.NEGATIVE_INFINITY;
  let started = 0;

  function write(state: GovernorState, unwritten: number, durably: boolean): void {
    if (file === undefined) return;
    writtenAt = clock.now();
    started = 0;
    const text = `${JSON.stringify({ origin, ...state, unwritten, until: writtenAt + everyMs })}\n`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      if (durably) writeDurably(file, text);
      else {
        writeFileSync(`${file}.tmp`, text);
        renameSync(`${file}.tmp`, file);
      }
    } catch {
      // A courtesy to the origin is no reason to fail; a full disk shows where it matters.
    }
  }

  return {
    /** What the last run left; undefined where nothing usable is there. */
    recall(): GovernorState | undefined {
      if (file === undefined) return undefined;
      // Without it the first window of a run may be too full, and the origin says so.
      const found = orUndefined(() => Remembered.parse(JSON.parse(readText(file) ?? "")));
      if (found?.origin !== origin) return undefined;
      const { starts, pausedUntil, unwritten, until } = found;
      return {
        starts: [...starts, ...Array<number>(unwritten).fill(until)],
        // A longer one is of a clock that went wrong.
        pausedUntil: pausedUntil <= clock.now() + longestPauseMs ? pausedUntil : 0,
      };
    },
    /** A request starts, and is among those of the governor's state. */
    started(governor: Pick<Governor, "state">): void {
      started++;
      const sinceMs = Math.abs(clock.now() - writtenAt);
      if (started < everyRequests && sinceMs < everyMs) return;
      write(governor.state(), everyRequests - 1, false);
    },
    /** The origin has begun a pause, or made it longer. */
    paused: (governor: Pick<Governor, "state">) => write(governor.state(), everyRequests - 1, true),
    /** The run ends, and nothing starts any more. */
    ended: (governor: Pick<Governor, "state">) => write(governor.state(), 0, true),
  };
}
