import { type ExitCode, exitCodes, readable } from "../errors.ts";
import { isGood, type PastRun, pastRuns } from "../publish/past-runs.ts";
import { type ListedBuild, listBuilds } from "../publish/rollback.ts";
import { jobsText } from "./engine.ts";
import { pasteable } from "./failures.ts";
import { outputFolder, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";

interface StatusOptions {
  /** Seconds. */
  maxAge?: number;
}

type Status = ReturnType<typeof statusOf>;

/** `stillpress status`: what is published since when, and how the last runs went; asks nobody. */
export async function runStatus(options: CommonOptions & StatusOptions): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const status = statusOf(out, Date.now(), options.maxAge);
  if (options.json) printJson(status);
  else print(linesOf(status, Date.now()));
  return status.exitCode;
}

function statusOf(out: string, now: number, maxAge: number | undefined) {
  const runs = pastRuns(out);
  const [last = null] = runs;
  const builds = readable(() => listBuilds(out)) ?? [];
  const published = builds.find(({ state }) => state === "published") ?? null;
  const good = runs.find(isGood) ?? null;
  // Where only the store was kept, no report tells of earlier runs.
  const since = good?.ended ?? published?.time;
  const age =
    since === undefined ? null : Math.max(0, Math.round((now - Date.parse(since)) / 1000));
  const isOld = maxAge !== undefined && (age === null || age > maxAge || published === null);
  return {
    exitCode: isOld ? exitCodes.gaps : exitCodes.complete,
    folder: out,
    published,
    /** Seconds since a run last made the archive what the origin had; null where none did. */
    age,
    isOld,
    lastRun: last,
    lastSuccess: good,
    next: nextStep(published, last),
  };
}

function nextStep(published: ListedBuild | null, last: PastRun | null): string {
  if (last?.next) return last.next;
  if (published === null) return pasteable('run "stillpress snapshot"');
  return pasteable('run "stillpress snapshot" to bring it up to date');
}

function linesOf(
  { folder, published, age, isOld, lastRun, lastSuccess, next }: Status,
  now: number,
) {
  const row = (name: string, text: string): string => `  ${name.padEnd(12)} ${text}`;
  const ago = (time: string): string => `${ageText((now - Date.parse(time)) / 1000)} ago`;
  const shown =
    published === null
      ? `nothing yet in ${shortPath(folder)}`
      : `snapshot ${published.snapshot ?? "unknown"}, since ${published.time} (${ago(published.time)})`;
  const last =
    lastRun === null
      ? "none that this folder knows of"
      : `exit ${lastRun.exitCode}: ${lastRun.outcome} (${ago(lastRun.ended)})`;
  return [
    row("published", shown),
    ...(published?.files ? [row("files", String(published.files))] : []),
    row("last run", last),
    ...(lastRun?.jobs ? [row("its jobs", jobsText(lastRun.jobs))] : []),
    row("last success", lastSuccess === null ? "unknown" : ago(lastSuccess.ended)),
    ...(isOld ? [row("TOO OLD", age === null ? "nothing is published" : ageText(age))] : []),
    row("next", next),
  ];
}

/** ageText(129_600) → "36 h" */
function ageText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
