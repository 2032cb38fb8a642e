import { rmSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createUnsigner, type Unsigner } from "../api/signatures.ts";
import { type Catalogue, openCatalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { programDigest } from "../lib/program.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { isFindable } from "../lib/token.ts";
import { mirrorFiles } from "../mirror/files.ts";
import { rulesOf } from "../routes/rules.ts";
import { createRoutes } from "../routes/table.ts";
import { renderSite } from "../site/render.ts";
import { loadTemplates } from "../site/templates.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { finishBuild, pruneBuilds, recordPublication } from "./builds.ts";
import { canariesOf, withoutUnprovedIds } from "./canaries.ts";
import { deployInto, type ReportedLimit } from "./deploy.ts";
import { countMedia, type KnownGaps, refuseGaps, refuseProblems } from "./gaps.ts";
import { createLeakGuard, type LeakGuard } from "./leaks.ts";
import { type BuildRecord, readRecord, writeRecord } from "./record.ts";
import { outputPaths, publishedBuild, showDeployment, swapIn } from "./swap.ts";
import { type WriteResult, writeBuild } from "./writer.ts";

export interface BuildInput {
  config: Config;
  store: Store;
  out: string;
  templates: string;
  /** Builds and publishes also what is known to have gaps. */
  allowIncomplete?: boolean;
  problems?: number;
  /** Builds and publishes also what has no more gaps than this build of the same snapshot. */
  knownGaps?: KnownGaps | undefined;
  /** Strings that must not occur in any published file, such as the token. */
  secrets?: readonly string[];
  /** Knows the signatures that were seen in this run. */
  unsigner?: Unsigner;
  /**
   * Makes a new build in any case, and takes nothing of these files of the published one, which are damaged; or
   * nothing of it at all.
   */
  damaged?: ReadonlySet<string> | "all";
  reporter?: Reporter;
  now?: () => Date;
  /** Ends the build; what was published stays. */
  signal?: AbortSignal | undefined;
  /** Called when all is ready to be published; where it throws, what was published stays. */
  beforePublish?: () => void;
}

export interface BuildResult extends Omit<WriteResult, "staged"> {
  manifest: SnapshotManifest;
  /** Whether `out/public` now shows another build than before. */
  published: boolean;
  /** Published images, videos, documents and audio files without a file, or with that of an older record. */
  missing: number;
  /** Images that are kept back: private ones, and those that nothing proves public. */
  notShown: number;
  limits: ReportedLimit[];
}

/**
 * Renders the latest snapshot into a new build and publishes it, without any request.
 *
 * @throws GapsError when the snapshot is incomplete or media are missing, unless `allowIncomplete`
 * @throws GuardError when something would be published that must not be
 * @throws StoreError when there is no snapshot yet, or what is there is damaged
 * @throws the signal's reason
 */
export async function buildArchive(input: BuildInput): Promise<BuildResult> {
  const { store, out, damaged, reporter = silent } = input;
  const manifest = store.snapshots.latest();
  if (manifest === undefined) {
    throw new StoreError(`${store.folder} holds no snapshot`, {
      hint: 'run "stillpress crawl" first',
    });
  }
  if (!input.allowIncomplete) refuseProblems(input.problems ?? 0, input.config);
  const config = configOf(manifest, input.config);
  const routes = createRoutes(config, manifest.origins);
  const last = damaged === "all" ? undefined : publishedBuild(out);
  const before = last === undefined ? undefined : readRecord(last);
  const program = programDigest();
  const inputs = inputsKey(program, manifest, { ...input, config });
  const catalogue = once(() => openCatalogue(store.reader(manifest), store.media, routes, config));
  const guard = once(() =>
    createLeakGuard(
      canariesOf(catalogue(), store.media, input.secrets ?? []),
      input.unsigner ?? createUnsigner(config.origin),
    ),
  );
  const deployment = { program, config, root: routes.root, guard };
  if (last !== undefined && before?.inputs === inputs && damaged === undefined) {
    const deployed = await deployInto(last, before, deployment);
    if (deployed !== before.deployment) writeRecord(last, { ...before, deployment: deployed });
    showDeployment(out, last);
    const { files, bytes, missing, held: notShown } = before.totals;
    const counts = { ...nothingWritten, files, bytes, missing, notShown };
    return { ...counts, manifest, limits: deployed.limits, published: false };
  }
  const counted = countMedia(catalogue(), config);
  if (!input.allowIncomplete) refuseGaps(manifest, counted, config, input.knownGaps);
  warnWithoutSecrets(input, reporter);
  const progress = reporter.stage("build");
  const { staged, ...result } = await writeBuild(
    archiveFiles(catalogue(), { ...input, config }, guard()),
    {
      builds: outputPaths(out).builds,
      last,
      damaged: damaged === "all" ? new Set() : damaged,
      keysHold: before?.program === program && before.canaries === guard().idsKey,
      guard: guard(),
      blobs: store.blobs,
      onFile: () => progress.advance(),
    },
  );
  const { origin, mirror, media } = config;
  const { files, bytes } = result;
  const { missing, notShown } = counted;
  const recordOf = (deployed: BuildRecord["deployment"]): BuildRecord => ({
    program,
    inputs,
    snapshot: manifest.id,
    canaries: guard().idsKey,
    totals: { files, bytes, missing, held: notShown },
    deployment: deployed,
    settings: { origin, mirror, media },
  });
  let limits: ReportedLimit[] = [];
  if (staged !== undefined) {
    const { folder, name } = staged;
    try {
      const deployed = await deployInto(folder, undefined, deployment);
      limits = deployed.limits;
      writeRecord(folder, recordOf(deployed));
      input.signal?.throwIfAborted();
      const build = await finishBuild(folder, name);
      input.beforePublish?.();
      const time = (input.now ?? (() => new Date()))();
      // A damaged build is nothing to go back to: this one has its content.
      recordPublication(out, build, time, { inPlace: damaged !== undefined });
      swapIn(out, build);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  } else if (last !== undefined) {
    const deployed = await deployInto(last, before, deployment);
    limits = deployed.limits;
    writeRecord(last, recordOf(deployed));
    showDeployment(out, last);
  }
  // Only now: creating thousands of files right after removing as many is several times slower on ext4.
  pruneBuilds(out, config.keepBuilds);
  progress.end();
  return { ...result, manifest, missing, notShown, limits, published: staged !== undefined };
}

/**
 * The configuration with the addresses of what is published: a snapshot's URLs are those of its own origin, whatever
 * address the configuration names by now, and the mirror stays where it was before the service moved.
 */
function configOf(
  { origin: baseUrl, origins: [first = baseUrl] = [] }: SnapshotManifest,
  config: Config,
): Config {
  const { origin, mirror } = config;
  const published = { ...config, origin: { ...origin, baseUrl } };
  const { root } = rulesOf({ ...config, origin: { ...origin, baseUrl: first } });
  if (root === rulesOf(published).root) return published;
  return { ...published, mirror: { ...mirror, root: `/${root}` } };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What is published is looked through for the token only where that is known. */
function warnWithoutSecrets({ config, secrets = [] }: BuildInput, reporter: Reporter): void {
  if (secrets.some(isFindable)) return;
  if (secrets.length > 0) {
    reporter.warn(
      "the token looks like a word or a number, so published files are not searched for it",
      "ask the service for one of at least 8 characters, or 16 if it is all digits",
    );
    return;
  }
  const { tokenEnv, tokenFile } = config.origin;
  reporter.warn(
    "the token is not known, so published files are not searched for it",
    tokenFile === null ? `set the variable ${tokenEnv}` : `write it to ${tokenFile}`,
  );
}

const nothingWritten = { added: 0, changed: 0, removed: 0, rendered: 0 };

/** Key over everything a build is made from: equal keys mean an equal archive. */
function inputsKey(program: string, manifest: SnapshotManifest, input: BuildInput): string {
  const { origin, media, site, mirror } = input.config;
  return keyOf(
    program,
    manifest.id,
    input.allowIncomplete,
    input.knownGaps !== undefined,
    input.store.media.bytes,
    JSON.stringify([origin, media, site, mirror]),
    loadTemplates(input.templates).digest,
  );
}

/** Files between two looks at what else happens: nothing in a build waits, so that signals would not be heard. */
const breathEvery = 50;

async function* archiveFiles(
  catalogue: Catalogue,
  input: BuildInput,
  guard: LeakGuard,
): AsyncGenerator<OutputFile> {
  let count = 0;
  for await (const file of allFiles(catalogue, input, guard)) {
    if (++count % breathEvery === 0) await setImmediate();
    input.signal?.throwIfAborted();
    yield file;
  }
}

async function* allFiles(
  catalogue: Catalogue,
  { config, templates }: BuildInput,
  guard: LeakGuard,
): AsyncGenerator<OutputFile> {
  for await (const file of renderSite({
    catalogue: withoutUnprovedIds(catalogue),
    config,
    templates,
  })) {
    // In a title or a text an id is a word like any other, which no page knows to be one. Of a body the parser decodes
    // what hid a signed link.
    yield withContent(file, (content) => guard.withoutIds(guard.unsigned(content)));
  }
  // A signature in one answer may be known only by another one, which came later.
  for (const file of mirrorFiles({ catalogue, config })) yield withContent(file, guard.unsigned);
}

function withContent(file: OutputFile, change: LeakGuard["unsigned"]): OutputFile {
  return "blob" in file ? file : { ...file, content: () => change(file.content()) };
}
