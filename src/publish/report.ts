import { join } from "node:path";
import { type ExitCode, exitCodes, exitMeanings, StillpressError } from "../errors.ts";
import { writeDurably } from "../lib/files.ts";
import type { Problem, Remark } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import type { MediaResult } from "../media/media.ts";
import type { Remarks } from "../media/remarks.ts";
import type { Changes } from "../store/diff.ts";
import type { ListName } from "../store/list-names.ts";
import type { ListProof } from "../store/snapshots.ts";
import type { ReportedLimit } from "./deploy.ts";
import type { BuildRecord } from "./record.ts";

type MediaReport = Pick<MediaResult, "wanted" | "downloaded" | "encoded" | "rechecked" | "remarks">;

/** What a run did, as `report.json` and `--json` give it. */
export type Report = ReturnType<typeof emptyReport>;

export function emptyReport() {
  return {
    exitCode: exitCodes.complete as ExitCode,
    /** Why the run ended as it did, in words. */
    outcome: exitMeanings.complete,
    /** Id of the latest snapshot; null before the first. */
    snapshot: null as string | null,
    complete: false,
    /** Whether out/public shows another build than before the run. */
    published: false,
    requests: 0,
    downloads: 0,
    retries: 0,
    bytes: 0,
    /** Milliseconds in which nothing could start because the origin said so. */
    pausedMs: 0,
    counts: {} as Record<string, number>,
    proof: [] as ListProof[],
    problems: [] as Problem[],
    /** What is odd at the origin without being a gap, as the snapshot tells it. */
    remarks: [] as Remark[],
    changes: {} as Partial<Record<ListName | "files", Changes>>,
    media: null as MediaReport | null,
    output: null as (BuildRecord["totals"] & { rendered: number }) | null,
    limits: [] as ReportedLimit[],
    /** Milliseconds of each stage. */
    durations: {} as Record<string, number>,
    error: undefined as { message: string; hint?: string } | undefined,
  };
}

export function setOutcome(report: Report, exitCode: ExitCode): void {
  report.exitCode = exitCode;
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  report.outcome = exitMeanings[names.find((name) => exitCodes[name] === exitCode) ?? "bug"];
}

export function setFailure(report: Report, error: unknown): void {
  const known = error instanceof StillpressError ? error : undefined;
  setOutcome(report, known?.exitCode ?? exitCodes.bug);
  const message = error instanceof Error ? error.message : String(error);
  report.error = known?.hint === undefined ? { message } : { message, hint: known.hint };
}

export function writeReport(out: string, report: Report): void {
  writeDurably(join(out, "report.json"), `${JSON.stringify(report, null, 2)}\n`);
  writeDurably(join(out, "report.md"), reportMarkdown(report));
}

export function reportMarkdown(report: Report): string {
  const held = report.output?.held ?? 0;
  const lines = [
    "# stillpress: last run",
    "",
    `Exit code ${report.exitCode}: ${report.outcome}.`,
    ...(report.error ? ["", `> ${report.error.message.replaceAll("\n", "\n> ")}`] : []),
    ...(report.error?.hint ? [">", `> ${report.error.hint}`] : []),
    "",
    "| | |",
    "|---|---|",
    `| Snapshot | ${report.snapshot ?? "none"}${report.complete ? "" : " (incomplete)"} |`,
    `| Published | ${report.published ? "yes, a new build" : "unchanged"} |`,
    ...(held > 0
      ? [`| Not shown | ${plural(held, "image")}: private, or unproved (media.unproved) |`]
      : []),
    `| Requests | ${report.requests}, of them ${report.downloads} downloads and ${report.retries} repeats |`,
    `| Received | ${report.bytes} bytes |`,
    `| Waited for the origin | ${(report.pausedMs / 1000).toFixed(1)} s |`,
    ...Object.entries(report.durations).map(
      ([stage, ms]) => `| Time for ${stage} | ${(ms / 1000).toFixed(1)} s |`,
    ),
  ];
  const proof = report.proof.map(
    ({ list, collected, expected, agreed, remark }) =>
      `| ${list} | ${collected} | ${expected ?? "–"} | ${agreed ? "yes" : "**no**"} | ${remark ?? ""} |`,
  );
  const changes = Object.entries(report.changes).map(
    ([list, { added, changed, removed }]) => `| ${list} | ${added} | ${changed} | ${removed} |`,
  );
  const limits = report.limits.map(({ host, text }) => `- ${host}: ${text}`);
  const completenessHead = [
    "| List | Collected | Expected | Proved | Remark |",
    "|---|--:|--:|---|---|",
  ];
  lines.push(
    ...section("Completeness", proof, completenessHead),
    ...section("Changes", changes, ["| List | Added | Changed | Removed |", "|---|--:|--:|--:|"]),
    ...section("What the hosts cannot do", limits),
    ...section("Problems", report.problems.map(bulletOf)),
    ...section("Remarks", remarkLines(report)),
  );
  return `${lines.join("\n")}\n`;
}

/** Lines below a heading, a table's with its head; none where there is nothing to say. */
function section(title: string, lines: readonly string[], head: readonly string[] = []): string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...head, ...lines];
}

function bulletOf({ subject, reason, hint }: Problem): string {
  return `- ${subject}: ${reason}${hint === undefined ? "" : ` (${hint})`}`;
}

function remarkLines({ remarks, media }: Report): string[] {
  const paragraphs = [remarks.map(bulletOf), ...(media ? remarksOnFiles(media.remarks) : [])];
  const said = paragraphs.filter((lines) => lines.length > 0);
  return said.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function remarksOnFiles(remarks: Remarks): string[][] {
  const { count, doubtful, bare, absent, unvalidated, unconditional, first } = remarks;
  const paragraphs: string[][] = [];
  if (unvalidated > 0) {
    paragraphs.push([
      `${plural(unvalidated, "file")} without validators (ETag, Last-Modified): if one is replaced while its record stays the same, the replacement is not noticed.`,
    ]);
  }
  if (unconditional) {
    paragraphs.push([
      "The origin ignores conditions (If-None-Match, If-Modified-Since) and sends unchanged files again. After a few of them, the others were not checked.",
    ]);
  }
  if (count > 0) {
    const files = plural(count, "file");
    const kinds = [
      `${doubtful} not as recorded`,
      ...(bare > 0 ? [`${bare} kept without renditions`] : []),
      ...(absent > 0 ? [`${absent} missing at the origin`] : []),
    ];
    paragraphs.push([`${files} with a remark, ${kinds.join(", ")}.`]);
    const list = first.map(({ subject, remark }) => `- ${subject}: ${remark}`);
    if (count > first.length) list.push(`- and ${count - first.length} more`);
    paragraphs.push(list);
  }
  return paragraphs;
}
