import type { Config } from "../config.ts";
import { membersOf } from "../lib/jsontext.ts";
import { type IndexName, mediaKinds, parents } from "../routes/table.ts";
import { type ListName, listNames } from "../store/list-names.ts";
import type { Preparation } from "../store/prepared.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { isMediaKind } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";

/** What an image is. Unproved is what nothing proves public, and nothing says to be private. */
export type Visibility = "public" | "private" | "unproved";

/** Every reason, and what it makes of an image. */
const visibilityBy = {
  "site.exclude takes it down": "private",
  "it stands in the public index": "public",
  "a record of it says that it is private": "private",
  "it stands in the index of private images": "private",
  "it left the public index": "private",
  "it is attached to something, but stands in no index": "unproved",
  "the snapshot does not know it": "unproved",
} as const satisfies Record<string, Visibility>;

export type Reason = keyof typeof visibilityBy;

/** The only place that decides which images may be shown. */
export type ImageVisibility = ReturnType<typeof readVisibility>;

export type Items = Pick<SnapshotReader, "refs" | "readRaw" | "normals" | "prepared">;

/** Every kind of items. */
export const itemKinds = [...parents, ...mediaKinds, "categories", "tags"] as const;

/** The lists of images, and the reason that each gives: the first one counts, but for a record that says private. */
export const imageLists = [
  ["images.private", "it stands in the index of private images"],
  ["images.retracted", "it left the public index"],
  ["images", "it stands in the public index"],
  ["images.unlisted", "it is attached to something, but stands in no index"],
] as const satisfies [ListName, Reason][];

/**
 * Decides what each image of a snapshot is. If lists or records contradict each other, the private one is believed.
 *
 * @param reasonFor what speaks against showing an image, whatever its lists say
 */
export function readVisibility(
  snapshot: Items,
  unproved: Config["media"]["unproved"],
  reasonFor: (id: string) => Reason | undefined,
) {
  const reasons = new Map<string, Reason>();
  const reasonOf = (id: string): Reason => reasons.get(id) ?? "the snapshot does not know it";
  const shows = (id: string): boolean => {
    const reason = reasonOf(id);
    return (
      visibilityBy[reason] === "public" ||
      (unproved === "publish" && reason === "it is attached to something, but stands in no index")
    );
  };

  for (const [list, reason] of imageLists) {
    for (const { id } of snapshot.refs(list)) {
      if (reasons.has(id)) continue;
      const other = visibilityBy[reason] === "private" ? undefined : reasonFor(id);
      reasons.set(id, other ?? reason);
    }
  }

  return {
    of: (id: string) => ({ visibility: visibilityBy[reasonOf(id)], reason: reasonOf(id) }),
    shows,
    /** Ids of the images that the snapshot knows and that may not be shown. */
    notShown: (): Set<string> => new Set([...reasons.keys()].filter((id) => !shows(id))),
  };
}

/** A record of an item. */
export interface ItemRecord {
  kind: IndexName;
  ref: Ref;
}

/** The records of every item in its lists; `attached`: also others that only attachment lists have. */
export function* recordsIn(snapshot: Items, attached = false): Generator<ItemRecord> {
  for (const kind of itemKinds) {
    const seen = new Set<string>();
    for (const list of listsOf(kind)) {
      for (const ref of snapshot.refs(list)) {
        if (attached) seen.add(ref.digest);
        yield { kind, ref };
      }
    }
    if (attached) for (const ref of attachedBeside(snapshot, kind, seen)) yield { kind, ref };
  }
}

function listsOf(kind: IndexName): ListName[] {
  return listNames.filter((name) => name.split(".")[0] === kind);
}

/** The records in attachment lists whose digests are not among those that were seen. */
function* attachedBeside(snapshot: Items, kind: IndexName, seen: Set<string>): Generator<Ref> {
  for (const list of isMediaKind(kind) ? snapshot.normals("attachments") : []) {
    if (list.value.kind !== kind) continue;
    for (const [id, digest] of list.value.items) {
      if (!seen.has(digest)) yield { id, digest };
      seen.add(digest);
    }
  }
}

const privacy: Preparation<boolean> = { name: "private", of: ({ raw }) => saysPrivate(raw) };

/** The items that one of their records calls private, by their names, such as `articles/{id}`. */
export function privateRecords(snapshot: Items): Map<string, ItemRecord> {
  const found = new Map<string, ItemRecord>();
  for (const kind of itemKinds) {
    const note = (ref: Ref): void => void found.set(`${kind}/${ref.id}`, { kind, ref });
    const seen = new Set<string>();
    for (const list of listsOf(kind)) {
      for (const { id, digest, value: isPrivate } of snapshot.prepared(list, privacy)) {
        seen.add(digest);
        if (isPrivate) note({ id, digest });
      }
    }
    for (const ref of attachedBeside(snapshot, kind, seen))
      if (saysPrivate(snapshot.readRaw(ref))) note(ref);
  }
  return found;
}

/** Values that mean private, by member; without case and separators. */
const privateSigns: Readonly<Record<string, readonly string[]>> = {
  private: ["true", "1", "yes"],
  isprivate: ["true", "1", "yes"],
  public: ["false", "0", "no"],
  ispublic: ["false", "0", "no"],
  visibility: ["private"],
  privacy: ["private"],
  access: ["private"],
};

/**
 * Whether an item's record says that it is private. The API document names no field for that, so each usual one counts,
 * in any spelling, and one is enough. The pairs of `meta` say nothing.
 *
 * saysPrivate('{"id":"1","is_private":1}') → true
 */
export function saysPrivate(raw: string): boolean {
  for (const [name, text] of membersOf(raw)) {
    const key = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    if (!Object.hasOwn(privateSigns, key)) continue;
    const value: unknown = JSON.parse(text);
    // An array of one would look like its element.
    if (typeof value === "object") continue;
    if (privateSigns[key]?.includes(String(value).trim().toLowerCase())) return true;
  }
  return false;
}
