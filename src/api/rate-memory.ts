import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { Config } from "../config.ts";
import { readText } from "../lib/files.ts";
import type { Governor, GovernorState } from "./governor.ts";

/** Keeps the governor's state between runs: an origin does not begin to count anew because we do. */
export interface RateMemory {
  /** What the last run left; undefined where nothing usable is there. */
  readonly state: GovernorState | undefined;
  /** A request starts, and is among those of the governor's state. */
  started(governor: Pick<Governor, "state">): void;
  /** The run ends, and nothing starts any more. */
  ended(governor: Pick<Governor, "state">): void;
}

export interface RateMemoryOptions {
  /** Undefined for no memory. */
  file: string | undefined;
  /** Scheme, host and port that the state is of; another origin's is ignored. */
  origin: string;
  rate: Config["origin"]["rate"];
  now: () => number;
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
 * The file is written at the first request, and then once a second or with every tenth request (every hundredth
 * part of the rate where that is more), whichever comes first. A run that was killed is taken to have started as many
 * after the last time as it could without writing. The file survives the process without being synced; what
 * cuts the power takes longer than the rate remembers.
 */
export function openRateMemory(options: RateMemoryOptions): RateMemory {
  const { file, origin, rate, now } = options;
  const every = rate === "auto" ? Number.POSITIVE_INFINITY : everyRequests(rate.requests);
  let writtenAt = Number.NEGATIVE_INFINITY;
  let since = 0;

  function write(state: GovernorState, unwritten: number): void {
    if (file === undefined) return;
    writtenAt = now();
    since = 0;
    const until = writtenAt + everyMs;
    const temporary = `${file}.tmp`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(temporary, `${JSON.stringify({ origin, ...state, unwritten, until })}\n`);
      renameSync(temporary, file);
    } catch {
      // A courtesy to the origin is no reason to fail; a full disk shows where it matters.
    }
  }

  return {
    state: file === undefined ? undefined : recall(file, origin),
    started(governor) {
      since++;
      if (since < every && Math.abs(now() - writtenAt) < everyMs) return;
      write(governor.state(), rate === "auto" ? 0 : every - 1);
    },
    ended(governor) {
      write(governor.state(), 0);
    },
  };
}

/** At most a hundredth of the rate is unknown after a kill, and a large rate is not written all the time. */
function everyRequests(requests: number): number {
  return Math.max(10, Math.ceil(requests / 100));
}

function recall(file: string, origin: string): GovernorState | undefined {
  try {
    const parsed = Remembered.safeParse(JSON.parse(readText(file) ?? ""));
    if (!parsed.success || parsed.data.origin !== origin) return undefined;
    const { starts, pausedUntil, unwritten, until } = parsed.data;
    return { starts: [...starts, ...Array<number>(unwritten).fill(until)], pausedUntil };
  } catch {
    // Without it the first window of a run may be too full, and the origin says so.
    return undefined;
  }
}
