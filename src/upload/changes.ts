import { join } from "node:path";
import { z } from "zod";
import { TargetError } from "../errors.ts";
import { readText, writeDurably } from "../lib/files.ts";
import { jsonText } from "../lib/foreign.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { runShell } from "../lib/shell.ts";
import { urlPath } from "../routes/site.ts";
import type { PlannedUpload } from "./upload.ts";

/** More addresses become patterns: services that purge caches take some thousand at most. */
const maxAddresses = 1_000;
/** Folders in a folder, at most, that patterns tell apart. */
const deepest = 8;

/** What a publish has changed, as `out/changes.json` tells it. */
const ChangeList = z.object({
  target: z.string(),
  generation: z.int(),
  build: z.string(),
  /** Paths from the root of the host, with their queries; behind a "*" anything may follow. */
  addresses: z.array(z.string()),
  /** Whether `publish.after` has heard of them; else the next list has them too. */
  told: z.boolean(),
});
export type ChangeList = z.infer<typeof ChangeList>;

interface Told {
  out: string;
  target: string;
  generation: number;
  build: string;
  /** Path of the public address, with a slash at its end. */
  base: string;
}

/** Writes the list of what a publish has changed. Returns it. */
export function writeChanges(planned: PlannedUpload, { out, base, ...about }: Told): ChangeList {
  const path = changesPath(out);
  const before = orUndefined(() => ChangeList.parse(JSON.parse(readText(path) ?? "")));
  const isOpen = before?.told === false && before.target === about.target;
  const untold = isOpen ? before.addresses : [];
  const own = [...changedAddresses(planned)].map((address) => base + address.slice(1));
  const addresses = collapsed([...new Set([...untold, ...own])]);
  return saveChanges(out, { ...about, addresses, told: addresses.length === 0 });
}

function saveChanges(out: string, list: ChangeList): ChangeList {
  writeDurably(changesPath(out), `${jsonText(list, 2)}\n`);
  return list;
}

function changesPath(out: string): string {
  return join(out, "changes.json");
}

/** Addresses whose answer is another one than before: a cache may remember that one was missing. */
function* changedAddresses({ plan }: PlannedUpload): Generator<string> {
  for (const step of plan.steps)
    for (const { object } of step) yield* addressesOf(object.key, object.url);
  for (const { path, url } of plan.expired) yield* addressesOf(path, url);
}

function* addressesOf(key: string, url: string | undefined): Generator<string> {
  yield `/${urlPath(key)}`;
  if (url !== undefined) yield url;
  if (/(?:^|\/)index\.html$/.test(key)) yield `/${urlPath(key.slice(0, -"index.html".length))}`;
}

/** The addresses, or where they are too many, patterns that have them all. */
function collapsed(addresses: readonly string[]): string[] {
  let shown = [...addresses].sort();
  for (let depth = deepest; shown.length > maxAddresses && depth >= 0; depth--)
    shown = [...new Set(addresses.map((address) => patternOf(address, depth)))].sort();
  return shown;
}

/**
 * patternOf("/articles/page/2.html", 1) → "/articles/*"
 *
 * patternOf("/api/articles?tags=sea", 4) → "/api/articles?*"
 */
function patternOf(address: string, depth: number): string {
  const [path = "", query] = address.split("?", 2);
  const parts = path.split("/");
  if (parts.length - 2 >= depth) return `${parts.slice(0, depth + 1).join("/")}/*`;
  return query === undefined ? path : `${path}?*`;
}

/**
 * Runs the command that hears of the changes. The list stays open if it fails, and the next publish tries again.
 *
 * @param hidden names of variables that it does not get
 * @throws TargetError where it fails
 */
export async function tellChanges(
  command: string,
  out: string,
  list: ChangeList,
  hidden: readonly string[],
): Promise<void> {
  const failure = await runShell(command, { STILLPRESS_CHANGES: changesPath(out) }, hidden);
  if (failure !== undefined) {
    throw new TargetError(`publish.after ended with ${failure}`, {
      hint: "the archive is published; the next publish runs the command again, with these addresses too",
    });
  }
  saveChanges(out, { ...list, told: true });
}
