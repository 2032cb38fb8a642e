import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readable } from "../errors.ts";
import { fileSha256, sha256 } from "../lib/digest.ts";
import { linkOrCopy } from "../lib/files.ts";
import { readSealed, writeSealed } from "../lib/sealed.ts";

/** What a desk consists of, and what it was made from. It lies in the desk, and is written last. */
const DeskRecord = z.object({
  /** Key over everything that the desk depends on. */
  inputs: z.string(),
  /** Keys of the nights by the ids of their snapshots: what equals one need not be compared again. */
  nights: z.record(z.string(), z.string()),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
});
export type DeskRecord = z.infer<typeof DeskRecord>;

const recordName = "desk.json";
export const deskFolder = (out: string): string => join(out, "review");

function readRecord(out: string): DeskRecord | undefined {
  return readable(() => readSealed(join(deskFolder(out), recordName), DeskRecord.parse));
}

/** The record of a desk; undefined where there is no whole one. */
export function readDesk(out: string): DeskRecord | undefined {
  const record = readRecord(out);
  return record !== undefined && damageOf(out, record).length === 0 ? record : undefined;
}

/** A file of the last desk as text, if it is what was written. */
export function readDeskFile(out: string, last: DeskRecord, path: string): string | undefined {
  const known = last.files[path];
  if (known === undefined) return undefined;
  const bytes = readFileSync(join(deskFolder(out), path));
  return sha256(bytes) === known.sha256 ? bytes.toString("utf8") : undefined;
}

/** Files of the desk that are not what was written, relative to the output folder; none where there is no desk. */
export function damagedDeskFiles(out: string, { full = false } = {}): string[] {
  if (!existsSync(deskFolder(out))) return [];
  const record = readRecord(out);
  if (record === undefined) return [`review/${recordName}`];
  return damageOf(out, record, full).map((name) => `review/${name}`);
}

function damageOf(out: string, { files }: DeskRecord, full = false): string[] {
  return Object.entries(files).flatMap(([name, { bytes, sha256: digest }]) => {
    const path = join(deskFolder(out), name);
    const isWhole =
      statSync(path, { throwIfNoEntry: false })?.size === bytes &&
      (!full || fileSha256(path) === digest);
    return isWhole ? [] : [name];
  });
}

/**
 * Replaces the desk. It is made beside the old one and renamed, so that a kill leaves the old one, the new one, or
 * none. Unchanged files stay the files they are.
 */
export async function writeDesk(
  out: string,
  { inputs, nights }: Omit<DeskRecord, "files">,
  content: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  const last = readDesk(out);
  const folder = deskFolder(out);
  const staging = `${folder}.${process.pid}.tmp`;
  const old = `${folder}.old.${process.pid}.tmp`;
  for (const path of [staging, old]) rmSync(path, { recursive: true, force: true });
  const files: DeskRecord["files"] = {};
  for (const [path, made] of content) {
    const bytes = Buffer.from(made);
    const digest = sha256(bytes);
    files[path] = { bytes: bytes.length, sha256: digest };
    const target = join(staging, path);
    mkdirSync(dirname(target), { recursive: true });
    if (last?.files[path]?.sha256 === digest) await linkOrCopy(join(folder, path), target);
    else writeFileSync(target, bytes);
  }
  writeSealed(join(staging, recordName), { inputs, nights, files });
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(staging, folder);
  rmSync(old, { recursive: true, force: true });
}

/** Removes a desk that does not show what is published. */
export function clearDesk(out: string): void {
  rmSync(deskFolder(out), { recursive: true, force: true });
}
