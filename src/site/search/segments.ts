import type { Ref } from "../../store/snapshots.ts";
import type { FileKind } from "../attachments.ts";
import type { ArticleSummary } from "../summaries.ts";

/** In the order of their numbers: what comes most often comes last, so that few numbers move. */
const kinds = ["file", "image", "gallery", "article"] as const;

/** An item that the search may find. */
export interface Findable extends Ref {
  kind: (typeof kinds)[number];
  path: string;
  /** ISO 8601. */
  time: string | null;
  /** ISO date in the origin's time zone; empty without a date. */
  day: string;
  /** The image that stands for it. */
  thumb?: string | undefined;
  /** What kind of file it is, if it is one. */
  file?: FileKind;
  /** Of an article. */
  article?: ArticleSummary;
}

/** A part of the search index with numbers of its own for its items. */
export interface Segment {
  name: "recent" | "earlier";
  /** By kind, each kind from the oldest on. The place of an item is its number. */
  items: Findable[];
}

/** Items of an archive that is one segment. */
const largestWhole = 2_000;

/**
 * Each search asks all segments. A new article changes most files of its segment, so that a large archive has one for its
 * latest year, and another for all years before that.
 */
export function segmentsOf(items: readonly Findable[]): Segment[] {
  const inOrder = [...items].sort(byNumber);
  if (inOrder.length <= largestWhole) return [{ name: "recent", items: inOrder }];
  const yearOf = ({ day }: Findable): string => day.slice(0, 4);
  let latest = "";
  for (const item of inOrder) if (yearOf(item) > latest) latest = yearOf(item);
  const parts: Segment[] = [
    { name: "recent", items: inOrder.filter((item) => yearOf(item) === latest) },
    { name: "earlier", items: inOrder.filter((item) => yearOf(item) !== latest) },
  ];
  return parts.filter((segment) => segment.items.length > 0);
}

function byNumber(a: Findable, b: Findable): number {
  if (a.kind !== b.kind) return kinds.indexOf(a.kind) - kinds.indexOf(b.kind);
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.path < b.path ? -1 : 1;
}
