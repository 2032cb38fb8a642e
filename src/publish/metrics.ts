import { join } from "node:path";
import { writeDurably } from "../lib/files.ts";
import { isGood, type PastRun, pastRuns } from "./past-runs.ts";
import type { Report } from "./report.ts";

interface Sample {
  labels?: Record<string, string>;
  /** Undefined where nothing is known. */
  value: number | undefined;
}

interface Metric {
  name: string;
  help: string;
  samples: readonly Sample[];
}

/** Writes what a run did for programs that watch: the textfile collector of Prometheus reads `out/metrics.prom`. */
export function writeMetrics(out: string, report: Report): void {
  writeDurably(join(out, "metrics.prom"), metricsText(report, pastRuns(out)));
}

/**
 * Gauges in the text format of Prometheus, which is OpenMetrics too. Times are told as such, and not as ages: they stay
 * right while no run comes.
 */
function metricsText(report: Report, runs: readonly PastRun[]): string {
  const lines = metricsOf(report, runs).flatMap(({ name, help, samples }) => {
    const known = samples.filter(({ value }) => value !== undefined && Number.isFinite(value));
    if (known.length === 0) return [];
    const rows = known.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...rows];
  });
  return `${[...lines, "# EOF"].join("\n")}\n`;
}

function metricsOf(report: Report, runs: readonly PastRun[]): Metric[] {
  const { output, publication, upload, changes, remarks, media } = report;
  const good = runs.find(isGood);
  const one = (name: string, help: string, value: number | undefined): Metric => {
    return { name: `stillpress_${name}`, help, samples: [{ value }] };
  };
  const many = (name: string, help: string, label: string, values: Record<string, number>) => {
    const samples = Object.entries(values).map(([key, value]) => {
      return { labels: { [label]: key }, value };
    });
    return { name: `stillpress_${name}`, help, samples };
  };
  const { added = 0, changed = 0, removed = 0 } = changes.files ?? {};
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
    one("last_run_problems", "Gaps that the last run found.", report.problems.length),
    one(
      "last_run_remarks",
      "What was odd and no gap.",
      remarks.length + (media?.remarks.count ?? 0),
    ),
    many("last_run_changed_files", "Published files that the last run changed.", "change", {
      added,
      changed,
      removed,
    }),
    one("last_run_sent_files", "Files that the last run sent to its target.", upload?.sent),
    one("last_run_sent_bytes", "Bytes that the last run sent to its target.", upload?.bytes),
    one("archive_files", "Published files.", output?.files ?? publication?.files ?? undefined),
    one("archive_bytes", "Bytes of the published files.", output?.bytes),
    many("archive_items", "Items of the snapshot, by the list they are in.", "list", report.counts),
  ];
}

function durationOf({ started, ended }: Report): number | undefined {
  return ended === null ? undefined : (Date.parse(ended) - Date.parse(started)) / 1000;
}

function secondsOf(time: string | null | undefined): number | undefined {
  return time ? Date.parse(time) / 1000 : undefined;
}

function labelText(labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const text = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
    return `${name}="${text}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
