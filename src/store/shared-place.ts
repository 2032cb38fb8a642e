import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { ConfigError } from "../errors.ts";
import { readSealed, writeSealed } from "../lib/sealed.ts";
import { openTarget } from "../targets/open.ts";
import { type Place, placeOf } from "../targets/place.ts";
import { readJson } from "../targets/reading.ts";
import { type Target, textObject } from "../targets/target.ts";
import { openBlobBucket } from "./blob-bucket.ts";
import { openBlobCache } from "./blob-cache.ts";
import { type BlobFolderOptions, openBlobFolder } from "./blob-folder.ts";
import type { BlobPlace } from "./blob-place.ts";

/*
 * A place that the machines of an engine share. It holds the blobs of one store, the results of jobs in `done/`, and
 * `place.json`, by which workers know that they have come to the right place.
 */

/** Bytes of the copies that a store keeps of blobs in a bucket. */
const cacheBytes = 10 * 2 ** 30;

/** Of the file in which a store says which its place is. */
export const sharedName = "shared.json";

const Joined = z.object({ place: z.string(), id: z.string() });

/** What a place says of itself. */
const PlaceRecord = z.object({
  /** Of the store whose blobs these are; it names the queue, too. */
  id: z.string().regex(/^[\da-f-]{36}$/),
  /** Versions of the encoder that workers must have. */
  encoder: z.string(),
});
export type PlaceRecord = z.infer<typeof PlaceRecord>;

const recordKey = "place.json";

function joinedBy(store: string) {
  return readSealed(join(store, sharedName), Joined.parse);
}

/** The blobs of a place. @param cache folder for copies of those in a bucket */
export function openPlace(
  place: Place,
  cache: string,
  { mostBytes = cacheBytes, readOnly = false } = {},
): BlobPlace {
  if (place.kind === "s3")
    return openBlobBucket(openTarget(place), openBlobCache(cache, mostBytes));
  return openBlobFolder(join(place.path, "blobs"), { shared: true, readOnly });
}

/** The place that a store shares, if it does, and all that lies there. @throws StoreError where that record is damaged */
export function openShared(store: string, options: Pick<BlobFolderOptions, "readOnly"> = {}) {
  const joined = joinedBy(store);
  if (joined === undefined) return undefined;
  const place = placeOf(joined.place);
  return { blobs: openPlace(place, join(store, "cache"), options), target: openTarget(place) };
}

/** Undefined where no store has joined the place yet. */
export async function readPlace(target: Target): Promise<PlaceRecord | undefined> {
  return PlaceRecord.safeParse(await readJson(target, recordKey)).data;
}

/**
 * Makes a place the one that a store shares, and says there which encoder its workers must have.
 *
 * @throws ConfigError where the store has another place, or the place another store
 */
export async function joinPlace(
  store: string,
  place: Place,
  encoder: string,
): Promise<PlaceRecord> {
  const joined = joinedBy(store);
  // It is the same one from any working directory.
  const name = place.kind === "dir" ? `dir:${resolve(place.path)}` : place.name;
  if (joined !== undefined && joined.place !== name) {
    throw new ConfigError(`engine.blobs is ${name}, and this store has blobs at ${joined.place}`, {
      hint: `set it to "${joined.place}"; to move them, copy all there is and change ${join(store, sharedName)}`,
    });
  }
  if (place.kind === "dir" && !existsSync(place.path)) {
    throw new ConfigError(`engine.blobs: there is no folder ${place.path}`, {
      hint: "make it, or mount it on this machine",
    });
  }
  const target = openTarget(place);
  try {
    const found = await readPlace(target);
    if (found !== undefined && found.id !== joined?.id) {
      throw new ConfigError(`${place.name} holds the blobs of another store`, {
        hint: `name an empty place in engine.blobs; where that store is gone for good, remove ${recordKey} there`,
      });
    }
    if (found === undefined && joined !== undefined) {
      throw new ConfigError(`${place.name} is empty, and had the blobs of this store`, {
        hint: `mount it, or bring back what lay there; to begin anew, remove ${join(store, sharedName)}`,
      });
    }
    const record = { id: joined?.id ?? randomUUID(), encoder };
    if (found?.encoder !== encoder) await target.put(textObject(recordKey, JSON.stringify(record)));
    writeSealed(join(store, sharedName), { place: name, id: record.id });
    return record;
  } finally {
    await target.close();
  }
}
