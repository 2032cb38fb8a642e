import { Publish } from "../config/publish.ts";
import { type Config, pathOf } from "../config.ts";
import type { ExitCode } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { readBuildManifest } from "../publish/manifest.ts";
import { publishedRecord } from "../publish/record.ts";
import { rulesOf } from "../routes/rules.ts";
import { bytesText } from "../site/formats.ts";
import type { Place } from "../targets/place.ts";
import { archiveContent } from "../upload/archive.ts";
import { tellChanges, writeChanges } from "../upload/changes.ts";
import type { Reason } from "../upload/plan.ts";
import { type PlannedUpload, planPublish, publishTo, type Upload } from "../upload/upload.ts";
import { outputFolder } from "./folder.ts";
import { type CommonOptions, clock } from "./options.ts";
import { tellDone } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import { targetOf } from "./target.ts";
import { underLock } from "./under-lock.ts";

export interface PublishOptions {
  dryRun: boolean;
  check: boolean;
  allowDeletions: boolean;
  force: boolean;
}

interface PublishInput extends PublishOptions {
  out: string;
  config: Config | undefined;
  place: Place;
  reporter: Reporter;
  signal: AbortSignal;
}

/** `stillpress publish [TARGET]`: brings a target up to date with the published archive. */
export async function runPublish(
  named: string | undefined,
  options: CommonOptions & PublishOptions,
): Promise<ExitCode> {
  const { out, loaded } = outputFolder(options);
  const config = loaded?.config;
  const place = targetOf(named, config, out);
  const signal = abortOnSignals();
  const summary = await underLock(out, options, ({ reporter }) =>
    publishArchive({ ...options, out, config, place, reporter, signal }),
  );
  return tellDone(options, summary, linesOf(summary, options.dryRun));
}

export type PublishSummary = Awaited<ReturnType<typeof publishArchive>>;

/** Publishes what `out/public` shows. The caller holds the lock of the output folder. */
export async function publishArchive(input: PublishInput) {
  const { out, config, place, reporter, signal, dryRun, check } = input;
  const { build, record } = publishedRecord(out);
  const rules = rulesOf(record.settings);
  const settings = config?.publish ?? Publish.parse({});
  const { apiKeys } = settings;
  const content = archiveContent({ build, files: readBuildManifest(build), rules, apiKeys });
  const isForced = { deletions: input.allowDeletions, later: input.force };
  const upload = { place, settings, content, isForced, check, reporter, signal, now: clock };
  if (dryRun) return summaryOf(place, await planPublish(upload));
  const done = await publishTo(upload);
  const about = { target: place.name, generation: done.generation, build: content.name };
  const base = pathOf(record.site).replace(/\/?$/, "/");
  const changes = writeChanges(done, { out, base, ...about });
  const { after } = settings;
  if (after !== null && !changes.told)
    await tellChanges(after, out, changes, [record.settings.origin.tokenEnv]);
  return summaryOf(place, done);
}

function summaryOf({ name }: Place, done: PlannedUpload & Partial<Upload>) {
  const { plan, deployed, damage } = done;
  const all = plan.steps.flat();
  const reasons: Partial<Record<Reason, number>> = {};
  for (const { reason } of all) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return {
    target: name,
    generation: done.generation ?? deployed.generation,
    files: all.length + plan.unchanged,
    sent: done.sent ?? all.length,
    bytes: done.sentBytes ?? plan.bytes,
    unchanged: plan.unchanged,
    /** Files that the target lacked, by why. */
    reasons,
    first: all.slice(0, 10).map(({ object, reason }) => ({ key: object.key, reason })),
    leaving: plan.leaving.length,
    removed: plan.expired.length,
    /** What a check has found at the target; keys that no publish has put there stay. */
    found: damage === undefined ? null : { damaged: damage.damaged.size, foreign: damage.foreign },
  };
}

const reasonWords: Record<Reason, string> = {
  new: "new",
  content: "changed",
  headers: "with other headers",
  damaged: "damaged at the target",
};

function linesOf(summary: PublishSummary, isDry: boolean): string[] {
  const { target, sent, unchanged, reasons, leaving, removed, found, first, files } = summary;
  const why = Object.entries(reasons).map(
    ([reason, count]) => `${count} ${reasonWords[reason as Reason]}`,
  );
  const row = (name: string, text: string): string => `  ${name.padEnd(11)} ${text}`;
  const size = `${plural(sent, "file")}, ${bytesText(summary.bytes)}`;
  const lines = [
    isDry ? `would be sent to ${target}:` : `${target} has ${plural(files, "file")}`,
    row(isDry ? "to send" : "sent", why.length > 0 ? `${size}: ${why.join(", ")}` : size),
    row("unchanged", String(unchanged)),
  ];
  if (leaving > 0) lines.push(row("leaving", `${leaving}, which a later publish removes`));
  if (removed > 0) lines.push(row(isDry ? "to remove" : "removed", String(removed)));
  if (found !== null && found.foreign > 0)
    lines.push(row("foreign", `${found.foreign}, which no publish has put there; they stay`));
  if (isDry) for (const { key, reason } of first) lines.push(`    ${key} (${reasonWords[reason]})`);
  return lines;
}
