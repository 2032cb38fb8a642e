import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { keyOf } from "../lib/digest.ts";
import { nodeDisk, withFile } from "../lib/disk.ts";
import { readText, removeQuietly, writeFully } from "../lib/files.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { programDigest } from "../lib/program.ts";
import type { SegmentLogOptions } from "./log.ts";
import type { StoredObject } from "./objects.ts";
import type { Collection } from "./records.ts";

/** Something that is worked out of a record, and of nothing else: it is the same as long as the record is. */
export interface Preparation<T, C extends Collection = Collection> {
  /** No two of a program have the same one. Part of a file's name. */
  name: string;
  /** A value that JSON can hold. */
  of: (object: StoredObject<C>) => T;
}

/**
 * What is worked out of the records of a list's parts, so that a build need not take apart again what did not change.
 * A file for each part and preparation, with the digest of the program and of its text: what is damaged, or was made by
 * another version, is made again. Never part of a snapshot; all of it can be removed at any time.
 */
export type Prepared = ReturnType<typeof openPrepared>;

export function openPrepared(
  folder: string,
  { readOnly = false, disk = nodeDisk }: SegmentLogOptions = {},
) {
  const asked = new Set<string>();
  const sumOf = (text: string): string => keyOf(programDigest(), text);

  function read<T>(path: string): T[] | undefined {
    const text = orUndefined(() => readText(path, disk)) ?? "";
    const end = text.indexOf("\n");
    const values = text.slice(end + 1);
    return text.slice(0, end) === sumOf(values) ? (JSON.parse(values) as T[]) : undefined;
  }

  /** Not made durable: what a power cut damages is made again. */
  function write(path: string, values: unknown): void {
    const text = JSON.stringify(values);
    const temporary = `${path}.${process.pid}.tmp`;
    disk.makeFolder(folder);
    try {
      withFile(temporary, "w", disk, (handle) =>
        writeFully(handle, Buffer.from(`${sumOf(text)}\n${text}`), undefined, disk),
      );
      disk.rename(temporary, path);
    } catch (error) {
      removeQuietly(temporary, disk);
      throw error;
    }
  }

  return {
    /** The values of a part's records, in their order; `make` makes those that are not there. */
    of<T>(part: string, preparation: string, make: () => T[]): readonly T[] {
      const name = `${part}.${preparation}.json`;
      const path = join(folder, name);
      asked.add(name);
      const known = read<T>(path);
      if (known !== undefined) return known;
      const made = make();
      if (!readOnly) write(path, made);
      return made;
    },
    /** Removes all that nobody has asked for since the last time, or since this was opened. */
    sweep(): void {
      for (const name of preparedFiles(folder))
        if (!asked.has(name)) rmSync(join(folder, name), { force: true });
      asked.clear();
    },
  };
}

function preparedFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Paths of the files of other parts than these. */
export function preparedOfOthers(folder: string, parts: ReadonlySet<string>): string[] {
  const others = preparedFiles(folder).filter((name) => !parts.has(name.split(".")[0] ?? ""));
  return others.map((name) => join(folder, name));
}
