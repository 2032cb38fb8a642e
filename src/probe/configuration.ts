import { isDeepStrictEqual } from "node:util";
import { memberAt } from "../lib/objects.ts";
import type { Finding } from "./survey.ts";

/** A line of a configuration file. */
interface Line {
  /** Names on the way to the setting. */
  path: readonly string[];
  /** Undefined for a setting that somebody has to fill in. */
  value: unknown;
  comment?: string | undefined;
}

/** Settings that a file has beside those that were found. */
export interface GivenSettings {
  $schema?: string | undefined;
  "origin.tokenEnv"?: string | undefined;
  "origin.tokenFile"?: string | undefined;
  "site.title"?: string;
}

/**
 * A configuration file, JSON with comments: what was given, and each finding that differs from the defaults.
 *
 * @param defaults the configuration with nothing but an address
 */
export function configurationText(
  given: GivenSettings,
  findings: readonly Finding[],
  defaults: Record<string, unknown>,
): string {
  const lines: Line[] = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [{ path: name.split("."), value }],
  );
  for (const { subject, means, certainty, setting } of findings) {
    if (setting === undefined) continue;
    const { path, value } = setting;
    if (value !== undefined && isDeepStrictEqual(memberAt(defaults, path), value)) continue;
    const comment = certainty === "sure" ? undefined : `${subject}: ${means}`;
    lines.push({ path: path.split("."), value, comment });
  }
  const order = ["$schema", "origin", "site"];
  lines.sort((a, b) => order.indexOf(a.path[0] ?? "") - order.indexOf(b.path[0] ?? ""));
  const head = [
    "// Written by stillpress init. What is not here has its default: docs/configuration.md lists all settings.",
    "// The access token never stands in this file.",
  ];
  return `${[...head, "{", ...block(lines, 1), "}"].join("\n")}\n`;
}

/** The lines of an object, with commas between its members. */
function block(lines: readonly Line[], depth: number): string[] {
  const indent = "  ".repeat(depth);
  const names = [...new Set(lines.map(({ path }) => path[0] as string))];
  const hasValue = (line: Line): boolean => line.value !== undefined;
  const last = names.findLast((name) =>
    lines.some((line) => line.path[0] === name && hasValue(line)),
  );
  return names.flatMap((name) => {
    const own = lines.filter(({ path }) => path[0] === name);
    const key = `${indent}${JSON.stringify(name)}: `;
    const comma = name === last ? "" : ",";
    const [line] = own as [Line];
    if (line.path.length > 1) {
      const inner = own.map((one) => ({ ...one, path: one.path.slice(1) }));
      return [`${key}{`, ...block(inner, depth + 1), `${indent}}${comma}`];
    }
    const comment = line.comment === undefined ? [] : [`${indent}// ${line.comment}`];
    if (!hasValue(line)) return [...comment, `${indent}// ${JSON.stringify(name)}: …,`];
    return [...comment, `${key}${JSON.stringify(line.value)}${comma}`];
  });
}

/** Findings whose setting is another one than configured. An endpoint that was not found is no reason for null. */
export function differing(
  findings: readonly Finding[],
  config: Record<string, unknown>,
): Finding[] {
  return findings.filter(({ setting, certainty }) => {
    if (setting === undefined || certainty === "unknown") return false;
    if (setting.value === null && certainty === "likely") return false;
    return !isDeepStrictEqual(memberAt(config, setting.path), setting.value);
  });
}
