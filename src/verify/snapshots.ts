import { readable } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { filesOf } from "../publish/canaries.ts";
import type { Finding } from "../publish/check.ts";
import { mediaKinds } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { collections, normalVersion } from "../store/records.ts";
import { mediaListsOf, type Ref, type SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";

/** What a snapshot names and the store does not hold as it was. */
export type Lost =
  /** A piece of a list, with unknown items. */
  { list: ListName; part: string; reason: string } | { list: ListName; ref: Ref; reason: string };

/** What is lost of the lists of a snapshot and of the items of attachment lists. `full` reads and checks every object. */
export function* lostOf(
  store: Pick<Store, "objects" | "snapshots">,
  manifest: SnapshotManifest,
  { full = false, onRef = () => {} }: { full?: boolean; onRef?: () => void } = {},
): Generator<Lost> {
  const { objects } = store;
  /** Objects that were found right: an image is often attached to several articles. */
  const right = new Set<string>();
  for (const [name, { parts }] of Object.entries(manifest.lists)) {
    const list = name as ListName;
    for (const part of parts) {
      const refs = readable(() => [...store.snapshots.refs({ parts: [part] })]);
      if (refs === undefined) {
        yield { list, part, reason: `part ${part} is lost` };
        continue;
      }
      for (const ref of refs) {
        onRef();
        const reason = reasonOf(ref, list);
        if (reason !== undefined) yield { list, ref, reason };
      }
    }
  }

  function reasonOf({ id, digest }: Ref, list: ListName): string | undefined {
    if (!objects.has(digest)) return `object ${digest} of ${id} is lost`;
    if (list === "attachments") {
      const items = readable(() => objects.readNormal("attachments", digest).items);
      if (items === undefined) return `object ${digest} of ${id} cannot be read`;
      const lost = items.find(([, item]) => !isThere(item));
      if (lost !== undefined) return `object ${lost[1]} of ${lost[0]} in ${id} is lost`;
    }
    return full && !isThere(digest) ? `object ${digest} of ${id} is damaged` : undefined;
  }

  function isThere(digest: string): boolean {
    if (!full) return objects.has(digest);
    if (right.has(digest)) return true;
    if (!isIntact(store, digest)) return false;
    right.add(digest);
    return true;
  }
}

/** Whether an object is readable and fits its digest, in this version or an earlier one. */
function isIntact({ objects }: Pick<Store, "objects">, digest: string): boolean {
  const found = readable(() => objects.read("articles", digest));
  if (found === undefined) return false;
  const { id, normal, raw } = found;
  const text = JSON.stringify(normal);
  for (let version = 1; version <= normalVersion; version++) {
    if (collections.some((one) => keyOf(version, one, id, text, raw) === digest)) return true;
  }
  return false;
}

/** Lost items that are still missing in the latest snapshot. */
export function lostForGood(store: Store, wanted: SnapshotManifest): Finding[] {
  const latest = store.snapshots.latest();
  const now = latest && store.reader(latest);
  const path = `store/snapshots/${wanted.id}.json`;
  const findings: Finding[] = [];
  for (const lost of lostOf(store, wanted)) {
    if (!("ref" in lost) || now?.digestOf(lost.list, lost.ref.id) !== undefined) continue;
    const reason = `${lost.list}: ${lost.ref.id} was lost, and the origin no longer has it`;
    findings.push({ path, reason });
  }
  return findings;
}

/** Checks the media index for every item of a snapshot, and whether its files are there in their sizes. */
export async function checkMedia(
  { media, blobs }: Pick<Store, "media" | "blobs">,
  snapshot: SnapshotReader,
) {
  const check = {
    items: 0,
    /** Missing blobs, and those of another size. */
    findings: [] as Finding[],
    /** Items that the media index does not know in this form. */
    without: 0,
  };
  for (const kind of mediaKinds) {
    for (const list of mediaListsOf(kind)) {
      for (const ref of snapshot.refs(list)) {
        check.items++;
        const entry = media.get(kind, ref.id);
        const absent = media.absence(kind, ref.id)?.record === ref.digest;
        if (entry?.record !== ref.digest && !absent) check.without++;
        for (const [blob, bytes] of new Map(filesOf(entry).map((one) => [one.blob, one.bytes]))) {
          if (await blobs.has(blob, bytes)) continue;
          const path = blobs.shared ? `shared/${blob}` : `store/blobs/${blob.slice(0, 2)}/${blob}`;
          const reason = `is missing or not of ${bytes} bytes, for ${kind}/${ref.id}`;
          check.findings.push({ path, reason });
        }
      }
    }
  }
  return check;
}
