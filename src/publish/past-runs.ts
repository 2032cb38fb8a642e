import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { exitCodes } from "../errors.ts";
import { readText, removeQuietly, writeDurably } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";

/** Reports that are kept. */
const kept = 30;
const ending = ".json";

const PastRun = z.object({
  started: z.string(),
  ended: z.string(),
  exitCode: z.int(),
  outcome: z.string(),
  next: z.string().nullable(),
  snapshot: z.string().nullable(),
  /** Milliseconds of each stage that came to its end. */
  durations: z.record(z.string(), z.number()),
  jobs: z.object({ done: z.int(), known: z.int(), again: z.int() }).nullish(),
});
export type PastRun = z.infer<typeof PastRun>;

/** The reports of the last runs, the newest first. What cannot be read is left out. */
export function pastRuns(out: string): PastRun[] {
  return namesIn(out).flatMap((name) => readRun(out, name) ?? []);
}

/** Whether a run has asked the origin, and the archive is what the origin had then. */
export function isGood({ exitCode, durations }: PastRun): boolean {
  return exitCode === exitCodes.complete && "crawl" in durations && "build" in durations;
}

/** Keeps the text of a report beside those of the runs before; the last good one stays, however many follow. */
export function keepReport(out: string, ended: string, text: string): void {
  mkdirSync(reportsFolder(out), { recursive: true });
  writeDurably(join(reportsFolder(out), `${ended.replaceAll(":", "-")}${ending}`), text);
  const names = namesIn(out);
  if (names.length <= kept) return;
  const isGoodOne = (name: string): boolean => {
    const run = readRun(out, name);
    return run !== undefined && isGood(run);
  };
  const lastGood = names.find(isGoodOne);
  for (const name of names.slice(kept))
    if (name !== lastGood) removeQuietly(join(reportsFolder(out), name));
}

function reportsFolder(out: string): string {
  return join(out, "reports");
}

/** The newest first. */
function namesIn(out: string): string[] {
  const folder = reportsFolder(out);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .reverse();
}

function readRun(out: string, name: string): PastRun | undefined {
  const text = readText(join(reportsFolder(out), name)) ?? "";
  return orUndefined(() => PastRun.parse(JSON.parse(text)));
}
