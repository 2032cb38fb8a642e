import { jsonText, terminal, type Written } from "../lib/foreign.ts";
import { masked } from "./masked.ts";

type Output = Pick<NodeJS.WritableStream, "write">;

/** Prints lines on stdout: without secrets, and with what is not ours as terminals may show it. */
export function print(lines: readonly (string | Written)[], output: Output = process.stdout): void {
  if (lines.length > 0) output.write(masked(`${lines.map(terminal.line).join("\n")}\n`));
}

/** The same on stderr. */
export function printError(lines: readonly (string | Written)[]): void {
  print(lines, process.stderr);
}

/** Prints a line of JSON on stdout. @param hide hides secrets */
export function printJson(value: unknown, hide = (text: string): string => text): void {
  process.stdout.write(`${hide(jsonText(value))}\n`);
}
