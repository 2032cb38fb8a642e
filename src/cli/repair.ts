import { join } from "node:path";
import type { Command } from "commander";
import { type LoadedConfig, loadConfig, readToken } from "../config/load.ts";
import { type ExitCode, exitCodes } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { buildArchive } from "../publish/build.ts";
import type { Finding } from "../publish/check.ts";
import { readRecord } from "../publish/record.ts";
import { outputPaths, showDeployment } from "../publish/swap.ts";
import { createRoutes } from "../routes/table.ts";
import { takeLock } from "../store/lock.ts";
import { openStore, type Store } from "../store/store.ts";
import { shownBuild, wasPublished } from "../verify/builds.ts";
import { lostForGood, returnTo } from "../verify/head.ts";
import { mendHistory, mendOlderBuilds, publishedDamage } from "../verify/mend-builds.ts";
import { type MendedStore, mendStore } from "../verify/mend-store.ts";
import { verifyArchive } from "../verify/verify.ts";
import { clock } from "./clock.ts";
import { addCommonOptions, type CommonOptions, outputStyle } from "./options.ts";
import { createReporter } from "./progress.ts";
import { runStages } from "./run.ts";
import { abortOnSignals } from "./signals.ts";
import { knownToken } from "./token.ts";
import { printVerified } from "./verify.ts";

/** `stillpress repair`: finds damage as `verify --full` does, and mends it. */
export function addRepair(program: Command): void {
  addCommonOptions(
    program
      .command("repair")
      .description(
        "find damage as verify --full does, and mend it; asks the origin for what is lost",
      ),
  ).action(async (options: CommonOptions) => {
    process.exitCode = await runRepair(options);
  });
}

async function runRepair(options: CommonOptions): Promise<ExitCode> {
  const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
  const { out } = loaded;
  const { quiet } = options;
  const reporter = createReporter({ ...outputStyle(options), quiet, stream: process.stderr });
  const mended: Finding[] = [];
  const tell = (done: readonly Finding[]): void => {
    mended.push(...done);
    for (const { path, reason } of done) reporter.info(`${path}: ${reason}`);
  };
  let lost: Finding[] = [];
  try {
    const store = await underLock(out, () => mendStore(out, clock));
    tell(store.mended);
    if (store.stages.length > 0) {
      const code = await fetchAgain(loaded, store.stages, options);
      if (code !== exitCodes.complete && code !== exitCodes.gaps) {
        if (options.json) process.stdout.write(`${JSON.stringify({ exitCode: code, mended })}\n`);
        return code;
      }
    }
    const published = await underLock(out, () => mendPublished(loaded, store, reporter));
    tell(published.mended);
    lost = published.lost;
  } finally {
    reporter.close();
  }
  const verified = await verifyArchive({ out });
  verified.findings.push(...lost);
  return printVerified(verified, options, mended);
}

async function underLock<T>(out: string, work: () => Promise<T>): Promise<T> {
  const unlock = takeLock(join(out, "lock.json"));
  try {
    return await work();
  } finally {
    unlock();
  }
}

/** Asks the origin for what the store has lost, by the stages of every run, which take the lock themselves. */
function fetchAgain(
  loaded: LoadedConfig,
  stages: MendedStore["stages"],
  options: CommonOptions,
): Promise<ExitCode> {
  return runStages({
    loaded,
    stages,
    common: { ...options, quiet: options.quiet || options.json, json: false },
    token: () => readToken(loaded.config.origin),
    allowIncomplete: false,
    signal: abortOnSignals(),
  });
}

/** Publishes a whole build in the place of a damaged one, and mends those that are kept beside it. */
async function mendPublished(
  { config, out, templates }: LoadedConfig,
  { stages, wanted }: MendedStore,
  reporter: Reporter,
): Promise<{ mended: Finding[]; lost: Finding[] }> {
  const mended: Finding[] = [];
  const store = openStore(outputPaths(out).store);
  try {
    const lost = wanted === undefined ? [] : lostForGood(store, wanted);
    if (wanted !== undefined && returnTo(store, wanted)) {
      mended.push({ path: "store/snapshots/latest.json", reason: `names ${wanted.id} again` });
    }
    mended.push(...mendHistory(out));
    // Where nothing was ever published, that is not for a repair to begin with.
    if (!wasPublished(out)) return { mended, lost };
    const damaged = await publishedDamage(out);
    if (damaged !== undefined || stages.length > 0) {
      const { published } = await buildArchive({
        config,
        store,
        routes: createRoutes(config),
        out,
        templates,
        allowIncomplete: isPublished(out, store),
        secrets: [knownToken(config.origin)].filter((text) => text !== undefined),
        ...(damaged === undefined ? {} : { damaged }),
        reporter,
        now: clock,
      });
      if (published) mended.push({ path: "public", reason: "shows a new build" });
    }
    const build = shownBuild(out);
    if (build !== undefined) showDeployment(out, build);
    mended.push(...(await mendOlderBuilds(out, store.blobs)));
    return { mended, lost };
  } finally {
    store.close();
  }
}

/** Whether the latest snapshot is what is published already, so that its gaps are no reason not to publish it. */
function isPublished(out: string, store: Store): boolean {
  const build = shownBuild(out);
  const record = build === undefined ? undefined : readRecord(build);
  return record?.snapshot !== undefined && record.snapshot === store.snapshots.latest()?.id;
}
