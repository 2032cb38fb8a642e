import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { StoreError } from "../errors.ts";
import { type Progress, type Reporter, silent } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import type { Finding } from "../publish/check.ts";
import { outputPaths } from "../publish/swap.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { checkMedia, damagedBlobs } from "./blobs.ts";
import {
  checkOneBuild,
  checkShown,
  isLostSince,
  olderBuilds,
  shownBuild,
  wasPublished,
} from "./builds.ts";
import { Digests } from "./digests.ts";
import { followReferences } from "./follow.ts";
import { checkLogFolder, damagedDocuments, logFolders } from "./logs.ts";
import { lostOf, snapshotIds } from "./snapshots.ts";

export interface VerifyOptions {
  out: string;
  /** Reads everything, instead of looking whether it is there. */
  full?: boolean;
  reporter?: Reporter;
}

export interface Checked {
  snapshots: number;
  /** Refs of the lists of the latest snapshot. */
  refs: number;
  /** Images, videos, documents and audio files that have or should have a file. */
  media: number;
  blobs: number;
  builds: number;
  files: number;
  references: number;
  bytes: number;
}

export interface Verified {
  checked: Checked;
  /** What is not as it should be; paths are relative to the output folder. */
  findings: Finding[];
  /** What is worth knowing, and may be as it should be. */
  remarks: Finding[];
}

interface Check extends Verified {
  out: string;
  full: boolean;
  digests: Digests;
  stage<T>(name: string, work: (progress: Progress) => T | Promise<T>): Promise<T>;
}

/**
 * Checks an output folder against its own digests, manifests and counts, without changing anything: whether all
 * that the latest snapshot and the published build name is there; with `full`, whether each byte is what it was.
 *
 * @throws StoreError where there is nothing to check
 */
export async function verifyArchive(options: VerifyOptions): Promise<Verified> {
  const { out, full = false, reporter = silent } = options;
  if (!existsSync(outputPaths(out).store) && !wasPublished(out)) {
    throw new StoreError(`${out} holds no archive`, { hint: 'run "stillpress snapshot" first' });
  }
  const counts = { snapshots: 0, refs: 0, media: 0, blobs: 0, builds: 0, files: 0 };
  const check: Check = {
    out,
    full,
    digests: new Digests(),
    checked: { ...counts, references: 0, bytes: 0 },
    findings: [],
    remarks: [],
    async stage(name, work) {
      const progress = reporter.stage(name);
      const result = await work(progress);
      progress.end();
      return result;
    },
  };
  if (full) await checkStoreFiles(check);
  await checkStoreContent(check);
  await checkBuilds(check);
  const { checked, findings, remarks, digests } = check;
  return { checked: { ...checked, bytes: digests.bytes }, findings: distinct(findings), remarks };
}

async function checkStoreFiles(check: Check): Promise<void> {
  const { out, checked, findings, digests } = check;
  const { store } = outputPaths(out);
  await check.stage("reading logs", (progress) => {
    for (const folder of logFolders(store)) {
      findings.push(...checkLogFolder(out, folder));
      progress.advance();
    }
    for (const path of damagedDocuments(store)) {
      findings.push({ path: relative(out, path), reason: "is damaged" });
    }
  });
  await check.stage("reading blobs", async (progress) => {
    const onBlob = (): void => {
      checked.blobs++;
      progress.advance();
    };
    for await (const path of damagedBlobs(join(store, "blobs"), digests, onBlob)) {
      findings.push({ path: `store/blobs/${path}`, reason: "does not match its name" });
    }
  });
}

async function checkStoreContent(check: Check): Promise<void> {
  const { out, full, checked, findings, remarks } = check;
  const folder = outputPaths(out).store;
  const store = await opened(check, () => openStore(folder, { readOnly: true }));
  if (store === undefined) return;
  try {
    const latest = await opened(check, () => store.snapshots.latest());
    if (latest === undefined) {
      if (snapshotIds(folder).length > 0 && findings.length === 0) {
        findings.push({ path: "store/snapshots/latest.json", reason: "is missing" });
      }
    } else await checkSnapshot(check, store, latest);
    for (const id of full ? snapshotIds(folder) : []) {
      checked.snapshots++;
      if (id !== latest?.id) await opened(check, () => store.snapshots.load(id));
    }
    if (latest !== undefined && !latest.complete) {
      remarks.push({ path: `store/snapshots/${latest.id}.json`, reason: "is incomplete" });
    }
  } finally {
    store.close();
  }
}

async function checkSnapshot(check: Check, store: Store, latest: SnapshotManifest): Promise<void> {
  const { out, full, checked, findings, remarks } = check;
  if (!full) checked.snapshots++;
  const path = `store/snapshots/${latest.id}.json`;
  await check.stage("reading the snapshot", (progress) => {
    const onRef = (): void => {
      checked.refs++;
      progress.advance();
    };
    for (const { list, reason } of lostOf(store, latest, { full, onRef })) {
      findings.push({ path, reason: `${list}: ${reason}` });
    }
  });
  const media = await opened(check, () => checkMedia(store, store.reader(latest)));
  if (media === undefined) return;
  checked.media += media.items;
  findings.push(...media.findings);
  const { without } = media;
  if (without === 0) return;
  const finding = {
    path: "store/media",
    reason: `has no current file of ${plural(without, "item")}`,
  };
  (isLostSince(out, latest.id, without) ? findings : remarks).push(finding);
}

async function checkBuilds(check: Check): Promise<void> {
  const { out, full, checked, findings, remarks, digests } = check;
  if (!wasPublished(out)) return;
  findings.push(...checkShown(out));
  const published = shownBuild(out);
  const builds = [
    ...(published === undefined ? [] : [published]),
    ...(full ? olderBuilds(out) : []),
  ];
  await check.stage("reading builds", async (progress) => {
    const onFile = (): void => {
      checked.files++;
      progress.advance();
    };
    for (const build of builds) {
      checked.builds++;
      const options = full ? { onFile, digestOf: digests.of } : { onFile };
      for await (const finding of checkOneBuild(build, options)) findings.push(finding);
    }
  });
  if (!full || published === undefined) return;
  await check.stage("following references", async (progress) => {
    const followed = await followReferences(published, () => progress.advance());
    checked.references += followed.references;
    findings.push(...followed.findings);
    remarks.push(...followed.remarks);
  });
}

/** What can be read; where it is damaged, that is a finding. */
async function opened<T>({ out, findings }: Check, read: () => T): Promise<T | undefined> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    findings.push({ path: "store", reason: error.message.replaceAll(`${out}/`, "") });
    return undefined;
  }
}

/** Each finding once: some damage shows in more than one way. */
function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((one) => [`${one.path}\n${one.reason}`, one])).values()];
}
