import { basename, join } from "node:path";
import type { Unsigner } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { programDigest } from "../lib/program.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { withoutUnprovedIds } from "../publish/canaries.ts";
import { type BuildRecord, readRecord } from "../publish/record.ts";
import { publishedBuild } from "../publish/swap.ts";
import { openShown } from "../publish/website.ts";
import { loadTemplates, type Templates } from "../site/templates.ts";
import type { Store } from "../store/store.ts";
import { clearDesk, readDesk, writeDesk } from "./folder.ts";
import { type Ground, keepPictures, maxNights, readNights, shownSnapshots } from "./nights.ts";
import { assetsKey, deskPages } from "./pages.ts";

export interface DeskInput {
  config: Config;
  store: Store;
  out: string;
  templates: string;
  /** Strings that must not occur in any file, such as the token. */
  secrets?: readonly string[];
  /** Knows the signatures that were seen in this run. */
  unsigner?: Unsigner;
  reporter?: Reporter;
}

/**
 * Makes `out/review`, a reviewer's desk beside the publish root, for what is published; changes nothing where it shows
 * that already. Its failure is a warning, because the archive is published, and leaves no desk: an old one would pass
 * for today's.
 */
export async function layDesk(input: DeskInput): Promise<void> {
  const { out, reporter = silent } = input;
  try {
    const build = publishedBuild(out);
    const record = build === undefined ? undefined : readRecord(build);
    if (build !== undefined && record !== undefined) await lay(input, build, record);
  } catch (error) {
    clearDesk(out);
    const reason = error instanceof Error ? error.message : String(error);
    const hint = "the archive is published; the next build makes the desk again";
    reporter.warn(`there is no reviewer's desk (out/review): ${reason}`, hint);
  }
}

async function lay(input: DeskInput, build: string, record: BuildRecord): Promise<void> {
  const { store, out } = input;
  if (record.snapshot === undefined) return;
  const manifest = store.snapshots.load(record.snapshot);
  // As the build was made, whatever the settings are now.
  const config = { ...input.config, ...record.settings };
  const templates = loadTemplates(input.templates);
  const snapshots = shownSnapshots(store.folder, manifest.id);
  const inputs = inputsKey({ build, record, config, templates, snapshots });
  const last = readDesk(out);
  if (last?.inputs === inputs) return;
  const { catalogue: whole, guard } = openShown({ ...input, config, manifest });
  const catalogue = withoutUnprovedIds(whole);
  const ground: Ground = { out, store, config, root: join(build, "public"), catalogue, last };
  const files = new Map<string, string | Uint8Array>();
  const { nights, keys } = await readNights(ground, files);
  await keepPictures(ground, nights, files);
  for (const [path, content] of deskPages(ground, templates, nights)) files.set(path, content);
  for (const [path, content] of files) {
    if (typeof content !== "string") continue;
    const text = guard.withoutIds(guard.unsigned(content));
    guard.checkText(path, text);
    files.set(path, text);
  }
  await writeDesk(out, { inputs, nights: keys }, files);
}

/** Key over everything that a desk depends on. */
function inputsKey(on: {
  build: string;
  record: BuildRecord;
  config: Config;
  templates: Templates;
  snapshots: readonly string[];
}): string {
  const { build, record, config, templates, snapshots } = on;
  return keyOf(
    programDigest(),
    basename(build),
    record.inputs,
    record.searched.join(),
    JSON.stringify([config.site, config.crawl.volatile]),
    templates.digest,
    assetsKey(),
    ...snapshots.slice(0, maxNights + 1),
  );
}
