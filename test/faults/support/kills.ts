import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readText } from "../../../src/lib/files.ts";
import { type Ground, lastWordsOf } from "./ground.ts";
import { survivorsOf } from "./survivors.ts";
import {
  type Contents,
  differenceOf,
  halfPublished,
  leftoversIn,
  snapshotOf,
  treeOf,
} from "./trees.ts";

/** When to kill: some milliseconds after a request arrived (1 is the first), or after the start (0). */
export interface KillAt {
  request: number;
  delayMs: number;
}

/** One night's work, as it goes undisturbed. */
export interface Night {
  /** Seconds since 1970, in the place of the clock. */
  epoch: number;
  /** Output folder of the night before; undefined for the first night. */
  base: string | undefined;
  /** The archive that is published until this night's is. */
  before: Contents | undefined;
  published: Contents;
  snapshot: Contents;
  requests: number;
  /** Milliseconds from the last request to the end. */
  tailMs: number;
}

/** A kill that hit. */
export interface Kill {
  /** Whether the crawl had committed its snapshot. */
  committed: boolean;
  /** Requests without a full answer at that moment. */
  inFlight: number;
}

/** A night that was killed once or more and then run to its end. */
export interface Cycle {
  kills: Kill[];
  /** Of all its runs. */
  requests: number;
  /** What broke a rule, without the place. */
  broken: string[];
}

/** Runs a night undisturbed; its output stays in `out`. */
export async function runNight(
  ground: Ground,
  out: string,
  epoch: number,
  base?: string,
): Promise<Night> {
  begin(out, base);
  const before = base === undefined ? undefined : treeOf(join(base, "public"));
  let lastAt = performance.now();
  const seen = ground.watch.begin({
    onRequest() {
      lastAt = performance.now();
    },
  });
  const run = await ground.start("snapshot", out, { epoch }).ended;
  const tailMs = performance.now() - lastAt;
  if (run.code !== 0) throw new Error(`the undisturbed run: ${lastWordsOf(run)}`);
  return {
    epoch,
    base,
    before,
    published: treeOf(join(out, "public")),
    snapshot: snapshotOf(join(out, "store")),
    requests: seen.asked.length,
    tailMs,
  };
}

/** Runs a night in `out`, kills it at each of the points in turn, runs it to its end, and looks at what there is. */
export async function killNight(
  ground: Ground,
  out: string,
  night: Night,
  points: readonly KillAt[],
): Promise<Cycle> {
  begin(out, night.base);
  const cycle: Cycle = { kills: [], requests: 0, broken: [] };
  const stopWatching = watchPublished(out, cycle.broken);
  for (const point of points) {
    if (!(await killOnce(ground, out, night, point, cycle))) break;
    lookAtPublished(out, night, cycle.broken);
  }
  const seen = ground.watch.begin();
  const last = await ground.start("snapshot", out, { epoch: night.epoch }).ended;
  stopWatching();
  cycle.requests += seen.asked.length;
  if (last.code !== 0) cycle.broken.push(`the run after the kill: ${lastWordsOf(last)}`);
  else lookAtEnd(out, night, cycle.broken);
  rmSync(out, { recursive: true, force: true });
  return cycle;
}

function begin(out: string, base: string | undefined): void {
  rmSync(out, { recursive: true, force: true });
  if (base === undefined) mkdirSync(out, { recursive: true });
  else cpSync(base, out, { recursive: true, verbatimSymlinks: true });
}

/** Whether the kill hit before the run ended by itself. */
async function killOnce(
  ground: Ground,
  out: string,
  night: Night,
  { request, delayMs }: KillAt,
  cycle: Cycle,
): Promise<boolean> {
  let shoot = (): void => {};
  const due = new Promise<void>((resolve) => {
    shoot = resolve;
  });
  const seen = ground.watch.begin({
    onRequest(number) {
      if (number === request) shoot();
    },
  });
  const { child, ended, session } = ground.start("snapshot", out, { epoch: night.epoch });
  if (request === 0) shoot();
  const survived = await Promise.race([
    due.then(async () => {
      await sleep(delayMs);
      return false;
    }),
    ended.then(() => true),
  ]);
  const inFlight = seen.inFlight;
  const hit = !survived && child.kill("SIGKILL");
  const run = await ended;
  cycle.requests += seen.asked.length;
  if (!hit || run.code !== null) return false;
  const committed = latestOf(out) !== (night.base && latestOf(night.base));
  cycle.kills.push({ committed, inFlight });
  const survivors = await survivorsOf(session);
  if (survivors.length > 0) {
    cycle.broken.push(`${survivors.length} child processes live on`);
    for (const pid of survivors) process.kill(pid, "SIGKILL");
  }
  return true;
}

/** What the store says of its latest snapshot. */
function latestOf(out: string): string | undefined {
  return readText(join(out, "store", "snapshots", "latest.json"));
}

/** What is visible after a kill: nothing or the archive of the night before, or this night's, each whole. */
function lookAtPublished(out: string, { before, published }: Night, broken: string[]): void {
  const half = halfPublished(out);
  if (half !== undefined) broken.push(`half published: ${half}`);
  const link = join(out, "public");
  const shown = existsSync(link) ? treeOf(link) : undefined;
  if (shown === undefined) {
    if (before !== undefined) broken.push("the archive of the night before is gone");
    return;
  }
  const isNew = differenceOf(shown, published) === undefined;
  if (isNew || (before !== undefined && differenceOf(shown, before) === undefined)) return;
  broken.push("what is published is neither the archive of the night before nor this night's");
}

/** Looks all the time whether the published archive is there, once it was. */
function watchPublished(out: string, broken: string[]): () => void {
  const home = join(out, "public", "index.html");
  let seen = existsSync(home);
  const timer = setInterval(() => {
    const there = existsSync(home);
    if (seen && !there) broken.push("the published home page was gone for a moment");
    seen = there;
  }, 5);
  return () => clearInterval(timer);
}

function lookAtEnd(out: string, night: Night, broken: string[]): void {
  const half = halfPublished(out);
  if (half !== undefined) broken.push(`published in the end: ${half}`);
  const published = differenceOf(treeOf(join(out, "public")), night.published);
  if (published !== undefined) broken.push(`the publish root differs: ${published}`);
  try {
    const snapshot = differenceOf(snapshotOf(join(out, "store")), night.snapshot);
    if (snapshot !== undefined) broken.push(`the snapshot differs: ${snapshot}`);
  } catch (error) {
    broken.push(`the store cannot be read: ${String(error)}`);
  }
  const leftovers = leftoversIn(out);
  if (leftovers.length > 0) {
    broken.push(`${leftovers.length} leftovers, such as ${leftovers[0]}`);
  }
}
