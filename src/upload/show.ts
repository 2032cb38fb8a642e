import { lstatSync, rmSync } from "node:fs";
import type { Reporter } from "../lib/reporter.ts";
import { readBuildManifest } from "../publish/manifest.ts";
import { publishedRecord } from "../publish/record.ts";
import { outputPaths, publishedBuild, swapOf } from "../publish/swap.ts";
import { rulesOf } from "../routes/rules.ts";
import { archiveContent } from "./archive.ts";
import { publishTo } from "./upload.ts";

interface ShowInput {
  out: string;
  /** Seconds that a file stays which has left the archive. */
  keepDeleted: number;
  /** Whether what lies there is compared with what is said of it. */
  check: boolean;
  reporter: Reporter;
  now: () => Date;
  signal: AbortSignal;
}

/**
 * Brings the files of `out/public` up to date with the published build, in the order of a publish, where `publish.swap`
 * says "files". What a killed run has left to do is done by the next one.
 *
 * @throws TargetError where they cannot be written
 * @throws the signal's reason
 */
export async function showFiles(input: ShowInput): Promise<void> {
  const { out, keepDeleted } = input;
  if (swapOf(out) !== "files" || publishedBuild(out) === undefined) return;
  const { build, record } = publishedRecord(out);
  const path = outputPaths(out).public;
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  const files = readBuildManifest(build);
  const rules = rulesOf(record.settings);
  const settings = { keepDeleted, apiKeys: false, maxDeleted: { share: 1, files: 0 } };
  await publishTo({
    ...input,
    place: { kind: "dir", name: path, path },
    content: archiveContent({ build, files, rules, apiKeys: false }),
    settings,
    isForced: { deletions: true, later: true },
  });
}
