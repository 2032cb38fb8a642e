import { hostname } from "node:os";
import { type Draft, openDraft } from "../../../src/crawl/draft.ts";
import type { Disk } from "../../../src/lib/disk.ts";
import { writeFully } from "../../../src/lib/files.ts";
import { takeLock } from "../../../src/store/lock.ts";
import type { MediaEntry } from "../../../src/store/media.ts";
import type { Tag } from "../../../src/store/records.ts";
import type { Ref } from "../../../src/store/snapshots.ts";
import { openStore, type Store } from "../../../src/store/store.ts";
import {
  forgetTasks,
  keep,
  type Ledger,
  settleEntries,
  settleObjects,
  settleTasks,
  taskName,
} from "./ledger.ts";
import { type Item, itemsOf, type Night, nights } from "./origin.ts";

export const storeFolder = "/out/store";
/** A few lines. */
export const segmentBytes = 4_000;

/** In which a crawl is first begun with other settings, by mistake. */
const changedNight = 1;

export interface NightOptions {
  disk: Disk;
  ledger: Ledger;
  /** Another one for each process. */
  run: number;
  /** Whether the machine was started again between this run and the one before. */
  boot: string;
  /** Tasks that may not be done again. */
  known: ReadonlySet<string>;
  violate: (text: string) => void;
}

/** Does what the command does in a night, as far as the store is concerned. */
export async function runNight(number: number, options: NightOptions): Promise<void> {
  const { disk, run, boot } = options;
  // Above every pid that there is: the process of the run before is gone.
  const own = { pid: 2 ** 22 + 1 + run, host: hostname(), boot };
  const unlock = takeLock("/out/lock.json", { own, disk });
  let failed = true;
  try {
    const store = openStore(storeFolder, { disk, segmentBytes });
    try {
      await crawl(store, number, options);
      await bringMedia(store, number, options);
      failed = false;
    } finally {
      closing(failed, () => store.close());
    }
  } finally {
    closing(failed, unlock);
  }
}

/** Where something failed before, that is what the run ends with. */
function closing(failed: boolean, close: () => void): void {
  try {
    close();
  } catch (error) {
    if (!failed) throw error;
  }
}

async function crawl(store: Store, number: number, options: NightOptions): Promise<void> {
  const { disk, ledger, known, violate } = options;
  const { tasks, time } = nights[number] as Night;
  let clock = Date.parse(time);
  const open = (key: string) =>
    openDraft(`${storeFolder}/draft`, {
      key,
      // So that every few tasks are followed by a sync.
      now: () => (clock += 150),
      objects: store.objects,
      disk,
    });
  if (number === changedNight && !ledger.corrected) await abandon(open("other settings"), ledger);
  const draft = open("settings");
  ledger.corrected = number === changedNight;
  const refs: Ref[] = [];
  try {
    for (const [at, { name, items }] of tasks.entries()) {
      const task = taskName(name);
      const found = await draft.once(
        name,
        async () => {
          if (known.has(task)) violate(`${name} is done again, although it was journalled`);
          return items.map(({ id, raw }) => put(store, ledger, id, raw));
        },
        (result) => result.every(({ digest }) => store.objects.has(digest)),
      );
      for (const ref of found) ledger.flushed.names.add(ref.digest);
      ledger.flushed.names.add(task);
      refs.push(...found);
      if (at === 1) {
        draft.sync();
        settleObjects(ledger);
        settleTasks(ledger);
      }
    }
    const lists = {
      tags: store.snapshots.saveList({ refs, perPage: 20, envelope: "{}", overrides: {} }),
    };
    store.sync();
    settleObjects(ledger);
    settleEntries(ledger);
    ledger.begun = number;
    const { manifest } = store.snapshots.commit({
      time,
      origin: "https://a.test",
      complete: true,
      lists,
      proof: [],
      problems: [],
    });
    if (manifest.lists.tags?.count !== refs.length) violate("the commit returns another snapshot");
    ledger.committed = number;
  } catch (error) {
    closing(true, () => draft.close());
    throw error;
  }
  // They are in a snapshot now.
  forgetTasks(ledger);
  draft.discard();
}

/** What this leaves in the journal is of no use to a draft with other settings, under the same name. */
async function abandon(draft: Draft, ledger: Ledger): Promise<void> {
  const [digest] = ledger.objects.keys();
  await draft.once("page 0", async () => [{ id: "other", digest }]);
  draft.close();
}

function put(store: Store, ledger: Ledger, id: string, raw: string): Ref {
  const normal: Tag = {
    slug: id,
    title: "",
    createdAt: null,
    articlesCount: 0,
    galleriesCount: 0,
  };
  const digest = store.objects.put("tags", id, normal, raw);
  ledger.objects.set(digest, raw);
  return { id, digest };
}

async function bringMedia(store: Store, number: number, options: NightOptions): Promise<void> {
  const { disk, ledger } = options;
  const { blobs, media } = store;
  for (const [at, { id, record, files }] of itemsOf(nights[number] as Night).entries()) {
    const [original, ...pictures] = files as [Item["files"][0], ...Item["files"]];
    const isThere = await blobs.has(original.digest, original.bytes.length);
    if (isThere && media.get("images", id)?.record === record) continue;
    for (const { digest, bytes } of files) ledger.blobs.set(digest, bytes);
    if (!isThere) await download(store, disk, original);
    keep(ledger, original.digest);
    for (const picture of pictures) {
      if (!(await blobs.has(picture.digest, picture.bytes.length)))
        await download(store, disk, picture);
      keep(ledger, picture.digest);
    }
    const entry = entryOf(id, record, files);
    const entries = [...(ledger.entries.get(id) ?? []), entry];
    ledger.entries.set(id, entries);
    media.put(entry);
    ledger.flushed.entries.set(id, entries.length);
    if (at % 3 === 2) {
      media.sync();
      settleEntries(ledger);
    }
  }
  store.sync();
  settleEntries(ledger);
}

/** Writes a file as a download or a decoder does, and takes it in. */
async function download({ blobs }: Store, disk: Disk, { digest, bytes }: Item["files"][0]) {
  const temporary = blobs.temporaryPath();
  const handle = disk.open(temporary, "w");
  try {
    writeFully(handle, bytes, undefined, disk);
    disk.sync(handle);
  } finally {
    disk.close(handle);
  }
  await blobs.put(temporary, digest);
}

function entryOf(id: string, record: string, files: Item["files"]): MediaEntry {
  const [original, ...pictures] = files.map(({ digest, bytes }) => ({
    blob: digest,
    bytes: bytes.length,
  })) as [Pick<MediaEntry["original"], "blob" | "bytes">];
  return {
    kind: "images",
    id,
    record,
    recipe: "r",
    original: { ...original, type: "image/jpeg", extension: "jpg" },
    renditions: pictures.map((picture) => ({
      ...(picture as { blob: string; bytes: number }),
      slot: "width/640",
      format: "webp",
      width: 4,
      height: 3,
    })),
  };
}
