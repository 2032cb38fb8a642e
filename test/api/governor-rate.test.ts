import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Governor, type GovernorOptions } from "../../src/api/governor.ts";
import type { Headers } from "../../src/api/headers.ts";
import { sleepOn } from "../../src/lib/clock.ts";
import { dice } from "../../src/lib/random.ts";
import { type VirtualClock, virtualClock } from "../lib/virtual-clock.ts";
import { type Limiting, type SimulatedOptions, simulatedOrigin } from "./simulated-origin.ts";

/** A configured rate above that of any origin here. */
const tooHigh = { requests: 1_000_000, perSeconds: 1 };
const minute = 60_000;
const hour = 60 * minute;

const inSeconds = (admitted: boolean, waitMs: number): Headers =>
  admitted ? {} : { "retry-after": String(Math.ceil(waitMs / 1000)) };

interface Crawl {
  arrivals: { at: number; admitted: boolean }[];
  refusals: number;
  /** Milliseconds from the first arrival to the last one. */
  tookMs: number;
}

/** Makes some requests to an origin, as fast as a governor lets them. */
async function crawl(
  count: number,
  origin: Omit<SimulatedOptions, "clock">,
  options: Partial<GovernorOptions> = {},
  clock: VirtualClock = virtualClock(),
): Promise<Crawl> {
  const { arrivals, ask } = simulatedOrigin({ clock, ...origin });
  const governor = new Governor({ rate: "auto", concurrency: 8, ...options, clock });
  await clock.run(Promise.all(Array.from({ length: count }, () => ask(governor))));
  const refusals = arrivals.filter(({ admitted }) => !admitted).length;
  const tookMs = (arrivals.at(-1)?.at ?? 0) - (arrivals[0]?.at ?? 0);
  return { arrivals, refusals, tookMs };
}

describe("a governor with the rate that the origin has", () => {
  it("never runs into it, wherever the window is laid, and hardly wastes any of it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 9 }),
        async (requests, concurrency, latencies) => {
          let n = 0;
          const latency = (): number => latencies[n++ % latencies.length] as number;
          const rate = { requests, perSeconds: 60 };
          const limit = { requests, perMs: minute, latency };
          const { arrivals, refusals, tookMs } = await crawl(5 * requests, limit, {
            rate,
            concurrency,
          });
          expect(refusals).toBe(0);
          const spans = arrivals.slice(requests).map(({ at }, i) => at - (arrivals[i]?.at ?? 0));
          expect(Math.min(...spans)).toBeGreaterThanOrEqual(minute);
          // Four full windows, and the time in which the last one is filled.
          const filling = (requests * 2 * Math.max(...latencies)) / Math.min(requests, concurrency);
          expect(tookMs).toBeLessThanOrEqual((4 * minute) / 0.97 + filling);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keeps to it for three days", async () => {
    const limit = { requests: 10, perMs: minute };
    const { refusals, tookMs } = await crawl(72 * 600, limit, {
      rate: { requests: 10, perSeconds: 60 },
    });
    expect(refusals).toBe(0);
    expect((72 * hour) / tookMs).toBeGreaterThan(0.97);
  });
});

describe('a governor with the rate "auto"', () => {
  it.each([
    [
      "X-RateLimit headers",
      (_: boolean, waitMs: number): Headers => ({
        "x-ratelimit-limit": "2",
        "x-ratelimit-remaining": waitMs > 0 ? "0" : "1",
        "x-ratelimit-reset": String(Math.ceil(waitMs / 1000)),
      }),
    ],
  ])("is not refused once by a tiny limit that shows in %s", async (_name, headers) => {
    const { refusals, tookMs } = await crawl(12, { requests: 2, perMs: minute, headers });
    expect(refusals).toBe(0);
    expect(tookMs).toBeLessThan(5.5 * minute);
  });

  it("makes 60 requests a minute where the origin says nothing, and hardly fewer", async () => {
    const limit = { requests: 60, perMs: minute };
    const { arrivals, refusals, tookMs } = await crawl(600, limit);
    expect(refusals).toBe(0);
    const spans = arrivals.slice(60).map(({ at }, i) => at - (arrivals[i]?.at ?? 0));
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(minute);
    expect(tookMs).toBeLessThan(9.3 * minute);
  });

  it.each([
    ["more", "RateLimit-Policy", "600;w=60", 600],
    [
      "more, as later drafts write it",
      "RateLimit-Policy",
      '"hour";q=9000;w=3600, "now";q=10;w=1',
      600,
    ],
    ["less", "RateLimit-Policy", '"default";q=6;w=60', 6],
    [
      "a quota of bytes and one of requests",
      "RateLimit-Policy",
      '"b";q=9;w=1;qu="content-bytes", "r";q=6;w=60',
      6,
    ],
    ["more, beside the limit", "RateLimit-Limit", "600, 600;w=60", 600],
  ])("takes over a stated policy: %s", async (_name, field, text, perMinute) => {
    const limit = {
      requests: perMinute,
      perMs: minute,
      headers: () => ({ [field.toLowerCase()]: text }),
    };
    const { refusals, tookMs } = await crawl(10 * perMinute, limit);
    expect(refusals).toBeLessThanOrEqual(perMinute < 60 ? 60 : 0);
    expect(tookMs).toBeLessThan(11 * minute);
  });

  it("uses what remains by the origin's word, also for requests whose answers say nothing", async () => {
    const clock = virtualClock();
    const governor = new Governor({ rate: "auto", concurrency: 8, clock });
    let n = 0;
    const ask = () =>
      governor.run(async (answered) => {
        await sleepOn(clock, 10);
        // Files come from another host, which says nothing.
        answered({ status: 200, headers: n++ === 0 ? { "x-ratelimit-remaining": "300" } : {} });
      });
    const begun = clock.now();
    await clock.run(Promise.all(Array.from({ length: 301 }, ask)));
    expect(clock.now() - begun).toBeLessThan(minute);
    await clock.run(Promise.all(Array.from({ length: 60 }, ask)));
    expect(clock.now() - begun).toBeGreaterThanOrEqual(minute);
  });
});

describe("a governor with a rate above the origin's", () => {
  it.each<[Limiting, number, number]>([
    ["sliding", 60, 8 + 19 * 4],
    ["fixed", 60, 8 + 19 * 4],
    ["bucket", 60, 1_200],
    ["sliding", 300, 20 * 8],
  ])(
    "pays for a %s limit of %i that shows only in refusals with at most one of them for each request",
    async (limiting, requests, atMost) => {
      const limit = { requests, perMs: minute, limiting, headers: inSeconds };
      const { refusals, tookMs } = await crawl(20 * requests, limit, { rate: tooHigh });
      expect(tookMs).toBeLessThan(24 * minute);
      expect(refusals).toBeLessThanOrEqual(atMost);
    },
  );

  it("finds the end of a refusal that says nothing at all", async () => {
    const { refusals, tookMs } = await crawl(
      600,
      { requests: 60, perMs: minute },
      { rate: tooHigh },
    );
    expect(tookMs).toBeLessThan(20 * minute);
    // A few at the end of each window, and those that find out when the next one begins.
    expect(refusals).toBeLessThanOrEqual(10 * (8 + 8));
  });

  it("knows of a pause also when it is killed before that is over", async () => {
    const clock = virtualClock();
    const origin = simulatedOrigin({ clock, requests: 60, perMs: minute, headers: inSeconds });
    const kill = new AbortController();
    const governor = new Governor({ rate: tooHigh, concurrency: 8, clock, signal: kill.signal });
    const asked = Array.from({ length: 100 }, () => origin.ask(governor));
    await clock.run(sleepOn(clock, 5_000));
    const state = governor.state();
    kill.abort();
    await Promise.allSettled(asked);
    expect(state.pausedUntil).toBeGreaterThan(clock.now());
    const before = origin.arrivals.length;
    const next = new Governor({ rate: tooHigh, concurrency: 8, clock, state });
    await clock.run(Promise.all(Array.from({ length: 50 }, () => origin.ask(next))));
    expect(origin.arrivals.slice(before).every(({ admitted }) => admitted)).toBe(true);
  });
});

describe("an origin that refuses for reasons of its own", () => {
  it.each([tooHigh, { requests: 600, perSeconds: 60 }])(
    "costs its pauses and little else (%j)",
    async (rate) => {
      const clock = virtualClock();
      const throws = dice(7, 1);
      let pausedMs = 0;
      const governor = new Governor({ rate, concurrency: 8, clock });
      async function ask(): Promise<void> {
        await governor.run(async (answered) => {
          await sleepOn(clock, 40);
          const refused = throws.roll(25) === 0;
          const seconds = 1 + throws.roll(throws.chance(10) ? 1_000 : 60);
          if (refused) pausedMs += seconds * 1000;
          const headers: Headers = refused ? { "retry-after": String(seconds) } : {};
          answered({ status: refused ? 429 : 200, headers });
        });
      }
      const begun = clock.now();
      await clock.run(Promise.all(Array.from({ length: 5_000 }, ask)));
      expect(clock.now() - begun).toBeLessThan(2 * (pausedMs + 500_000));
    },
  );
});

describe("a pause that the origin asks for", () => {
  it("holds everybody, whatever else happens, and is told at once", async () => {
    const forms = ["seconds", "date", "iso", "remaining", "none"] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            status: fc.constantFrom(200, 200, 200, 429, 503),
            form: fc.constantFrom(...forms),
            waitMs: fc.integer({ min: 1, max: 90_000 }),
            latency: fc.integer({ min: 0, max: 3_000 }),
          }),
          { minLength: 20, maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom<GovernorOptions["rate"]>("auto", { requests: 5, perSeconds: 10 }),
        async (answers, concurrency, rate) => {
          const clock = virtualClock();
          let pausedUntil = 0;
          let told = 0;
          const tooEarly: number[] = [];
          const governor = new Governor({
            rate,
            concurrency,
            clock,
            onPause: () => {
              told = governor.state().pausedUntil;
            },
          });
          const tasks = answers.map(({ status, form, waitMs, latency }) =>
            governor.run(async (answered) => {
              if (clock.now() < pausedUntil) tooEarly.push(pausedUntil - clock.now());
              await sleepOn(clock, latency);
              const [headers, ms] = pauseIn(form, waitMs, clock.now());
              const pauses = status !== 200 || form === "remaining";
              if (pauses) pausedUntil = Math.max(pausedUntil, clock.now() + ms);
              answered({ status, headers: pauses ? headers : {} });
              if (pausedUntil > clock.now()) expect(told).toBeGreaterThanOrEqual(pausedUntil);
            }),
          );
          await clock.run(Promise.all(tasks));
          expect(tooEarly).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );

    /** Headers in one of the forms, and the milliseconds that they mean at least. */
    function pauseIn(
      form: (typeof forms)[number],
      waitMs: number,
      now: number,
    ): [headers: Headers, ms: number] {
      const seconds = Math.ceil(waitMs / 1000);
      const end = Math.floor(now / 1000) * 1000 + seconds * 1000;
      if (form === "seconds") return [{ "retry-after": String(seconds) }, seconds * 1000];
      if (form === "date") return [{ "retry-after": new Date(end).toUTCString() }, end - now];
      if (form === "iso") return [{ "retry-after": new Date(end).toISOString() }, end - now];
      if (form === "none") return [{}, 0];
      const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(seconds) };
      return [headers, seconds * 1000];
    }
  });

  it("has an end even where the origin names none that can be meant", async () => {
    const clock = virtualClock();
    const governor = new Governor({ rate: "auto", concurrency: 1, clock });
    const headers = { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" };
    await governor.run(async (answered) => answered({ status: 429, headers }));
    expect(governor.state().pausedUntil).toBe(clock.now() + 31 * 24 * hour);
  });
});
