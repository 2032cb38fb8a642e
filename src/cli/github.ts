import { appendFileSync } from "node:fs";
import { grouped } from "../lib/groups.ts";
import { type Report, reportMarkdown } from "../publish/report.ts";
import { masked } from "./masked.ts";
import type { CommonOptions } from "./options.ts";

/** GitHub shows no more of a step. */
const maxAnnotations = 10;

/**
 * Tells GitHub Actions what a run did, where the variables say that it runs there: the report as job summary, values
 * for later steps, and annotations, which leave stdout to --json.
 */
export function tellGitHub(report: Report, { json, logFormat }: CommonOptions): void {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, GITHUB_ACTIONS } = process.env;
  const { complete, snapshot, published, changes } = report;
  const values = { changed: Object.keys(changes).length > 0, complete, snapshot, published };
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value ?? ""}\n`);
  try {
    if (summary) appendFileSync(summary, masked(reportMarkdown(report)));
    if (output) appendFileSync(output, lines.join(""));
  } catch (error) {
    process.stderr.write(`warning: GitHub was not told: ${String(error)}\n`);
  }
  if (GITHUB_ACTIONS !== "true" || (json && logFormat === "ndjson")) return;
  const stream = json ? process.stderr : process.stdout;
  for (const line of annotations(report)) stream.write(`${line}\n`);
}

/** What ended the run, then the problems, then the warnings, as workflow commands. */
export function annotations({ error, problems, warnings }: Report): string[] {
  const all = [
    ...(error ? [["error", error.message, error.hint]] : []),
    ...grouped(problems).map((one) => ["error", `${one.subject}: ${one.reason}`, one.hint]),
    ...warnings.map(({ text, hint }) => ["warning", text, hint]),
  ];
  return all.slice(0, maxAnnotations).map(([level, text, hint]) => {
    const said = masked(hint === undefined ? `${text}` : `${text}\nhint: ${hint}`);
    // https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    const escaped = said.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
    return `::${level} title=stillpress::${escaped}`;
  });
}
