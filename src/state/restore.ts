import { existsSync, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ConfigError, exitCodes, TargetError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { fileSha256 } from "../lib/digest.ts";
import { freePath, syncFolder, syncTree, walkSorted } from "../lib/files.ts";
import type { Reporter } from "../lib/reporter.ts";
import { isBlob } from "../store/kept-files.ts";
import { openTarget } from "../targets/open.ts";
import type { Place } from "../targets/place.ts";
import { digestAt } from "../targets/reading.ts";
import type { Target } from "../targets/target.ts";
import { readDeployed } from "../upload/deployed.ts";
import { keyOfFile, readIndex, type StateIndex, type StoredFile } from "./index.ts";
import { readStateRecord, writeStateRecord } from "./record.ts";

/** Files that are fetched at once. */
const atOnce = 16;

interface RestoreInput {
  place: Place;
  store: string;
  withoutBlobs: boolean;
  /** Whether a store that is there is moved aside. */
  force: boolean;
  reporter: Reporter;
  signal: AbortSignal;
}

export interface Restored {
  /** "none": there is no state yet; "kept": the store goes on from the state already. */
  outcome: "restored" | "kept" | "none";
  generation: number;
  files: number;
  fetched: number;
  bytes: number;
}

/**
 * Makes the store that was saved at a target. It has its place only when it is whole; a restore that ends early goes on
 * where it stopped. The caller holds the lock of the output folder.
 *
 * @throws ConfigError where another store is there already
 * @throws TargetError where the target fails, or the state there is damaged
 * @throws the signal's reason
 */
export async function restoreState(input: RestoreInput): Promise<Restored> {
  const { place, store, force, signal } = input;
  const target = openTarget(place, signal);
  try {
    const deployed = await readDeployed(target);
    const index = await readIndex(target);
    const nothing = { generation: 0, files: 0, fetched: 0, bytes: 0 };
    if (deployed === undefined || index === undefined) return { outcome: "none", ...nothing };
    const { generation } = deployed;
    const known = readStateRecord(store);
    if (known?.target === place.name && known.generation === generation)
      return { ...nothing, outcome: "kept", generation };
    if (existsSync(store) && !force) throw otherStore(store, place);
    const done = await fetchAll(target, index, `${store}.restoring`, input);
    const { withoutBlobs } = input;
    writeStateRecord(`${store}.restoring`, { target: place.name, generation, withoutBlobs });
    if (existsSync(store)) await rename(store, freePath(`${store}.before`));
    await rename(`${store}.restoring`, store);
    syncFolder(dirname(store));
    return { outcome: "restored", generation, ...done };
  } finally {
    await target.close();
  }
}

function otherStore(store: string, { name }: Place): ConfigError {
  return new ConfigError(`${store} is there already, and is not the state at ${name}`, {
    hint: "remove it, or let --force move it aside",
  });
}

/** Fetches what a folder lacks of a state, and removes from it what is no part of that. */
async function fetchAll(
  target: Target,
  { files }: StateIndex,
  folder: string,
  { withoutBlobs, reporter, signal }: RestoreInput,
) {
  await mkdir(folder, { recursive: true });
  for (const path of [...walkSorted(folder)])
    if (!files.has(path)) await rm(join(folder, path), { force: true });
  const stage = reporter.stage("restoring", files.size);
  let [count, fetched, bytes] = [0, 0, 0];
  await eachLimited(files.values(), atOnce, async (file) => {
    signal.throwIfAborted();
    stage.advance();
    if (withoutBlobs && isBlob(file.path)) return;
    count++;
    if (isWhole(folder, file)) return;
    await fetchFile(target, file, join(folder, file.path));
    fetched++;
    bytes += file.bytes;
  });
  await syncTree(folder);
  stage.end(`${fetched} of ${count} files fetched`);
  return { files: count, fetched, bytes };
}

function isWhole(folder: string, { path, bytes, sha256 }: StoredFile): boolean {
  const full = join(folder, path);
  const found = statSync(full, { throwIfNoEntry: false });
  return found?.size === bytes && fileSha256(full) === sha256;
}

/** @throws TargetError where the state has not what its index says */
async function fetchFile(target: Target, file: StoredFile, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const temporary = `${to}.tmp`;
  const found = await digestAt(target, keyOfFile(file), temporary);
  if (found === file.sha256) return await rename(temporary, to);
  await rm(temporary, { force: true });
  throw new TargetError(
    `${target.name}: ${keyOfFile(file)} is ${found === undefined ? "missing" : "damaged"}`,
    {
      exitCode: exitCodes.damaged,
      hint: "another run may have saved a newer state meanwhile: restore again; else save it again from a machine that has the store",
    },
  );
}
