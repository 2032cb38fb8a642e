import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { FileList } from "../lib/file-list.ts";
import { readSealed, writeSealed } from "../lib/sealed.ts";
import { type BuiltFile, copyManifest, readManifest } from "./manifest.ts";
import { outputPaths } from "./swap.ts";

/** The builds that a rollback knows, in the order in which they were published. It follows them backwards. */
const History = z.object({
  /** The published one. */
  shown: z.string(),
  builds: z.array(
    z.object({
      build: z.string(),
      time: z.string(),
      snapshot: z.string().nullable(),
      files: z.int().nullable(),
    }),
  ),
});
export type History = z.infer<typeof History>;

/** Where the store remembers what is published. It is enough to go on without `out/builds`. */
export function keptFolder(out: string): string {
  return join(outputPaths(out).store, "published");
}

const filesEnd = "-files.ndjson";

/** Path of the list of a build's files. */
export function keptFilesPath(out: string, build: string): string {
  return join(keptFolder(out), build + filesEnd);
}

/** Name of the build whose files a file of the folder lists; undefined where it is another file. */
export function buildOfKept(name: string): string | undefined {
  return name.endsWith(filesEnd) ? name.slice(0, -filesEnd.length) : undefined;
}

export const historyPath = (out: string): string => join(keptFolder(out), "history.json");

/** Undefined where nothing was kept. @throws StoreError where it is damaged */
export function readHistory(out: string): History | undefined {
  return readSealed(historyPath(out), History.parse);
}

/** Does nothing without a store, as where somebody has removed it. */
export function writeHistory(out: string, history: History): void {
  if (existsSync(outputPaths(out).store)) writeSealed(historyPath(out), history);
}

/** The files of a build by path, as the store remembers them; none where it does not. @throws StoreError where damaged */
export function readKeptFiles(out: string, build: string): FileList<BuiltFile> {
  return readManifest(keptFilesPath(out, build));
}

/** Lets the store have a copy of a build's manifest. @throws StoreError where that is missing or damaged */
export function keepFiles(out: string, build: string): void {
  copyManifest(build, keptFilesPath(out, basename(build)));
}
