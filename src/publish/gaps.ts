import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { GapsError } from "../errors.ts";
import { andMore, plural } from "../lib/words.ts";
import { type MediaKind, mediaKinds } from "../routes/table.ts";
import { mediaListsOf, type SnapshotManifest } from "../store/snapshots.ts";
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
export function countMedia(catalogue: Catalogue, { media }: Pick<Config, "media">) {
  const kinds = mediaKinds.map((kind) => {
    let wanted = 0;
    const missing: string[] = [];
    for (const ref of mediaListsOf(kind).flatMap((list) => [...catalogue.snapshot.refs(list)])) {
      const isMissing = media.originals && catalogue.media(kind, ref.id)?.record !== ref.digest;
      if (isMissing && catalogue.absent(kind, ref)) continue;
      wanted++;
      if (isMissing) missing.push(`${nounOf(kind)} ${ref.id}`);
    }
    return { noun: nounOf(kind), wanted, missing };
  });
  return {
    /** Shown items that should have a file, and those of them without one, or with that of an older record. */
    kinds,
    missing: kinds.reduce((sum, { missing }) => sum + missing.length, 0),
    /** Images that may not be shown: private ones, and unproved ones unless the settings publish them. */
    notShown: catalogue.visibility.notShown().size,
  };
}

function nounOf(kind: MediaKind): string {
  return kind === "audio" ? "audio file" : kind.replace(/s$/, "");
}

function describeMissing({ kinds, missing }: MediaCounts): string {
  const counts = kinds
    .filter((kind) => kind.missing.length > 0)
    .map((kind) => `${kind.missing.length} of ${plural(kind.wanted, kind.noun)}`);
  const named = kinds.flatMap((kind) => kind.missing).slice(0, maxNamed);
  return `${counts.join(", ")} missing: ${named.join(", ")}${andMore(missing - named.length)}`;
}
