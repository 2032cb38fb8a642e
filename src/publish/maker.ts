import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileSha256, sha256 } from "../lib/digest.ts";
import type { FilesByPath } from "../lib/file-list.ts";
import { copyAt, linkOrCopy, readText, secondsOf } from "../lib/files.ts";
import type { BlobFile, DrawnFile, OutputFile } from "../lib/output.ts";
import { missing } from "../store/blob-place.ts";
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

  /** @throws GuardError when a file holds what must not be published @throws StoreError when a blob is damaged */
  async make(file: OutputFile): Promise<MadeFile> {
    const key = "blob" in file ? file.blob : file.key();
    const known = this.#options.before.get(file.path);
    if (known !== undefined && this.#isUnchanged(file, key, known)) {
      const built = builtFile({ ...known, time: this.#timeOf(known) }, file);
      return { built, isNew: false, isRendered: false };
    }
    if ("blob" in file) return await this.#linkBlob(file, known);
    return this.#write(file, key, known, "draw" in file ? await this.#draw(file) : file.content());
  }

  async #linkBlob(file: BlobFile, known: BuiltFile | undefined): Promise<MadeFile> {
    const { path, blob } = file;
    const { blobs, guard, now } = this.#options;
    guard.checkBlob(path, blob);
    const wanted = known && this.#timeAfter(known, blob);
    const { bytes, time } = await blobs.use(blob, async (source) => {
      if (fileSha256(source) !== blob) throw missing(source, "damaged");
      const { size } = statSync(source);
      return { bytes: size, time: await linkAt(source, this.#targetOf(path), wanted, now) };
    });
    const built = builtFile({ key: blob, bytes, sha256: blob, time }, file);
    return { built, isNew: true, isRendered: false };
  }

  async #draw({ path, source, text, draw }: DrawnFile): Promise<Uint8Array> {
    const { guard, blobs } = this.#options;
    guard.checkText(path, text);
    if (source === undefined) return await draw("", text);
    guard.checkBlob(path, source);
    return await blobs.use(source, (file) => draw(file, text));
  }

  #write(
    file: OutputFile,
    key: string,
    known: BuiltFile | undefined,
    text: string | Uint8Array,
  ): MadeFile {
    const { path } = file;
    const { guard, last, now } = this.#options;
    guard.checkText(path, text);
    const bytes = Buffer.from(text as string);
    const remark = file.remark?.();
    const digest = sha256(bytes);
    const time = known ? this.#timeAfter(known, digest) : Math.floor(now.getTime() / 1000);
    const built = builtFile({ key, bytes: bytes.length, sha256: digest, remark, time }, file);
    const isNew = known?.sha256 !== digest || last === undefined;
    if (isNew) {
      const target = this.#targetOf(path);
      writeFileSync(target, bytes, { flag: "wx" });
      utimesSync(target, time, time);
    }
    return { built, isNew, isRendered: true };
  }

  /** Whether the file of the last build is still right. */
  #isUnchanged(file: OutputFile, key: string, known: BuiltFile): boolean {
    const { guard, keysHold, last, searchAll } = this.#options;
    if (last === undefined || known.key !== key) return false;
    if ("blob" in file) {
      guard.checkBlob(file.path, key);
      return true;
    }
    if ("draw" in file) {
      guard.checkText(file.path, file.text);
      if (file.source !== undefined) guard.checkBlob(file.path, file.source);
      return true;
    }
    if (!keysHold || !searchAll) return keysHold;
    const text = readText(join(last, "public", file.path)) ?? "";
    return !guard.refuses(file.path, text);
  }

  /** Seconds since 1970. */
  #timeOf({ path, time }: BuiltFile): number {
    const { last = "" } = this.#options;
    return time ?? timeOfFile(join(last, "public", path));
  }

  /** The time of the published file, or a later one where the content differs. */
  #timeAfter(known: BuiltFile, sha256: string): number {
    const time = this.#timeOf(known);
    return known.sha256 === sha256 ? time : timeAfter(time, this.#options.now);
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
    const isOurs = found.uid === (process.getuid?.() ?? found.uid);
    // All links of a file have one time, and what other builds show of it did not change.
    if (found.nlink > 1 || !isOurs) {
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
  { path, url, name, about, was }: OutputFile,
): BuiltFile {
  return { path, key, bytes, sha256, time, url, name, about, was, remark };
}
