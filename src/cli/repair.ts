import { knownTokens, type LoadedConfig, loadConfig } from "../config/load.ts";
import { type ExitCode, exitCodes, type Interrupted } from "../errors.ts";
import { append } from "../lib/many.ts";
import type { Reporter } from "../lib/reporter.ts";
import { buildArchive } from "../publish/build.ts";
import { keepPublished } from "../publish/builds.ts";
import type { Finding } from "../publish/check.ts";
import { outputPaths, showDeployment } from "../publish/swap.ts";
import { layDesk } from "../review/desk.ts";
import { type HeldLock, takeLock } from "../store/lock.ts";
import { withStore } from "../store/store.ts";
import { showFiles } from "../upload/show.ts";
import {
  mendHistory,
  publishedDamage,
  removeDamagedBuilds,
  shownBuild,
  shownRecord,
  wasPublished,
} from "../verify/builds.ts";
import { type MendedStore, mendStore } from "../verify/mend-store.ts";
import { lostForGood } from "../verify/snapshots.ts";
import { verifyArchive } from "../verify/verify.ts";
import { type CommonOptions, clock, reporterOf } from "./options.ts";
import { printJson } from "./print.ts";
import { runStages } from "./run.ts";
import { abortOnSignals } from "./signals.ts";
import { printVerified } from "./verify.ts";

/** `stillpress repair`: finds damage as `verify --full` does, and mends it. */
export async function runRepair(options: CommonOptions & { moved: boolean }): Promise<ExitCode> {
  const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
  const { out } = loaded;
  const signal = abortOnSignals();
  const reporter = reporterOf(options);
  const mended: Finding[] = [];
  const tell = (done: readonly Finding[]): void => {
    append(mended, done);
    for (const { path, reason } of done) reporter.info(`${path}: ${reason}`);
  };
  const failed = (exitCode: ExitCode): ExitCode => {
    if (options.json) printJson({ exitCode, mended });
    return exitCode;
  };
  let lock: HeldLock | undefined;
  const underLock = async <T>(work: (lock: HeldLock) => Promise<T>): Promise<T> => {
    lock = takeLock(outputPaths(out).lock);
    return await work(lock).finally(lock);
  };
  /** Ends repair at a signal at once: what it writes is whole at any time. */
  const end = (): void => {
    lock?.();
    const reason = signal.reason as Interrupted;
    reporter.error(reason);
    process.exit(failed(reason.exitCode));
  };
  signal.addEventListener("abort", end);
  try {
    const store = await underLock(({ disk }) => mendStore(out, clock, disk));
    tell(store.mended);
    if (store.stages.length > 0) {
      // The stages take the lock, and save what they have at a signal.
      signal.removeEventListener("abort", end);
      const common = { ...options, quiet: options.quiet || options.json, json: false };
      const { moved } = options;
      const code = await runStages({ loaded, stages: store.stages, common, moved, signal });
      if (code !== exitCodes.complete && code !== exitCodes.gaps) return failed(code);
      signal.throwIfAborted();
      signal.addEventListener("abort", end);
    }
    const { keepDeleted } = loaded.config.publish;
    const published = await underLock(async (lock) => {
      const mended = await mendPublished(loaded, store, lock, reporter);
      await showFiles({ out, keepDeleted, check: true, reporter, now: clock, signal });
      return mended;
    });
    tell(published.mended);
    const verified = await verifyArchive({ out, follow: true });
    append(verified.findings, published.lost);
    return printVerified(verified, options, mended);
  } finally {
    signal.removeEventListener("abort", end);
    reporter.close();
  }
}

/** Replaces a damaged published build, and removes other damaged builds. */
async function mendPublished(
  loaded: LoadedConfig,
  { stages, wanted }: MendedStore,
  lock: HeldLock,
  reporter: Reporter,
): Promise<{ mended: Finding[]; lost: Finding[] }> {
  const { out } = loaded;
  return await withStore(outputPaths(out).store, { disk: lock.disk }, async (store) => {
    const input = { ...loaded, store, secrets: knownTokens(loaded.config.origin), reporter };
    const lost = wanted === undefined ? [] : lostForGood(store, wanted);
    const mended = mendHistory(out);
    // Repair publishes nothing where nothing was published.
    if (!wasPublished(out)) return { mended, lost };
    const damaged = await publishedDamage(out);
    if (damaged !== undefined || stages.length > 0) {
      // The gaps of what is published are no reason not to publish the same snapshot again.
      const knownGaps = shownRecord(out);
      const given = { ...input, knownGaps, now: clock, beforePublish: lock.ensure };
      const { published } = await buildArchive({ ...given, damaged });
      if (published) mended.push({ path: "public", reason: "shows a new build" });
    }
    const build = shownBuild(out);
    if (build !== undefined) {
      showDeployment(out, build);
      // It may have been damaged, too.
      keepPublished(out);
    }
    append(mended, await removeDamagedBuilds(out));
    await layDesk(input);
    return { mended, lost };
  });
}
