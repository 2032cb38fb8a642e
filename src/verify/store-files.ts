import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import glob from "fast-glob";
import { readable } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { fileSha256 } from "../lib/digest.ts";
import { walkSorted } from "../lib/files.ts";
import { otherWork } from "../lib/other-work.ts";
import { readSealed } from "../lib/sealed.ts";
import type { Finding } from "../publish/check.ts";
import { buildOfKept, keptFolder, readKeptFiles } from "../publish/kept.ts";
import { outputPaths } from "../publish/swap.ts";
import type { BlobPlace } from "../store/blob-place.ts";

/** The folders below a store that hold a log. */
export function logFolders(store: string): string[] {
  // These hold no log, and may hold a great many files.
  const ignore = ["**/blobs/**", "**/cache/**", "**/damaged/**"];
  const found = glob.sync("**/*.ndjson", { cwd: store, ignore, followSymbolicLinks: false });
  const segments = found.filter((path) => /(?:^|\/)\d{6,}\.ndjson$/.test(path));
  return [...new Set(segments.map((path) => join(store, dirname(path))))].sort();
}

export class Digests {
  bytes = 0;
  /** By device and inode: a published image is a blob under another name, in every build. */
  readonly #known = new Map<string, string>();

  /** Lower-case hexadecimal; empty for a file that cannot be read, which no digest equals. */
  of = (path: string): string => {
    try {
      const { dev, ino, size } = statSync(path, { bigint: true });
      const name = `${dev}:${ino}`;
      const digest = this.#known.get(name) ?? fileSha256(path);
      if (!this.#known.has(name)) this.bytes += Number(size);
      this.#known.set(name, digest);
      return digest;
    } catch {
      // A bad sector, or a vanished file.
      return "";
    }
  };
}

/** Calls `tell` with the shared blobs that are not what their names say. @param digestOf reads one, here or elsewhere */
export async function checkShared(
  shared: BlobPlace | undefined,
  tell: (digest: string) => void,
  digestOf = shared?.digestOf,
  onBlob = () => {},
): Promise<void> {
  await eachLimited(shared?.list() ?? [], sharedAtOnce, async ({ digest }) => {
    if ((await digestOf?.(digest)) !== digest) tell(digest);
    onBlob();
  });
}

/** Enough for some workers. */
const sharedAtOnce = 64;

/** The files of the store, its logs and snapshots aside, that are not what they were when they were written. */
export async function* damagedFiles(
  out: string,
  digests: Digests,
  onBlob = () => {},
): AsyncGenerator<Finding> {
  const { store } = outputPaths(out);
  const draft = join(store, "draft", "draft.json");
  if (readable(() => [readSealed(draft, (value) => value)]) === undefined) {
    yield { path: "store/draft/draft.json", reason: "is damaged" };
  }
  const kept = keptFolder(out);
  for (const name of existsSync(kept) ? readdirSync(kept) : []) {
    const build = buildOfKept(name);
    if (build !== undefined && readable(() => readKeptFiles(out, build)) === undefined) {
      yield { path: `store/published/${name}`, reason: "is damaged" };
    }
  }
  const blobs = join(store, "blobs");
  for (const path of existsSync(blobs) ? walkSorted(blobs) : []) {
    // Beside them lies what waits to become one.
    if (!/^[0-9a-f]{2}\//.test(path)) continue;
    onBlob();
    await otherWork();
    const name = basename(path);
    if (!/^[0-9a-f]{64}$/.test(name) || digests.of(join(blobs, path)) !== name) {
      yield { path: `store/blobs/${path}`, reason: "does not match its name" };
    }
  }
}
