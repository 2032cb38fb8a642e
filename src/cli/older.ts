import { existsSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { knownTokens, loadConfig } from "../config/load.ts";
import { ConfigError, type ExitCode } from "../errors.ts";
import { makeFolder } from "../lib/files.ts";
import { plural } from "../lib/words.ts";
import { buildArchive } from "../publish/build.ts";
import { outputPaths } from "../publish/swap.ts";
import { withStore } from "../store/store.ts";
import { shortPath } from "./folder.ts";
import { type CommonOptions, clock } from "./options.ts";
import { tellDone } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import { idsIn, snapshotNamed } from "./snapshots.ts";
import { underLock } from "./under-lock.ts";

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
  const { files, manifest } = await underLock(out, options, ({ reporter }) =>
    withStore(outputPaths(out).store, {}, (store) => {
      makeFolder(to);
      const { templates } = loaded;
      return buildArchive({
        ...{ store, out: to, templates, snapshot, reporter, signal, now: clock },
        config: { ...config, keepBuilds: 0 },
        secrets: knownTokens(config.origin),
        allowIncomplete: true,
      });
    }),
  );
  const { complete } = manifest;
  const what = `${snapshot}${complete ? "" : ", INCOMPLETE"}: ${plural(files, "file")}`;
  const place = shortPath(to);
  const lines = [`${what} in ${place}/public`, `Serve it   npx stillpress serve --out ${place}`];
  return tellDone(options, { snapshot, complete, files, to }, lines);
}
