import { walkSorted } from "../lib/files.ts";

/** Of a store that was saved elsewhere, or restored from there: where, and what. */
export const stateRecordName = "state.json";

/** What can be worked out again, was taken out by repair, or belongs to this machine alone. */
const left = /^(?:prepared|damaged|cache|blobs\/incoming)\/|\.tmp$/;

/** Whether a file of a store is a blob, by its path in the store. */
export const isBlob = (path: string): boolean => /^blobs\/[\da-f]{2}\/[\da-f]{64}$/.test(path);

/** The files of a store that must be kept for it to go on elsewhere, by their paths in the store. */
export function* filesToKeep(store: string): Generator<string> {
  for (const path of walkSorted(store))
    if (path !== stateRecordName && !left.test(path)) yield path;
}
