import type { Config } from "../config.ts";
import { GapsError } from "../errors.ts";
import { plural } from "../lib/words.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";

/** @throws GapsError when the snapshot is incomplete, or more images are missing than `maxProblems` allows */
export function refuseGaps(manifest: SnapshotManifest, images: ImageCounts, config: Config): void {
  const hint = 'run "stillpress snapshot" again, or publish with --allow-incomplete';
  if (!manifest.complete) {
    const open = manifest.proof.filter((proof) => !proof.agreed).map((proof) => proof.list);
    const reasons = [
      ...(open.length > 0 ? [`not proved: ${open.join(", ")}`] : []),
      ...(manifest.problems.length > 0 ? [plural(manifest.problems.length, "problem")] : []),
    ];
    throw new GapsError(`snapshot ${manifest.id} is incomplete: ${reasons.join("; ")}`, { hint });
  }
  if (images.missing > config.crawl.maxProblems) {
    throw new GapsError(
      `snapshot ${manifest.id} is incomplete: ${images.missing} of ${images.published} images missing`,
      { hint },
    );
  }
}

export interface ImageCounts {
  published: number;
  /** Published images without a file, or with that of an older record. */
  missing: number;
  /** Images that are kept back: private ones, and those that nothing proves public. */
  held: number;
}

export function countImages(catalogue: Catalogue, config: Config): ImageCounts {
  const counts = { published: 0, missing: 0, held: 0 };
  for (const list of ["images", "images.unlisted", "images.private"] as const) {
    for (const { id, digest } of catalogue.snapshot.refs(list)) {
      if (!catalogue.published("images", id)) {
        counts.held++;
        continue;
      }
      counts.published++;
      const current = catalogue.media("images", id)?.record === digest;
      if (config.media.originals && !current) counts.missing++;
    }
  }
  return counts;
}
