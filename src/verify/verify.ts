import { basename, relative } from "node:path";
import type { Engine } from "../engine/engine.ts";
import { StoreError } from "../errors.ts";
import { append } from "../lib/many.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { checkBuild, type Finding } from "../publish/check.ts";
import { outputPaths } from "../publish/swap.ts";
import { damagedDeskFiles } from "../review/folder.ts";
import type { Blobs } from "../store/blobs.ts";
import { checkLog } from "../store/log-check.ts";
import { type SnapshotManifest, snapshotIds } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { checkShown, isLostSince, olderBuilds, shownBuild, wasPublished } from "./builds.ts";
import { followReferences } from "./follow.ts";
import { checkMedia, lostOf } from "./snapshots.ts";
import { checkShared, Digests, damagedFiles, logFolders } from "./store-files.ts";

/** `media` are the files of the latest snapshot. */
const nothing = {
  snapshots: 0,
  refs: 0,
  media: 0,
  blobs: 0,
  builds: 0,
  files: 0,
  references: 0,
  bytes: 0,
};

export interface Verified {
  checked: typeof nothing;
  /** Paths are relative to the output folder. */
  findings: Finding[];
  /** What is odd and may be right. */
  remarks: Finding[];
}

interface Check extends Verified {
  out: string;
  /** Reads everything; otherwise checks only that it exists. */
  full: boolean;
  /** Follows the references of the published build; `full` does, too. */
  follow: boolean;
  /** Starts what lets workers read the shared blobs. */
  engine?: (blobs: Blobs) => Promise<Engine | undefined>;
  reporter: Reporter;
  digests: Digests;
}

/**
 * Checks that everything exists that the latest snapshot and the published build name; with `full`, that every byte is
 * what it was. Changes nothing.
 *
 * @throws StoreError where there is nothing to check
 */
export async function verifyArchive(input: Pick<Check, "out"> & Partial<Check>): Promise<Verified> {
  const { out, full = false, follow = full, engine, reporter = silent } = input;
  if (snapshotIds(outputPaths(out).store).length === 0 && !wasPublished(out)) {
    throw new StoreError(`${out} holds no snapshot`, { hint: 'run "stillpress snapshot" first' });
  }
  const checked = { ...nothing };
  const digests = new Digests();
  const given = { out, full, follow, digests, reporter, ...(engine && { engine }) };
  const check: Check = { ...given, checked, findings: [], remarks: [] };
  if (full) await checkStoreFiles(check);
  await checkStoreContent(check);
  await checkBuilds(check);
  checkDesk(check);
  checked.bytes = digests.bytes;
  // Some damage shows in more than one way.
  const findings = new Map(check.findings.map((one) => [`${one.path}\n${one.reason}`, one]));
  return { checked, findings: [...findings.values()], remarks: check.remarks };
}

/** Reports work that calls `onOne` for each thing, and returns how many these were. */
async function stage({ reporter }: Check, name: string, work: (onOne: () => void) => unknown) {
  const progress = reporter.stage(name);
  let count = 0;
  await work(() => {
    count++;
    progress.advance();
  });
  progress.end();
  return count;
}

async function checkStoreFiles(check: Check): Promise<void> {
  const { out, checked, findings, digests } = check;
  await stage(check, "reading logs", (onLog) => {
    for (const folder of logFolders(outputPaths(out).store)) {
      for (const { path, offset, reason } of checkLog(folder)) {
        findings.push({ path: relative(out, path), reason: `${reason}, at byte ${offset}` });
      }
      onLog();
    }
  });
  checked.blobs = await stage(check, "reading blobs", async (onBlob) => {
    for await (const finding of damagedFiles(out, digests, onBlob)) findings.push(finding);
  });
}

async function checkStoreContent(check: Check): Promise<void> {
  const { out, full, checked, findings } = check;
  const folder = outputPaths(out).store;
  const store = await opened(check, () => openStore(folder, { readOnly: true }));
  if (store === undefined) return;
  try {
    const latest = await opened(check, () => store.snapshots.latest());
    const ids = snapshotIds(folder);
    if (latest !== undefined) await checkSnapshot(check, store, latest);
    else if (ids.length > 0 && findings.length === 0) {
      findings.push({ path: "store/snapshots/latest.json", reason: "is missing" });
    }
    if (full && store.blobs.shared) await checkSharedBlobs(check, store.blobs);
    const others = full ? ids.filter((id) => id !== latest?.id) : [];
    for (const id of others) await opened(check, () => store.snapshots.load(id));
    checked.snapshots = others.length + (latest === undefined ? 0 : 1);
  } finally {
    store.close();
  }
}

async function checkSharedBlobs(check: Check, blobs: Blobs): Promise<void> {
  const engine = await check.engine?.(blobs);
  const tell = (digest: string): unknown =>
    check.findings.push({ path: `shared/${digest}`, reason: "does not match its name" });
  const work = (onBlob: () => void) => checkShared(blobs.shared, tell, engine?.digestOf, onBlob);
  check.checked.blobs += await stage(check, "reading shared blobs", work).finally(() =>
    engine?.renderer.close(),
  );
}

async function checkSnapshot(check: Check, store: Store, latest: SnapshotManifest): Promise<void> {
  const { out, full, checked, findings, remarks } = check;
  const path = `store/snapshots/${latest.id}.json`;
  if (!latest.complete) remarks.push({ path, reason: "is incomplete" });
  checked.refs = await stage(check, "reading the snapshot", (onRef) => {
    for (const { list, reason } of lostOf(store, latest, { full, onRef })) {
      findings.push({ path, reason: `${list}: ${reason}` });
    }
  });
  const media = await opened(check, () => checkMedia(store, store.reader(latest)));
  if (media === undefined) return;
  checked.media = media.items;
  append(findings, media.findings);
  const { without } = media;
  if (without === 0) return;
  const reason = `lacks a current file for ${plural(without, "item")}`;
  (isLostSince(out, latest.id, without) ? findings : remarks).push({ path: "store/media", reason });
}

async function checkBuilds(check: Check): Promise<void> {
  const { out, full, follow, checked, findings, remarks, digests } = check;
  if (!wasPublished(out)) return;
  append(findings, checkShown(out));
  const published = shownBuild(out);
  const builds = published === undefined ? [] : [published];
  if (full) append(builds, olderBuilds(out));
  checked.files = await stage(check, "reading builds", async (onFile) => {
    for (const build of builds) {
      checked.builds++;
      const options = full ? { onFile, digestOf: digests.of } : { onFile };
      for await (const { path, reason } of checkBuild(build, options)) {
        findings.push({ path: `builds/${basename(build)}/${path}`, reason });
      }
    }
  });
  if (!follow || published === undefined) return;
  await stage(check, "following references", async (onFile) => {
    const followed = await followReferences(published, onFile);
    checked.references = followed.references;
    append(findings, followed.findings);
    append(remarks, followed.remarks);
  });
}

/** No reader sees the desk, so that damage to it is a remark. */
function checkDesk({ out, full, remarks }: Check): void {
  const reason = "is damaged; the next build makes the desk again";
  for (const path of damagedDeskFiles(out, { full })) remarks.push({ path, reason });
}

/** What can be read. Damage is a finding. */
async function opened<T>({ out, findings }: Check, read: () => T | Promise<T>) {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    findings.push({ path: "store", reason: error.message.replaceAll(`${out}/`, "") });
    return undefined;
  }
}
