import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { readVisibility } from "../catalogue/visibility.ts";
import { GuardError } from "../errors.ts";
import { openStore } from "../store/store.ts";
import { canariesOf } from "./canaries.ts";
import { createLeakGuard } from "./leaks.ts";
import { readBuildManifest } from "./manifest.ts";
import { readRecord } from "./record.ts";
import { outputPaths, publishedBuild } from "./swap.ts";

/** Files in which an id can be named; the others are looked at by their digest. */
const isText = /\.(?:html|json|xml|txt|js|css|webmanifest)$/;

/**
 * Looks through a build that was published before: an image that has become private must not come back with it.
 *
 * @throws GuardError where it shows an image that may not be shown any more
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
