import { sha256 } from "../lib/digest.ts";
import { groupedBy } from "../lib/frequency.ts";
import type { Ref } from "../store/snapshots.ts";
import type { ArticleSummary } from "./summaries.ts";

/** An item that the search may find. */
export interface Findable extends Ref {
  kind: "article" | "gallery" | "image";
  path: string;
  /** ISO date in the origin's time zone; empty without a date. */
  day: string;
  /** Of an article. */
  article?: ArticleSummary;
}

/** A part of the search index. */
export interface Shard {
  name: string;
  /** Empty for items without a date. */
  year: string;
  /** Latest first. */
  items: Findable[];
}

/** Items of a shard, about. */
const shardSize = 500;

/**
 * The shards, latest first. Each year is one; a large year is cut into months, and a large month by the digests of the
 * ids. So an item that comes or goes changes one shard, and the others keep their names and content.
 */
export function shardsOf(items: readonly Findable[]): Shard[] {
  const byName = new Map<string, Findable[]>();
  for (const [year, ofYear] of groupedBy(items, ({ day }) => day.slice(0, 4) || "undated")) {
    const isSmall = ofYear.length <= shardSize;
    const periods = groupedBy(ofYear, ({ day }) => (isSmall ? year : day.slice(0, 7) || year));
    for (const [period, ofPeriod] of periods) {
      for (const [name, part] of cutByDigest(period, ofPeriod)) byName.set(name, part);
    }
  }
  const names = [...byName.keys()].sort().reverse();
  const isDated = (name: string): boolean => !name.startsWith("undated");
  return [...names.filter(isDated), ...names.filter((name) => !isDated(name))].map((name) => ({
    name,
    year: isDated(name) ? name.slice(0, 4) : "",
    items: (byName.get(name) ?? []).sort(latestFirst),
  }));
}

function cutByDigest(period: string, items: Findable[]): Map<string, Findable[]> {
  // A power of two, so that the parts seldom change.
  let parts = 1;
  while (items.length > parts * shardSize) parts *= 2;
  if (parts === 1) return new Map([[period, items]]);
  const partOf = (id: string): number => Number.parseInt(sha256(id).slice(0, 8), 16) % parts;
  return groupedBy(items, ({ id }) => `${period}-part${partOf(id)}`);
}

function latestFirst(a: Findable, b: Findable): number {
  if (a.day !== b.day) return a.day < b.day ? 1 : -1;
  return a.path < b.path ? -1 : 1;
}
