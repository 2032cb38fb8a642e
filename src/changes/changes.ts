import { existsSync } from "node:fs";
import { join } from "node:path";
import { readNames } from "../catalogue/names.ts";
import { readShown, type Shown } from "../catalogue/shown.ts";
import { itemKinds } from "../catalogue/visibility.ts";
import type { Config } from "../config.ts";
import { rulesOf } from "../routes/rules.ts";
import { sitePaths } from "../routes/site.ts";
import type { MediaKind } from "../routes/table.ts";
import { type Difference, diffList } from "../store/diff.ts";
import type { MediaEntry, MediaIndex, Replaced } from "../store/media.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { attachmentsId, isMediaKind, parseAttachmentsId } from "../store/records.ts";
import { mediaListsOf } from "../store/snapshots.ts";
import { changedEntries, changedFields, type Field } from "./fields.ts";

export const changeKinds = itemKinds;
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
  config: Config;
  /** The publish root, where the pages of items are looked for. */
  root: string;
}

interface Context extends Comparison {
  pageOf: ReturnType<typeof pageFinder>;
  shownIn: ReturnType<typeof shownReader>;
}

/** What may have changed of an item; `before` and `after` are of its index form. */
interface Found extends Difference {
  kind: ChangeKind;
  id: string;
  single?: Difference;
  attached: MediaKind[];
  replaced?: Replaced;
}

/**
 * The items in which two snapshots differ, kind by kind, new ones first and removed ones last. What neither of them shows
 * is left out.
 */
export function* changesBetween(comparison: Comparison): Generator<Change> {
  const shownIn = shownReader(comparison);
  const pageOf = pageFinder(comparison, shownIn);
  const rank = ({ before, after }: Found): number => (before === undefined ? 0 : after ? 1 : 2);
  for (const kind of changeKinds) {
    for (const found of findItems(kind, comparison).sort((a, b) => rank(a) - rank(b))) {
      const change = changeOf(found, { ...comparison, pageOf, shownIn });
      if (change !== undefined) yield change;
    }
  }
}

/** Finds published pages. Reads the names of all items once, when the first is asked for. */
function pageFinder({ after, config, root }: Comparison, shownIn: Context["shownIn"]) {
  let names: ReturnType<typeof readNames> | undefined;
  const pathOf = (kind: ChangeKind, id: string): string | undefined => {
    if (kind === "images") return sitePaths.image(id);
    if (isMediaKind(kind)) return undefined;
    const { snapshot, hides } = shownIn(after);
    names ??= readNames(snapshot, config.site, rulesOf(config).root, hides);
    if (kind === "articles" || kind === "galleries") return names.page(kind, id);
    const name = kind === "tags" ? names.tag(id) : names.category(id);
    return name && sitePaths[kind === "tags" ? "tag" : "category"](name, 1);
  };
  return (kind: ChangeKind, id: string): string | null => {
    const path = pathOf(kind, id);
    return path !== undefined && existsSync(join(root, path)) ? path : null;
  };
}

/** Tells what of a snapshot may be shown. Reads all of its records once, when it is asked for the first. */
function shownReader({ config }: Comparison) {
  const known = new Map<SnapshotReader, Shown>();
  return (snapshot: SnapshotReader): Shown => {
    const shown = known.get(snapshot) ?? readShown(snapshot, config);
    known.set(snapshot, shown);
    return shown;
  };
}

function findItems(kind: ChangeKind, { before, after, media }: Comparison): Found[] {
  const items = new Map<string, Found>();
  const lists = isMediaKind(kind) ? mediaListsOf(kind) : [kind];
  const digestIn = (snapshot: SnapshotReader, id: string): string | undefined =>
    lists.map((list) => snapshot.digestOf(list, id)).find((digest) => digest !== undefined);
  const item = (id: string): Found => {
    const digests = { before: digestIn(before, id), after: digestIn(after, id) };
    const found = items.get(id) ?? { kind, id, ...digests, attached: [] };
    items.set(id, found);
    return found;
  };
  for (const list of lists) for (const id of diffList(before, after, list).keys()) item(id);
  for (const name of diffList(before, after, "withdrawn").keys()) {
    if (name.startsWith(`${kind}/`)) item(name.slice(kind.length + 1));
  }
  if (isMediaKind(kind)) {
    const replaced = media.replaced(kind, before.manifest.id, after.manifest.id);
    for (const [id, originals] of replaced) item(id).replaced = originals;
  } else if (kind === "articles" || kind === "galleries") {
    for (const [id, single] of diffList(before, after, `${kind}.single`)) item(id).single = single;
    for (const name of diffList(before, after, "attachments").keys()) {
      const { parent, id, kind: of } = parseAttachmentsId(name);
      if (parent === kind) item(id).attached.push(of);
    }
  }
  return [...items.values()];
}

/** Undefined where nothing changed that is told. */
function changeOf(found: Found, context: Context): Change | undefined {
  const { kind, id } = found;
  const { before, after, pageOf, shownIn } = context;
  const isShown = (snapshot: SnapshotReader, digest: string | undefined): boolean =>
    digest !== undefined && shownIn(snapshot).shows(kind, id);
  const [was, is] = [isShown(before, found.before), isShown(after, found.after)];
  const digest = is ? found.after : found.before;
  const name = `${kind}/${id}`;
  const isKept = is && after.digestOf("withdrawn", name) && !before.digestOf("withdrawn", name);
  const fields = was && is ? fieldsOf(found, context) : [];
  if (digest === undefined || !(was || is) || (was && is && !isKept && fields.length === 0)) return;
  const { normal } = after.read(kind, { id, digest });
  const view = "view" in normal ? normal.view : null;
  const title = normal.title.trim() || id;
  const item = { kind, id, title, page: is ? pageOf(kind, id) : null, view, fields };
  if (isKept)
    return { ...item, what: "removed", reason: "gone from the origin, kept in the archive" };
  if (is) return { ...item, what: was ? sortOf(kind, fields) : "new" };
  const isLeft = kind === "images" && after.digestOf("images.retracted", id) !== undefined;
  if (found.after !== undefined || isLeft)
    return { ...item, what: "withdrawn", reason: "is no longer public" };
  const time = after.find("tombstones", "tombstones", name)?.normal.removedAt;
  const reason = time ? `gone from the origin, noticed ${time}` : "no longer listed";
  return { ...item, what: "removed", reason };
}

function sortOf(kind: ChangeKind, fields: readonly Field[]): "media changed" | "changed" {
  const isOther = fields.some(({ name }) => /^(?:original|filesize|dimensions\.)/.test(name));
  return isOther && isMediaKind(kind) ? "media changed" : "changed";
}

function fieldsOf(found: Found, context: Context): Field[] {
  const { kind, id, single, attached, replaced, ...index } = found;
  const { after, config } = context;
  const fields = new Map<string, Field>();
  for (const pair of [single, index]) {
    if (pair?.before === undefined || pair.after === undefined) continue;
    const raw = (digest: string): string => after.readRaw({ id, digest });
    const changed = changedFields(raw(pair.before), raw(pair.after), config.crawl.volatile);
    for (const field of changed) fields.set(field.name, field);
  }
  for (const of of attached) {
    const field = attachmentField(attachmentsId(kind, id, of), of, context);
    // The count says the same.
    fields.delete(`attachments.${of}`);
    if (field !== undefined) fields.set(of, field);
  }
  if (replaced !== undefined && replaced.before.blob !== replaced.after.blob) {
    // The original says them, too.
    for (const name of ["filesize", "dimensions.width", "dimensions.height"]) fields.delete(name);
    const [old, now] = [describe(replaced.before), describe(replaced.after)];
    fields.set("original", { name: "original", before: old, after: now });
  }
  return [...fields.values()];
}

/** How what an attachment list shows differs, with titles; undefined where only records of its items do. */
function attachmentField(name: string, kind: MediaKind, context: Context): Field | undefined {
  const shownIn = (snapshot: SnapshotReader): Map<string, string> => {
    const items = snapshot.find("attachments", "attachments", name)?.normal.items ?? [];
    return new Map(items.filter(([id]) => context.shownIn(snapshot).shows(kind, id)));
  };
  const [old, now] = [shownIn(context.before), shownIn(context.after)];
  const titleOf = (id: string): string => {
    const digest = now.get(id) ?? old.get(id) ?? "";
    return context.after.read(kind, { id, digest }).normal.title.trim() || id;
  };
  return changedEntries(kind, [...old.keys()], [...now.keys()], titleOf);
}

function describe({ type, width, height, bytes, blob }: MediaEntry["original"]): string {
  const size = width && height ? `${width} × ${height}, ` : "";
  return `${type}, ${size}${bytes} bytes, SHA-256 ${blob.slice(0, 16)}`;
}
