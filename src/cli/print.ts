import { exitCodes } from "../errors.ts";
import { jsonText, terminal, type Written } from "../lib/foreign.ts";
import { masked } from "./masked.ts";
import type { CommonOptions } from "./options.ts";

type Output = Pick<NodeJS.WritableStream, "write">;

/** Prints lines on stdout: without secrets, and with what is not ours as terminals may show it. */
export function print(lines: readonly (string | Written)[], output: Output = process.stdout): void {
  if (lines.length > 0) output.write(masked(`${lines.map(terminal.line).join("\n")}\n`));
}

/** The same on stderr. */
export function printError(lines: readonly (string | Written)[]): void {
  print(lines, process.stderr);
}

/** Prints what a finished command did: as JSON, or as lines unless it is to be quiet. */
export function tellDone(
  { json, quiet }: Pick<CommonOptions, "json" | "quiet">,
  value: object,
  lines: readonly (string | Written)[],
): typeof exitCodes.complete {
  if (json) printJson({ exitCode: exitCodes.complete, ...value });
  else if (!quiet) print(lines);
  return exitCodes.complete;
}

/** Prints a line of JSON on stdout. @param hide hides secrets */
export function printJson(value: unknown, hide = (text: string): string => text): void {
  process.stdout.write(`${hide(jsonText(value))}\n`);
}
