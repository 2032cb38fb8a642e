import { setImmediate as otherWork } from "node:timers/promises";
import { knownTokens, type LoadedConfig, loadConfig } from "../config/load.ts";
import { type ExitCode, exitCodes, type Interrupted } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { buildArchive } from "../publish/build.ts";
import { keepPublished } from "../publish/builds.ts";
import type { Finding } from "../publish/check.ts";
import { outputPaths, showDeployment } from "../publish/swap.ts";
import { type HeldLock, takeLock } from "../store/lock.ts";
import { openStore } from "../store/store.ts";
import { shownBuild, shownRecord, wasPublished } from "../verify/builds.ts";
import { lostForGood } from "../verify/head.ts";
import { mendHistory, publishedDamage, removeDamagedBuilds } from "../verify/mend-builds.ts";
import { type MendedStore, mendStore } from "../verify/mend-store.ts";
import { verifyArchive } from "../verify/verify.ts";
import { type CommonOptions, clock, printJson, reporterOf } from "./options.ts";
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
  /** Ends work at a signal at once: what it writes is whole at any time. */
  const endable = async <T>(work: () => Promise<T>, release = () => {}): Promise<T> => {
    const end = (): void => {
      release();
      const reason = signal.reason as Interrupted;
      reporter.error(reason);
      reporter.close();
      if (options.json) printJson({ exitCode: reason.exitCode, mended });
      process.exit(reason.exitCode);
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    try {
      const result = await work();
      // Signals that came while a long step kept the process busy are heard now.
      await otherWork();
      return result;
    } finally {
      signal.removeEventListener("abort", end);
    }
  };
  const underLock = async <T>(work: (lock: HeldLock) => Promise<T>): Promise<T> => {
    const lock = takeLock(outputPaths(out).lock);
    try {
      return await endable(() => work(lock), lock);
    } finally {
      lock();
    }
  };
  const tell = (done: readonly Finding[]): void => {
    mended.push(...done);
    for (const { path, reason } of done) reporter.info(`${path}: ${reason}`);
  };
  let lost: Finding[] = [];
  try {
    const store = await underLock(() => mendStore(out, clock));
    tell(store.mended);
    if (store.stages.length > 0) {
      const common = { ...options, quiet: options.quiet || options.json, json: false };
      // They take the lock themselves.
      const shared = { loaded, common, allowIncomplete: false, moved: options.moved, signal };
      const code = await runStages({ ...shared, stages: store.stages });
      if (code !== exitCodes.complete && code !== exitCodes.gaps) {
        if (options.json) printJson({ exitCode: code, mended });
        return code;
      }
    }
    const published = await underLock((lock) => mendPublished(loaded, store, lock, reporter));
    tell(published.mended);
    lost = published.lost;
  } finally {
    reporter.close();
  }
  const verified = await endable(() => verifyArchive({ out }));
  verified.findings.push(...lost);
  return printVerified(verified, options, mended);
}

/** Replaces a damaged published build, and removes other damaged builds. */
async function mendPublished(
  { config, out, templates }: LoadedConfig,
  { stages, wanted }: MendedStore,
  lock: HeldLock,
  reporter: Reporter,
): Promise<{ mended: Finding[]; lost: Finding[] }> {
  const mended: Finding[] = [];
  const store = openStore(outputPaths(out).store);
  try {
    const lost = wanted === undefined ? [] : lostForGood(store, wanted);
    mended.push(...mendHistory(out));
    // Repair publishes nothing where nothing was published.
    if (!wasPublished(out)) return { mended, lost };
    const damaged = await publishedDamage(out);
    if (damaged !== undefined || stages.length > 0) {
      const { published } = await buildArchive({
        config,
        store,
        out,
        templates,
        // The gaps of what is published are no reason not to publish the same snapshot again.
        knownGaps: shownRecord(out),
        secrets: knownTokens(config.origin),
        damaged,
        reporter,
        now: clock,
        beforePublish: lock.ensure,
      });
      if (published) mended.push({ path: "public", reason: "shows a new build" });
    }
    const build = shownBuild(out);
    if (build !== undefined) {
      showDeployment(out, build);
      // It may have been damaged, too.
      keepPublished(out);
    }
    mended.push(...(await removeDamagedBuilds(out)));
    return { mended, lost };
  } finally {
    store.close();
  }
}
