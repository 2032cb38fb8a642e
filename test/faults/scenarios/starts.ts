import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readText } from "../../../src/lib/files.ts";
import type { Finding, Scenario } from "../scenario.ts";
import {
  type Ended,
  type Ground,
  lastWordsOf,
  type Started,
  startGround,
} from "../support/ground.ts";
import { leftoversIn } from "../support/trees.ts";

const starts = 20;

/** Of many runs on one output folder at once, one works and the others are refused. */
export const simultaneousStarts: Scenario = {
  name: "starts",
  what: `${starts} runs at once on one output folder: one works, the others end with 6 while it works`,
  alone: true,
  async run(context) {
    const finding: Finding = { figures: [], violations: [] };
    const ground = await startGround({
      size: { articles: 12, galleries: 2, images: 6 },
      // The winner shall still be at work when the last of the others looks.
      origin: { latencyMs: 400 },
    });
    try {
      for (let round = 0; round < (context.long ? 10 : 2); round++) {
        await race(ground, join(context.folder, `out-${round}`), round, finding);
      }
    } finally {
      await ground.close();
    }
    return finding;
  },
};

function spanOf(times: readonly number[]): string {
  return `${Math.round(times[0] ?? 0)} to ${Math.round(times.at(-1) ?? 0)} ms`;
}

/**
 * Starts all runs at once. In every other round, the folder has the lock of a run that was killed.
 *
 * How long a loser takes depends on the machine; that all are refused before the winner has ended does not.
 */
async function race(
  ground: Ground,
  out: string,
  round: number,
  { figures, violations }: Finding,
): Promise<void> {
  const lock = join(out, "lock.json");
  mkdirSync(out, { recursive: true });
  const stale = round % 2 === 1;
  const staleText = stale ? await killHolder(ground, out, lock) : undefined;
  const name = stale ? "over a stale lock" : "in an empty folder";

  ground.watch.begin();
  const begun = performance.now();
  const runs: Started[] = Array.from({ length: starts }, () => ground.start("snapshot", out));
  let over = false;
  const locked = lockedAfter(lock, staleText, () => over);
  const ended = await Promise.all(runs.map(({ ended }) => ended));
  over = true;
  const won = ended.filter(({ code }) => code === 0);
  const refused = ended.filter(({ code }) => code === 6).map(({ ms }) => ms);
  if (won.length !== 1 || refused.length !== starts - 1) {
    const codes = ended.map(lastWordsOf).filter((words) => !words.startsWith("exit 6"));
    violations.push(
      `${name}: ${won.length} winners, ${refused.length} times exit 6; ${codes.join("; ")}`,
    );
  }
  const sorted = refused.sort((a, b) => a - b);
  const heldMs = ((await locked) ?? begun) - begun;
  figures.push(
    `${name}: the others ended after ${spanOf(sorted)}; the lock was held after ${Math.round(heldMs)} ms, ` +
      `so ${spanOf(sorted.map((ms) => ms - heldMs))} later`,
  );
  checkFolder(out, won[0], name, violations);
  const late = refused.filter((ms) => ms >= (won[0]?.ms ?? Number.POSITIVE_INFINITY));
  if (late.length > 0) {
    violations.push(`${name}: ${late.length} runs were refused after the winner had ended`);
  }
}

function checkFolder(
  out: string,
  winner: Ended | undefined,
  name: string,
  violations: string[],
): void {
  const leftovers = leftoversIn(out);
  if (leftovers.length > 0) violations.push(`${name}: left behind: ${leftovers.join(", ")}`);
  const report = join(out, "report.json");
  if (winner === undefined || !existsSync(report)) return;
  // A refused run that wrote its own report would hide what the other one did.
  const { exitCode } = JSON.parse(readFileSync(report, "utf8")) as { exitCode: number };
  if (exitCode !== 0) violations.push(`${name}: report.json tells of exit ${exitCode}`);
}

/** Starts a run, kills it when it holds the lock, and gives the lock that it leaves. */
async function killHolder(ground: Ground, out: string, lock: string): Promise<string> {
  ground.watch.begin();
  const { child, ended } = ground.start("snapshot", out);
  while (!existsSync(lock)) await sleep(2);
  child.kill("SIGKILL");
  await ended;
  return readFileSync(lock, "utf8");
}

/** The moment at which there is a lock with another text than a stale one; undefined where none was seen. */
async function lockedAfter(
  lock: string,
  stale: string | undefined,
  over: () => boolean,
): Promise<number | undefined> {
  while (!over()) {
    const text = readText(lock);
    if (text !== undefined && text !== stale) return performance.now();
    await sleep(2);
  }
  return undefined;
}
