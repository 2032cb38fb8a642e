import { rmSync } from "node:fs";
import type { Config } from "../config.ts";
import { GapsError, GuardError, StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { programDigest } from "../lib/program.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import { mirrorFiles } from "../mirror/files.ts";
import type { Routes } from "../routes/table.ts";
import { renderSite } from "../site/render.ts";
import { loadTemplates } from "../site/templates.ts";
import { type Catalogue, openCatalogue } from "../store/catalogue.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { deployFolder, descriptionOf, type ReportedLimit, writeDeployment } from "./deploy.ts";
import { type BuildRecord, readRecord, writeRecord } from "./record.ts";
import { outputPaths, pruneBuilds, publishedBuild, showDeployment, swapIn } from "./swap.ts";
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
  /** Published images without a file, or with that of an older record. */
  missing: number;
  /** Images that are kept back: private ones, and those that nothing proves public. */
  held: number;
  /** What the configured hosts cannot do with the archive. */
  limits: ReportedLimit[];
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
  if (last !== undefined && before?.inputs === inputs) {
    const deployment = deploy(last, before, program, config, routes.root);
    if (deployment !== before.deployment) writeRecord(last, { ...before, deployment });
    showDeployment(out, last);
    const { limits } = deployment;
    return { ...nothingWritten, ...before.totals, manifest, limits, published: false };
  }
  const catalogue = openCatalogue(store.reader(manifest), store.media, routes, config);
  const images = countImages(catalogue, config);
  if (!input.allowIncomplete) refuseGaps(manifest, images, config);
  const progress = reporter.stage("build");
  let limits: ReportedLimit[] = [];
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
    const { missing, held } = images;
    const totals = { files, bytes, missing, held };
    try {
      const deployment = deploy(shown, undefined, program, config, routes.root);
      limits = deployment.limits;
      const settings = { origin, mirror, media };
      writeRecord(shown, { program, inputs, totals, deployment, settings });
    } catch (error) {
      if (result.build !== undefined) rmSync(result.build, { recursive: true, force: true });
      throw error;
    }
  }
  if (result.build !== undefined) swapIn(out, result.build);
  // Only now: creating thousands of files right after removing as many is several times slower on ext4.
  pruneBuilds(out);
  progress.end();
  const { missing, held } = images;
  const published = result.build !== undefined;
  return { ...result, manifest, missing, held, limits, published };
}

/**
 * Writes the host configurations of a build, unless its record says that they are there.
 *
 * @throws GuardError where the archive goes beyond what a configured host takes
 */
function deploy(
  build: string,
  before: BuildRecord | undefined,
  program: string,
  { hosts }: Config,
  root: string,
): BuildRecord["deployment"] {
  const key = keyOf(program, ...hosts);
  if (before?.deployment.key === key) return before.deployment;
  rmSync(deployFolder(build), { recursive: true, force: true });
  const limits = writeDeployment(build, descriptionOf(build, root), hosts);
  const exceeded = limits.filter((limit) => limit.exceeded);
  if (exceeded.length > 0) {
    const reasons = exceeded.map(({ host, text }) => `${host}: ${text}`).join("; ");
    throw new GuardError(`the archive is more than a host takes: ${reasons}`, {
      hint: "take the host out of the setting hosts, or make the archive smaller",
    });
  }
  return { key, limits };
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

function refuseGaps(manifest: SnapshotManifest, images: ImageCounts, config: Config): void {
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

interface ImageCounts {
  published: number;
  missing: number;
  held: number;
}

function countImages(catalogue: Catalogue, config: Config): ImageCounts {
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
