import { existsSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { knownTokens, loadConfig } from "../config/load.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { makeFolder } from "../lib/files.ts";
import { plural } from "../lib/words.ts";
import { buildArchive } from "../publish/build.ts";
import { outputPaths } from "../publish/swap.ts";
import { takeLock } from "../store/lock.ts";
import { openStore } from "../store/store.ts";
import { shortPath } from "./folder.ts";
import { type CommonOptions, clock, reporterOf } from "./options.ts";
import { print, printJson } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import { idsIn, snapshotNamed } from "./snapshots.ts";

/** `stillpress build --snapshot ID --to DIR`: renders an older snapshot into an output folder of its own. */
export async function runOlder(
  options: CommonOptions & { snapshot?: string; to?: string },
): Promise<ExitCode> {
  if (options.snapshot === undefined || options.to === undefined) {
    throw new ConfigError("--snapshot and --to belong together", {
      hint: '"stillpress build --snapshot ID --to DIR"; "stillpress snapshots" lists the ids',
    });
  }
  const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
  const { config, out } = loaded;
  const to = resolve(options.to);
  if (`${to}${sep}`.startsWith(`${out}${sep}`) || existsSync(join(to, "store"))) {
    const hint = "name a new folder outside of it";
    throw new ConfigError(`--to ${options.to}: an archive with a store is there`, { hint });
  }
  const snapshot = snapshotNamed(options.snapshot, idsIn(out), out);
  const signal = abortOnSignals();
  const lock = takeLock(outputPaths(out).lock);
  const reporter = reporterOf(options);
  const store = openStore(outputPaths(out).store);
  try {
    makeFolder(to);
    const { templates } = loaded;
    const { files, manifest } = await buildArchive({
      ...{ store, out: to, templates, snapshot, reporter, signal, now: clock },
      config: { ...config, keepBuilds: 0 },
      secrets: knownTokens(config.origin),
      allowIncomplete: true,
    });
    const { complete } = manifest;
    if (options.json) printJson({ exitCode: exitCodes.complete, snapshot, complete, files, to });
    else if (!options.quiet) {
      const what = `${snapshot}${complete ? "" : ", INCOMPLETE"}: ${plural(files, "file")}`;
      const place = shortPath(to);
      print([`${what} in ${place}/public`, `Serve it   npx stillpress serve --out ${place}`]);
    }
    return exitCodes.complete;
  } finally {
    store.close();
    reporter.close();
    lock();
  }
}
