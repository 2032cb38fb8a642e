import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { GapsError } from "../errors.ts";
import { andMore, plural } from "../lib/words.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import { mediaListsOf, type Ref, type SnapshotManifest } from "../store/snapshots.ts";
import type { BuildRecord } from "./record.ts";

/** A build whose gaps were accepted when it was published. */
export type KnownGaps = Pick<BuildRecord, "snapshot" | "totals">;

const hint =
  'run "stillpress snapshot" again, or publish with the gaps: "stillpress snapshot --allow-incomplete"';

/** @throws GapsError where a run had more problems than `maxProblems` allows, even if its snapshot is complete */
export function refuseProblems(problems: number, { crawl }: Pick<Config, "crawl">): void {
  if (problems <= crawl.maxProblems) return;
  const message = `${plural(problems, "problem")}; crawl.maxProblems allows ${crawl.maxProblems}`;
  throw new GapsError(message, { hint });
}

/**
 * @param known gaps of the same snapshot that are no reason to refuse it
 * @throws GapsError when the snapshot is incomplete, or more files are missing than `maxProblems` allows
 */
export function refuseGaps(
  manifest: SnapshotManifest,
  media: MediaCounts,
  { crawl }: Pick<Config, "crawl">,
  known?: KnownGaps,
): void {
  const isKnown = known?.snapshot === manifest.id;
  const allowed = Math.max(crawl.maxProblems, isKnown ? known.totals.missing : 0);
  const reasons = manifest.complete || isKnown ? [] : describeOpen(manifest);
  if (media.missing > allowed) reasons.push(describeMissing(media));
  if (reasons.length === 0) return;
  const message = `snapshot ${manifest.id} is incomplete: ${reasons.join("; ")}`;
  throw new GapsError(message, { hint });
}

function describeOpen({ proof, problems }: SnapshotManifest): string[] {
  const open = proof.filter(({ agreed }) => !agreed).map(({ list }) => list);
  const reasons = open.length > 0 ? [`not proved: ${open.join(", ")}`] : [];
  if (problems.length > 0) reasons.push(plural(problems.length, "problem"));
  return reasons;
}

type MediaCounts = ReturnType<typeof countMedia>;

const maxNamed = 3;

/** Counts the files that a snapshot should have and those that are missing, except files that the origin lacks. */
export function countMedia(catalogue: Catalogue, config: Pick<Config, "media">) {
  const zeros = mediaKinds.map((kind) => [kind, { wanted: 0, missing: 0 }]);
  const counts = {
    /** Shown items that should have a file, and those of them without one, or with that of an older record. */
    kinds: Object.fromEntries(zeros) as Record<MediaKind, { wanted: number; missing: number }>,
    missing: 0,
    /** The first of the missing ones. */
    named: [] as string[],
    /** Images that may not be shown: private ones, and unproved ones unless the settings publish them. */
    notShown: 0,
  };

  function count(kind: MediaKind, ref: Ref): void {
    if (!catalogue.shows(kind, ref.id)) {
      counts.notShown++;
      return;
    }
    const isCurrent = catalogue.media(kind, ref.id)?.record === ref.digest;
    const isMissing = config.media.originals && !isCurrent;
    if (isMissing && catalogue.absent(kind, ref)) return;
    counts.kinds[kind].wanted++;
    if (!isMissing) return;
    counts.kinds[kind].missing++;
    counts.missing++;
    if (counts.named.length < maxNamed) counts.named.push(`${nounOf(kind)} ${ref.id}`);
  }

  for (const kind of mediaKinds) {
    for (const list of mediaListsOf(kind)) {
      for (const ref of catalogue.snapshot.refs(list)) count(kind, ref);
    }
  }
  return counts;
}

function nounOf(kind: MediaKind): string {
  return kind === "audio" ? "audio file" : kind.replace(/s$/, "");
}

function describeMissing({ kinds, missing, named }: MediaCounts): string {
  const parts = mediaKinds
    .filter((kind) => kinds[kind].missing > 0)
    .map((kind) => `${kinds[kind].missing} of ${plural(kinds[kind].wanted, nounOf(kind))}`);
  return `${parts.join(", ")} missing: ${named.join(", ")}${andMore(missing - named.length)}`;
}
