import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readText } from "../../../src/lib/files.ts";
import { type Ended, type Ground, lastWordsOf } from "./ground.ts";
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
  /** Of them, other than downloads, in runs after the commit of the crawl: what shows signed links. */
  forLinks: number;
  /** Of them, originals whose answer an earlier run had whole, but it was killed before they were encoded. */
  unencoded: number;
  /** Downloads whose answer was handed over in full. */
  downloaded: Set<string>;
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
  const counts = { requests: 0, forLinks: 0, unencoded: 0 };
  const cycle: Cycle = { ...counts, kills: [], downloaded: new Set(), broken: [] };
  const stopWatching = watchPublished(out, cycle.broken);
  let last: Ended | undefined;
  for (const point of points) {
    last = await killOnce(ground, out, night, point, cycle);
    if (last !== undefined) break;
    lookAtPublished(out, night, cycle.broken);
  }
  last ??= await runCounted(ground, out, night, cycle).ended;
  stopWatching();
  if (last.code !== 0) cycle.broken.push(`the run after the kill: ${lastWordsOf(last)}`);
  else lookAtEnd(out, night, cycle.broken);
  rmSync(out, { recursive: true, force: true });
  return cycle;
}

/** Starts a run whose requests are counted in the cycle when it has ended. */
function runCounted(
  ground: Ground,
  out: string,
  night: Night,
  cycle: Cycle,
  onRequest: (number: number) => void = () => {},
) {
  const goesOn = isCommitted(out, night);
  const seen = ground.watch.begin({ onRequest });
  const { ended, ...started } = ground.start("snapshot", out, { epoch: night.epoch });
  const counted = ended.then((run) => {
    cycle.requests += seen.asked.length;
    if (goesOn) cycle.forLinks += seen.asked.filter((url) => !isDownload(url)).length;
    cycle.unencoded += seen.asked.filter((url) => cycle.downloaded.has(url)).length;
    for (const url of seen.answered.filter(isDownload)) cycle.downloaded.add(url);
    return run;
  });
  return { ...started, seen, ended: counted };
}

function isDownload(url: string): boolean {
  return url.endsWith("/download");
}

function begin(out: string, base: string | undefined): void {
  rmSync(out, { recursive: true, force: true });
  if (base === undefined) mkdirSync(out, { recursive: true });
  else cpSync(base, out, { recursive: true, verbatimSymlinks: true });
}

/** Kills a run; gives its end where it had come to that by itself. */
async function killOnce(
  ground: Ground,
  out: string,
  night: Night,
  { request, delayMs }: KillAt,
  cycle: Cycle,
): Promise<Ended | undefined> {
  let shoot = (): void => {};
  const due = new Promise<void>((resolve) => {
    shoot = resolve;
  });
  const { child, ended, session, seen } = runCounted(ground, out, night, cycle, (number) => {
    if (number === request) shoot();
  });
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
  if (!hit || run.code !== null) return run;
  // Its report was written and its lock given back: only the process was still there.
  if (seen.asked.length > 0 && !existsSync(join(out, "lock.json"))) return { ...run, code: 0 };
  cycle.kills.push({ committed: isCommitted(out, night), inFlight });
  const survivors = await survivorsOf(session);
  if (survivors.length > 0) {
    cycle.broken.push(`${survivors.length} child processes live on`);
    for (const pid of survivors) process.kill(pid, "SIGKILL");
  }
  return undefined;
}

/** Whether the store has a snapshot of this night. */
function isCommitted(out: string, { base }: Night): boolean {
  return latestOf(out) !== (base && latestOf(base));
}

/** What the store says of its latest snapshot. */
function latestOf(out: string): string | undefined {
  return readText(join(out, "store", "snapshots", "latest.json"));
}

/** What is visible after a kill: nothing or the archive of the night before, or this night's, each whole. */
function lookAtPublished(out: string, { before, published }: Night, broken: string[]): void {
  const link = join(out, "public");
  const shown = existsSync(link) ? treeOf(link) : undefined;
  const half = halfPublished(out, shown);
  if (half !== undefined) broken.push(`half published: ${half}`);
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
  const shown = treeOf(join(out, "public"));
  const half = halfPublished(out, shown);
  if (half !== undefined) broken.push(`published in the end: ${half}`);
  const published = differenceOf(shown, night.published);
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
