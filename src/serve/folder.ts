import { createReadStream, realpathSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { Readable } from "node:stream";
import { typeOfPath } from "../lib/content-type.ts";
import { isErrno } from "../lib/files.ts";
import type { ArchiveFiles } from "./archive.ts";

/** Files up to this size are read at once, which is faster than a stream, in bytes. */
const atOnce = 256 << 10;

/**
 * The files of a publish root on disk. The root may be a link that comes to show another build: each file is opened
 * in the build that is published at that moment. No link leads out of the build.
 */
export function openFolder(root: string): ArchiveFiles {
  const pinned = () => filesOf(realPath(root));
  return { version: () => realPath(root) ?? "", open: (path) => pinned().open(path), pinned };
}

/** @param folder without links in its path; undefined for one that is not there */
function filesOf(folder: string | undefined): ArchiveFiles {
  return {
    version: () => folder ?? "",
    async open(path) {
      if (folder === undefined) return undefined;
      const real = realPath(join(folder, path));
      if (!real?.startsWith(folder + sep)) return undefined;
      const stat = statSync(real, { throwIfNoEntry: false });
      // join drops the slash of "page.html/", which is no file.
      if (!stat?.isFile() || path.endsWith("/")) return undefined;
      const { size, mtimeMs } = stat;
      return {
        bytes: size,
        etag: `${size.toString(36)}-${Math.round(mtimeMs * 1000).toString(36)}`,
        modified: mtimeMs,
        type: typeOfPath(real),
        disk: real,
        text: () => readFile(real, "utf8"),
        async body(range) {
          if (size <= atOnce) {
            const bytes = await readFile(real);
            return range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
          }
          return Readable.toWeb(createReadStream(real, range)) as ReadableStream<Uint8Array>;
        },
      };
    },
  };
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (isErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "EACCES")) return undefined;
    throw error;
  }
}
