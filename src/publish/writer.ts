import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GuardError, StoreError } from "../errors.ts";
import { fileSha256, sha256 } from "../lib/digest.ts";
import { linkOrCopy, writeDurably } from "../lib/files.ts";
import type { OutputFile } from "../lib/output.ts";
import type { Blobs } from "../store/blobs.ts";
import { type BuiltFile, manifestName, readBuildManifest } from "./manifest.ts";

export interface WriteResult {
  files: number;
  bytes: number;
  added: number;
  changed: number;
  removed: number;
  /** Files whose content was made; the others followed from their input keys. */
  rendered: number;
  /** Folder of the new build; undefined where it would equal the last one. */
  build: string | undefined;
}

export interface WriterOptions {
  /** Folder of all builds. */
  builds: string;
  /** Folder of the build to share unchanged files with. */
  last: string | undefined;
  /** Whether the same program made the last build, so that equal keys mean equal bytes. */
  keysHold: boolean;
  blobs: Blobs;
  /** Strings that must not occur in any rendered file, such as the token. */
  secrets: readonly string[];
  onFile?: () => void;
}

/**
 * The one writer: turns output files into a build beside the last one. Files of the last build are shared by hard
 * link, content is made only where its input key is new, and nothing is created where nothing differs.
 *
 * @throws GuardError when a rendered file holds a secret
 */
export async function writeBuild(
  files: Iterable<OutputFile> | AsyncIterable<OutputFile>,
  options: WriterOptions,
): Promise<WriteResult> {
  const { builds, last, keysHold, blobs, secrets, onFile } = options;
  const before = last === undefined ? new Map<string, BuiltFile>() : readBuildManifest(last);
  const staging = join(builds, `staging-${process.pid}`);
  const folders = new Set<string>();
  const done: BuiltFile[] = [];
  const names = new Map<string, string>();
  const result: WriteResult = {
    files: 0,
    bytes: 0,
    added: 0,
    changed: 0,
    removed: 0,
    rendered: 0,
    build: undefined,
  };
  let staged = false;
  let keysChanged = false;

  async function share(file: BuiltFile): Promise<void> {
    await linkOrCopy(join(last as string, "public", file.path), targetOf(file.path));
  }

  function targetOf(path: string): string {
    const target = join(staging, "public", path);
    const folder = dirname(target);
    if (!folders.has(folder)) {
      mkdirSync(folder, { recursive: true });
      folders.add(folder);
    }
    return target;
  }

  /** From the first difference on there is a new build; what was the same so far is shared into it. */
  async function beginStaging(): Promise<void> {
    if (staged) return;
    staged = true;
    rmSync(staging, { recursive: true, force: true });
    for (const file of done) await share(file);
  }

  function checked(path: string, content: string | Uint8Array): Buffer {
    const bytes = Buffer.from(content as string);
    for (const secret of secrets) {
      if (bytes.includes(secret)) {
        throw new GuardError(`${path} would contain the access token`, {
          hint: "the origin repeats the token in its content; nothing was published",
        });
      }
    }
    return bytes;
  }

  function claim(path: string): void {
    const other = names.get(path.toLowerCase());
    if (other !== undefined) throw new Error(`two files for one path: ${other} and ${path}`);
    names.set(path.toLowerCase(), path);
  }

  try {
    for await (const file of files) {
      claim(file.path);
      onFile?.();
      const known = before.get(file.path);
      const key = "blob" in file ? file.blob : file.key;
      const address = file.url === undefined ? {} : { url: file.url };
      if (known !== undefined && known.url !== file.url) keysChanged = true;
      result.files++;
      if (known?.key === key && (keysHold || "blob" in file)) {
        if (staged) await share(known);
        const { url: _, ...same } = known;
        done.push({ ...same, ...address });
        result.bytes += known.bytes;
        continue;
      }
      let built: BuiltFile;
      if ("blob" in file) {
        built = { path: file.path, key, bytes: checkedBlob(blobs, key), sha256: key, ...address };
        await beginStaging();
        await linkOrCopy(blobs.pathOf(key), targetOf(file.path));
      } else {
        const bytes = checked(file.path, file.content());
        built = { path: file.path, key, bytes: bytes.length, sha256: sha256(bytes), ...address };
        result.rendered++;
        if (known?.sha256 === built.sha256) {
          keysChanged = true;
          if (staged) await share(known);
          done.push(built);
          result.bytes += built.bytes;
          continue;
        }
        await beginStaging();
        writeFileSync(targetOf(file.path), bytes, { flag: "wx" });
      }
      if (known === undefined) result.added++;
      else result.changed++;
      done.push(built);
      result.bytes += built.bytes;
    }
    result.removed = before.size - (done.length - result.added);
    if (result.removed > 0) await beginStaging();
    const text = done.map((file) => `${JSON.stringify(file)}\n`).join("");
    if (staged) {
      writeDurably(join(staging, manifestName), text);
      result.build = freeName(builds, sha256(text).slice(0, 16));
      renameSync(staging, result.build);
    } else if (keysChanged) {
      writeDurably(join(last as string, manifestName), text);
    }
    return result;
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
}

/** Bytes of a blob that still is what its name says: only such a one goes into a build for the first time. */
function checkedBlob(blobs: Blobs, digest: string): number {
  const path = blobs.pathOf(digest);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && fileSha256(path) === digest) return size;
  throw new StoreError(`${path} is ${size === undefined ? "missing" : "damaged"}`, {
    hint: 'delete it where it is damaged, and run "stillpress media" to have it made again',
  });
}

/** Builds are named after their content; one that comes back after another gets a number behind. */
function freeName(builds: string, name: string): string {
  for (let n = 1; ; n++) {
    const path = join(builds, n === 1 ? name : `${name}-${n}`);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}
