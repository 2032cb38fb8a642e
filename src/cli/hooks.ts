import { join } from "node:path";
import type { Config } from "../config.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import { runShell } from "../lib/shell.ts";
import { printError } from "./print.ts";

/** Runs the command that wants to hear how a run ended. Its own failure is told, and changes nothing. */
export async function tellHook(
  { hooks, origin }: Pick<Config, "hooks" | "origin">,
  out: string,
  exitCode: ExitCode,
): Promise<void> {
  const name = exitCode === exitCodes.complete ? "success" : "failure";
  const command = hooks[name];
  if (command === null) return;
  const variables = {
    STILLPRESS_REPORT: join(out, "report.json"),
    STILLPRESS_EXIT_CODE: String(exitCode),
  };
  const failure = await runShell(command, variables, [origin.tokenEnv]);
  if (failure !== undefined) printError([`warning: hooks.${name} ended with ${failure}`]);
}
