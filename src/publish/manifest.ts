import { join } from "node:path";
import { StoreError } from "../errors.ts";
import { readText } from "../lib/files.ts";

/** One published file as a build's manifest lists it. */
export interface BuiltFile {
  path: string;
  /** Input key of a rendered file, or the blob's digest. */
  key: string;
  bytes: number;
  /** Of the content, hexadecimal. */
  sha256: string;
  /** Path and query, from the publish root, of the request that it answers, where it is not its own path. */
  url?: string;
}

export const manifestName = "manifest.ndjson";

/** The files of a build by path; empty where there is no such build. @throws StoreError when it is damaged */
export function readBuildManifest(build: string): Map<string, BuiltFile> {
  const path = join(build, manifestName);
  const files = new Map<string, BuiltFile>();
  for (const [index, line] of (readText(path) ?? "").split("\n").entries()) {
    if (line === "") continue;
    try {
      const file = JSON.parse(line) as BuiltFile;
      files.set(file.path, file);
    } catch (cause) {
      throw new StoreError(`${path}:${index + 1} is damaged`, {
        cause,
        hint: "delete the folder builds and build again",
      });
    }
  }
  return files;
}
