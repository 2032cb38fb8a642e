import { existsSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { isErrno, linkOrCopy, walkSorted } from "../lib/files.ts";

interface Renewal {
  /** Folder of the new build; it has the files that are new below `public`. */
  staging: string;
  /** Folder of a build that is kept no longer. */
  spare: string;
  /** Folder of the build whose other files are shared. */
  last: string;
  /** Of all files of the new build, and of those that are new. */
  paths: ReadonlySet<string>;
  made: ReadonlySet<string>;
  /** Waited for before each file. */
  pause: () => Promise<void>;
}

/**
 * Makes the tree of a new build out of that of a spare one, so that a small change costs little: new files are moved in,
 * what the last build has otherwise is linked anew, and what is in neither goes. Nothing of the spare tree stays that is
 * not the very file of the last build, so that no damage travels. What a kill leaves is a staging folder.
 *
 * @throws StoreError where the last build lacks a file
 */
export async function renewTree({ staging, spare, last, paths, made, pause }: Renewal) {
  const root = join(staging, "public");
  const [moved, left] = [join(staging, "made"), join(staging, "spare")];
  mkdirSync(staging, { recursive: true });
  renameSync(spare, left);
  if (existsSync(root)) renameSync(root, moved);
  const tree = join(left, "public");
  if (lstatSync(tree, { throwIfNoEntry: false })?.isDirectory()) renameSync(tree, root);
  else mkdirSync(root);
  for (const path of [...walkSorted(root)]) if (!paths.has(path)) removeFile(root, path);
  for (const path of paths) {
    await pause();
    const target = join(root, path);
    if (made.has(path)) {
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(moved, path), target);
    } else await shareFile(join(last, "public", path), target);
  }
  for (const folder of [moved, left]) rmSync(folder, { recursive: true, force: true });
}

/** Links a file of the last build into another one, unless it is there. @throws StoreError where it is missing */
async function shareFile(from: string, to: string): Promise<void> {
  const [file, found] = [from, to].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  if (file === undefined) throw missingFile(from);
  if (found?.ino === file.ino && found.dev === file.dev) return;
  mkdirSync(dirname(to), { recursive: true });
  if (found !== undefined) rmSync(to, { recursive: true });
  await linkOrCopy(from, to);
}

export function missingFile(path: string, cause?: unknown): StoreError {
  return new StoreError(`${path} is missing`, { cause, hint: 'run "stillpress repair"' });
}

/** Removes a file, and the folders that it leaves empty. */
function removeFile(root: string, path: string): void {
  rmSync(join(root, path));
  try {
    for (let above = dirname(path); above !== "."; above = dirname(above))
      rmdirSync(join(root, above));
  } catch (error) {
    if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
  }
}
