import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readable } from "../errors.ts";
import { FileList } from "../lib/file-list.ts";
import type { OutputFile } from "../lib/output.ts";
import type { Remark } from "../lib/reporter.ts";
import { foldedPath } from "../routes/readable.ts";
import { removeStaged } from "./builds.ts";
import { type Deployment, deployedFiles, writeDeployed } from "./deploy.ts";
import { FileMaker, type MadeFile, type MakerOptions } from "./maker.ts";
import {
  type BuiltFile,
  isManifestOf,
  manifestName,
  readDeployManifest,
  writeManifest,
} from "./manifest.ts";
import type { Shares } from "./shares.ts";
import { fillTree } from "./tree.ts";

/** Milliseconds between two looks at signals while other threads work. */
const waitMs = 50;

export type WriteResult = Awaited<ReturnType<typeof writeBuild>>;

export interface WriterOptions extends MakerOptions {
  /** Folder of a build that is kept no longer, whose tree becomes that of the new one. */
  spare?: string | undefined;
  /** Whether there is a new build in any case, because files of the last one are damaged. */
  isDamaged: boolean;
  /** Plans what lies in `deploy/`, from the folder of the build and its files. */
  deployment: (build: string, files: FileList<BuiltFile>) => Deployment;
  /** Whether the last build was for other hosts. */
  hostsDiffer: boolean;
  /** Which files this thread makes, and what others have made. */
  shares: Shares;
  onFile: () => void;
  /** Waited for before each file is made, linked or kept; what it throws ends the build. */
  pause: () => Promise<void>;
}

/**
 * The one writer: turns output files into a build beside the last one. Files of the last build are shared by hard link,
 * and nothing is created where nothing differs.
 *
 * @throws GuardError when a file holds what must not be published
 * @throws StoreError when the last build's manifest or a blob is damaged
 */
export async function writeBuild(files: Iterable<OutputFile>, options: WriterOptions) {
  const { staging, shares, onFile, pause } = options;
  const writer = new BuildWriter(options);
  try {
    const maker = new FileMaker(options);
    for (const file of files) {
      onFile();
      await pause();
      const at = writer.claim(file.path);
      if (!shares.isMine(at, file)) continue;
      const made = await maker.make(file);
      writer.take(at, made);
      if (made.isRendered) shares.onRendered();
    }
    for (const [at, made] of await pausing(shares.others(), pause)) writer.take(at, made);
    return await writer.finish();
  } catch (error) {
    await shares.close();
    removeStaged(staging, error);
    throw error;
  }
}

/** Waits for work, and meanwhile for a pause again and again: it can end the build. */
async function pausing<T>(work: Promise<T>, pause: () => Promise<void>): Promise<T> {
  let isWaiting = true;
  const ended = work.finally(() => {
    isWaiting = false;
  });
  ended.catch(() => {});
  while (isWaiting) {
    await Promise.race([ended, sleep(waitMs)]);
    await pause();
  }
  return await ended;
}

class BuildWriter {
  readonly #options: WriterOptions;
  readonly #done = new FileList<BuiltFile>();
  readonly #paths: string[] = [];
  readonly #folded = new Set<string>();
  /** Whether each file lies in the staging folder. */
  readonly #isNew: boolean[] = [];
  readonly #remarks: [at: number, Remark][] = [];
  readonly #counts = { added: 0, changed: 0, rendered: 0 };
  #bytes = 0;
  #staged: boolean;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#staged = options.isDamaged;
  }

  /** Begins a file; returns its place in the order. */
  claim(path: string): number {
    const folded = foldedPath(path);
    if (this.#folded.has(folded)) {
      const other = this.#paths.find((one) => foldedPath(one) === folded);
      throw new Error(`two files for one path: ${other} and ${path}`);
    }
    this.#folded.add(folded);
    return this.#paths.push(path) - 1;
  }

  take(at: number, { built, isNew, isRendered }: MadeFile): void {
    const { path, sha256, bytes, remark: reason, about: subject = path } = built;
    const wanted = this.#paths[at];
    if (wanted !== path) throw new Error(`two threads disagree: ${wanted} and ${path}`);
    this.#done.put(at, built);
    this.#isNew[at] = isNew;
    this.#bytes += bytes;
    if (reason !== undefined) this.#remarks.push([at, { subject, reason }]);
    if (isRendered) this.#counts.rendered++;
    if (!isNew) return;
    this.#staged = true;
    const known = this.#options.before.get(path);
    if (known === undefined) this.#counts.added++;
    else if (known.sha256 !== sha256) this.#counts.changed++;
  }

  async finish() {
    const { staging, deployment, hostsDiffer, before, last = "" } = this.#options;
    const done = this.#done;
    this.#requireAll();
    const files = done.size;
    const removed = before.size - (files - this.#counts.added);
    if (removed > 0) this.#staged = true;
    if (this.#staged) await this.#fillTree();
    const planned = deployment(this.#staged ? staging : last, done);
    if (!this.#staged && (!isDeployed(planned.files, last) || hostsDiffer)) {
      this.#staged = true;
      await this.#fillTree();
    }
    if (this.#staged) writeDeployed(staging, planned.files);
    const manifest = join(this.#staged ? staging : last, manifestName);
    // In the last build, keys may have changed, and the content not.
    const isSame = !this.#staged && isManifestOf(manifest, done);
    if (!isSame) writeManifest(manifest, done);
    return {
      ...this.#counts,
      files,
      bytes: this.#bytes,
      removed,
      limits: planned.limits,
      odd: this.#remarks.sort(([a], [b]) => a - b).map(([, remark]) => remark),
      /** The new build, still in its staging folder; undefined where it would equal the last one. */
      staged: this.#staged ? { folder: staging, name: nameOf(done) } : undefined,
    };
  }

  #requireAll(): void {
    const missing = this.#paths.find((_, at) => !this.#done.isFilled(at));
    if (missing !== undefined) throw new Error(`no thread has made ${missing}`);
  }

  /** Completes the tree of the new build, now that all files are known. */
  async #fillTree(): Promise<void> {
    const { staging, spare, last = "", pause } = this.#options;
    const isNew = (at: number): boolean => this.#isNew[at] === true;
    await fillTree({ staging, spare, last, files: this.#done, isNew, pause });
  }
}

/** Name of a build: equal ones have equal names, whenever they were made. */
function nameOf(files: FileList<BuiltFile>): string {
  const sum = createHash("sha256");
  for (const { path, sha256 } of files.values()) sum.update(`${path}\n${sha256}\n`);
  return sum.digest("hex").slice(0, 16);
}

/** Whether a build has these files; the command `hosts` may have written more. */
function isDeployed(files: Deployment["files"], build: string): boolean {
  const known = readable(() => readDeployManifest(build));
  return deployedFiles(files).every(({ path, sha256 }) => known?.get(path)?.sha256 === sha256);
}
