import { existsSync } from "node:fs";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { plural } from "../lib/words.ts";
import { outputPaths } from "../publish/swap.ts";
import { createFormats } from "../site/formats.ts";
import { restoreState } from "../state/restore.ts";
import { saveState } from "../state/save.ts";
import { takeLock } from "../store/lock.ts";
import { outputFolder, shortPath } from "./folder.ts";
import { type CommonOptions, clock, reporterOf } from "./options.ts";
import { print, printJson } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import { targetOf } from "./target.ts";

interface StateOptions {
  withoutBlobs: boolean;
  force: boolean;
}

const { bytes: bytesText } = createFormats("en", "UTC");

/** `stillpress state save|restore TARGET`: keeps the store elsewhere, for runners that keep nothing. */
export async function runState(
  what: "save" | "restore",
  named: string,
  options: CommonOptions & StateOptions,
): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const { store, lock: lockPath } = outputPaths(out);
  const place = targetOf(named, undefined, out);
  if (what === "save" && !existsSync(store))
    throw new ConfigError(`there is no store in ${shortPath(out)}`);
  const lock = takeLock(lockPath);
  const reporter = reporterOf(options);
  try {
    const { withoutBlobs, force } = options;
    const signal = abortOnSignals();
    const shared = { place, store, withoutBlobs, force, reporter, signal };
    const done =
      what === "save"
        ? savedText(await saveState({ ...shared, now: clock }))
        : restoredText(await restoreState(shared));
    reporter.close();
    if (options.json) printJson({ exitCode: exitCodes.complete, target: place.name, ...done.json });
    else if (!options.quiet) print([`${place.name}: ${done.text}`]);
    return exitCodes.complete;
  } finally {
    reporter.close();
    lock();
  }
}

function savedText({ generation, sent, sentBytes, plan }: Awaited<ReturnType<typeof saveState>>) {
  const files = sent + plan.unchanged;
  const text = `generation ${generation}, ${sent} of ${plural(files, "file")} sent, ${bytesText(sentBytes)}`;
  return { json: { generation, files, sent, bytes: sentBytes }, text };
}

function restoredText(json: Awaited<ReturnType<typeof restoreState>>) {
  const { outcome, generation, files, fetched, bytes } = json;
  const texts = {
    none: "there is no state yet; the first snapshot begins from nothing",
    kept: `the store goes on from generation ${generation} already`,
    restored: `generation ${generation}, ${fetched} of ${plural(files, "file")} fetched, ${bytesText(bytes)}`,
  };
  return { json, text: texts[outcome] };
}
