import type { ListName } from "./list-names.ts";
import type { SnapshotReader } from "./reader.ts";
import { collections } from "./records.ts";

/** How one list differs between two snapshots, as counts. */
export interface Changes {
  added: number;
  changed: number;
  removed: number;
}

/** Digests of an item's forms before and after, which differ; undefined where the list has no such item. */
export interface Difference {
  before?: string | undefined;
  after?: string | undefined;
}

const compared: readonly ListName[] = collections.filter(
  (name) => name !== "galleries.single" && name !== "tombstones",
);

/** Changes of every list that has some. */
export function diffSnapshots(
  before: SnapshotReader | undefined,
  after: SnapshotReader,
): Partial<Record<ListName, Changes>> {
  const changes: Partial<Record<ListName, Changes>> = {};
  for (const name of compared) {
    const differences = diffList(before, after, name);
    if (differences.size > 0) changes[name] = countsOf(differences);
  }
  return changes;
}

/** The items in which a list differs, by id; its order does not matter. Reads only the parts that are not shared. */
export function diffList(
  before: SnapshotReader | undefined,
  after: SnapshotReader,
  name: ListName,
): Map<string, Difference> {
  const known = new Set(before?.list(name)?.parts);
  const shared = new Set(after.list(name)?.parts.filter((part) => known.has(part)));
  const differences = new Map<string, Difference>();
  for (const { id, digest } of before?.refs(name, shared) ?? []) {
    differences.set(id, { before: digest });
  }
  for (const { id, digest } of after.refs(name, shared)) {
    const old = differences.get(id)?.before;
    if (old === digest) differences.delete(id);
    else differences.set(id, { before: old, after: digest });
  }
  return differences;
}

function countsOf(differences: ReadonlyMap<string, Difference>): Changes {
  const changes = { added: 0, changed: 0, removed: 0 };
  for (const { before, after } of differences.values()) {
    changes[before === undefined ? "added" : after === undefined ? "removed" : "changed"]++;
  }
  return changes;
}
