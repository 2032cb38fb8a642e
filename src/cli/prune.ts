import { existsSync } from "node:fs";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { plural } from "../lib/words.ts";
import { findForgettable } from "../publish/forget.ts";
import { findSurplus } from "../publish/prune.ts";
import type { Surplus } from "../publish/prune-shared.ts";
import { outputPaths } from "../publish/swap.ts";
import { bytesText } from "../site/formats.ts";
import { withStore } from "../store/store.ts";
import { shortPath } from "./folder.ts";
import { type CommonOptions, clock } from "./options.ts";
import { print, printJson } from "./print.ts";
import { underLock } from "./under-lock.ts";

/** Snapshots that are kept where nothing else is asked for: a month of nights. */
const defaultKeepSnapshots = 30;

interface PruneOptions {
  keepSnapshots?: number;
  keepDays?: number;
  keepDaily: number;
  keepWeekly: number;
  keepMonthly: number;
  excluded: boolean;
  dryRun: boolean;
}

/** `stillpress prune`: frees what no kept snapshot and no kept build needs. */
export async function runPrune(options: CommonOptions & PruneOptions): Promise<ExitCode> {
  const { keepDays: days, dryRun, excluded, json, quiet } = options;
  const { config, out } = loadConfig({ file: options.config, flags: { out: options.out } });
  const { store } = outputPaths(out);
  if (!existsSync(store)) throw new ConfigError(`there is no store in ${shortPath(out)}`);
  const { keepDaily: daily, keepWeekly: weekly, keepMonthly: monthly } = options;
  const isUsual = days === undefined && daily + weekly + monthly === 0;
  const snapshots = options.keepSnapshots ?? (isUsual ? defaultKeepSnapshots : 0);
  // Earlier builds may show what is excluded.
  const builds = excluded ? 0 : config.keepBuilds;
  const retention = { snapshots, days, daily, weekly, monthly, builds };
  return await underLock(out, options, async ({ lock, reporter }) => {
    const forgotten = excluded ? await forgetExcluded(out, config, dryRun) : undefined;
    const looking = reporter.stage("looking for what nothing needs");
    const surplus = await findSurplus(out, retention, clock(), lock);
    looking.end();
    // Before anything is freed.
    if (!json && !quiet) {
      const verb = dryRun ? "Would take" : "Took";
      const what = forgotten && plural(forgotten.length, "excluded item");
      print(what === undefined ? [] : [`${verb} ${what} out of the snapshots.`]);
      print(tableOf(surplus, dryRun));
    }
    if (!dryRun) {
      const freeing = reporter.stage("freeing", surplus.length);
      for (const { free } of surplus) {
        await free();
        freeing.advance();
      }
      freeing.end();
    }
    const freed = surplus.map(({ what, count, bytes }) => ({ what, count, bytes }));
    if (json) printJson({ exitCode: exitCodes.complete, dryRun, forgotten, freed });
    return exitCodes.complete;
  });
}

/** Takes what `site.exclude` names out of all snapshots. Returns the names of these items. */
async function forgetExcluded(out: string, config: Config, dryRun: boolean): Promise<string[]> {
  return await withStore(outputPaths(out).store, {}, async (store) => {
    const { items, forget } = await findForgettable(store, out, config);
    if (!dryRun) forget();
    return items;
  });
}

function tableOf(surplus: readonly Surplus[], dryRun: boolean): string[] {
  const some = surplus.filter(({ count }) => count > 0);
  if (some.length === 0) return ["There is nothing to free."];
  const rows = some.map(
    (row) => `  ${row.what.padEnd(26)} ${String(row.count).padStart(9)}  ${bytesText(row.bytes)}`,
  );
  const total = some.reduce((sum, row) => sum + row.bytes, 0);
  return [...rows, `${dryRun ? "Would free" : "Frees"} ${bytesText(total)}.`];
}
