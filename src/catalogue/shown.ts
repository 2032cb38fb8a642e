import { envelopeForPage } from "../api/envelope.ts";
import type { Config } from "../config.ts";
import { cached } from "../lib/cached.ts";
import { counted } from "../lib/frequency.ts";
import { append } from "../lib/many.ts";
import { type Remark, remarkOn } from "../lib/reporter.ts";
import type { IndexName } from "../routes/table.ts";
import type { ListName } from "../store/list-names.ts";
import type { Preparation } from "../store/prepared.ts";
import type { ListOf } from "../store/prepared-lists.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { type Collection, parseAttachmentsId } from "../store/records.ts";
import type { ListManifest, Ref } from "../store/snapshots.ts";
import { readExcluded } from "./excluded.ts";
import { createIdFinder, unprovedIds } from "./id-finder.ts";
import { type ItemRecord, privateRecords, readVisibility, recordsIn } from "./visibility.ts";

/** What of a snapshot may be shown, and what must not be named. */
export type Shown = ReturnType<typeof readShown>;
type Shows = (kind: IndexName, id: string) => boolean;

/** Whether an id can be told from words in any text. */
const isDistinct = (id: string): boolean => /^[\w-]{16,256}$/.test(id) && /\D/.test(id);

/** Articles name their tags and categories. */
const isNameable = ({ kind }: ItemRecord): boolean => kind !== "tags" && kind !== "categories";

/** The settings that decide what may be shown. */
export interface ShownSettings {
  media: Pick<Config["media"], "unproved">;
  site: Pick<Config["site"], "exclude">;
}

/**
 * Reads what may be shown: the images that `readVisibility` shows, and all other items but those that say that they are
 * private, that `site.exclude` takes down, and those whose id names something that must not be shown.
 */
export function readShown(snapshot: SnapshotReader, { media, site }: ShownSettings) {
  const said = privateRecords(snapshot);
  const { records: excluded, unused } = readExcluded(snapshot, site.exclude);
  const visibility = readVisibility(snapshot, media.unproved, (id) => {
    if (excluded.has(`images/${id}`)) return "site.exclude takes it down";
    return said.has(`images/${id}`) ? "a record of it says that it is private" : undefined;
  });
  /** By name, such as `articles/{id}`. */
  const withheld = new Map([...said, ...excluded].filter(([, { kind }]) => kind !== "images"));
  const takenDown = new Set(site.exclude.ids);
  const shows: Shows = (kind, id) =>
    kind === "images" ? visibility.shows(id) : !withheld.has(`${kind}/${id}`) && !takenDown.has(id);
  const isPrivate = [...said].flatMap(([name, { kind }]) =>
    kind === "images" || excluded.has(name) ? [] : kind,
  );
  const remarks = [
    ...remarkOnCounts(isPrivate, "not published, because a record says that it is private"),
    ...remarkOnCounts(
      [...excluded.values()].map(({ kind }) => kind),
      "taken down by site.exclude",
    ),
  ];
  const names = [...withheld.values()].filter(isNameable).map(({ ref }) => ref.id);
  // The snapshot may have forgotten what is excluded, and others may still link to it.
  const own = new Set([...names, ...takenDown].filter(isDistinct));
  // What another item is shown by cannot be hidden.
  for (const { kind, ref } of own.size === 0 ? [] : recordsIn(snapshot))
    if (shows(kind, ref.id)) own.delete(ref.id);
  const hidden: ReadonlySet<string> = new Set([...own, ...visibility.notShown()]);
  const unprovedImages = unprovedIds(snapshot, visibility);
  const finder = createIdFinder(hidden, unprovedImages);
  const hides = (text: string): boolean => finder.idsIn(text).length > 0;

  const unnameable: string[] = [];
  const mayHide = hidden.size > 0 || unprovedImages !== undefined;
  for (const record of mayHide ? recordsIn(snapshot) : []) {
    const { kind, ref } = record;
    if (kind === "images" || kind === "categories" || kind === "tags") continue;
    if (!shows(kind, ref.id) || !hides(ref.id)) continue;
    withheld.set(`${kind}/${ref.id}`, record);
    const { title } = snapshot.read(kind, ref).normal;
    unnameable.push(`${kind} ${JSON.stringify(finder.withoutIds(title))}`);
  }
  append(remarks, remarkOn(unnameable, "not published, because its id must not be shown"));
  return {
    visibility,
    shows,
    /** Items beside images that are not shown, by their names, such as `articles/{id}`. */
    withheld: withheld as ReadonlyMap<string, ItemRecord>,
    hidden,
    unproved: unprovedImages,
    /** Whether a name, a path or a text has one of them. */
    hides,
    withoutIds: finder.withoutIds,
    /** Those in a text, as it spells them. */
    hiddenIn: finder.idsIn,
    /** The snapshot without all that is not shown. */
    snapshot: readerOf(snapshot, shows),
    /** Entries of `site.exclude` that name nothing. */
    unused,
    remarks,
  };
}

/** One remark on all of these kinds of items; none on none. */
function remarkOnCounts(kinds: readonly IndexName[], reason: string): Remark[] {
  const subject = Array.from(counted(kinds), ([kind, count]) => `${kind}: ${count}`).join(", ");
  return kinds.length === 0 ? [] : [{ subject, reason }];
}

/** A reader of a snapshot as it would be without what is not shown, its counts and envelopes included. */
export function readerOf(snapshot: SnapshotReader, shows: Shows): SnapshotReader {
  const isShown = (list: ListName, id: string): boolean => {
    if (list === "tombstones") return true;
    if (list === "attachments") {
      const { parent, id: parentId } = parseAttachmentsId(id);
      return shows(parent, parentId);
    }
    if (list !== "unsettled" && list !== "withdrawn")
      return shows(list.split(".")[0] as IndexName, id);
    const [, kind, of = ""] = /^(\w+)\/(.*)$/s.exec(id) ?? [];
    return shows(kind as IndexName, of);
  };
  function* refs(list: ListName, except?: ReadonlySet<string>): Generator<Ref> {
    for (const ref of snapshot.refs(list, except)) if (isShown(list, ref.id)) yield ref;
  }
  function* prepared<T, C extends Collection>(list: ListName, of: Preparation<T, C>) {
    for (const one of snapshot.prepared(list, of)) if (isShown(list, one.id)) yield one;
  }
  function* normals<C extends Collection>(list: ListOf<C>) {
    for (const one of snapshot.normals<C>(list)) if (isShown(list, one.id)) yield one;
  }
  return {
    ...snapshot,
    refs,
    prepared,
    normals,
    preparedOf: (list, id, of) =>
      isShown(list, id) ? snapshot.preparedOf(list, id, of) : undefined,
    list: cached(100, (name) => {
      const list = snapshot.list(name as ListName);
      return list && shortened(list, list.count, [...refs(name as ListName)].length);
    }),
    digestOf: (list, id) => (isShown(list, id) ? snapshot.digestOf(list, id) : undefined),
    find: (list, of, id) => (isShown(list, id) ? snapshot.find(list, of, id) : undefined),
    attachments(parent, id, kind) {
      const list = shows(parent, id) ? snapshot.attachments(parent, id, kind) : undefined;
      const items = list?.items.filter((ref) => shows(kind, ref.id)) ?? [];
      return list && { ...shortened(list, list.items.length, items.length), items };
    },
  };
}

type Paged = Pick<ListManifest, "perPage" | "envelope" | "overrides">;

/** A list of `before` items as the origin would write it if it had no more than `count`. */
function shortened<List extends Paged>(list: List, before: number, count: number): List {
  if (before === count) return list;
  const { perPage, envelope } = list;
  const first = { page: 1, perPage, total: count, count: Math.min(count, perPage || count) };
  return { ...list, count, envelope: envelope && envelopeForPage(envelope, first), overrides: {} };
}
