import type { z } from "zod";
import { isObject } from "../lib/objects.ts";
import { printable } from "../lib/secrets.ts";
import { jsonPath } from "../lib/words.ts";
import { nearestWord } from "./nearest.ts";
import { keysAt, leafSettings } from "./shape.ts";

type Path = readonly PropertyKey[];

interface ConfigIssue {
  path: Path;
  message: string;
  /** The key that was probably meant. */
  meant?: string | undefined;
  /** An unknown key, which may be the reason for other mistakes. */
  unknown?: boolean;
}

/** What stands before a path in a message, and behind it (` (line 3)` or nothing). */
export type SourceOf = (path: Path) => { name: string; line: string };

/** All mistakes as one message, one on a line. */
export function mistakesOf(error: z.ZodError, sourceOf: SourceOf) {
  const all = error.issues.flatMap((issue) => describe(issue, []));
  const unknown = all.filter((issue) => issue.unknown);
  const issues = all.filter((issue) => !unknown.some((other) => explains(other, issue)));
  const lines = issues.map(({ path, message }) => {
    const { name, line } = sourceOf(path);
    const place = path.length === 0 ? "" : `${jsonPath(path)}: `;
    return `${name}: ${place}${message}${line}`;
  });
  return { message: lines.join("\n"), hint: hintOf(issues) };
}

/** Whether a misspelt key is why another one is missing, or why its object says too little. */
function explains({ path, meant = "" }: ConfigIssue, issue: ConfigIssue): boolean {
  const object = path.slice(0, -1);
  const explained = [object, [...object, meant]].map(jsonPath);
  return !issue.unknown && explained.includes(jsonPath(issue.path));
}

function describe(issue: z.core.$ZodIssue, above: Path): ConfigIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey([...path, key]));
  }
  if (issue.code === "invalid_union" && isObject(issue.input)) {
    // An object was meant as the choice that is one.
    const inner = issue.errors.find((choice) => choice.every((each) => !isChoice(each)));
    if (inner !== undefined) return inner.flatMap((each) => describe(each, path));
  }
  const expected = issue.code === "invalid_value" ? allowed(issue.values) : issue.message;
  return [{ path, message: expected + found(path, issue.input) }];
}

/** Whether a whole choice was not meant. */
function isChoice(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && issue.code !== "unrecognized_keys";
}

function unknownKey(path: Path): ConfigIssue {
  const key = String(path.at(-1));
  const known = keysAt(path.slice(0, -1));
  const elsewhere = [...leafSettings()].find((leaf) => leaf.path.at(-1) === key);
  const meant = elsewhere?.path.join(".") ?? nearestWord(key, known);
  const others = meant === undefined ? `; known are ${known.join(", ")}` : "";
  return { path, message: `unknown key${others}`, meant, unknown: true };
}

function allowed(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value));
  const last = words.pop();
  return `expected ${words.length === 0 ? "" : `${words.join(", ")} or `}${last}`;
}

const maxShownLength = 60;

function found(path: Path, input: unknown): string {
  // Some write the token itself where the name of its variable belongs.
  if (path.at(-1) === "tokenEnv" && typeof input === "string") return "";
  // A header may be a secret, and an address may hold one.
  if (path[0] === "origin" && path[1] === "headers") return "";
  if (path[0] === "engine" && path[1] === "redis") return "";
  if (input === undefined) return ", got nothing";
  if (isObject(input)) return ", got an object";
  if (Array.isArray(input) && input.some((item) => item instanceof Object)) return ", got a list";
  const text = JSON.stringify(typeof input === "string" ? printable(input) : input);
  if (text.length <= maxShownLength) return `, got ${text}`;
  // Cut at a word: part of a secret would not be recognised and masked.
  return `, got ${text.slice(0, maxShownLength).replace(/[^\s?&,]*$/, "")}…`;
}

function hintOf(issues: readonly ConfigIssue[]): string | undefined {
  const guesses = issues.filter((issue) => issue.meant !== undefined);
  if (guesses.length === 0) return undefined;
  if (issues.length === 1) return `did you mean "${guesses[0]?.meant}"?`;
  const each = guesses.map(({ path, meant }) => `"${meant}" instead of "${String(path.at(-1))}"`);
  return `did you mean ${each.join(", ")}?`;
}
