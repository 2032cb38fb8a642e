import { existsSync, lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import { isErrno, linkOrCopy, walkSorted } from "../lib/files.ts";
import { reasonAgainst } from "./check.ts";
import type { BuiltFile } from "./manifest.ts";

interface Renewal {
  /** Folder of the new build; it has the files that are new below `public`. */
  staging: string;
  /** Folder of a build that is kept no longer. */
  spare: string;
  /** Folder of the build whose other files are shared. */
  last: string;
  /** All files of the new build, and the paths of those that are new. */
  files: readonly BuiltFile[];
  made: ReadonlySet<string>;
  /** Waited for before each file. */
  pause: () => Promise<void>;
}

/**
 * Makes the tree of a new build out of that of a spare one, so that a small change costs little: new files are moved in,
 * what the last build has otherwise is linked anew, and what is in neither goes. Nothing of the spare tree stays that is
 * not the very file of the last build, so that no damage travels. What a kill leaves is a staging folder.
 *
 * @throws StoreError where a file of the last build is not what its manifest says
 */
export async function renewTree({ staging, spare, last, files, made, pause }: Renewal) {
  const root = join(staging, "public");
  const [moved, left] = [join(staging, "made"), join(staging, "spare")];
  mkdirSync(staging, { recursive: true });
  renameSync(spare, left);
  if (existsSync(root)) renameSync(root, moved);
  const tree = join(left, "public");
  if (lstatSync(tree, { throwIfNoEntry: false })?.isDirectory()) renameSync(tree, root);
  else mkdirSync(root);
  const paths = new Set(files.map(({ path }) => path));
  for (const path of [...walkSorted(root)]) if (!paths.has(path)) removeFile(root, path);
  for (const file of files) {
    const { path } = file;
    await pause();
    const target = join(root, path);
    if (made.has(path)) {
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(moved, path), target);
    } else await shareFile(join(last, "public", path), target, file);
  }
  for (const folder of [moved, left]) rmSync(folder, { recursive: true, force: true });
}

/** Links a file of the last build into another one, unless it is there. @throws StoreError where it is damaged */
async function shareFile(from: string, to: string, listed: BuiltFile): Promise<void> {
  const [file, found] = [from, to].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  const reason = reasonAgainst(file, listed);
  if (reason !== undefined) throw damagedFile(from, reason);
  if (found?.ino === file?.ino && found?.dev === file?.dev) return;
  mkdirSync(dirname(to), { recursive: true });
  if (found !== undefined) rmSync(to, { recursive: true });
  await linkOrCopy(from, to);
}

/** @param reason such as "is missing" */
export function damagedFile(path: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(`${path} ${reason}`, { cause, hint: 'run "stillpress repair"' });
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
