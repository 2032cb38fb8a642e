import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { fileSha256, sha256 } from "../lib/digest.ts";
import { isErrno, linkOrCopy, readText, writeDurably } from "../lib/files.ts";
import type { OutputFile } from "../lib/output.ts";
import type { Blobs } from "../store/blobs.ts";
import { stagingFolder } from "./builds.ts";
import type { LeakGuard } from "./leaks.ts";
import { type BuiltFile, manifestName, manifestText, readBuildManifest } from "./manifest.ts";

export interface WriteResult {
  files: number;
  bytes: number;
  added: number;
  changed: number;
  removed: number;
  /** Files whose content was made; the others followed from their input keys. */
  rendered: number;
  /** The new build, still in its staging folder; undefined where it would equal the last one. */
  staged: { folder: string; name: string } | undefined;
}

export interface WriterOptions {
  /** Folder of all builds. */
  builds: string;
  /** Folder of the build to share unchanged files with. */
  last: string | undefined;
  /** Files of the last build that are damaged, by path: with this set, there is a new build in any case. */
  damaged?: ReadonlySet<string> | undefined;
  /** Whether the same program made the last build, so that equal keys mean equal bytes. */
  keysHold: boolean;
  /** Whether the last build was made under the same guard, so that nothing in it is to be looked at again. */
  guardHolds: boolean;
  guard: LeakGuard;
  blobs: Blobs;
  onFile?: () => void;
}

/**
 * The one writer: turns output files into a build beside the last one. Files of the last build are shared by hard
 * link, content is made only where its input key is new, and nothing is created where nothing differs.
 *
 * @throws GuardError when a file holds what must not be published
 * @throws StoreError when the last build's manifest or a blob is damaged
 */
export async function writeBuild(
  files: Iterable<OutputFile> | AsyncIterable<OutputFile>,
  options: WriterOptions,
): Promise<WriteResult> {
  const { builds, last, damaged, keysHold, guardHolds, guard, blobs, onFile } = options;
  const before = last === undefined ? new Map<string, BuiltFile>() : readBuildManifest(last);
  for (const path of damaged ?? []) before.delete(path);
  const folder = stagingFolder(builds);
  const folders = new Set<string>();
  const done: BuiltFile[] = [];
  const names = new Map<string, string>();
  const counts = { files: 0, bytes: 0, added: 0, changed: 0, removed: 0, rendered: 0 };
  let staged = false;
  let keysChanged = false;

  async function share(file: BuiltFile): Promise<void> {
    const path = join(last as string, "public", file.path);
    try {
      await linkOrCopy(path, targetOf(file.path));
    } catch (cause) {
      if (!isErrno(cause, "ENOENT")) throw cause;
      throw new StoreError(`${path} is missing`, { cause, hint: 'run "stillpress repair"' });
    }
  }

  function targetOf(path: string): string {
    const target = join(folder, "public", path);
    const above = dirname(target);
    if (!folders.has(above)) {
      mkdirSync(above, { recursive: true });
      folders.add(above);
    }
    return target;
  }

  /** From the first difference on there is a new build; what was the same so far is shared into it. */
  async function beginStaging(): Promise<void> {
    if (staged) return;
    staged = true;
    for (const file of done) await share(file);
  }

  function claim(path: string): void {
    const other = names.get(path.toLowerCase());
    if (other !== undefined) throw new Error(`two files for one path: ${other} and ${path}`);
    names.set(path.toLowerCase(), path);
  }

  /** The file as the last build has it, where that is what it still should be. */
  function unchanged(file: OutputFile, key: string): BuiltFile | undefined {
    const known = before.get(file.path);
    if (known?.key !== key) return undefined;
    if ("blob" in file) {
      guard.checkBlob(file.path, key);
      return known;
    }
    if (!keysHold || (!guardHolds && mayDiffer(file.path))) return undefined;
    return known;
  }

  /** Not every key covers which ids must not be named. */
  function mayDiffer(path: string): boolean {
    const published = readText(join(last as string, "public", path));
    return published === undefined || guard.mayDiffer(published);
  }

  try {
    if (damaged !== undefined) await beginStaging();
    for await (const file of files) {
      claim(file.path);
      onFile?.();
      const known = before.get(file.path);
      const key = "blob" in file ? file.blob : file.key;
      const address = file.url === undefined ? {} : { url: file.url };
      if (known !== undefined && known.url !== file.url) keysChanged = true;
      counts.files++;
      const same = unchanged(file, key);
      if (same !== undefined) {
        if (staged) await share(same);
        const { url: _, ...rest } = same;
        done.push({ ...rest, ...address });
        counts.bytes += same.bytes;
        continue;
      }
      let built: BuiltFile;
      const { path } = file;
      if ("blob" in file) {
        guard.checkBlob(path, key);
        built = { path, key, bytes: checkedBlob(blobs, key), sha256: key, ...address };
        await beginStaging();
        await linkOrCopy(blobs.pathOf(key), targetOf(path));
      } else {
        const content = file.content();
        guard.checkText(path, content);
        const bytes = Buffer.from(content as string);
        built = { path, key, bytes: bytes.length, sha256: sha256(bytes), ...address };
        counts.rendered++;
        if (known?.sha256 === built.sha256) {
          keysChanged = true;
          if (staged) await share(known);
          done.push(built);
          counts.bytes += built.bytes;
          continue;
        }
        await beginStaging();
        writeFileSync(targetOf(path), bytes, { flag: "wx" });
      }
      if (known === undefined) counts.added++;
      else counts.changed++;
      done.push(built);
      counts.bytes += built.bytes;
    }
    counts.removed = before.size - (done.length - counts.added);
    if (counts.removed > 0) await beginStaging();
    const text = manifestText(done);
    if (staged) {
      writeDurably(join(folder, manifestName), text);
      return { ...counts, staged: { folder, name: sha256(text).slice(0, 16) } };
    }
    if (keysChanged) writeDurably(join(last as string, manifestName), text);
    return { ...counts, staged: undefined };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Bytes of a blob that still is what its name says: only such a one goes into a build for the first time. */
function checkedBlob(blobs: Blobs, digest: string): number {
  const path = blobs.pathOf(digest);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && fileSha256(path) === digest) return size;
  throw new StoreError(`${path} is ${size === undefined ? "missing" : "damaged"}`, {
    hint: 'run "stillpress repair" to have it made again',
  });
}
