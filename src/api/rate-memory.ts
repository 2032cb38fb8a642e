import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Config } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import { readText, writeDurably } from "../lib/files.ts";
import type { Governor, GovernorState } from "./governor.ts";
import { longestPauseMs } from "./origin-limits.ts";
import { KnownWindow, knownForMs, Lesson, noLesson } from "./refusals.ts";

/** Keeps the governor's state between runs: an origin does not begin to count anew because we do. */
export interface RateMemory {
  /** What the last run left; undefined where nothing usable is there. */
  readonly state: GovernorState | undefined;
  /** A request starts, and is among those of the governor's state. */
  started(governor: Pick<Governor, "state">): void;
  /** The origin has begun a pause, or made it longer. */
  paused(governor: Pick<Governor, "state">): void;
  /** The run ends, and nothing starts any more. */
  ended(governor: Pick<Governor, "state">): void;
}

export interface RateMemoryOptions {
  /** Undefined for no memory. */
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
  learned: Lesson.default(noLesson),
  stated: z.array(KnownWindow).default([]),
  /** Requests that may have started later, but before `until`; 0 where the run came to its end. */
  unwritten: z.int().min(0).max(10_000).default(0),
  until: z.number().default(0),
});

const everyMs = 1_000;

/**
 * The file is written at the first request, and then once a second or with every tenth request (every hundredth
 * part of the rate where that is more), whichever comes first; and at once when the origin asks for a pause.
 * A run that was killed is taken to have started as many after the last time as it could without writing. What is
 * written for a pause, and at the end, is there after a power cut too; the rest survives the process alone.
 */
export function openRateMemory(options: RateMemoryOptions): RateMemory {
  const { file, origin, rate, clock } = options;
  const every = everyRequests(rate === "auto" ? 0 : rate.requests);
  let writtenAt = Number.NEGATIVE_INFINITY;
  let since = 0;

  function write(state: GovernorState, unwritten: number, durably: boolean): void {
    if (file === undefined) return;
    writtenAt = clock.now();
    since = 0;
    const until = writtenAt + everyMs;
    const text = `${JSON.stringify({ origin, ...state, unwritten, until })}\n`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      if (durably) writeDurably(file, text);
      else {
        const temporary = `${file}.tmp`;
        writeFileSync(temporary, text);
        renameSync(temporary, file);
      }
    } catch {
      // A courtesy to the origin is no reason to fail; a full disk shows where it matters.
    }
  }

  return {
    state: file === undefined ? undefined : recall(file, origin, clock.now()),
    started(governor) {
      since++;
      if (since < every && Math.abs(clock.now() - writtenAt) < everyMs) return;
      write(governor.state(), every - 1, false);
    },
    paused(governor) {
      write(governor.state(), every - 1, true);
    },
    ended(governor) {
      write(governor.state(), 0, true);
    },
  };
}

/** At most a hundredth of the rate is unknown after a kill, and a large rate is not written all the time. */
function everyRequests(requests: number): number {
  return Math.max(10, Math.ceil(requests / 100));
}

function recall(file: string, origin: string, now: number): GovernorState | undefined {
  try {
    const parsed = Remembered.safeParse(JSON.parse(readText(file) ?? ""));
    if (!parsed.success || parsed.data.origin !== origin) return undefined;
    const { starts, pausedUntil, unwritten, until, learned, stated } = parsed.data;
    // What would last longer than it can have been written for is of a clock that went wrong.
    const counts = (window: KnownWindow): boolean =>
      window.until > now && window.until <= now + knownForMs;
    return {
      starts: [...starts, ...Array<number>(unwritten).fill(until)],
      pausedUntil: pausedUntil <= now + longestPauseMs ? pausedUntil : 0,
      learned: {
        ...learned,
        windows: learned.windows.filter(counts),
        distrustUntil: learned.distrustUntil <= now + knownForMs ? learned.distrustUntil : 0,
      },
      stated: stated.filter(counts),
    };
  } catch {
    // Without it the first window of a run may be too full, and the origin says so.
    return undefined;
  }
}
