import { basename, join } from "node:path";
import { keyOf } from "../lib/digest.ts";
import { programDigest } from "../lib/program.ts";
import { silent } from "../lib/reporter.ts";
import type { BuildInput } from "../publish/build.ts";
import { withoutUnprovedIds } from "../publish/canaries.ts";
import { type BuildRecord, readRecord } from "../publish/record.ts";
import { publishedBuild } from "../publish/swap.ts";
import { openShown, type ShownArchive } from "../publish/website.ts";
import { loadTemplates } from "../site/templates.ts";
import { clearDesk, readDesk, writeDesk } from "./folder.ts";
import { type Ground, keepPictures, maxNights, readNights, shownSnapshots } from "./nights.ts";
import { assetsKey, deskPages } from "./pages.ts";

/** What of a build's input the desk needs. */
export type DeskInput = Pick<
  BuildInput,
  "config" | "store" | "out" | "templates" | "secrets" | "unsigner" | "reporter"
>;

/**
 * Makes `out/review`, a reviewer's desk beside the publish root, for what is published; changes nothing where it shows
 * that already. Its failure is a warning, because the archive is published, and leaves no desk: an old one would pass
 * for today's.
 *
 * @param shown what the published build shows, where it is open already
 */
export async function layDesk(input: DeskInput, shown?: ShownArchive): Promise<void> {
  const { out, reporter = silent } = input;
  try {
    const build = publishedBuild(out);
    const record = build === undefined ? undefined : readRecord(build);
    if (build !== undefined && record !== undefined) await lay(input, build, record, shown);
  } catch (error) {
    clearDesk(out);
    const reason = error instanceof Error ? error.message : String(error);
    const hint = "the archive is published; the next build makes the desk again";
    reporter.warn(`there is no reviewer's desk (out/review): ${reason}`, hint);
  }
}

async function lay(
  input: DeskInput,
  build: string,
  record: BuildRecord,
  shown: ShownArchive | undefined,
): Promise<void> {
  const { store, out } = input;
  const manifest = store.snapshots.load(record.snapshot);
  const { settings, withheld } = record;
  // As the build was made, whatever the settings are now.
  const config = { ...input.config, ...settings };
  const templates = loadTemplates(input.templates);
  const snapshots = shownSnapshots(store.folder, manifest.id);
  const shownBy = JSON.stringify([config.site, config.crawl.volatile]);
  const made = [basename(build), record.inputs, record.searched.join()];
  const look = [shownBy, templates.digest, assetsKey()];
  const inputs = keyOf(programDigest(), made, look, snapshots.slice(0, maxNights + 1));
  const last = readDesk(out);
  if (last?.inputs === inputs) return;
  const own = shown ?? openShown({ ...input, config, manifest, withheld });
  const { catalogue: whole, guard } = own;
  const catalogue = withoutUnprovedIds(whole);
  const files: Ground["files"] = new Map();
  const ground = { out, store, config, root: join(build, "public"), catalogue, last, files };
  const { nights, keys } = await readNights(ground);
  await keepPictures(ground, nights);
  for (const [path, content] of deskPages(ground, templates, nights)) files.set(path, content);
  for (const [path, content] of files) {
    if (typeof content !== "string") continue;
    const text = guard.withoutIds(guard.unsigned(content));
    guard.checkText(path, text);
    files.set(path, text);
  }
  await writeDesk(out, { inputs, nights: keys }, files);
}
