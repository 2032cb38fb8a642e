import { z } from "zod";
import type { RateWindow } from "./request-log.ts";

/** A limit that is none of our own configuration: the origin has stated it, or we ran into it. */
export const KnownWindow = z.object({
  requests: z.int().positive(),
  perMs: z.number().positive(),
  /** Milliseconds since the epoch; after that it is forgotten, so that a bad day does not slow all that follow. */
  until: z.number(),
});
export type KnownWindow = z.infer<typeof KnownWindow>;

/** Finds the limit of an origin that does not state it, from what it admits between its refusals (429). */
export interface Refusals {
  /** A request was answered otherwise than by a refusal. @param started when it was made */
  admitted(started: number, now: number): void;
  /** One was refused. @param admitsAt until when, as far as the origin says */
  refused(now: number, admitsAt: number): void;
  /** What has been learned; every one of them holds. */
  windows(now: number): KnownWindow[];
  /** What the next run is to know, with what the current refusal will teach when it ends as the origin says. */
  lesson(now: number): Lesson;
}

/** What refusals have taught. */
export const Lesson = z.object({
  windows: z.array(KnownWindow),
  /** Series in a row that ended although everything known was kept to. */
  strikes: z.int().nonnegative(),
  /** Until then nothing is learned, because what was learned did not help; milliseconds since the epoch. */
  distrustUntil: z.number(),
});
export type Lesson = z.infer<typeof Lesson>;

export const noLesson: Lesson = { windows: [], strikes: 0, distrustUntil: 0 };

/** How long such knowledge counts: over the next nights, not for ever. */
export const knownForMs = 3 * 86_400_000;
/** Admitted requests that are remembered: a limit beyond that shows in headers or not at all. */
const maxAdmitted = 10_000;
/** Different windows that are held beside each other; more of them would hardly add anything. */
const maxWindows = 8;
/** A longer pause is dear enough by itself: running into it again costs a few refusals in all that time. */
const longestMs = 300_000;
/** A series of fewer requests may have ended by chance, and teaches only where the one before was as short. */
const telling = 20;
/** Series in a row that end too early for what is known, before that counts as wrong. */
const maxStrikes = 4;
/** A limit that is known and kept to lets at least so many requests pass, or so many times its own. */
const helpful = { requests: 100, windows: 3 };

/**
 * Every refusal ends a series of admitted requests, which the origin's limit bears just so: so many of them, in the
 * time from the first of them until the origin admits again, becomes a window; a single refusal after a few requests,
 * for whatever reason, becomes none. Of the parts that such a series ends
 * with, the densest counts, because slow hours before it say nothing of the limit. What is learned can be
 * tightened by later refusals; nothing loosens it before it expires.
 *
 * An origin that refuses for other reasons, such as its load, would be slowed down without end in this way. So what
 * is learned must help: where requests are refused soon again and again although it was kept to, all of it is
 * dropped, and only the pauses count that the origin asks for.
 *
 * @param known what earlier runs have learned
 */
export function createRefusals(known: Lesson = noLesson): Refusals {
  let { windows: learned, strikes, distrustUntil } = known;
  /** Starts of the requests that were admitted since the last refusal ended. */
  let admitted: number[] = [];
  let refusal: { at: number; admitsAt: number } | undefined;
  /** Short series in a row before this one. */
  let shortOnes = 0;

  const current = (now: number): KnownWindow[] => learned.filter(({ until }) => until > now);

  /** Whether a series shows that what is known is not what the origin refuses for. */
  function isSurprise(windows: readonly KnownWindow[]): boolean {
    const most = Math.max(0, ...windows.map(({ requests }) => requests));
    return most > 0 && admitted.length < Math.max(helpful.requests, helpful.windows * most);
  }

  function learnedBy(now: number): KnownWindow[] {
    const windows = current(now);
    // Not when it was asked again, which may be later for reasons of our own: these must not add up.
    const found = refusal && densest(admitted, refusal.admitsAt);
    if (found === undefined || found.perMs > longestMs || distrustUntil > now) return windows;
    if (admitted.length < telling && shortOnes === 0) return windows;
    return tightened(windows, { ...found, until: now + knownForMs });
  }

  /** The origin admits again. */
  function conclude(now: number): void {
    if (admitted.length > 0) strikes = isSurprise(current(now)) ? strikes + 1 : 0;
    learned = learnedBy(now);
    if (strikes >= maxStrikes) {
      learned = [];
      distrustUntil = now + knownForMs;
      strikes = 0;
    }
    // One that begins with a refusal is none.
    if (admitted.length > 0) shortOnes = admitted.length < telling ? shortOnes + 1 : 0;
    admitted = [];
    refusal = undefined;
  }

  return {
    admitted(started, now) {
      // Requests that were underway when the first refusal came were still admitted before it.
      if (refusal !== undefined && started > refusal.at) conclude(now);
      admitted.push(started);
      if (admitted.length > 2 * maxAdmitted) admitted = admitted.slice(-maxAdmitted);
    },
    refused(now, admitsAt) {
      refusal ??= { at: now, admitsAt };
      refusal.admitsAt = Math.max(refusal.admitsAt, admitsAt);
    },
    windows: current,
    lesson: (now) => ({ windows: learnedBy(now), strikes, distrustUntil }),
  };
}

/** Of the ends of a series, the one with the most requests in the least time; the longest of equal ones. */
function densest(series: readonly number[], end: number): RateWindow | undefined {
  let found: RateWindow | undefined;
  for (const [index, start] of [...series].sort((a, b) => b - a).entries()) {
    const window = { requests: index + 1, perMs: Math.max(end - start, 1) };
    if (found === undefined || window.requests * found.perMs >= found.requests * window.perMs) {
      found = window;
    }
  }
  return found;
}

function tightened(known: readonly KnownWindow[], found: KnownWindow): KnownWindow[] {
  // What was kept to and refused all the same is no matter of a rate, or of somebody else's share in it.
  if (known.some((window) => implies(window, found))) return [...known];
  return [...known.filter((window) => !implies(found, window)), found].slice(0, maxWindows);
}

/** Whether keeping to one window means keeping to the other. */
function implies(one: RateWindow, other: RateWindow): boolean {
  return one.requests <= other.requests && one.perMs >= other.perMs;
}
