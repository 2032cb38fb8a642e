import { rmSync } from "node:fs";
import type { Config } from "../config.ts";
import { GuardError, StoreError } from "../errors.ts";
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
import { finishBuild, pruneBuilds, recordPublication } from "./builds.ts";
import { deployFolder, descriptionOf, type ReportedLimit, writeDeployment } from "./deploy.ts";
import { countImages, refuseGaps } from "./gaps.ts";
import { canariesOf } from "./held.ts";
import { createLeakGuard, type LeakGuard } from "./leaks.ts";
import { type BuildRecord, readRecord, writeRecord } from "./record.ts";
import { outputPaths, publishedBuild, showDeployment, swapIn } from "./swap.ts";
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
  /** Strings that must not occur in any published file, such as the token. */
  secrets?: readonly string[];
  /**
   * Makes a new build in any case, and takes nothing of these files of the published one, which are damaged; or
   * nothing of it at all.
   */
  damaged?: ReadonlySet<string> | "all";
  reporter?: Reporter;
  /** Tells when a build is published. */
  now?: () => Date;
}

export interface BuildResult extends Omit<WriteResult, "staged"> {
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
 * @throws GuardError when something would be published that must not be
 * @throws StoreError when there is no snapshot yet, or what is there is damaged
 */
export async function buildArchive(input: BuildInput): Promise<BuildResult> {
  const { config, store, routes, out, damaged, reporter = silent } = input;
  const manifest = store.snapshots.latest();
  if (manifest === undefined) {
    throw new StoreError(`${store.folder} holds no snapshot`, {
      hint: 'run "stillpress crawl" first',
    });
  }
  const last = damaged === "all" ? undefined : publishedBuild(out);
  const before = last === undefined ? undefined : readRecord(last);
  const program = programDigest();
  const inputs = inputsKey(program, manifest, input);
  const catalogue = once(() => openCatalogue(store.reader(manifest), store.media, routes, config));
  const guard = once(() =>
    createLeakGuard(canariesOf(catalogue(), store.media, input.secrets ?? [])),
  );
  const deployInto = (build: string, known: BuildRecord | undefined): BuildRecord["deployment"] =>
    deploy(build, known, { program, config, root: routes.root, guard });
  if (last !== undefined && before?.inputs === inputs && damaged === undefined) {
    const deployment = deployInto(last, before);
    if (deployment !== before.deployment) writeRecord(last, { ...before, deployment });
    showDeployment(out, last);
    const { limits } = deployment;
    return { ...nothingWritten, ...before.totals, manifest, limits, published: false };
  }
  const images = countImages(catalogue(), config);
  if (!input.allowIncomplete) refuseGaps(manifest, images, config);
  const progress = reporter.stage("build");
  const { staged, ...result } = await writeBuild(archiveFiles(catalogue(), input, guard()), {
    builds: outputPaths(out).builds,
    last,
    damaged: damaged === "all" ? new Set() : damaged,
    keysHold: before?.program === program,
    guardHolds: before?.canaries === guard().idsKey,
    guard: guard(),
    blobs: store.blobs,
    onFile: () => progress.advance(),
  });
  const { origin, mirror, media } = config;
  const { files, bytes } = result;
  const { missing, held } = images;
  const recordOf = (deployment: BuildRecord["deployment"]): BuildRecord => ({
    program,
    inputs,
    snapshot: manifest.id,
    canaries: guard().idsKey,
    totals: { files, bytes, missing, held },
    deployment,
    settings: { origin, mirror, media },
  });
  let limits: ReportedLimit[] = [];
  if (staged !== undefined) {
    const { folder, name } = staged;
    try {
      const deployment = deployInto(folder, undefined);
      limits = deployment.limits;
      writeRecord(folder, recordOf(deployment));
      const build = await finishBuild(folder, name);
      const time = (input.now ?? (() => new Date()))();
      // A damaged build is nothing to go back to: this one has its content.
      recordPublication(out, build, time, { inPlace: damaged !== undefined });
      swapIn(out, build);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  } else if (last !== undefined) {
    const deployment = deployInto(last, before);
    limits = deployment.limits;
    writeRecord(last, recordOf(deployment));
    showDeployment(out, last);
  }
  // Only now: creating thousands of files right after removing as many is several times slower on ext4.
  pruneBuilds(out, config.keepBuilds);
  progress.end();
  return { ...result, manifest, missing, held, limits, published: staged !== undefined };
}

/** A value that is made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface DeployOptions {
  program: string;
  config: Pick<Config, "hosts">;
  /** Of the mirror. */
  root: string;
  guard: () => LeakGuard;
}

/**
 * Writes the host configurations of a build, unless its record says that they are there.
 *
 * @throws GuardError where the archive goes beyond what a configured host takes
 */
function deploy(
  build: string,
  before: BuildRecord | undefined,
  { program, config, root, guard }: DeployOptions,
): BuildRecord["deployment"] {
  const key = keyOf(program, ...config.hosts);
  if (before?.deployment.key === key) return before.deployment;
  rmSync(deployFolder(build), { recursive: true, force: true });
  const description = descriptionOf(build, root);
  const limits = writeDeployment(build, description, config.hosts, guard());
  const exceeded = limits.filter((limit) => limit.exceeded);
  if (exceeded.length > 0) {
    const reasons = exceeded.map(({ host, text }) => `${host}: ${text}`).join("; ");
    throw new GuardError(`the archive is more than a host takes: ${reasons}`, {
      hint: "take the host out of the setting hosts, or make the archive smaller",
    });
  }
  return { key, limits };
}

const nothingWritten = { added: 0, changed: 0, removed: 0, rendered: 0 };

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
  guard: LeakGuard,
): AsyncGenerator<OutputFile> {
  for await (const file of renderSite({ catalogue, config, templates })) {
    // In a title or a text an id is a word like any other, which no page knows to be one.
    yield "blob" in file ? file : { ...file, content: () => guard.withoutIds(file.content()) };
  }
  yield* mirrorFiles({ catalogue, config });
}
