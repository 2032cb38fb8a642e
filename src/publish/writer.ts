import { createHash } from "node:crypto";
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readable, StoreError } from "../errors.ts";
import { fileSha256, sha256 } from "../lib/digest.ts";
import { copyAt, isErrno, linkOrCopy, readText, secondsOf } from "../lib/files.ts";
import type { BlobFile, OutputFile } from "../lib/output.ts";
import type { Remark } from "../lib/reporter.ts";
import { foldedPath } from "../routes/readable.ts";
import type { Blobs } from "../store/blobs.ts";
import { stagingFolder } from "./builds.ts";
import { type Deployment, deployedFiles, writeDeployed } from "./deploy.ts";
import type { LeakGuard } from "./leaks.ts";
import {
  type BuiltFile,
  isManifestOf,
  manifestName,
  readDeployManifest,
  writeManifest,
} from "./manifest.ts";
import { damagedFile, renewTree } from "./renew.ts";

export type WriteResult = Awaited<ReturnType<typeof writeBuild>>;

export interface WriterOptions {
  builds: string;
  /** Folder of the build to share unchanged files with. */
  last: string | undefined;
  /** Folder of a build that is kept no longer, whose tree becomes that of the new one. */
  spare?: string | undefined;
  /** The published files by path. */
  before: ReadonlyMap<string, BuiltFile>;
  /** Damaged files of the last build, by path; if it is set, there is a new build in any case. */
  damaged?: ReadonlySet<string> | undefined;
  /** Whether the same program made the last build under the same guard, so that equal keys mean equal bytes. */
  keysHold: boolean;
  /** Whether unchanged files are to be looked through as well. */
  searchAll: boolean;
  guard: LeakGuard;
  blobs: Blobs;
  /** Time of new content. */
  now: Date;
  /** Plans what lies in `deploy/`, from the folder of the build and its files. */
  deployment: (build: string, files: readonly BuiltFile[]) => Deployment;
  /** Whether the last build was for other hosts. */
  hostsDiffer: boolean;
  onFile: () => void;
  /** Waited for before each file is made, linked or kept; what it throws ends the build. */
  pause: () => Promise<void>;
}

/**
 * The one writer: turns output files into a build beside the last one. Files of the last build are shared by hard
 * link, content is made only where its input key is new, and nothing is created where nothing differs. A file's time
 * moves with its content only, and always forwards, so that tools that compare size and time see each difference.
 *
 * @throws GuardError when a file holds what must not be published
 * @throws StoreError when the last build's manifest or a blob is damaged
 */
export async function writeBuild(files: Iterable<OutputFile>, options: WriterOptions) {
  const writer = new BuildWriter(options);
  try {
    if (options.damaged !== undefined) await writer.beginStaging();
    for (const file of files) {
      options.onFile();
      await options.pause();
      await writer.add(file);
    }
    return await writer.finish();
  } catch (error) {
    writer.discard();
    throw error;
  }
}

class BuildWriter {
  readonly #options: WriterOptions;
  readonly #before: Map<string, BuiltFile>;
  readonly #folder: string;
  readonly #folders = new Set<string>();
  readonly #done: BuiltFile[] = [];
  readonly #names = new Map<string, string>();
  /** Paths of the files in the staging folder, where a spare tree has the others. */
  readonly #made = new Set<string>();
  /** `rendered`: files whose content was made; the others followed from their input keys. */
  readonly #counts = { added: 0, changed: 0, rendered: 0 };
  #staged = false;

  constructor(options: WriterOptions) {
    const { builds, before, damaged } = options;
    this.#options = options;
    this.#before = new Map(before);
    for (const path of damaged ?? []) this.#before.delete(path);
    this.#folder = stagingFolder(builds);
  }

  /** From the first difference on there is a new build; what was the same so far is shared into it. */
  async beginStaging(): Promise<void> {
    if (this.#staged) return;
    this.#staged = true;
    if (this.#options.spare !== undefined) return;
    for (const file of this.#done) {
      await this.#options.pause();
      await this.#share(file);
    }
  }

  async add(file: OutputFile): Promise<void> {
    this.#claim(file.path);
    const key = "blob" in file ? file.blob : file.key;
    const same = this.#unchanged(file, key);
    if (same !== undefined) {
      const time = this.#timeOf(file.path, same.sha256);
      return await this.#keep(builtFile({ ...same, key, time }, file));
    }
    await ("blob" in file ? this.#addBlob(file) : this.#addContent(file));
  }

  async finish() {
    const files = this.#done.length;
    const bytes = this.#done.reduce((sum, file) => sum + file.bytes, 0);
    const removed = this.#before.size - (files - this.#counts.added);
    if (removed > 0) await this.beginStaging();
    await this.#renew();
    const folder = this.#folder;
    const { deployment, hostsDiffer } = this.#options;
    const planned = deployment(this.#staged ? folder : this.#last, this.#done);
    if (!this.#staged && (!isDeployed(planned.files, this.#last) || hostsDiffer)) {
      await this.beginStaging();
      await this.#renew();
    }
    if (this.#staged) writeDeployed(folder, planned.files);
    const manifest = join(this.#staged ? folder : this.#last, manifestName);
    // In the last build, keys may have changed, and the content not.
    const isSame = !this.#staged && isManifestOf(manifest, this.#done);
    if (!isSame) writeManifest(manifest, this.#done);
    const name = nameOf(this.#done);
    return {
      ...this.#counts,
      files,
      bytes,
      removed,
      limits: planned.limits,
      /** What is odd about pages. */
      odd: this.#done.flatMap(({ path, about: subject = path, remark: reason }): Remark[] =>
        reason === undefined ? [] : [{ subject, reason }],
      ),
      /**
       * The new build, still in its staging folder; undefined where it would equal the last one. `isWhole`: each of its
       * published files was looked at when it came into the tree, and there is no other.
       */
      staged: this.#staged
        ? { folder, name, isWhole: this.#options.spare !== undefined }
        : undefined,
    };
  }

  discard(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #last(): string {
    return this.#options.last as string;
  }

  async #addBlob(file: BlobFile): Promise<void> {
    const { path, blob } = file;
    const { blobs, guard, now } = this.#options;
    guard.checkBlob(path, blob);
    const bytes = checkedBlob(blobs, blob);
    await this.beginStaging();
    const known = this.#before.has(path) ? this.#timeOf(path, blob) : undefined;
    const time = await linkAt(blobs.pathOf(blob), this.#targetOf(path), known, now);
    this.#written(builtFile({ key: blob, bytes, sha256: blob, time }, file));
  }

  async #addContent(file: Exclude<OutputFile, BlobFile>): Promise<void> {
    const { path, key } = file;
    const text = file.content();
    this.#options.guard.checkText(path, text);
    const bytes = Buffer.from(text as string);
    const remark = file.remark?.();
    const digest = sha256(bytes);
    const time = this.#timeOf(path, digest);
    const built = builtFile({ key, bytes: bytes.length, sha256: digest, remark, time }, file);
    this.#counts.rendered++;
    const isSame = this.#before.get(path)?.sha256 === built.sha256;
    if (isSame && this.#options.last !== undefined) return await this.#keep(built);
    await this.beginStaging();
    const target = this.#targetOf(path);
    writeFileSync(target, bytes, { flag: "wx" });
    utimesSync(target, time, time);
    this.#written(built);
  }

  async #keep(built: BuiltFile): Promise<void> {
    if (this.#staged && this.#options.spare === undefined) await this.#share(built);
    this.#done.push(built);
  }

  /** Brings the spare tree up to date, now that all files are known. */
  async #renew(): Promise<void> {
    const { spare, last = "", pause } = this.#options;
    if (!this.#staged || spare === undefined) return;
    await renewTree({
      staging: this.#folder,
      spare,
      last,
      files: this.#done,
      made: this.#made,
      pause,
    });
  }

  #written(built: BuiltFile): void {
    const known = this.#before.get(built.path);
    if (known === undefined) this.#counts.added++;
    else if (known.sha256 !== built.sha256) this.#counts.changed++;
    this.#made.add(built.path);
    this.#done.push(built);
  }

  /** Seconds since 1970: the time of the published file, or a later one where the content differs. */
  #timeOf(path: string, sha256: string): number {
    const { last = "", now } = this.#options;
    const known = this.#before.get(path);
    if (known === undefined) return Math.floor(now.getTime() / 1000);
    const time = known.time ?? timeOfFile(join(last, "public", path));
    return known.sha256 === sha256 ? time : timeAfter(time, now);
  }

  async #share(file: BuiltFile): Promise<void> {
    const path = join(this.#last, "public", file.path);
    try {
      await linkOrCopy(path, this.#targetOf(file.path));
    } catch (cause) {
      throw isErrno(cause, "ENOENT") ? damagedFile(path, "is missing", cause) : cause;
    }
  }

  #targetOf(path: string): string {
    const target = join(this.#folder, "public", path);
    const above = dirname(target);
    if (!this.#folders.has(above)) {
      mkdirSync(above, { recursive: true });
      this.#folders.add(above);
    }
    return target;
  }

  #claim(path: string): void {
    const folded = foldedPath(path);
    const other = this.#names.get(folded);
    if (other !== undefined) throw new Error(`two files for one path: ${other} and ${path}`);
    this.#names.set(folded, path);
  }

  /** The file of the last build, if it is still right. */
  #unchanged(file: OutputFile, key: string): BuiltFile | undefined {
    const { guard, keysHold, last, searchAll } = this.#options;
    const known = this.#before.get(file.path);
    if (last === undefined || known?.key !== key) return undefined;
    if ("blob" in file) {
      guard.checkBlob(file.path, key);
      return known;
    }
    if (!keysHold) return undefined;
    if (!searchAll) return known;
    const text = readText(join(this.#last, "public", file.path)) ?? "";
    return guard.refuses(file.path, text) ? undefined : known;
  }
}

/** A time of content that follows other content, in seconds since 1970. */
export function timeAfter(time: number, now: Date): number {
  return Math.max(Math.floor(now.getTime() / 1000), time + 1);
}

const timeOfFile = (path: string): number =>
  secondsOf(statSync(path, { throwIfNoEntry: false })) ?? 0;

/**
 * Puts a blob into a build with a time, in seconds since 1970, or with its own unless that is in the future. Returns the
 * time.
 */
async function linkAt(
  blob: string,
  path: string,
  known: number | undefined,
  now: Date,
): Promise<number> {
  const found = statSync(blob);
  const own = Math.floor(found.mtimeMs / 1000);
  const time = known ?? Math.min(own, Math.floor(now.getTime() / 1000));
  if (own !== time) {
    // All links of a file have one time, and what other builds show of it did not change.
    if (found.nlink > 1) {
      await copyAt(blob, path, time);
      return time;
    }
    utimesSync(blob, time, time);
  }
  await linkOrCopy(blob, path);
  return time;
}

/** Name of a build: equal ones have equal names, whenever they were made. */
function nameOf(files: readonly BuiltFile[]): string {
  const sum = createHash("sha256");
  for (const { path, sha256 } of files) sum.update(`${path}\n${sha256}\n`);
  return sum.digest("hex").slice(0, 16);
}

/** In the order of a manifest's members. */
function builtFile(
  { key, bytes, sha256, time, remark }: Omit<BuiltFile, "path">,
  { path, url, about, was }: OutputFile,
): BuiltFile {
  return { path, key, bytes, sha256, time, url, about, was, remark };
}

/** Whether a build has these files; the command `hosts` may have written more. */
function isDeployed(files: Deployment["files"], build: string): boolean {
  const known = readable(() => readDeployManifest(build));
  return deployedFiles(files).every(({ path, sha256 }) => known?.get(path)?.sha256 === sha256);
}

/** Bytes of a blob that goes into a build for the first time. @throws StoreError where it is not what its name says */
function checkedBlob(blobs: Blobs, digest: string): number {
  const path = blobs.pathOf(digest);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && fileSha256(path) === digest) return size;
  throw new StoreError(`${path} is ${size === undefined ? "missing" : "damaged"}`, {
    hint: 'run "stillpress repair" to have it made again',
  });
}
