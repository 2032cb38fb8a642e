import { appendFileSync } from "node:fs";
import { outputValue, type Written, workflowCommand } from "../lib/foreign.ts";
import { anonymous, anonymousProblem, grouped } from "../lib/groups.ts";
import { type Report, reportMarkdown } from "../publish/report.ts";
import { masked } from "./masked.ts";
import type { CommonOptions } from "./options.ts";
import { print, printError } from "./print.ts";

/** GitHub shows no more of a step. */
const maxAnnotations = 10;

/** Tells GitHub Actions what a run did, if the variables say that it runs there. Annotations leave stdout to --json. */
export function tellGitHub(report: Report, { json, logFormat }: CommonOptions): void {
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output, GITHUB_ACTIONS } = process.env;
  const { complete, snapshot, published, changes } = report;
  const changed = report.output === null ? Object.keys(changes).length > 0 : "files" in changes;
  const values = { changed, complete, snapshot, published };
  const lines = Object.entries(values).map(([name, value]) => outputValue(name, value));
  try {
    if (summary)
      appendFileSync(summary, reportMarkdown(JSON.parse(masked(JSON.stringify(report)))));
    if (output) appendFileSync(output, lines.join(""));
  } catch (error) {
    printError([`warning: GitHub was not told: ${String(error)}`]);
  }
  if (GITHUB_ACTIONS !== "true" || (json && logFormat === "ndjson")) return;
  (json ? printError : print)(annotations(report));
}

/** What ended the run, then the problems, then the warnings, as workflow commands. */
export function annotations({ error, problems, warnings }: Report): Written[] {
  const all = [
    ...(error ? [workflowCommand("error", anonymous(error.message).split("\n"), error.hint)] : []),
    ...grouped(problems.map(anonymousProblem)).map(({ subject, reason, hint }) =>
      workflowCommand("error", [`${subject}: ${reason}`], hint),
    ),
    ...warnings.map(({ text, hint }) => workflowCommand("warning", [anonymous(text)], hint)),
  ];
  return all.slice(0, maxAnnotations);
}
