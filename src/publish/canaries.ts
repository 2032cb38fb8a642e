import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { type Exclude, readExcluded } from "../catalogue/excluded.ts";
import { createIdFinder } from "../catalogue/id-finder.ts";
import { readShown, type Shown, type ShownSettings } from "../catalogue/shown.ts";
import { GuardError } from "../errors.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import type { MediaEntry, MediaIndex } from "../store/media.ts";
import { isMediaKind } from "../store/records.ts";
import { mediaListsOf } from "../store/snapshots.ts";
import { openStore, type Store } from "../store/store.ts";
import { type Canaries, createLeakGuard } from "./leaks.ts";
import { readBuildManifest } from "./manifest.ts";
import { secretInFile } from "./original-text.ts";
import { type BuildRecord, readRecord } from "./record.ts";
import { outputPaths, publishedBuild } from "./swap.ts";

/** @throws GuardError where a build shows what is excluded now: the latest snapshot may not know it any more */
function refuseExcluded(store: Store, { snapshot, settings, site }: BuildRecord, exclude: Exclude) {
  const reader = store.reader(store.snapshots.load(snapshot));
  const { records } = readExcluded(reader, exclude);
  if (records.size === 0) return;
  const { shows } = readShown(reader, { ...settings, site });
  for (const [name, { kind, ref }] of records)
    if (shows(kind, ref.id)) throw new GuardError(`it has ${name}, which site.exclude takes down`);
}

/** What must not be shown of a snapshot. */
export function canariesOf(
  catalogue: Shown & Pick<Catalogue, "media">,
  media: Pick<MediaIndex, "get">,
  tokens: readonly string[],
): Canaries {
  const { visibility, withheld, hidden, unproved } = catalogue;
  const unshown = new Set<string>();
  const hide = (kind: MediaKind, id: string): void => {
    for (const { blob } of filesOf(media.get(kind, id))) unshown.add(blob);
  };
  for (const id of visibility.notShown()) hide("images", id);
  for (const { kind, ref } of withheld.values()) if (isMediaKind(kind)) hide(kind, ref.id);
  let isSettled = false;
  return {
    tokens,
    ids: hidden,
    withheld: [...withheld.keys()],
    unproved,
    isUnshownBlob(digest) {
      if (!unshown.has(digest)) return false;
      // Seldom needed: a public image may have the same bytes.
      for (const entry of isSettled ? [] : shownFiles(catalogue))
        for (const { blob } of filesOf(entry)) unshown.delete(blob);
      isSettled = true;
      return unshown.has(digest);
    },
  };
}

/** A catalogue that names no image unknown to its snapshot. */
export function withoutUnprovedIds(catalogue: Catalogue): Catalogue {
  const { unproved } = catalogue;
  if (unproved === undefined) return catalogue;
  const finder = createIdFinder([], unproved);
  const namesOne = (url: string): boolean => finder.idsIn(url.replace(/[?#].*$/s, "")).length > 0;
  return { ...catalogue, mayName: (url) => catalogue.mayName(url) && !namesOne(url) };
}

/** The files of everything that is shown. Items in several lists come several times. */
export function* shownFiles({ snapshot, media }: Pick<Catalogue, "snapshot" | "media">) {
  for (const kind of mediaKinds) {
    for (const list of mediaListsOf(kind)) {
      for (const { id } of snapshot.refs(list)) {
        const entry = media(kind, id);
        if (entry !== undefined) yield entry;
      }
    }
  }
}

/** An item's original, what is published in its place, and renditions; some may share a blob. */
export function filesOf(entry: MediaEntry | undefined): { blob: string; bytes: number }[] {
  if (entry === undefined) return [];
  const { original, metadata, renditions } = entry;
  return [original, metadata?.copy ?? original, ...renditions];
}

/** Files of ours in which an id can be named. */
const isText = /\.(?:html|json|xml|txt|js|css|webmanifest)$/;
const isPicture = /\.(?:jpe?g|png|gif|webp|avif)$/;

/**
 * Looks through a build that was published before: what has become private, or was taken down, must not come back.
 *
 * @param config those of the published build, where nothing else is known
 * @throws GuardError where it shows one
 * @throws StoreError where the store or the build's manifest is damaged
 */
export async function refuseNoLongerShown(
  out: string,
  build: string,
  config?: ShownSettings,
): Promise<void> {
  const [own, published = own] = [build, publishedBuild(out) ?? build].map(readRecord);
  if (published === undefined) return;
  const settings = config ?? { ...published.settings, site: published.site };
  const store = openStore(outputPaths(out).store, { readOnly: true });
  try {
    const manifest = store.snapshots.latest();
    if (manifest === undefined) return;
    if (own !== undefined) refuseExcluded(store, own, settings.site.exclude);
    const shown = readShown(store.reader(manifest), settings);
    const media: Catalogue["media"] = (kind, id) =>
      shown.shows(kind, id) ? store.media.get(kind, id) : undefined;
    const canaries = canariesOf({ ...shown, media }, store.media, []);
    const guard = createLeakGuard(canaries);
    if (own?.canaries === guard.idsKey) return;
    for (const { path, key, sha256, about = "" } of readBuildManifest(build).values()) {
      // Lists of tags and categories have the number of their page behind.
      const names = [about, about.replace(/\/\d+$/, "")];
      if (names.some((name) => shown.withheld.has(name)))
        throw new GuardError(`${path} is about a withheld item`);
      guard.checkBlob(path, key);
      const file = join(build, "public", path);
      if (key !== sha256 && isText.test(path)) guard.checkText(path, readFileSync(file));
      const secret = key === sha256 && !isPicture.test(path) && (await secretInFile(file, guard));
      if (secret) throw new GuardError(`${path} would contain ${secret}`);
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
