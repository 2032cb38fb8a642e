import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Dice, dice } from "../../../src/lib/random.ts";
import type { FaultContext, Finding, Scenario } from "../scenario.ts";
import { type Ground, startGround } from "../support/ground.ts";
import { interruptRuns } from "../support/interrupts.ts";
import { type Cycle, type KillAt, killNight, type Night, runNight } from "../support/kills.ts";

const latencyMs = 5;
/** Of these 760 requests as many are in flight at a kill as are of 3,000 with the default of 8. */
const concurrency = 2;
/** Originals that are worked on at a time: as many as are downloaded, and one for each of at most four decoders. */
const maxInWork = concurrency + 4;
/** How long a start takes at most until its first request, in milliseconds. */
const startMs = 400;
const day = 86_400;
const firstEpoch = 1_750_000_000;
/** Of all requests, that may be made again because of kills. */
const maxRepeatedShare = 0.01;

/** How many nights are killed, and how many kills that must come to at least. */
const sizes = {
  short: { first: 26, second: 9, kills: 40, lanes: 1 },
  long: { first: 350, second: 60, kills: 500, lanes: 2 },
};

/** Runs of the command that are killed at any point of their life leave nothing that the next run cannot finish. */
export const kill: Scenario = {
  name: "kill",
  what: "a SIGKILL at any time loses no work, shows nothing half done, and the next run ends the same",
  async run(context) {
    const finding: Finding = { figures: [], violations: [] };
    const size = context.long ? sizes.long : sizes.short;
    const grounds: Ground[] = [];
    try {
      for (let n = 0; n < size.lanes; n++) {
        grounds.push(
          await startGround({
            size: { articles: 320, galleries: 10, images: 40 },
            origin: { latencyMs },
            config: { crawl: { concurrency } },
          }),
        );
      }
      const random = dice(context.seed);
      const work = (name: string, count: number, begin: Begin) =>
        killNights(grounds, context, { name, count, begin, random }, finding);
      const first = (ground: Ground, folder: string) =>
        runNight(ground, join(folder, "first"), firstEpoch);
      const second = (ground: Ground, folder: string) => {
        change(ground);
        return runNight(ground, join(folder, "second"), firstEpoch + day, join(folder, "first"));
      };
      const kills =
        (await work("first night", size.first, first)) +
        (await work("second night", size.second, second));
      if (kills < size.kills) {
        finding.violations.push(`${kills} kills only, ${size.kills} were wanted`);
      }
      const interrupted = await interruptRuns(grounds[0] as Ground, context.folder);
      finding.figures.push(...interrupted.figures);
      finding.violations.push(...interrupted.violations);
    } finally {
      for (const ground of grounds) await ground.close();
    }
    return finding;
  },
};

/** Runs a night undisturbed in a folder of its ground. */
type Begin = (ground: Ground, folder: string) => Promise<Night>;

/** What editors did during the day, all of it visible in an index: something new, something else, something less. */
function change({ press }: Ground): void {
  const { articles, galleries, images } = press.origin.content;
  const [first, second, third] = articles;
  const [gallery] = galleries;
  if (!first || !second || !third || !gallery) throw new Error("too little to change");
  const withNumber = (id: string, n: number): string => `${id.slice(0, -4)}${1000 + n}`;
  articles.edit(second.id, { title: "A title of today" });
  articles.remove(third.id);
  const publishedAt = first.publishedAt + 3_600_000;
  const news = { slug: "new-today", title: "New today", publishedAt };
  articles.add({ ...first, ...news, id: withNumber(first.id, 0) });
  galleries.edit(gallery.id, { title: "A gallery of today" });
  for (const [n, image] of [...images].slice(0, 10).entries()) {
    images.add({ ...image, id: withNumber(image.id, n), title: `Picture ${n} of today` });
  }
}

interface KilledNights {
  name: string;
  /** How many times the night is begun anew. */
  count: number;
  begin: Begin;
  random: Dice;
}

/**
 * Kills runs of a night at many points of their life, on all grounds side by side.
 *
 * @returns how many kills there were
 */
async function killNights(
  grounds: readonly Ground[],
  { folder, note }: FaultContext,
  { name, count, begin, random }: KilledNights,
  { figures, violations }: Finding,
): Promise<number> {
  const cycles: Cycle[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n)[Symbol.iterator]();
  const nights = await Promise.all(
    grounds.map(async (ground, lane) => {
      const place = join(folder, `ground-${lane}`);
      mkdirSync(place, { recursive: true });
      const night = await begin(ground, place);
      for (const n of numbers) {
        const points = pointsOf(n, count, night, random);
        const cycle = await killNight(ground, join(place, "out"), night, points);
        cycles.push(cycle);
        const where = points.map(({ request, delayMs }) => `request ${request} + ${delayMs} ms`);
        if (cycle.unencoded > cycle.kills.length * maxInWork) {
          cycle.broken.push(`${cycle.unencoded} originals were downloaded again`);
        }
        for (const text of cycle.broken) violations.push(`${name}, killed at ${where}: ${text}`);
        note(`${name} ${cycles.length} of ${count}, ${violations.length} broke a rule`);
      }
      return night;
    }),
  );
  // The same content, and so the same requests, everywhere.
  const [night] = nights;
  if (night === undefined) throw new RangeError("no ground to run on");
  const told = costOf(cycles, night);
  figures.push(`${name}: ${told.text}`);
  // A second night is so short that what is in work at a kill is a large share of it, whatever is kept.
  const repeated = night.base === undefined ? told.repeated : told.repeated - told.inWork;
  const share = repeated / told.total;
  if (share >= maxRepeatedShare) {
    violations.push(`${name}: ${(share * 100).toFixed(2)} % of the requests are repeated`);
  }
  return cycles.reduce((sum, { kills }) => sum + kills.length, 0);
}

/**
 * Where the n-th of `count` runs is killed: spread over its requests, over the time after the last one, and a few
 * before the first one. Every third run is killed a second time on its way, every sixth a third time.
 */
function pointsOf(n: number, count: number, night: Night, random: Dice): KillAt[] {
  const share = (n + random.share()) / count;
  const first = pointAt(share, night, random);
  const points = [first];
  const left = night.requests - first.request;
  for (const every of [3, 6]) {
    if (n % every !== every - 1) continue;
    // What is left to do after the last request takes no more of them.
    const again =
      left > 0
        ? { request: 1 + random.roll(left), delayMs: random.roll(latencyMs) }
        : { request: 0, delayMs: startMs + random.roll(Math.floor(night.tailMs / 2)) };
    points.push(again);
  }
  return points;
}

function pointAt(share: number, { requests, tailMs }: Night, random: Dice): KillAt {
  if (share < 0.05) return { request: 0, delayMs: random.roll(startMs) };
  if (share > 0.65) {
    return { request: requests, delayMs: Math.floor(((share - 0.65) / 0.35) * tailMs) };
  }
  const request = 1 + Math.floor(((share - 0.05) / 0.6) * requests);
  return { request, delayMs: random.roll(latencyMs) };
}

/** What kills cost in requests. */
interface Cost {
  text: string;
  total: number;
  repeated: number;
  /** Of the repeated ones, those in flight at a kill, and downloads of originals that were not encoded yet. */
  inWork: number;
}

function costOf(cycles: readonly Cycle[], night: Night): Cost {
  const sum = (some: readonly Cycle[], of: (cycle: Cycle) => number): number =>
    some.reduce((total, cycle) => total + of(cycle), 0);
  const repeatedIn = (some: readonly Cycle[]): number =>
    sum(some, ({ requests }) => requests - night.requests);
  const inFlightOf = (some: readonly Cycle[]): number =>
    sum(some, ({ kills }) => kills.reduce((total, one) => total + one.inFlight, 0));
  const hit = cycles.filter(({ kills }) => kills.length > 0);
  const late = hit.filter(({ kills }) => kills.some(({ committed }) => committed));
  const early = hit.filter((cycle) => !late.includes(cycle));
  const total = sum(cycles, ({ requests }) => requests);
  const [repeated, inFlight] = [repeatedIn(hit), inFlightOf(hit)];
  const part = (some: readonly Cycle[]): string =>
    `${repeatedIn(some)} repeated (${inFlightOf(some)} in flight) over ${some.length} runs`;
  const forLinks = sum(hit, (cycle) => cycle.forLinks);
  const unencoded = sum(hit, (cycle) => cycle.unencoded);
  const kills = sum(cycles, (cycle) => cycle.kills.length);
  const text =
    `${kills} kills in ${hit.length} of ${cycles.length} runs of ${night.requests} requests; ` +
    `${total} requests, ${repeated} of them repeated (${((repeated / total) * 100).toFixed(2)} %), ` +
    `${inFlight} in flight at the kills, ${unencoded} of originals that were not encoded yet, ` +
    `${forLinks} for new links; ` +
    `killed while crawling: ${part(early)}; killed after that: ${part(late)}`;
  return { text, total, repeated, inWork: inFlight + unencoded };
}
