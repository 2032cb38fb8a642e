import type { Catalogue } from "../catalogue/catalogue.ts";
import { createIdFinder } from "../catalogue/id-finder.ts";
import { unprovedIds } from "../catalogue/unproved-ids.ts";
import { mediaKinds } from "../routes/table.ts";
import type { MediaEntry, MediaIndex } from "../store/media.ts";
import type { Canaries } from "./leaks.ts";

/** What must not be shown of a snapshot. */
export function canariesOf(
  catalogue: Pick<Catalogue, "snapshot" | "visibility" | "media">,
  media: Pick<MediaIndex, "get">,
  tokens: readonly string[],
): Canaries {
  const { snapshot, visibility } = catalogue;
  const ids = visibility.notShown();
  const unshown = new Set<string>();
  for (const id of ids) for (const blob of blobsOf(media.get("images", id))) unshown.add(blob);
  let shown: ReadonlySet<string> | undefined;
  return {
    tokens,
    ids,
    unproved: unprovedIds(snapshot, visibility),
    isUnshownBlob(digest) {
      if (!unshown.has(digest)) return false;
      // Seldom needed: a public image may have the same bytes.
      shown ??= shownBlobs(catalogue, unshown);
      return !shown.has(digest);
    },
  };
}

/** A catalogue that names no image unknown to its snapshot. */
export function withoutUnprovedIds(catalogue: Catalogue): Catalogue {
  const unproved = unprovedIds(catalogue.snapshot, catalogue.visibility);
  if (unproved === undefined) return catalogue;
  const finder = createIdFinder([], unproved);
  const namesOne = (url: string): boolean => finder.idsIn(url.replace(/[?#].*$/s, "")).length > 0;
  return { ...catalogue, mayName: (url) => catalogue.mayName(url) && !namesOne(url) };
}

/** Which of some blobs are files of something that is shown. */
function shownBlobs(
  { snapshot, media }: Pick<Catalogue, "snapshot" | "media">,
  among: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const kind of mediaKinds) {
    for (const list of [kind, `${kind}.attached`] as const) {
      for (const { id } of snapshot.refs(list)) {
        for (const blob of blobsOf(media(kind, id))) if (among.has(blob)) found.add(blob);
      }
    }
  }
  return found;
}

/** The blobs of an item's original and renditions. */
export function blobsOf(entry: MediaEntry | undefined): string[] {
  if (entry === undefined) return [];
  return [entry.original.blob, ...entry.renditions.map(({ blob }) => blob)];
}
