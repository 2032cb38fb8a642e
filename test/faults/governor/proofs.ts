import { join } from "node:path";
import { createClient } from "../../../src/api/client.ts";
import { type Config, ConfigSchema } from "../../../src/config.ts";
import { Interrupted } from "../../../src/errors.ts";
import { sleepOn } from "../../../src/lib/clock.ts";
import { eachLimited } from "../../../src/lib/concurrency.ts";
import { dice } from "../../../src/lib/random.ts";
import type { Finding } from "../scenario.ts";
import { createVirtualClock } from "../virtual/clock.ts";
import { type Dialect, startStrictOrigin } from "./origin.ts";
import { retryAfterForms } from "./retry-after.ts";

const counted = (value: number): string => value.toLocaleString("en");
const hours = (ms: number): string => (ms / 3_600_000).toFixed(1);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function configOf(baseUrl: string, rate: Config["origin"]["rate"], concurrency: number) {
  return ConfigSchema.parse({ origin: { baseUrl, rate }, crawl: { concurrency } });
}

/** A configured rate above that of any origin here, so that only what the origin says holds anybody back. */
const tooHigh = { requests: 1_000_000, perSeconds: 1 };

/** Share of the known limit that must be used. */
const wantedShare = 0.97;

/** A strict window counts from the answers, which come a few milliseconds late each time; in ten seconds. */
const fullSpeedWindowMs = 10_000;

/**
 * As many requests as the limit allows, in real time. The limit is 500 a second, or a third of what this machine
 * can do at all, so that what is measured is the waiting: the first request of the last window cannot come before all
 * the others are over.
 */
export async function fullSpeed(requests: number): Promise<Finding> {
  const free = await startStrictOrigin({ limit: null, dialect: null, now: Date.now });
  const begun = performance.now();
  await ask(free.baseUrl, tooHigh, 1_500);
  const possible = 1_500 / ((performance.now() - begun) / 1000);
  await free.close();

  const perSeconds = fullSpeedWindowMs / 1000;
  const limit = Math.max(50, Math.min(500, Math.floor(possible / 3 / 50) * 50)) * perSeconds;
  const windows = Math.ceil(requests / limit);
  const origin = await startStrictOrigin({
    limit: { requests: limit, windowMs: fullSpeedWindowMs },
    dialect: null,
    // Finer than whole milliseconds, as a real origin's clock is.
    now: () => performance.timeOrigin + performance.now(),
  });
  try {
    await ask(origin.baseUrl, { requests: limit, perSeconds }, windows * limit + 1);
    const { arrivals, refused } = origin;
    const share =
      (windows * fullSpeedWindowMs) / ((arrivals.at(-1) as number) - (arrivals[0] as number));
    const violations: string[] = [];
    if (refused > 0) {
      const early = `the worst of them ${origin.worstMs.toFixed(1)} ms too early`;
      violations.push(`${refused} requests above ${limit} in ${perSeconds} s, ${early}`);
    }
    if (share < wantedShare) violations.push(`only ${percent(share)} of the limit were used`);
    return {
      figures: [
        `${counted(arrivals.length)} requests at ${counted(limit)} in ${perSeconds} s (${counted(Math.round(possible))} a second possible): ` +
          `${refused} above the window, ${percent(share)} of the limit used`,
      ],
      violations,
    };
  } finally {
    await origin.close();
  }

  async function ask(
    baseUrl: string,
    rate: Config["origin"]["rate"],
    count: number,
  ): Promise<void> {
    const client = createClient({ config: configOf(baseUrl, rate, 8), token: "token" });
    const numbers = Array.from({ length: count }, (_, number) => number);
    await eachLimited(numbers, 200, async (number) => {
      await client.json(`${baseUrl}/articles?page=${number}`);
    });
    await client.close();
  }
}

/** One request in so many is answered with a pause, and a run is killed after so many on average. */
const pauseEvery = 25;
const killEvery = 160;
/** How long somebody waits with the next run where one made no request at all. */
const nextRunMs = 1_800_000;
/** How many times as long as pauses and rate need the requests may take. */
const maxDelay = 3;

/**
 * Pauses in every form of Retry-After at random places, runs that are killed at random places, and a strict window:
 * nobody asks before a pause ends, nor more than the window allows, also not the run after a killed one.
 */
export async function pauses(seed: number, requests: number, folder: string): Promise<Finding> {
  const throws = dice(seed, 21);
  const clock = createVirtualClock(Date.UTC(2025, 10, 2, 23, 30));
  const violations: string[] = [];
  const forms = Object.entries(retryAfterForms);
  let pauseBegan = 0;
  let pauseEnds = 0;
  let pausesGiven = 0;
  let pausedMs = 0;
  let early = 0;
  let kills = 0;
  let form = "";
  const origin = await startStrictOrigin({
    limit: { requests: 60, windowMs: 30_000 },
    dialect: null,
    now: clock.now,
    answer(response, at) {
      // Those that are underway when the pause is said cannot know of it; the clock stands still for them.
      if (at > pauseBegan && at < pauseEnds) {
        early++;
        violations.push(`${pauseEnds - at} ms before the end of a pause (${form})`);
      }
      if (throws.roll(pauseEvery) > 0 || at < pauseEnds) return false;
      const [name, write] = throws.pick(forms);
      const { header, until } = write(at, 1 + throws.roll(throws.chance(10) ? 3_000 : 60));
      form = name;
      pauseBegan = at;
      pauseEnds = until;
      pausesGiven++;
      pausedMs += until - at;
      response.writeHead(throws.pick([429, 503]), { "retry-after": header }).end("{}");
      return true;
    },
  });
  const rate = { requests: 60, perSeconds: 30 };
  const rateFile = join(folder, "rate.json");
  const clients: { close(): Promise<void> }[] = [];
  try {
    while (origin.arrivals.length < requests) {
      const killer = new AbortController();
      const client = createClient({
        config: configOf(origin.baseUrl, rate, throws.pick([1, 3, 8])),
        token: "token",
        rateFile,
        clock,
        signal: killer.signal,
      });
      clients.push(client);
      const before = origin.arrivals.length;
      const lastOnes = 1 + throws.roll(killEvery * 2);
      // What is underway at a kill was asked for all the same.
      const work = Promise.allSettled(
        Array.from({ length: lastOnes + 20 }, async (_, number) => {
          await client.json(`${origin.baseUrl}/articles?page=${number}`);
          if (origin.arrivals.length - before >= lastOnes) killer.abort(new Interrupted("SIGTERM"));
        }),
      );
      await clock.during(work);
      kills++;
      // A run that wants a longer rest ends at once, and the next one is started later.
      if (origin.arrivals.length === before) await clock.during(sleepOn(clock, nextRunMs));
    }
    if (origin.refused > 0) violations.push(`${origin.refused} requests above the window`);
    const neededMs = (requests / 60) * 30_000 + pausedMs;
    if (clock.elapsedMs > maxDelay * neededMs) {
      violations.push(
        `pauses and rate together need ${hours(neededMs)} h, and ${hours(clock.elapsedMs)} h went by`,
      );
    }
    return {
      figures: [
        `${counted(origin.arrivals.length)} requests over ${counted(kills)} killed runs and ${counted(pausesGiven)} ` +
          `pauses in ${forms.length} forms: ${early} before the end of a pause, ${origin.refused} above the window`,
        `${hours(pausedMs)} h of pauses asked for, ${hours((requests / 60) * 30_000)} h needed by the rate, ` +
          `${hours(clock.elapsedMs)} h gone by`,
      ],
      violations: violations.slice(0, 50),
    };
  } finally {
    for (const client of clients) await client.close();
    await origin.close();
    clock.close();
  }
}

/** Requests that an origin refused although it had said enough for them not to be made. */
export async function followed(dialect: Dialect, requests: number): Promise<Finding> {
  const clock = createVirtualClock(Date.UTC(2025, 5, 1));
  const limit = { requests: 50, windowMs: 10_000 };
  const concurrency = 8;
  const said = !dialect.startsWith("nothing");
  const [rate, name] = said ? (["auto", '"auto"'] as const) : [tooHigh, "a rate that is too high"];
  const origin = await startStrictOrigin({ limit, dialect, now: clock.now });
  const client = createClient({
    config: configOf(origin.baseUrl, rate, concurrency),
    token: "token",
    clock,
  });
  try {
    const numbers = Array.from({ length: requests }, (_, number) => number);
    await clock.during(
      eachLimited(numbers, 100, async (number) => {
        await client.json(`${origin.baseUrl}/articles?page=${number}`);
      }),
    );
    const windows = Math.ceil(clock.elapsedMs / limit.windowMs) + 1;
    // Where nobody says anything before the first refusal, those that are underway with it cannot be avoided.
    const unavoidable = said ? 0 : windows * concurrency;
    const avoidable = Math.max(0, origin.refused - unavoidable);
    const share =
      requests / (((clock.elapsedMs + limit.windowMs) / limit.windowMs) * limit.requests);
    const violations: string[] = [];
    if (avoidable > 0) violations.push(`${name}, ${dialect}: ${avoidable} avoidable 429s`);
    // Where refusals do not even say how long they hold, nobody can know the allowance.
    if (dialect !== "nothing but 429" && share < wantedShare) {
      violations.push(`${name}, ${dialect}: only ${percent(share)} of the limit were used`);
    }
    return {
      figures: [
        `${name}, ${dialect}: ${counted(requests)} requests, ${origin.refused} times 429, ${avoidable} of them avoidable, ` +
          `${percent(share)} of the limit used`,
      ],
      violations,
    };
  } finally {
    await client.close();
    await origin.close();
    clock.close();
  }
}
