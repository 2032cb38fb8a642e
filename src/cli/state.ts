import { existsSync } from "node:fs";
import { ConfigError, type ExitCode } from "../errors.ts";
import { plural } from "../lib/words.ts";
import { outputPaths } from "../publish/swap.ts";
import { bytesText } from "../site/formats.ts";
import { restoreState } from "../state/restore.ts";
import { saveState } from "../state/save.ts";
import { outputFolder, shortPath } from "./folder.ts";
import { type CommonOptions, clock } from "./options.ts";
import { tellDone } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import { targetOf } from "./target.ts";
import { underLock } from "./under-lock.ts";

interface StateOptions {
  withoutBlobs: boolean;
  force: boolean;
}

/** `stillpress state save|restore TARGET`: keeps the store elsewhere, for runners that keep nothing. */
export async function runState(
  what: "save" | "restore",
  named: string,
  options: CommonOptions & StateOptions,
): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const { store } = outputPaths(out);
  const place = targetOf(named, undefined, out);
  if (what === "save" && !existsSync(store))
    throw new ConfigError(`there is no store in ${shortPath(out)}`);
  const { withoutBlobs, force } = options;
  const signal = abortOnSignals();
  const { json, text } = await underLock(out, options, async ({ reporter }) => {
    const shared = { place, store, withoutBlobs, force, reporter, signal };
    if (what === "restore") return restoredText(await restoreState(shared));
    return savedText(await saveState({ ...shared, now: clock }));
  });
  return tellDone(options, { target: place.name, ...json }, [`${place.name}: ${text}`]);
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
