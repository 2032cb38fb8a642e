import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, type ExitCode } from "../errors.ts";
import { plural } from "../lib/words.ts";
import { type BagInput, packBag } from "../pack/bag.ts";
import { packWacz } from "../pack/wacz.ts";
import { packWebsite } from "../pack/website.ts";
import { publishedRecord } from "../publish/record.ts";
import { outputPaths } from "../publish/swap.ts";
import { bytesText } from "../site/formats.ts";
import { outputFolder, shortPath } from "./folder.ts";
import { type CommonOptions, clock } from "./options.ts";
import { tellDone } from "./print.ts";
import { abortOnSignals } from "./signals.ts";
import { underLock } from "./under-lock.ts";

/** What follows the name of a pack of each kind. */
const packKinds = { zip: ".zip", bagit: ".bag.zip", wacz: ".wacz" } as const;

type PackKind = keyof typeof packKinds;

/** `stillpress pack zip|bagit|wacz [FILE]`: the published archive, or the store, as one file to hand over. */
export async function runPack(
  kind: PackKind,
  named: string | undefined,
  options: CommonOptions & { force: boolean },
): Promise<ExitCode> {
  const { out } = outputFolder(options);
  const { store } = outputPaths(out);
  const { file, files, bytes } = await underLock(out, options, async ({ reporter }) => {
    const { build, record } = publishedRecord(out);
    const path = resolve(named ?? `archive-${record.snapshot}${packKinds[kind]}`);
    refusePath(path, out, options.force);
    const input = { path, build, record, reporter, signal: abortOnSignals() };
    return { file: path, ...(await packOf(kind, { ...input, store, now: clock() })) };
  });
  const text = `${shortPath(file)}: ${plural(files, "file")}, ${bytesText(bytes)}`;
  return tellDone(options, { kind, file, files, bytes }, [text]);
}

function packOf(kind: PackKind, input: BagInput) {
  const packs = { zip: packWebsite, bagit: packBag, wacz: packWacz };
  return packs[kind](input);
}

/** @throws ConfigError where a pack must not be written */
function refusePath(path: string, out: string, force: boolean): void {
  if (path.startsWith(`${out}/`)) {
    throw new ConfigError(`${shortPath(path)} lies in the output folder`, {
      hint: "name a file outside of it",
    });
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (force && found.isFile())) return;
  const hint = found.isFile() ? "name another file, or replace it with --force" : "name a file";
  throw new ConfigError(`${shortPath(path)} exists`, { hint });
}
