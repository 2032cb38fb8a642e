import type { ListName } from "./list-names.ts";
import type { SnapshotReader } from "./reader.ts";
import { collections } from "./records.ts";
import type { Ref } from "./snapshots.ts";

/** How one list differs between two snapshots, as counts. */
export interface Changes {
  added: number;
  changed: number;
  removed: number;
}

const compared: readonly ListName[] = collections.filter(
  (name) => name !== "galleries.single" && name !== "tombstones",
);

/** Changes of every list that has some. Only the parts that the two snapshots do not share are read. */
export function diffSnapshots(
  before: SnapshotReader | undefined,
  after: SnapshotReader,
): Partial<Record<ListName, Changes>> {
  const changes: Partial<Record<ListName, Changes>> = {};
  for (const name of compared) {
    const [old, now] = [before?.list(name)?.parts ?? [], after.list(name)?.parts ?? []];
    const known = new Set(old);
    const shared = new Set(now.filter((part) => known.has(part)));
    const difference = diffRefs(before?.refs(name, shared) ?? [], after.refs(name, shared));
    if (difference.added + difference.changed + difference.removed > 0) changes[name] = difference;
  }
  return changes;
}

/** Changes between two lists of refs; their order does not matter. */
export function diffRefs(before: Iterable<Ref>, after: Iterable<Ref>): Changes {
  const digests = new Map<string, string>();
  for (const { id, digest } of before) digests.set(id, digest);
  const changes = { added: 0, changed: 0, removed: 0 };
  for (const { id, digest } of after) {
    const old = digests.get(id);
    if (old === undefined) changes.added++;
    else if (old !== digest) changes.changed++;
    digests.delete(id);
  }
  return { ...changes, removed: digests.size };
}
