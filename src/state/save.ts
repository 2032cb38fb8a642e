import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { GuardError } from "../errors.ts";
import { fileSha256 } from "../lib/digest.ts";
import { FileList } from "../lib/file-list.ts";
import { otherWork } from "../lib/other-work.ts";
import type { Reporter } from "../lib/reporter.ts";
import { filesToKeep, isBlob } from "../store/kept-files.ts";
import { openTarget } from "../targets/open.ts";
import type { Place } from "../targets/place.ts";
import type { ArchiveObject, UploadContent } from "../upload/content.ts";
import type { Deployed } from "../upload/deployed.ts";
import { publishTo, type Upload, type UploadInput } from "../upload/upload.ts";
import {
  indexKey,
  indexObject,
  keyOfFile,
  readIndex,
  type StateIndex,
  type StoredFile,
} from "./index.ts";
import { readStateRecord, type StateRecord, writeStateRecord } from "./record.ts";

/** A file that nobody needs any more stays so long: another runner may be restoring the state that has it. */
const keepDeleted = 86_400;

interface SaveInput extends Pick<UploadInput, "reporter" | "now" | "signal" | "times"> {
  place: Place;
  store: string;
  /** Whether blobs that are not here stay where they are. */
  withoutBlobs: boolean;
  /** Whether a state that this store does not come from may be replaced. */
  force: boolean;
}

/**
 * Saves a store at a target: what differs from the state that lies there, and last the index of all. The caller holds the
 * lock of the output folder.
 *
 * @throws GuardError where the state there is not the one that this store comes from
 * @throws TargetError where the target fails, or is in use
 * @throws the signal's reason
 */
export async function saveState(input: SaveInput): Promise<Upload> {
  const { place, store, force, reporter, signal } = input;
  const index = await indexOf(store, reporter, signal);
  const known = readStateRecord(store);
  const withoutBlobs = input.withoutBlobs || known?.withoutBlobs === true;
  if (withoutBlobs) await addBlobsOf(place, index);
  const content = stateContent(store, index, (deployed) => refuseOther(place, deployed, known));
  const settings = { keepDeleted, apiKeys: false, maxDeleted: { share: 1, files: 0 } };
  const isForced = { deletions: true, later: force };
  const upload = await publishTo({ ...input, settings, content, isForced, check: false });
  writeStateRecord(store, { target: place.name, generation: upload.generation, withoutBlobs });
  return upload;
}

/** Lists the files of a store. A blob has its digest as its name. */
async function indexOf(
  store: string,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<StateIndex> {
  const files = new FileList<StoredFile>();
  const stage = reporter.stage("reading the store");
  for (const path of filesToKeep(store)) {
    const full = join(store, path);
    const bytes = statSync(full).size;
    const sha256 = isBlob(path) ? basename(path) : fileSha256(full);
    files.put(files.size, { path, bytes, sha256 });
    stage.advance();
    await otherWork();
    signal.throwIfAborted();
  }
  stage.end();
  return { stillpressState: 1, files };
}

/** Lets the blobs stay that the state there has. */
async function addBlobsOf(place: Place, { files }: StateIndex): Promise<void> {
  const target = openTarget(place);
  try {
    const there = await readIndex(target);
    for (const file of there?.files.values() ?? [])
      if (isBlob(file.path) && !files.has(file.path)) files.put(files.size, file);
  } finally {
    await target.close();
  }
}

function stateContent(
  store: string,
  index: StateIndex,
  refuse: (deployed: Deployed) => void,
): UploadContent {
  const last = indexObject(index);
  return {
    kind: "state",
    name: last.sha256,
    newest: 0,
    *objects(): Generator<ArchiveObject> {
      const given = new Set<string>();
      for (const file of index.files.values()) {
        const key = keyOfFile(file);
        if (given.has(key)) continue;
        if (!isBlob(key)) given.add(key);
        const { bytes, sha256, path } = file;
        yield { key, bytes, sha256, headers: {}, content: join(store, path) };
      }
      yield last;
    },
    rankOf: (key) => (key === indexKey ? 1 : 0),
    refuse: (_, deployed) => refuse(deployed),
  };
}

/** @throws GuardError where somebody else has saved a state that this store does not come from */
function refuseOther(place: Place, { generation }: Deployed, known: StateRecord | undefined): void {
  const own = known?.target === place.name ? known.generation : 0;
  if (generation === own) return;
  const from = own === 0 ? "from none that was restored here" : `from generation ${own}`;
  throw new GuardError(
    `${place.name} has a state of generation ${generation}, and this store comes ${from}`,
    {
      hint: 'nothing was sent; "stillpress state restore" begins with the state there, and --force replaces it',
    },
  );
}
