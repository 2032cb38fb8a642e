import type { Config } from "../config.ts";
import { exitCodes, StillpressError, StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { programDigest } from "../lib/program.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { mirrorFiles } from "../mirror/files.ts";
import type { Routes } from "../routes/table.ts";
import { renderSite } from "../site/render.ts";
import { loadTemplates } from "../site/templates.ts";
import { type Catalogue, openCatalogue } from "../store/catalogue.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { readRecord, writeRecord } from "./record.ts";
import { outputPaths, pruneBuilds, publishedBuild, swapIn } from "./swap.ts";
import { type WriteResult, writeBuild } from "./writer.ts";

export interface BuildInput {
  config: Config;
  store: Store;
  routes: Routes;
  /** Absolute path of the output folder. */
  out: string;
  /** Folder of the user's templates. */
  templates: string;
  /** Builds and publishes also what is known to have gaps. */
  allowIncomplete?: boolean;
  secrets?: readonly string[];
  reporter?: Reporter;
}

export interface BuildResult extends WriteResult {
  manifest: SnapshotManifest;
  /** Whether `out/public` now shows another build than before. */
  published: boolean;
}

/** The snapshot or its media have gaps, and the build was not asked to publish them. */
export class GapsError extends StillpressError {
  readonly exitCode = exitCodes.gaps;
}

/**
 * Renders the latest snapshot into a new build and publishes it, without any request.
 *
 * @throws GapsError when the snapshot is incomplete or media are missing, unless `allowIncomplete`
 * @throws StoreError when there is no snapshot yet
 */
export async function buildArchive(input: BuildInput): Promise<BuildResult> {
  const { config, store, routes, out, reporter = silent } = input;
  const manifest = store.snapshots.latest();
  if (manifest === undefined) {
    throw new StoreError(`${store.folder} holds no snapshot`, {
      hint: 'run "stillpress crawl" first',
    });
  }
  const last = publishedBuild(out);
  const before = last === undefined ? undefined : readRecord(last);
  const program = programDigest();
  const inputs = inputsKey(program, manifest, input);
  if (before?.inputs === inputs) {
    const { files, bytes } = before;
    return { ...nothingWritten, files, bytes, manifest, published: false };
  }
  const catalogue = openCatalogue(store.reader(manifest), store.media, routes, config);
  if (!input.allowIncomplete) refuseGaps(catalogue, config);
  const progress = reporter.stage("build");
  const result = await writeBuild(archiveFiles(catalogue, input), {
    builds: outputPaths(out).builds,
    last,
    keysHold: before?.program === program,
    blobs: store.blobs,
    secrets: input.secrets ?? [],
    onFile: () => progress.advance(),
  });
  const shown = result.build ?? last;
  if (shown !== undefined) {
    const { origin, mirror, media } = config;
    const { files, bytes } = result;
    writeRecord(shown, { program, inputs, files, bytes, settings: { origin, mirror, media } });
  }
  if (result.build !== undefined) swapIn(out, result.build);
  // Only now: creating thousands of files right after removing as many is several times slower on ext4.
  pruneBuilds(out);
  progress.end();
  return { ...result, manifest, published: result.build !== undefined };
}

const nothingWritten = { added: 0, changed: 0, removed: 0, rendered: 0, build: undefined };

/** Key over everything a build is made from: equal keys mean an equal archive. */
function inputsKey(program: string, manifest: SnapshotManifest, input: BuildInput): string {
  const { origin, media, site, mirror } = input.config;
  return keyOf(
    program,
    manifest.id,
    input.allowIncomplete,
    input.store.media.bytes,
    JSON.stringify([origin, media, site, mirror]),
    loadTemplates(input.templates).digest,
  );
}

async function* archiveFiles(
  catalogue: Catalogue,
  { config, templates }: BuildInput,
): AsyncGenerator<OutputFile> {
  yield* renderSite({ catalogue, config, templates });
  yield* mirrorFiles({ catalogue, config });
}

function refuseGaps(catalogue: Catalogue, config: Config): void {
  const { manifest } = catalogue.snapshot;
  const hint = 'run "stillpress snapshot" again, or publish with --allow-incomplete';
  if (!manifest.complete) {
    const open = manifest.proof.filter((proof) => !proof.agreed).map((proof) => proof.list);
    const reasons = [
      ...(open.length > 0 ? [`not proved: ${open.join(", ")}`] : []),
      ...(manifest.problems.length > 0 ? [`${manifest.problems.length} problems`] : []),
    ];
    throw new GapsError(`snapshot ${manifest.id} is incomplete: ${reasons.join("; ")}`, { hint });
  }
  if (!config.media.originals) return;
  const images = missingImages(catalogue);
  if (images.missing > config.crawl.maxProblems) {
    throw new GapsError(
      `snapshot ${manifest.id} is incomplete: ${images.missing} of ${images.total} images missing`,
      { hint },
    );
  }
}

function missingImages(catalogue: Catalogue): { missing: number; total: number } {
  let missing = 0;
  let total = 0;
  for (const { id } of catalogue.snapshot.refs("images")) {
    if (!catalogue.published("images", id)) continue;
    total++;
    if (catalogue.media("images", id) === undefined) missing++;
  }
  return { missing, total };
}
