import { keyOf } from "../lib/digest.ts";
import type { SnapshotReader } from "../store/reader.ts";
import { ownFolders, type UnprovedIds } from "./id-finder.ts";
import type { ImageVisibility } from "./visibility.ts";

/** Images whose URLs are looked at. */
const samples = 100;

/**
 * The ids of all images that a snapshot does not show, if its index of public images is unproved: private images that
 * no list names can stand in any text.
 */
export function unprovedIds(
  snapshot: Pick<SnapshotReader, "manifest" | "refs" | "read" | "list">,
  { shows }: Pick<ImageVisibility, "shows">,
): UnprovedIds | undefined {
  const { complete, proof } = snapshot.manifest;
  if (complete || proof.some(({ list, agreed }) => list === "images" && agreed)) return undefined;
  const folders = new Set(ownFolders);
  for (const list of ["images", "images.attached", "images.private"] as const) {
    let left = samples;
    for (const ref of snapshot.refs(list)) {
      if (left-- === 0) break;
      const { view } = snapshot.read("images", ref).normal;
      const folder = view === null ? undefined : folderBefore(view, ref.id);
      if (folder !== undefined) folders.add(folder);
    }
  }
  const lists = ["images", "images.attached"] as const;
  return {
    folders: [...folders].sort(),
    shows,
    key: keyOf(...lists.flatMap((list) => [list, ...(snapshot.list(list)?.parts ?? [])])),
  };
}

/** The path segment before an id; undefined where there is none, or one that means anything. */
function folderBefore(url: string, id: string): string | undefined {
  const [before] = url.split(`/${id}`, 1);
  return before === url ? undefined : /\/([\w-]{3,})$/.exec(before ?? "")?.[1];
}
