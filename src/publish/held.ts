import { createIdFinder, doubtOf, heldImages } from "../mirror/held.ts";
import { mediaKinds } from "../routes/table.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { MediaEntry, MediaIndex } from "../store/media.ts";
import type { ListName } from "../store/snapshots.ts";
import type { Canaries } from "./leaks.ts";

/** What of a snapshot is held back, as the last look before publishing must know it. */
export function canariesOf(
  catalogue: Pick<Catalogue, "snapshot" | "published" | "media">,
  media: Pick<MediaIndex, "get">,
  tokens: readonly string[],
): Canaries {
  const ids = heldImages(catalogue);
  const heldBlobs = new Set<string>();
  for (const id of ids) for (const blob of blobsOf(media.get("images", id))) heldBlobs.add(blob);
  let published: ReadonlySet<string> | undefined;
  return {
    tokens,
    ids,
    doubt: doubtOf(catalogue),
    isHeldBlob(digest) {
      if (!heldBlobs.has(digest)) return false;
      // Asked only where a published path leads to such bytes, as it may if a public image has the same.
      published ??= publishedBlobs(catalogue, heldBlobs);
      return !published.has(digest);
    },
  };
}

/** The catalogue by which no page leads to an image of which nobody knows whether it is public. */
export function withoutDoubtful(catalogue: Catalogue): Catalogue {
  const doubt = doubtOf(catalogue);
  if (doubt === undefined) return catalogue;
  const finder = createIdFinder([], doubt);
  const namesOne = (url: string): boolean => finder.idsIn(url.replace(/[?#].*$/s, "")).length > 0;
  return { ...catalogue, held: (url) => catalogue.held(url) || namesOne(url) };
}

/** Those of some blobs that are files of something published. */
function publishedBlobs(
  catalogue: Pick<Catalogue, "snapshot" | "media">,
  among: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const kind of mediaKinds) {
    for (const id of idsIn(catalogue, [kind, `${kind}.unlisted`])) {
      for (const blob of blobsOf(catalogue.media(kind, id))) if (among.has(blob)) found.add(blob);
    }
  }
  return found;
}

function* idsIn(
  { snapshot }: Pick<Catalogue, "snapshot">,
  lists: readonly ListName[],
): Generator<string> {
  for (const list of lists) for (const { id } of snapshot.refs(list)) yield id;
}

function blobsOf(entry: MediaEntry | undefined): string[] {
  if (entry === undefined) return [];
  return [entry.original.blob, ...entry.renditions.map(({ blob }) => blob)];
}
