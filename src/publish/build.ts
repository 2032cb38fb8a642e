import { existsSync } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createUnsigner, type Unsigner } from "../api/signatures.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { otherSecrets } from "../config/other-secrets.ts";
import type { Config } from "../config.ts";
import { GuardError, readable, StoreError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import type { FileList, FilesByPath } from "../lib/file-list.ts";
import { otherWork } from "../lib/other-work.ts";
import { programDigest } from "../lib/program.ts";
import { type Remark, type Reporter, silent } from "../lib/reporter.ts";
import { isFindable } from "../lib/token.ts";
import { withLearnedPaths } from "../routes/learned.ts";
import { rulesOf } from "../routes/rules.ts";
import type { Templates } from "../site/templates.ts";
import { loadTheme } from "../site/theme.ts";
import type { SnapshotManifest } from "../store/snapshots.ts";
import type { Store } from "../store/store.ts";
import { formerPathsIn } from "./addresses.ts";
import {
  finishBuild,
  keepPublished,
  pruneBuilds,
  recordPublication,
  removeStaged,
  spareBuild,
  stagingFolder,
} from "./builds.ts";
import { refuseNoLongerShown } from "./canaries.ts";
import {
  type Deployment,
  descriptionOf,
  planDeployment,
  redirectsIn,
  refuseExceeded,
} from "./deploy.ts";
import { countMedia, type KnownGaps, refuseGaps, refuseProblems } from "./gaps.ts";
import { keptFilesPath, readHistory } from "./kept.ts";
import type { LeakGuard } from "./leaks.ts";
import { type BuiltFile, readBuildManifest } from "./manifest.ts";
import { openSearched } from "./originals.ts";
import { type BuildRecord, readRecord, writeRecord } from "./record.ts";
import { readShownFiles, undamaged } from "./shown-files.ts";
import { checkLinks, outputPaths, publishedBuild, showDeployment, swapIn } from "./swap.ts";
import type { ShownArchive } from "./website.ts";
import { hidingAsNow, tellWithheld } from "./withheld.ts";
import { writeArchive } from "./write-archive.ts";
import type { WriteResult } from "./writer.ts";

export interface BuildInput {
  config: Config;
  store: Store;
  out: string;
  templates: string;
  allowIncomplete?: boolean;
  problems?: number;
  /** Publishes despite the gaps that this build of the same snapshot has. */
  knownGaps?: KnownGaps | undefined;
  /** Strings that must not occur in any published file, such as the token. */
  secrets?: readonly string[];
  unsigner?: Unsigner;
  /** Damaged files of the published build: they are not shared, and there is a new build in any case. */
  damaged?: ReadonlySet<string> | "all";
  /** Id of an older snapshot to show, instead of the latest. What is hidden now stays hidden. */
  snapshot?: string | undefined;
  /** An earlier build of `snapshot` whose folder is gone: it is made again, and published if it has the same files. */
  again?: { name: string; files: FilesByPath<BuiltFile> } | undefined;
  reporter?: Reporter;
  now?: () => Date;
  /** Ends the build; what was published stays. */
  signal?: AbortSignal | undefined;
  /** Called just before the swap; if it throws, what was published stays. */
  beforePublish?: () => void;
}

export interface BuildResult extends Omit<WriteResult, "staged" | "odd"> {
  manifest: SnapshotManifest;
  /** What the build shows, where it had to be opened. */
  shown?: ShownArchive;
  /** Whether `out/public` now shows other files than before, or whole files in the place of damaged ones. */
  published: boolean;
  /** Published images, videos, documents and audio files without a file, or with that of an older record. */
  missing: number;
  /** Private and unproved images, which are kept back. */
  notShown: number;
  /** What is odd about pages and their addresses, and which originals are not published because of what they say. */
  remarks: Remark[];
}

/**
 * Renders the latest snapshot, or an older one, into a build, and publishes it, without any request.
 *
 * @throws GapsError when the snapshot is incomplete or media are missing, unless `allowIncomplete`
 * @throws GuardError when something would be published that must not be
 * @throws StoreError when there is no snapshot yet, or what is there is damaged
 * @throws the signal's reason
 */
export async function buildArchive(input: BuildInput): Promise<BuildResult> {
  const { store, out, damaged, again, reporter = silent } = input;
  const { manifest, entries, settings } = chosenBy(input);
  if (!input.allowIncomplete) refuseProblems(input.problems ?? 0, settings);
  const config = configOf(manifest, settings);
  const last = damaged === "all" ? undefined : publishedBuild(out);
  const before = last === undefined ? undefined : readRecord(last);
  const unsigner = input.unsigner ?? createUnsigner(config.origin);
  const program = programDigest();
  const theme = await loadTheme(input.templates, config.site);
  const inputs = inputsKey(program, manifest.id, { ...input, config }, theme);
  const secrets = [...(input.secrets ?? []), ...otherSecrets(config.origin)];
  const searched = searchedFor(secrets, unsigner);
  const searchAll = searched.some((secret) => !before?.searched.includes(secret));
  const isSame = before?.inputs === inputs && !searchAll && damaged === undefined;
  if (last !== undefined && isSame) {
    settle(out, last);
    return { ...nothingNew(before), manifest };
  }
  checkLinks(out);
  const shown = readShownFiles(out, last, reporter);
  const { catalogue, guard, withheld, keysHold } = await openSearched(
    { ...input, config, manifest, entries, unsigner, searchAll },
    before?.program === program ? { record: before, files: shown.files } : undefined,
  );
  const counted = countMedia(catalogue, config);
  const { missing, notShown } = counted;
  if (!input.allowIncomplete) refuseGaps(manifest, counted, config, input.knownGaps);
  const isLatest = input.snapshot === undefined;
  const unproved = isLatest ? tellWithheld(store.reader(manifest), catalogue, reporter) : [];
  warnWithoutSecrets(input, reporter);
  const progress = reporter.stage("build");
  const made = await writeArchive({
    config,
    manifest,
    catalogue,
    theme,
    unsigner,
    former: formerPathsIn(again?.files ?? shown.files),
    writer: {
      ...writerOptions({ ...input, config }, { last, before, catalogue, guard }),
      before: undamaged(shown, damaged),
      keysHold,
      searchAll,
      onFile: () => progress.advance(),
    },
    threads: threadsNeed(input, shown.path, withheld.blobs),
    reporter,
  });
  const { staged, limits, odd, remarks: moved, ...written } = made;
  const { files, bytes, added, changed, removed } = written;
  const { origin, mirror, media, site } = config;
  const remarks = [...catalogue.remarks, ...moved, ...withheld.remarks, ...odd, ...unproved];
  const record = {
    program,
    inputs,
    snapshot: manifest.id,
    canaries: guard.idsKey,
    searched,
    remarks,
    withheld: withheld.blobs,
    totals: { files, bytes, missing, held: notShown },
    deployment: { limits, hosts: config.hosts },
    site,
    settings: { origin, mirror, media },
  };
  const differs = added + changed + removed > 0;
  if (staged !== undefined) await publish(staged, record, differs, input);
  else if (last !== undefined) {
    writeRecord(last, record);
    showDeployment(out, last);
    keepPublished(out);
  }
  // Removed last: on ext4, creating thousands of files right after removing as many is several times slower.
  await pruneBuilds(out, config.keepBuilds);
  if (isLatest) store.prepared.sweep();
  progress.end();
  // Where only the store was kept, the same files as before are no news.
  const published = differs || damaged !== undefined;
  const shows = { catalogue, guard };
  return { ...written, manifest, shown: shows, missing, notShown, limits, remarks, published };
}

/** The snapshot to show, what was known of its files, and the settings for it. */
function chosenBy({ store, config, snapshot, again }: BuildInput) {
  if (snapshot === undefined) {
    return { manifest: requireSnapshot(store), entries: store.media, settings: config };
  }
  const blobs = again && new Set(Array.from(again.files.values(), ({ sha256 }) => sha256));
  return {
    manifest: store.snapshots.load(snapshot),
    entries: store.media.asOf(snapshot, blobs),
    settings: again ? config : hidingAsNow(store, config),
  };
}

/** Lets signals come: nothing else in a build waits. @throws the signal's reason */
async function hear(signal: AbortSignal | undefined): Promise<void> {
  await otherWork();
  signal?.throwIfAborted();
}

/** The latest snapshot. @throws StoreError before the first crawl */
export function requireSnapshot({ snapshots, folder }: Store): SnapshotManifest {
  const manifest = snapshots.latest();
  if (manifest !== undefined) return manifest;
  throw new StoreError(`${folder} holds no snapshot`, { hint: 'run "stillpress crawl" first' });
}

/** Does what a killed run may have left to be done for the build that it published. */
function settle(out: string, build: string): void {
  showDeployment(out, build);
  const shown = readable(() => readHistory(out))?.shown;
  if (shown !== basename(build) || !existsSync(keptFilesPath(out, shown))) keepPublished(out);
}

function nothingNew({ totals, deployment, remarks }: BuildRecord): Omit<BuildResult, "manifest"> {
  const { files, bytes, missing, held: notShown } = totals;
  const written = { files, bytes, added: 0, changed: 0, removed: 0, rendered: 0 };
  return { ...written, missing, notShown, limits: deployment.limits, remarks, published: false };
}

/** @throws GuardError when a file holds what must not be published, or a limit of a host is exceeded */
function planWithin(guard: LeakGuard, ...plan: Parameters<typeof planDeployment>): Deployment {
  const planned = planDeployment(...plan);
  for (const [path, pieces] of planned.files)
    for (const piece of pieces) guard.checkText(`deploy/${path}`, piece);
  refuseExceeded(planned.limits);
  return planned;
}

/** Publishes what was written. A failure leaves nothing of it, unless it is whole and durable already. */
async function publish(
  { folder, name }: NonNullable<WriteResult["staged"]>,
  record: BuildRecord,
  differs: boolean,
  { out, config, damaged, again, signal, beforePublish, now = () => new Date() }: BuildInput,
): Promise<void> {
  try {
    writeRecord(folder, record);
    signal?.throwIfAborted();
    if (again !== undefined) {
      refuseOthers(folder, again);
      await refuseNoLongerShown(out, folder, config);
    }
    const build = await finishBuild(folder, again?.name ?? name);
    beforePublish?.();
    // No rollback should lead to a damaged build, or to one with the same content.
    const inPlace = damaged !== undefined || !differs;
    if (again === undefined) recordPublication(out, build, now(), inPlace);
    swapIn(out, build);
    keepPublished(out);
  } catch (error) {
    removeStaged(folder, error);
    throw error;
  }
}

/** @throws GuardError where what was made is not what the earlier build was */
function refuseOthers(folder: string, { name, files }: NonNullable<BuildInput["again"]>): void {
  const made = readBuildManifest(folder);
  const paths = [...new Set([...files.keys(), ...made.keys()])];
  const others = paths.filter((path) => files.get(path)?.sha256 !== made.get(path)?.sha256);
  if (others.length === 0) return;
  const which = `${others.length} of ${files.size} files differ, such as ${others[0]}`;
  throw new GuardError(`build ${name} cannot be made again as it was: ${which}`, {
    hint: "nothing was changed; use the version of stillpress and the settings that made it",
  });
}

function writerOptions(
  { store, out, config, damaged, again, signal, now = () => new Date() }: BuildInput,
  { last, before, catalogue, guard }: Ground,
) {
  const { hosts } = config;
  return {
    staging: stagingFolder(outputPaths(out).builds),
    last,
    spare: (damaged ?? again) ? undefined : spareBuild(out, config.keepBuilds),
    isDamaged: damaged !== undefined,
    now: now(),
    guard,
    blobs: store.blobs,
    deployment(build: string, files: FileList<BuiltFile>) {
      const description = descriptionOf(build, catalogue.routes.root);
      return planWithin(guard, files, description, hosts, redirectsIn(build));
    },
    hostsDiffer: !isDeepStrictEqual(before?.deployment.hosts ?? hosts, hosts),
    pause: () => hear(signal),
  };
}

interface Ground {
  /** Folder of the published build, and its record. */
  last: string | undefined;
  before: BuildRecord | undefined;
  catalogue: Catalogue;
  guard: LeakGuard;
}

/** What threads need to make files of the latest snapshot. Builds of others, and those that mend, are made in one. */
function threadsNeed(input: BuildInput, before: string | undefined, withheld: readonly string[]) {
  const { store, templates, secrets = [], damaged, snapshot } = input;
  if (damaged !== undefined || snapshot !== undefined) return undefined;
  return { store: store.folder, templates, secrets, withheld, before };
}

/** Digests of the secrets that files are searched for, and of the hosts of signed links, as each night signs anew. */
function searchedFor(secrets: readonly string[], unsigner: Unsigner): string[] {
  const findable = secrets.filter(isFindable);
  return [...new Set([...findable, ...unsigner.hosts()])].map((secret) => keyOf(secret)).sort();
}

/** The configuration with the origin of the snapshot, and the mirror where it was before the service moved. */
function configOf(manifest: SnapshotManifest, config: Config): Config {
  const { origin, mirror } = config;
  const [first = manifest.origin] = manifest.origins ?? [];
  const ofSnapshot = { ...config, origin: { ...origin, baseUrl: manifest.origin } };
  const published = withLearnedPaths(ofSnapshot, manifest.learned);
  const { root } = rulesOf({ ...config, origin: { ...origin, baseUrl: first } });
  if (root === rulesOf(published).root) return published;
  return { ...published, mirror: { ...mirror, root: `/${root}` } };
}

/** Published files are searched for the token only where it is known. */
function warnWithoutSecrets({ config, secrets = [] }: BuildInput, reporter: Reporter): void {
  if (secrets.some(isFindable)) return;
  const { tokenEnv, tokenFile } = config.origin;
  const where = tokenFile === null ? `set the variable ${tokenEnv}` : `write it to ${tokenFile}`;
  const another = "ask the service for one of at least 8 characters, or 16 if it is all digits";
  const [reason, hint] =
    secrets.length === 0 ? ["is not known", where] : ["looks like a word or a number", another];
  reporter.warn(`the token ${reason}, so published files are not searched for it`, hint);
}

/** Key over everything a build is made from: equal keys mean an equal archive. */
function inputsKey(program: string, snapshot: string, input: BuildInput, theme: Templates) {
  const { origin, media, site, mirror, hosts } = input.config;
  const settings = JSON.stringify([origin, media, site, mirror, hosts]);
  const gaps = [input.allowIncomplete, input.knownGaps !== undefined];
  return keyOf(program, snapshot, gaps, input.store.media.bytes, settings, theme.digest);
}
