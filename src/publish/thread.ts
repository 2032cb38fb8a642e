/** A thread that makes its share of a build's files; `threads.ts` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { createUnsigner } from "../api/signatures.ts";
import { listOf } from "../lib/file-list.ts";
import { loadTheme } from "../site/theme.ts";
import { openStore } from "../store/store.ts";
import { Addresses, formerPathsIn } from "./addresses.ts";
import { archiveFiles } from "./archive-files.ts";
import { FileMaker } from "./maker.ts";
import { type BuiltFile, readManifest } from "./manifest.ts";
import { type PlacedFile, shareOf } from "./shares.ts";
import type { ThreadAnswer, ThreadInput, ThreadShare } from "./threads.ts";
import { openShown } from "./website.ts";

/** Files that are told at once. */
const toldAtOnce = 256;

const say = (answer: ThreadAnswer): void => parentPort?.postMessage(answer);

async function makeShare({ input, taken, own }: ThreadShare): Promise<void> {
  const store = openStore(input.store, { readOnly: true });
  const isMine = shareOf(taken, own);
  const { files, maker } = await openFiles(input, store);
  let made: PlacedFile[] = [];
  let at = 0;
  for (const file of files) {
    if (isMine(at, file)) made.push([at, await maker.make(file)]);
    at++;
    if (made.length < toldAtOnce) continue;
    say(made);
    made = [];
  }
  say(made);
  say("all made");
  store.close();
}

/** The same files in the same order as in the first thread, and what makes them. */
async function openFiles(input: ThreadInput, store: ReturnType<typeof openStore>) {
  const { config, templates, secrets, before: path } = input;
  const unsigner = createUnsigner(config.origin, input.signatures);
  const { catalogue, guard } = openShown({ ...input, store, secrets, unsigner });
  const shown = path === undefined ? listOf<BuiltFile>([]) : readManifest<BuiltFile>(path);
  const addresses = new Addresses(formerPathsIn(shown));
  const theme = await loadTheme(templates, config.site);
  const files = archiveFiles(catalogue, config, { theme, guard, addresses });
  return { files, maker: new FileMaker({ ...input, before: shown, guard, blobs: store.blobs }) };
}

await makeShare(workerData as ThreadShare);
