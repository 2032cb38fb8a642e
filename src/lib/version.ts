import { readFileSync } from "node:fs";

/** Of stillpress, as its package says. */
export const { version, dependencies } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string; dependencies: Record<string, string> };
