import { saysPrivate } from "../catalogue/private-signs.ts";
import type { Config } from "../config.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import { type Difference, diffList } from "../store/diff.ts";
import type { MediaEntry, MediaIndex, Replaced } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { attachmentsId, isMediaKind } from "../store/records.ts";
import { mediaListsOf, olderFirst } from "../store/snapshots.ts";
import { changedEntries, changedFields, type Field } from "./fields.ts";

export const changeKinds = ["articles", "galleries", ...mediaKinds, "categories", "tags"] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What became of an item. "withdrawn": an image that may not be shown any more. */
export const fates = ["removed", "withdrawn", "media changed", "changed", "new"] as const;

/** An item in which two snapshots differ. */
export interface Change {
  kind: ChangeKind;
  id: string;
  /** The id where there is no title. */
  title: string;
  what: (typeof fates)[number];
  reason?: string | undefined;
  /** In the published archive, relative to the publish root; null where there is none. */
  page: string | null;
  /** Web page at the origin; null where it names none. */
  view: string | null;
  fields: Field[];
}

export interface Comparison {
  before: SnapshotReader;
  after: SnapshotReader;
  media: Pick<MediaIndex, "replaced">;
  /** Members whose changes are not told. */
  volatile: readonly string[];
  unproved: Config["media"]["unproved"];
  pageOf(kind: ChangeKind, id: string): string | null;
}

/** What a kind's items are compared with, found before any of them is read. */
interface Found {
  kind: ChangeKind;
  singles: Map<string, Difference>;
  /** The kinds of attachments whose lists differ, by parent. */
  attached: Map<string, MediaKind[]>;
  replaced: Map<string, Replaced>;
}

/**
 * The items in which two snapshots differ, kind by kind, new ones first and removed ones last. Images that neither of
 * them shows are left out. Only what the snapshots do not share is read.
 */
export function* changesBetween(comparison: Comparison): Generator<Change> {
  const { before, after, media } = comparison;
  const ids = [before.manifest.id, after.manifest.id];
  const [from, to] = (isReverse(comparison) ? ids.reverse() : ids) as [string, string];
  const attachments = diffList(before, after, "attachments");
  for (const kind of changeKinds) {
    const found: Found = { kind, singles: new Map(), attached: new Map(), replaced: new Map() };
    if (kind === "articles" || kind === "galleries") {
      found.singles = diffList(before, after, `${kind}.single`);
      for (const name of attachments.keys()) {
        const [, parent, id = "", of] = /^([^/]+)\/(.*)\/([^/]+)$/s.exec(name) ?? [];
        if (parent === kind)
          found.attached.set(id, [...(found.attached.get(id) ?? []), of as MediaKind]);
      }
    } else if (isMediaKind(kind)) found.replaced = media.replaced(kind, from, to);
    for (const [id, difference] of itemsOf(found, comparison)) {
      const change = changeOf(id, difference, found, comparison);
      if (change !== undefined) yield change;
    }
  }
}

function isReverse({ before, after }: Comparison): boolean {
  return olderFirst(before.manifest.id, after.manifest.id) > 0;
}

/** The items of a kind that may have changed, with the digests of their index forms. */
function itemsOf(
  { kind, singles, attached, replaced }: Found,
  { before, after }: Comparison,
): [string, Difference][] {
  const lists = isMediaKind(kind) ? mediaListsOf(kind) : [kind];
  const items = new Map<string, Difference>();
  for (const list of lists) {
    for (const [id, found] of diffList(before, after, list)) {
      const other = items.get(id);
      const merged = { before: found.before ?? other?.before, after: found.after ?? other?.after };
      items.set(id, merged);
    }
  }
  const digestOf = (snapshot: SnapshotReader, id: string): string | undefined =>
    lists.map((list) => snapshot.digestOf(list, id)).find((digest) => digest !== undefined);
  for (const id of [...singles.keys(), ...attached.keys(), ...replaced.keys()]) {
    if (items.has(id)) continue;
    items.set(id, { before: digestOf(before, id), after: digestOf(after, id) });
  }
  const rank = ({ before, after }: Difference): number =>
    before === undefined ? 0 : after === undefined ? 2 : 1;
  return [...items].sort(([, a], [, b]) => rank(a) - rank(b));
}

/** Undefined where nothing changed that is told. */
function changeOf(
  id: string,
  { before: old, after: now }: Difference,
  found: Found,
  comparison: Comparison,
): Change | undefined {
  const { before, after, pageOf } = comparison;
  const { kind } = found;
  const was = isShown(kind, id, old, before, comparison);
  const is = isShown(kind, id, now, after, comparison);
  const digest = is ? now : old;
  if (digest === undefined || (!was && !is)) return undefined;
  const { normal } = after.read(kind, { id, digest });
  const item = {
    kind,
    id,
    title: normal.title.trim() || id,
    page: is ? pageOf(kind, id) : null,
    view: "view" in normal ? normal.view : null,
    fields: [] as Field[],
  };
  if (!was) {
    const reason = old === undefined ? undefined : "was not shown before";
    return { ...item, what: "new", reason };
  }
  if (!is) return { ...item, ...leaving(kind, id, now !== undefined, after) };
  item.fields = fieldsOf(id, { before: old, after: now }, found, comparison);
  if (item.fields.length === 0) return undefined;
  const isOther = item.fields.some(({ name }) => /^(?:original|filesize|dimensions\.)/.test(name));
  return { ...item, what: isOther && isMediaKind(kind) ? "media changed" : "changed" };
}

/** Whether the archive may show an item; only images it may not. */
function isShown(
  kind: ChangeKind,
  id: string,
  digest: string | undefined,
  snapshot: SnapshotReader,
  { unproved }: Pick<Comparison, "unproved">,
): boolean {
  if (digest === undefined || kind !== "images") return digest !== undefined;
  const isIn = (list: "images" | "images.private" | "images.left"): boolean =>
    snapshot.digestOf(list, id) !== undefined;
  if (isIn("images.private") || isIn("images.left")) return false;
  return (
    (unproved === "publish" || isIn("images")) && !saysPrivate(snapshot.readRaw({ id, digest }))
  );
}

function leaving(kind: ChangeKind, id: string, isKept: boolean, after: SnapshotReader) {
  const left = kind === "images" && after.digestOf("images.left", id) !== undefined;
  if (isKept || left) return { what: "withdrawn", reason: "is private now" } as const;
  const tombstone = after.find("tombstones", "tombstones", `${kind}/${id}`);
  const reason = tombstone
    ? `the origin has removed it, found ${tombstone.normal.removedAt}`
    : "the origin no longer lists it";
  return { what: "removed", reason } as const;
}

function fieldsOf(
  id: string,
  { before: old, after: now }: Difference,
  { kind, singles, attached, replaced }: Found,
  comparison: Comparison,
): Field[] {
  const { after, volatile } = comparison;
  const fields = new Map<string, Field>();
  for (const pair of [{ before: old, after: now }, singles.get(id)]) {
    if (pair?.before === undefined || pair.after === undefined) continue;
    const [a, b] = [pair.before, pair.after].map((digest) => after.readRaw({ id, digest }));
    for (const field of changedFields(a as string, b as string, volatile)) {
      if (!fields.has(field.name)) fields.set(field.name, field);
    }
  }
  for (const of of attached.get(id) ?? []) {
    const field = attachmentField(attachmentsId(kind, id, of), of, comparison);
    // The count says the same.
    fields.delete(`attachments.${of}`);
    if (field !== undefined) fields.set(of, field);
  }
  const other = replaced.get(id);
  if (other !== undefined && other.before.blob !== other.after.blob) {
    const originals = [describe(other.before), describe(other.after)];
    const [a, b] = isReverse(comparison) ? originals.reverse() : originals;
    fields.set("original", { name: "original", before: a, after: b } as Field);
    // The original says them, too.
    for (const name of ["filesize", "dimensions.width", "dimensions.height"]) fields.delete(name);
  }
  return [...fields.values()];
}

/** How an attachment list differs, with titles; undefined where only records of its items do. */
function attachmentField(name: string, kind: MediaKind, comparison: Comparison): Field | undefined {
  const { before, after } = comparison;
  const itemsIn = (snapshot: SnapshotReader): Map<string, string> =>
    new Map(snapshot.find("attachments", "attachments", name)?.normal.items);
  const [old, now] = [itemsIn(before), itemsIn(after)];
  const [a, b] = [[...old.keys()], [...now.keys()]];
  if (a.join("\n") === b.join("\n")) return undefined;
  const titleIn = (snapshot: SnapshotReader, items: typeof old) => (id: string) => {
    const digest = items.get(id) as string;
    if (!isShown(kind, id, digest, snapshot, comparison)) return "an image that is not shown";
    return snapshot.read(kind, { id, digest }).normal.title.trim() || id;
  };
  const field = changedEntries(kind, a, b);
  if (field.added) field.added = field.added.map(titleIn(after, now));
  if (field.removed) field.removed = field.removed.map(titleIn(before, old));
  return field;
}

function describe({ type, width, height, bytes, blob }: MediaEntry["original"]): string {
  const size = width && height ? `${width} × ${height}, ` : "";
  return `${type}, ${size}${bytes} bytes, SHA-256 ${blob.slice(0, 16)}`;
}
