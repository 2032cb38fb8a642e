import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { createIdFinder, unprovedIds } from "../catalogue/id-finder.ts";
import { readVisibility } from "../catalogue/visibility.ts";
import { GuardError } from "../errors.ts";
import { mediaKinds } from "../routes/table.ts";
import type { MediaEntry, MediaIndex } from "../store/media.ts";
import { openStore } from "../store/store.ts";
import { type Canaries, createLeakGuard } from "./leaks.ts";
import { readBuildManifest } from "./manifest.ts";
import { readRecord } from "./record.ts";
import { outputPaths, publishedBuild } from "./swap.ts";

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

/** Files in which an id can be named; the others are looked at by their digest. */
const isText = /\.(?:html|json|xml|txt|js|css|webmanifest)$/;

/**
 * Looks through a build that was published before: an image that has become private must not come back with it.
 *
 * @throws GuardError where it shows one
 * @throws StoreError where the store or the build's manifest is damaged
 */
export function refuseNoLongerShown(out: string, build: string): void {
  const settings = readRecord(publishedBuild(out) ?? build)?.settings;
  if (settings === undefined) return;
  const store = openStore(outputPaths(out).store, { readOnly: true });
  try {
    const manifest = store.snapshots.latest();
    if (manifest === undefined) return;
    const snapshot = store.reader(manifest);
    const visibility = readVisibility(snapshot, settings.media.unproved);
    const media: Catalogue["media"] = (kind, id) =>
      kind !== "images" || visibility.shows(id) ? store.media.get(kind, id) : undefined;
    const canaries = canariesOf({ snapshot, visibility, media }, store.media, []);
    const guard = createLeakGuard(canaries);
    if (readRecord(build)?.canaries === guard.idsKey) return;
    for (const { path, key } of readBuildManifest(build).values()) {
      guard.checkBlob(path, key);
      if (isText.test(path)) guard.checkText(path, readFileSync(join(build, "public", path)));
    }
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    throw new GuardError(`this build shows what may not be shown any more: ${error.message}`, {
      cause: error,
      hint: "nothing was changed; a new build (stillpress build) has the rest of its content",
    });
  } finally {
    store.close();
  }
}
