import { existsSync } from "node:fs";
import { join } from "node:path";
import { changeLines, type ListedChanges } from "../changes/print.ts";
import {
  type ExitCode,
  exitAdvice,
  exitCodes,
  exitMeanings,
  GuardError,
  readable,
  StillpressError,
} from "../errors.ts";
import { writeDurably } from "../lib/files.ts";
import { jsonText, markdown, type Written } from "../lib/foreign.ts";
import { anonymous, anonymousProblem, grouped } from "../lib/groups.ts";
import type { Problem, Remark } from "../lib/reporter.ts";
import { version } from "../lib/version.ts";
import { plural } from "../lib/words.ts";
import type { MediaResult } from "../media/media.ts";
import type { Remarks } from "../media/remarks.ts";
import type { JobCounts } from "../media/renderer.ts";
import type { Changes } from "../store/diff.ts";
import type { ListName } from "../store/list-names.ts";
import type { ListProof } from "../store/snapshots.ts";
import type { ReportedLimit } from "./deploy.ts";
import { keepReport } from "./past-runs.ts";
import type { BuildRecord } from "./record.ts";
import { type ListedBuild, listBuilds } from "./rollback.ts";

type MediaReport = Pick<
  MediaResult,
  "wanted" | "checked" | "downloaded" | "encoded" | "rechecked" | "remarks"
>;

/** In nights: how long ago the oldest was read, and in how many everything comes round; null for never. */
type Ages = Record<"oldest", number> & Record<"nights", number | null>;
interface Freshness {
  /** Articles and galleries that were asked for in full in this night, of so many. */
  bodies: Ages & Record<"asked" | "of", number>;
  files: Ages;
}

/** What a publish sent to its target. */
export interface UploadReport {
  target: string;
  /** Number of the publish at this target. */
  generation: number;
  /** What the target has of the archive; what was sent of it, and what it had already. */
  files: number;
  sent: number;
  bytes: number;
  unchanged: number;
  /** What the archive has no longer: files that stay for a while, and those that were removed. */
  leaving: number;
  removed: number;
}

interface ReportedError {
  message: string;
  hint?: string;
  /** Where the brake stopped the run: kind, id and title of each item that vanished. */
  vanished?: readonly string[];
}

/** What a run did, as `report.json` and `--json` give it. */
export type Report = ReturnType<typeof emptyReport>;

/** @param origin address of the API; null where the configuration does not say */
export function emptyReport(origin: string | null = null) {
  return {
    /** Of stillpress. */
    version,
    origin,
    /** The command line, to be run again. */
    command: null as string | null,
    /** When the run began and ended, ISO 8601. */
    started: new Date().toISOString(),
    ended: null as string | null,
    exitCode: exitCodes.complete as ExitCode,
    /** Why the run ended as it did, in words. */
    outcome: exitMeanings[exitCodes.complete],
    /** What to do next; null where there is nothing to do. */
    next: null as string | null,
    /** Id of the latest snapshot; null before the first. */
    snapshot: null as string | null,
    complete: false,
    /** Whether out/public shows another build than before the run. */
    published: false,
    /** What out/public shows at the end of the run; null where nothing is published. */
    publication: null as ListedBuild | null,
    requests: 0,
    downloads: 0,
    retries: 0,
    /** How often the origin asked for a pause. */
    pauses: 0,
    bytes: 0,
    /** Milliseconds in which requests were held back by the rate. */
    waitedMs: 0,
    /** Milliseconds in which nothing could start because the origin said so. */
    pausedMs: 0,
    counts: {} as Record<string, number>,
    proof: [] as ListProof[],
    problems: [] as Problem[],
    /** What the run warned of, such as an index that the origin does not have. */
    warnings: [] as { text: string; hint?: string | undefined }[],
    /** What is odd without being a gap: at the origin, as the snapshot tells it, and in the addresses of pages. */
    remarks: [] as Remark[],
    /** Counts of each list and of the files, and what changed item by item. */
    changes: {} as Partial<Record<ListName | "files", Changes>> & Partial<ListedChanges>,
    /** How old what was not read in this night is, in nights; null where nothing was crawled. */
    freshness: null as Freshness | null,
    media: null as MediaReport | null,
    /** Jobs that workers did; null with the local engine. */
    jobs: null as JobCounts | null,
    output: null as (BuildRecord["totals"] & { rendered: number }) | null,
    limits: [] as ReportedLimit[],
    /** What was sent to the target of --publish; null without one. */
    upload: null as UploadReport | null,
    /** Milliseconds of each stage. */
    durations: {} as Record<string, number>,
    error: undefined as ReportedError | undefined,
  };
}

export function setOutcome(report: Report, exitCode: ExitCode): void {
  report.exitCode = exitCode;
  report.outcome = exitMeanings[exitCode];
}

/** The outcome of a run that was told to publish with gaps: it did what was asked, and does not advise that again. */
export function setPublishedWithGaps(report: Report, gaps: number): void {
  report.complete = false;
  report.outcome = `published with ${plural(gaps, "gap")}, as --allow-incomplete asks`;
  report.problems = report.problems.map(({ hint, ...problem }) =>
    hint === undefined || hint.includes("--allow-incomplete") ? problem : { ...problem, hint },
  );
}

export function setFailure(report: Report, error: unknown): void {
  const known = error instanceof StillpressError ? error : undefined;
  setOutcome(report, known?.exitCode ?? exitCodes.bug);
  const message = error instanceof Error ? error.message : String(error);
  const vanished = known instanceof GuardError ? known.vanished : undefined;
  report.error = {
    message,
    ...(known?.hint && { hint: known.hint }),
    ...(vanished && { vanished }),
  };
}

/** Says what to do next: the hint of what ended the run, or the advice for its exit code. */
export function setNext(report: Report, complete: (hint: string) => string): void {
  const { error, exitCode } = report;
  const next = error?.hint ?? exitAdvice[exitCode];
  report.next = next === undefined ? null : complete(next);
  if (error?.hint !== undefined) error.hint = complete(error.hint);
}

/** Ends a report, and writes it into the output folder if that is there. @throws what the file system throws */
export function writeReport(out: string, report: Report): void {
  report.ended = new Date().toISOString();
  const builds = readable(() => listBuilds(out)) ?? [];
  report.publication = builds.find(({ state }) => state === "published") ?? null;
  if (!existsSync(out)) return;
  const text = `${jsonText(report, 2)}\n`;
  writeDurably(join(out, "report.json"), text);
  keepReport(out, report.ended, text);
  writeDurably(join(out, "report.md"), reportMarkdown(report));
}

export function reportMarkdown(report: Report): string {
  const held = report.output?.held ?? 0;
  const rows = [
    ["Published", publishedText(report)],
    report.snapshot && ["Snapshot", `${report.snapshot}${report.complete ? "" : " (incomplete)"}`],
    report.origin && ["Origin", markdown.code(report.origin)],
    report.command && ["Command", markdown.code(report.command)],
    ["Run", `${report.started} to ${report.ended ?? "now"}, stillpress ${report.version}`],
    held > 0 && ["Not shown", `${plural(held, "image")}: private, or unproved (media.unproved)`],
    ...(report.requests > 0 ? requestRows(report) : []),
    ...freshnessRows(report),
    ...uploadRows(report),
    ...Object.entries(report.durations).map(([stage, ms]) => [`Time for ${stage}`, seconds(ms)]),
  ].filter((row) => Array.isArray(row));
  const lines = [
    markdown`# stillpress: last run`,
    empty,
    ...(isQuiet(report)
      ? [markdown`Nothing changed since snapshot ${report.snapshot}.`, empty]
      : []),
    markdown`Exit code ${report.exitCode}: ${report.outcome}.`,
    ...errorLines(report),
    empty,
    markdown`| | |`,
    markdown`|---|---|`,
    ...rows.map(tableRow),
  ];
  const proofs = [...report.proof].sort((a, b) => Number(a.agreed) - Number(b.agreed));
  const proof = proofs.map(({ list, collected, expected, agreed, remark = "" }) => {
    const proved = agreed ? "yes" : markdown`**no**`;
    return tableRow([list, collected, expected ?? "–", proved, anonymous(remark)]);
  });
  const { summary, total, base, items, ...lists } = report.changes;
  const changes = Object.entries(lists).map(([list, { added, changed, removed }]) =>
    tableRow([list, added, changed, removed]),
  );
  const hosts = new Map<string, string[]>();
  for (const { host, text } of report.limits) hosts.set(text, [...(hosts.get(text) ?? []), host]);
  const limits = Array.from(hosts, ([text, names]) => bullet(`${names.join(", ")}: ${text}`));
  const warnings = report.warnings.map(({ text, hint }) => bullet(anonymous(text), hint));
  const problemsHead = [markdown`Ids and titles are in report.json.`, empty];
  const completenessHead = [
    markdown`| List | Collected | Expected | Proved | Remark |`,
    markdown`|---|--:|--:|---|---|`,
  ];
  const changesHead = [markdown`| List | Added | Changed | Removed |`, markdown`|---|--:|--:|--:|`];
  const sections = [
    ...section("Problems", bullets(report.problems), problemsHead),
    ...section("Warnings", warnings),
    ...section("Completeness", proof, completenessHead),
    ...section("What changed", changeLines({ summary, total, base, items })),
    ...section("Changes", changes, changesHead),
    ...section("What the hosts cannot do", limits),
    ...section("Remarks", isQuiet(report) ? sameRemarks(report) : remarkLines(report)),
  ];
  return `${[...lines, ...sections].join("\n")}\n`;
}

/** Whether a run was asked what is new, and nothing was. */
export function isQuiet(report: Report): boolean {
  const { exitCode, snapshot, requests, published, changes, media } = report;
  const isNew = published || (media?.downloaded ?? 0) > 0 || Object.keys(changes).length > 0;
  return exitCode === exitCodes.complete && snapshot !== null && requests > 0 && !isNew;
}

const empty = markdown``;

/** Lines of a section, so that the page takes about two screens. */
const maxLines = 20;

function requestRows({ requests, downloads, retries, pauses, bytes, ...waits }: Report) {
  return [
    ["Requests", `${requests}, of them ${downloads} downloads and ${retries} repeats`],
    ["Received", `${bytes} bytes`],
    ["Waited for the rate", seconds(waits.waitedMs)],
    ["Pauses that the origin wanted", `${pauses}, ${seconds(waits.pausedMs)}`],
  ];
}

function uploadRows({ upload }: Report): string[][] {
  if (upload === null) return [];
  const { target, sent, files, removed, leaving } = upload;
  const left = `${removed} removed, ${leaving} to be removed later`;
  return [["Sent", `${sent} of ${plural(files, "file")} to ${target}; ${left}`]];
}

function freshnessRows({ freshness, media }: Report): string[][] {
  if (freshness === null) return [];
  const { bodies, files } = freshness;
  const ages = ({ oldest, nights }: Ages): string => {
    if (oldest === 0) return "all in this night";
    const round = nights === null ? "nothing is read again" : `all in ${plural(nights, "night")}`;
    return `the oldest ${plural(oldest, "night")} ago; ${round}`;
  };
  const rows = [["Read in full", `${bodies.asked} of ${bodies.of}, ${ages(bodies)}`]];
  if (media === null) return rows;
  return [...rows, ["Originals checked", `${media.checked} of ${media.wanted}, ${ages(files)}`]];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** What ended the run, and what to do next. */
function errorLines({ error, next }: Report): Written[] {
  const said = anonymous(error?.message ?? "").split("\n");
  const lines = said.slice(0, maxLines).map((line) => markdown`> ${line}`);
  const quoted = error ? [empty, ...lines] : [];
  return next === null ? quoted : [...quoted, empty, markdown`What to do: ${next}`];
}

function publishedText({ published, publication }: Report): string {
  if (publication === null) return "nothing yet";
  const { name, snapshot, time } = publication;
  const what = `snapshot ${snapshot ?? "unknown"} (build ${name}) since ${time}`;
  return `${what}, ${published ? "new with this run" : "untouched by this run"}`;
}

/** Lines below a heading, a table's with its head, as far as a screen takes them; none where there is nothing to say. */
function section(
  title: string,
  lines: readonly Written[],
  head: readonly Written[] = [],
): Written[] {
  if (lines.length === 0) return [];
  const rest = lines.length - maxLines;
  const more = rest > 0 ? [empty, markdown`… and ${rest} more in report.json`] : [];
  return [empty, markdown`## ${title}`, empty, ...head, ...lines.slice(0, maxLines), ...more];
}

function tableRow(cells: readonly unknown[]): Written {
  return cells.reduce<Written>((row, cell) => markdown`${row} ${cell} |`, markdown`|`);
}

function bullet(text: string, hint?: string): Written {
  return markdown`- ${text}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Problems without ids and titles, in groups. */
function bullets(problems: readonly Problem[]): Written[] {
  const groups = grouped(problems.map(anonymousProblem));
  return groups.map(({ subject, reason, hint }) => bullet(`${subject}: ${reason}`, hint));
}

/** What stands in the place of remarks that the last run made as well. */
function sameRemarks({ remarks, media }: Report): Written[] {
  const count = remarks.length + (media?.remarks.count ?? 0);
  if (count === 0) return [];
  return [bullet(`${plural(count, "remark")} as in the last run, see report.json`)];
}

function remarkLines({ remarks, media }: Report): Written[] {
  const ofFiles = media === null ? [] : remarksOnFiles(media.remarks);
  const said = [bullets(remarks), ...ofFiles].filter((lines) => lines.length > 0);
  return said.flatMap((lines) => [empty, ...lines]).slice(1);
}

/** Paragraphs, of which some are empty. */
function remarksOnFiles(remarks: Remarks): Written[][] {
  const { count, doubtful, bare, places, absent, unvalidated, unconditional, first } = remarks;
  const kinds = [
    `${doubtful} not as recorded`,
    ...(bare > 0 ? [`${bare} kept without renditions`] : []),
    ...(absent > 0 ? [`${absent} missing at the origin`] : []),
  ];
  const others = count - first.length;
  const paragraphs = [
    unvalidated > 0 &&
      `${plural(unvalidated, "file")} without validators (ETag, Last-Modified): if one is replaced while its record stays the same, the replacement is not noticed.`,
    unconditional &&
      "The origin ignores conditions (If-None-Match, If-Modified-Since) and sends unchanged files again. After a few of them, the others were not checked.",
    places > 0 &&
      `${plural(places, "image")} with an original that says where it was taken (GPS, XMP or IPTC): media.metadata decides whether that is published.`,
    count > 0 && `${plural(count, "file")} with a remark, ${kinds.join(", ")}.`,
  ].map((text) => (text === false ? [] : [markdown`${text}`]));
  const list = bullets(first.map(({ subject, remark: reason }) => ({ subject, reason })));
  return [...paragraphs, others > 0 ? [...list, markdown`- and ${others} more`] : list];
}
