import { isDeepStrictEqual } from "node:util";
import { getNodeValue } from "jsonc-parser";
import { setPath } from "../config/environment.ts";
import { parseJsonc } from "../config/jsonc.ts";
import { GuardError } from "../errors.ts";
import { jsonText, lineText } from "../lib/foreign.ts";
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
 * @throws GuardError where the text would not say what is meant
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
  const text = `${[...head, "{", ...block(lines, 1), "}"].join("\n")}\n`;
  requireSettings(text, lines);
  return text;
}

/** @throws GuardError where a text, as commands read it, has other settings than the lines */
export function requireSettings(text: string, lines: readonly Line[]): void {
  const meant = {};
  for (const { path, value } of lines) setPath(meant, path, value);
  const read: unknown = getNodeValue(parseJsonc("configuration", text));
  // As JSON, which has no undefined settings, those that are to be filled in.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  if (isDeepStrictEqual(plain(read), plain(meant))) return;
  throw new GuardError("the configuration would not say what was found; it was not written", {
    hint: "this is a bug in stillpress, or the origin's answers are an attack",
  });
}

/** The lines of an object, with commas between its members. */
function block(lines: readonly Line[], depth: number): string[] {
  const indent = "  ".repeat(depth);
  const names = [...new Set(lines.map(({ path }) => path[0] as string))];
  // A section is written even if all in it is to be filled in.
  const isWritten = ({ path, value }: Line): boolean => path.length > 1 || value !== undefined;
  const last = names.findLast((name) =>
    lines.some((line) => line.path[0] === name && isWritten(line)),
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
    const comment =
      line.comment === undefined ? [] : [`${indent}// ${lineText(line.comment, 400)}`];
    if (!isWritten(line)) return [...comment, `${indent}// ${JSON.stringify(name)}: …,`];
    return [...comment, `${key}${jsonText(line.value)}${comma}`];
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
