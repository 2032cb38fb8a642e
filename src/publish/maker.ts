import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { fileSha256, sha256 } from "../lib/digest.ts";
import type { FilesByPath } from "../lib/file-list.ts";
import { copyAt, linkOrCopy, readText, secondsOf } from "../lib/files.ts";
import type { BlobFile, OutputFile, RenderedFile } from "../lib/output.ts";
import type { Blobs } from "../store/blobs.ts";
import type { LeakGuard } from "./leaks.ts";
import type { BuiltFile } from "./manifest.ts";

export interface MakerOptions {
  /** Folder of the new build. What is made comes to lie below its `public`. */
  staging: string;
  /** Folder of the build to share unchanged files with. */
  last?: string | undefined;
  /** The published files by path, without damaged ones. */
  before: FilesByPath<BuiltFile>;
  /** Whether the same program made the last build under the same guard, so that equal keys mean equal bytes. */
  keysHold: boolean;
  /** Whether unchanged files are to be looked through as well. */
  searchAll: boolean;
  guard: LeakGuard;
  blobs: Blobs;
  /** Time of new content. */
  now: Date;
}

/** How a file got into a build. */
export interface MadeFile {
  built: BuiltFile;
  /** Whether it lies in the staging folder; else it is the last build's. */
  isNew: boolean;
  /** Whether its content was made; else it followed from its key. */
  isRendered: boolean;
}

/**
 * Makes the files of a build, each apart from the others. Content is made only where its input key is new, and written
 * only where it differs. A file's time moves with its content only, and always forwards, so that tools that compare size
 * and time see each difference.
 */
export class FileMaker {
  readonly #options: MakerOptions;
  readonly #folders = new Set<string>();

  constructor(options: MakerOptions) {
    this.#options = options;
  }

  /**
   * @throws GuardError when a file holds what must not be published
   * @throws StoreError when a blob is damaged
   */
  async make(file: OutputFile): Promise<MadeFile> {
    const key = "blob" in file ? file.blob : file.key();
    const same = this.#unchanged(file, key);
    if (same !== undefined) {
      const time = this.#timeOf(file.path, same.sha256);
      const built = builtFile({ ...same, key, time }, file);
      return { built, isNew: false, isRendered: false };
    }
    return "blob" in file ? await this.#linkBlob(file) : this.#write(file, key);
  }

  async #linkBlob(file: BlobFile): Promise<MadeFile> {
    const { path, blob } = file;
    const { blobs, guard, now, before } = this.#options;
    guard.checkBlob(path, blob);
    const bytes = checkedBlob(blobs, blob);
    const known = before.has(path) ? this.#timeOf(path, blob) : undefined;
    const time = await linkAt(blobs.pathOf(blob), this.#targetOf(path), known, now);
    const built = builtFile({ key: blob, bytes, sha256: blob, time }, file);
    return { built, isNew: true, isRendered: false };
  }

  #write(file: RenderedFile & OutputFile, key: string): MadeFile {
    const { path } = file;
    const { guard, before, last } = this.#options;
    const text = file.content();
    guard.checkText(path, text);
    const bytes = Buffer.from(text as string);
    const remark = file.remark?.();
    const digest = sha256(bytes);
    const time = this.#timeOf(path, digest);
    const built = builtFile({ key, bytes: bytes.length, sha256: digest, remark, time }, file);
    const isNew = before.get(path)?.sha256 !== digest || last === undefined;
    if (isNew) {
      const target = this.#targetOf(path);
      writeFileSync(target, bytes, { flag: "wx" });
      utimesSync(target, time, time);
    }
    return { built, isNew, isRendered: true };
  }

  /** The file of the last build, if it is still right. */
  #unchanged(file: OutputFile, key: string): BuiltFile | undefined {
    const { before, guard, keysHold, last, searchAll } = this.#options;
    const known = before.get(file.path);
    if (last === undefined || known?.key !== key) return undefined;
    if ("blob" in file) {
      guard.checkBlob(file.path, key);
      return known;
    }
    if (!keysHold) return undefined;
    if (!searchAll) return known;
    const text = readText(join(last, "public", file.path)) ?? "";
    return guard.refuses(file.path, text) ? undefined : known;
  }

  /** Seconds since 1970: the time of the published file, or a later one where the content differs. */
  #timeOf(path: string, sha256: string): number {
    const { before, last = "", now } = this.#options;
    const known = before.get(path);
    if (known === undefined) return Math.floor(now.getTime() / 1000);
    const time = known.time ?? timeOfFile(join(last, "public", path));
    return known.sha256 === sha256 ? time : timeAfter(time, now);
  }

  #targetOf(path: string): string {
    const target = join(this.#options.staging, "public", path);
    const above = dirname(target);
    if (!this.#folders.has(above)) {
      mkdirSync(above, { recursive: true });
      this.#folders.add(above);
    }
    return target;
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

/** In the order of a manifest's members. */
function builtFile(
  { key, bytes, sha256, time, remark }: Omit<BuiltFile, "path">,
  { path, url, about, was }: OutputFile,
): BuiltFile {
  return { path, key, bytes, sha256, time, url, about, was, remark };
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
