import type { Unsigner } from "../api/signatures.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import type { Reporter } from "../lib/reporter.ts";
import type { Templates } from "../site/templates.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import { Addresses, type FormerPaths } from "./addresses.ts";
import { archiveFiles } from "./archive-files.ts";
import { oneThread, type Shares, ThreadFailure } from "./shares.ts";
import { shareWithThreads, type ThreadInput } from "./threads.ts";
import { type WriterOptions, writeBuild } from "./writer.ts";

export interface ArchiveInput {
  config: Config;
  manifest: SnapshotManifest;
  catalogue: Catalogue;
  theme: Templates;
  unsigner: Unsigner;
  former: FormerPaths;
  writer: Omit<WriterOptions, "shares">;
  /** What other threads need beside; undefined where one thread is to make all. */
  threads: Pick<ThreadInput, "store" | "templates" | "secrets" | "withheld" | "before"> | undefined;
  reporter: Reporter;
}

/**
 * Writes all files of an archive into a build, in several threads where that is faster. If one of them fails, this one
 * makes all files: an error that comes of the content comes again.
 *
 * @throws what `writeBuild` throws
 */
export async function writeArchive(input: ArchiveInput) {
  const { config, manifest, threads, unsigner, writer, reporter } = input;
  if (threads === undefined) return await writeIn(oneThread, input);
  const { staging, last, keysHold, searchAll, now } = writer;
  const making = { staging, last, keysHold, searchAll, now };
  const signatures = unsigner.learned();
  const own = { ...making, ...threads, config, manifest, signatures };
  const shares = shareWithThreads(config.build.workers, own);
  try {
    return await writeIn(shares, input);
  } catch (error) {
    if (!(error instanceof ThreadFailure)) throw error;
    const hint = "the build begins again in one thread; build.workers sets their number";
    reporter.warn(`a thread of the build failed: ${error.message}`, hint);
    return await writeIn(oneThread, input);
  }
}

async function writeIn(shares: Shares, input: ArchiveInput) {
  const { config, catalogue, theme, former, writer } = input;
  const addresses = new Addresses(former);
  const files = archiveFiles(catalogue, config, { theme, guard: writer.guard, addresses });
  const written = await writeBuild(files, { ...writer, shares });
  return { ...written, remarks: addresses.remarks };
}
