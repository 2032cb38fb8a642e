import { closeSync, openSync, readFileSync, realpathSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";

/** Flips one bit of a file where it lies, so that all of its names show it; returns what undoes that. */
export function flipBit(path: string, at?: number, bit = 2): () => void {
  const bytes = readFileSync(path);
  const place = at ?? bytes.length >> 1;
  const before = bytes[place];
  if (before === undefined) throw new Error(`${path} has no byte ${place}`);
  const put = (value: number): void => {
    const handle = openSync(path, "r+");
    writeSync(handle, Buffer.from([value]), 0, 1, place);
    closeSync(handle);
  };
  put(before ^ (1 << bit));
  return () => put(before);
}

/** SHA-256 of every file of the publish root by path. */
export function publishedTree(out: string): Record<string, string> {
  const root = realpathSync(join(out, "public"));
  return Object.fromEntries(
    [...walkSorted(root)].map((path) => [path, sha256(readFileSync(join(root, path)))]),
  );
}

/** Folder of the published build. */
export function shownBuild(out: string): string {
  return join(realpathSync(join(out, "public")), "..");
}

/** The first file below a folder that a test of paths accepts, relative to it. */
export function fileIn(folder: string, accepts: (path: string) => boolean): string {
  const found = [...walkSorted(folder)].find(accepts);
  if (found === undefined) throw new Error(`no such file in ${folder}`);
  return found;
}
