import { join } from "node:path";
import { StoreError } from "../errors.ts";
import type { FilesByPath } from "../lib/file-list.ts";
import type { Reporter } from "../lib/reporter.ts";
import { keptFilesPath, readHistory, readKeptFiles } from "./kept.ts";
import { type BuiltFile, manifestName, readBuildManifest } from "./manifest.ts";

/** The files that are published, and what lists them. */
export interface ShownFiles {
  /** By path. */
  files: FilesByPath<BuiltFile>;
  /** Path of the manifest; undefined where nothing is known. */
  path?: string;
}

/**
 * What is published: as the published build has it, else as the store remembers it; nothing where that is damaged.
 *
 * @throws StoreError where the manifest of the published build is damaged
 */
export function readShownFiles(
  out: string,
  published: string | undefined,
  reporter: Reporter,
): ShownFiles {
  if (published !== undefined)
    return { files: readBuildManifest(published), path: join(published, manifestName) };
  try {
    const shown = readHistory(out)?.shown;
    if (shown === undefined) return { files: new Map() };
    return { files: readKeptFiles(out, shown), path: keptFilesPath(out, shown) };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    reporter.warn(error.message, "every file counts as new, and gets a new time");
    return { files: new Map() };
  }
}

/** The files without damaged ones. */
export function undamaged(
  { files }: ShownFiles,
  damaged: ReadonlySet<string> | "all" | undefined,
): ShownFiles["files"] {
  if (damaged === undefined) return files;
  if (damaged === "all") return new Map();
  return new Map([...files].filter(([path]) => !damaged.has(path)));
}
