import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { StoreError } from "../errors.ts";
import type { FileList } from "../lib/file-list.ts";
import { isErrno, linkOrCopy, walkSorted } from "../lib/files.ts";
import { reasonAgainst } from "./check.ts";
import type { BuiltFile } from "./manifest.ts";

interface Filling {
  /** Folder of the new build; it has the files that are new below `public`. */
  staging: string;
  /** Folder of a build that is kept no longer, whose tree becomes that of the new build. */
  spare?: string | undefined;
  /** Folder of the build whose other files are shared. */
  last: string;
  /** All files of the new build, and which of them are new, by their places. */
  files: FileList<BuiltFile>;
  isNew: (at: number) => boolean;
  /** Waited for before each file. */
  pause: () => Promise<void>;
}

/**
 * Completes the tree of a new build with what the last one has. Out of a spare tree, a small change costs little: new
 * files are moved in, what the last build has otherwise is linked anew, and what is in neither goes. Nothing of the spare
 * tree stays that is not the very file of the last build, so that no damage travels. What a kill leaves is a staging
 * folder.
 *
 * @throws StoreError where a file of the last build is not what its manifest says
 */
export async function fillTree({ staging, spare, last, files, isNew, pause }: Filling) {
  const root = join(staging, "public");
  const [moved, left] = [join(staging, "made"), join(staging, "spare")];
  mkdirSync(root, { recursive: true });
  if (spare !== undefined) {
    renameSync(root, moved);
    renameSync(spare, left);
    takeTree(join(left, "public"), root, files);
  }
  let at = 0;
  for (const [path, file] of files) {
    await pause();
    const target = join(root, path);
    if (!isNew(at++)) await shareFile(join(last, "public", path), target, file);
    else if (spare !== undefined) {
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(moved, path), target);
    }
  }
  for (const folder of [moved, left]) rmSync(folder, { recursive: true, force: true });
}

/** Moves a tree, and removes from it what is none of these files. */
function takeTree(tree: string, to: string, files: FileList<BuiltFile>): void {
  if (lstatSync(tree, { throwIfNoEntry: false })?.isDirectory()) renameSync(tree, to);
  else mkdirSync(to);
  for (const path of [...walkSorted(to)]) if (!files.has(path)) removeFile(to, path);
}

/** Links a file of the last build into another one, unless it is there. @throws StoreError where it is damaged */
async function shareFile(from: string, to: string, listed: BuiltFile): Promise<void> {
  const [file, found] = [from, to].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  const reason = reasonAgainst(file, listed);
  if (reason !== undefined) {
    throw new StoreError(`${from} ${reason}`, { hint: 'run "stillpress repair"' });
  }
  if (found?.ino === file?.ino && found?.dev === file?.dev) return;
  mkdirSync(dirname(to), { recursive: true });
  if (found !== undefined) rmSync(to, { recursive: true });
  await linkOrCopy(from, to);
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
