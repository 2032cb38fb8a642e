import type { Config } from "../config.ts";
import { membersOf } from "../lib/jsontext.ts";
import type { ListName } from "../store/list-names.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { Media } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";

/** What an image is. Unproved is what nothing proves public, and nothing says to be private. */
export type Visibility = "public" | "private" | "unproved";

/** Every reason, and what it makes of an image. */
const visibilityBy = {
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

type Images = Pick<SnapshotReader, "refs" | "read" | "readRaw">;

/** The lists whose images are private, and why. */
const privateLists = [
  ["images.private", "it stands in the index of private images"],
  ["images.left", "it left the public index"],
] as const satisfies [ListName, Reason][];

/** The lists that give an image this reason, unless one of its records says that it is private. */
const openLists = [
  ["images", "it stands in the public index"],
  ["images.attached", "it is attached to something, but stands in no index"],
] as const satisfies [ListName, Reason][];

/**
 * Decides what each image of a snapshot is. If lists or records contradict each other, the private one is believed.
 *
 * @param look called with each record of the image lists, after all is known of its image
 */
export function readVisibility(
  snapshot: Images,
  unproved: Config["media"]["unproved"],
  look?: (id: string, record: Media, isShown: boolean) => void,
) {
  const reasons = new Map<string, Reason>();
  const reasonOf = (id: string): Reason => reasons.get(id) ?? "the snapshot does not know it";
  const isPrivate = (id: string): boolean => visibilityBy[reasonOf(id)] === "private";
  const shows = (id: string): boolean => {
    const reason = reasonOf(id);
    return (
      visibilityBy[reason] === "public" ||
      (unproved === "publish" && reason === "it is attached to something, but stands in no index")
    );
  };

  for (const [list, reason] of privateLists) {
    for (const { id } of snapshot.refs(list)) if (!reasons.has(id)) reasons.set(id, reason);
  }
  // First, so that all is known when the image's own record is read.
  for (const ref of otherRecords(snapshot)) {
    if (!isPrivate(ref.id) && saysPrivate(snapshot.readRaw(ref))) {
      reasons.set(ref.id, "a record of it says that it is private");
    }
  }
  for (const [list, reason] of openLists) {
    for (const ref of snapshot.refs(list)) {
      const { id } = ref;
      const { normal, raw } = snapshot.read("images", ref);
      if (!isPrivate(id) && saysPrivate(raw)) {
        reasons.set(id, "a record of it says that it is private");
      } else if (!reasons.has(id)) reasons.set(id, reason);
      look?.(id, normal, shows(id));
    }
  }
  if (look !== undefined) {
    for (const [list] of privateLists) {
      for (const ref of snapshot.refs(list))
        look(ref.id, snapshot.read("images", ref).normal, false);
    }
  }

  return {
    of: (id: string) => ({ visibility: visibilityBy[reasonOf(id)], reason: reasonOf(id) }),
    shows,
    /** Ids of the images that the snapshot knows and that may not be shown. */
    notShown: (): Set<string> => new Set([...reasons.keys()].filter((id) => !shows(id))),
  };
}

/** Records of an image that differ from its first one: an attachment list may say what the index does not. */
function* otherRecords(snapshot: Images): Generator<Ref> {
  const known = new Map<string, string>();
  const others = new Set<string>();
  const isOther = ({ id, digest }: Ref): boolean => {
    const first = known.get(id);
    if (first === undefined) known.set(id, digest);
    if (first === undefined || first === digest || others.has(digest)) return false;
    others.add(digest);
    return true;
  };
  for (const [list] of openLists) {
    for (const ref of snapshot.refs(list)) if (isOther(ref)) yield ref;
  }
  for (const list of snapshot.refs("attachments")) {
    if (!list.id.endsWith("/images")) continue;
    for (const [id, digest] of snapshot.read("attachments", list).normal.items) {
      if (isOther({ id, digest })) yield { id, digest };
    }
  }
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
 * Whether an image's record says that it is private. The API document names no field for that, so each usual one counts,
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
