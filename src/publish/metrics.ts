import { join } from "node:path";
import { writeDurably } from "../lib/files.ts";
import { gaugeText } from "../lib/foreign.ts";
import { isGood, type PastRun, pastRuns } from "./past-runs.ts";
import type { Report } from "./report.ts";

/** Writes what a run did for programs that watch: the textfile collector of Prometheus reads `out/metrics.prom`. */
export function writeMetrics(out: string, report: Report): void {
  writeDurably(join(out, "metrics.prom"), metricsText(report, pastRuns(out)));
}

/** Times are told as such, and not as ages: they stay right while no run comes. */
function metricsText(report: Report, runs: readonly PastRun[]): string {
  const { output, publication, upload, changes, remarks, media, jobs, problems, counts } = report;
  const good = runs.find(isGood);
  const one = (name: string, help: string, value: number | null | undefined): string => {
    const samples =
      typeof value === "number" && Number.isFinite(value) ? ([["", value]] as const) : [];
    return gaugeText(`stillpress_${name}`, help, samples);
  };
  const many = (name: string, help: string, label: string, values: Record<string, number>) =>
    gaugeText(`stillpress_${name}`, help, Object.entries(values), label);
  const { added = 0, changed = 0, removed = 0 } = changes.files ?? {};
  const remarked = remarks.length + (media?.remarks.count ?? 0);
  const changedFiles = { added, changed, removed };
  return [
    one("last_run_timestamp_seconds", "When the last run ended.", secondsOf(report.ended)),
    one("last_run_exit_code", "Exit code of the last run.", report.exitCode),
    one("last_run_duration_seconds", "How long the last run took.", durationOf(report)),
    one(
      "last_success_timestamp_seconds",
      "When a run last made the archive what the origin had.",
      secondsOf(good?.ended),
    ),
    one(
      "published_timestamp_seconds",
      "When what is published was published.",
      secondsOf(publication?.time),
    ),
    one("last_run_requests", "Requests of the last run.", report.requests),
    one("last_run_received_bytes", "Bytes that the last run received.", report.bytes),
    one("last_run_problems", "Gaps that the last run found.", problems.length),
    one("last_run_remarks", "What was odd and no gap.", remarked),
    many(
      "last_run_changed_files",
      "Published files that the last run changed.",
      "change",
      changedFiles,
    ),
    one("last_run_sent_files", "Files that the last run sent to its target.", upload?.sent),
    one("last_run_sent_bytes", "Bytes that the last run sent to its target.", upload?.bytes),
    many("last_run_jobs", "Jobs of the last run that workers did.", "state", { ...jobs }),
    one("archive_files", "Published files.", output?.files ?? publication?.files),
    one("archive_bytes", "Bytes of the published files.", output?.bytes),
    many("archive_items", "Items of the snapshot, by the list they are in.", "list", counts),
    "# EOF\n",
  ].join("");
}

function durationOf({ started, ended }: Report): number | undefined {
  return ended === null ? undefined : (Date.parse(ended) - Date.parse(started)) / 1000;
}

function secondsOf(time: string | null | undefined): number | undefined {
  return time ? Date.parse(time) / 1000 : undefined;
}
