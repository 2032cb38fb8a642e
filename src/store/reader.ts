import { membersOf } from "../lib/jsontext.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { ListName } from "./list-names.ts";
import type { StoredObject } from "./objects.ts";
import { preparedLists, type Sources } from "./prepared-lists.ts";
import { attachmentsId, type Collection } from "./records.ts";
import type { ListManifest, Ref, SnapshotManifest } from "./snapshots.ts";

/** An attachment list as the origin gave it: the refs of its items, and what its pages looked like. */
export interface AttachmentPages extends Pick<ListManifest, "perPage" | "overrides"> {
  items: Ref[];
  /** Raw envelope of page 1 with `data` emptied. */
  envelope: string;
}

/** Read access to one snapshot. All reads are synchronous and touch only what they return. */
export type SnapshotReader = ReturnType<typeof openReader>;

export function openReader(sources: Sources, manifest: SnapshotManifest) {
  const { objects, snapshots } = sources;
  const tables = new Map<ListName, Map<string, string>>();

  /** The refs of a list in the origin's order, without those of some parts; none where there is no such list. */
  function refs(name: ListName, except: ReadonlySet<string> = new Set()): Generator<Ref> {
    const parts = manifest.lists[name]?.parts ?? [];
    return snapshots.refs({ parts: parts.filter((key) => !except.has(key)) });
  }

  /** Digest of an id in a list, found through a table made at the first call; of several, the last one's. */
  function digestOf(name: ListName, id: string): string | undefined {
    let table = tables.get(name);
    if (table === undefined) {
      table = new Map();
      for (const ref of refs(name)) table.set(ref.id, ref.digest);
      tables.set(name, table);
    }
    return table.get(id);
  }

  return {
    manifest,
    /** Undefined where the snapshot has no such list, because the origin has no such endpoint. */
    list: (name: ListName): ListManifest | undefined => manifest.lists[name],
    refs,
    read: <C extends Collection>(collection: C, ref: Ref): StoredObject<C> =>
      objects.read(collection, ref.digest),
    /** Raw JSON text of an object, without its signed parameters. */
    readRaw: (ref: Ref): string => objects.readRaw(ref.digest),
    digestOf,
    ...preparedLists(sources, manifest),
    /** The object of an id in a list, found like `digestOf`. */
    find<C extends Collection>(list: ListName, collection: C, id: string) {
      const digest = digestOf(list, id);
      return digest === undefined ? undefined : objects.read(collection, digest);
    },
    /** Undefined where the origin counts none, or the list failed. */
    attachments(parent: Parent, id: string, kind: MediaKind): AttachmentPages | undefined {
      const digest = digestOf("attachments", attachmentsId(parent, id, kind));
      if (digest === undefined) return undefined;
      const { normal, raw } = objects.read("attachments", digest);
      const items = normal.items.map(([id, digest]) => ({ id, digest }));
      return { items, ...pagesOf(raw) };
    },
  };
}

/** Raw text of an attachment list's record: its envelopes as the origin wrote them. */
export function attachmentsRaw(pages: Omit<AttachmentPages, "items">): string {
  const { perPage, envelope, overrides } = pages;
  const others = Object.entries(overrides).map(([page, text]) => `${JSON.stringify(page)}:${text}`);
  return `{"perPage":${perPage},"envelope":${envelope},"overrides":{${others.join(",")}}}`;
}

function pagesOf(raw: string): Omit<AttachmentPages, "items"> {
  const members = membersOf(raw);
  return {
    perPage: Number(members.get("perPage")),
    envelope: members.get("envelope") ?? "{}",
    overrides: Object.fromEntries(membersOf(members.get("overrides") ?? "{}")),
  };
}
