import { resultsFolder } from "../engine/results.ts";
import { openShared, openSharedTarget } from "../store/shared-place.ts";

/** Something that can be freed. */
export interface Surplus {
  what: string;
  count: number;
  /** On disk: a file that something else shares costs nothing. */
  bytes: number;
  /** @throws StoreError with exit code 6, before anything else is freed, when another run has taken the lock over */
  free: () => Promise<void>;
}

/** What nothing needs of the place that a store shares with workers: blobs, and the answers that runs took over. */
export async function* sharedSurplus(
  store: string,
  needed: ReadonlySet<string>,
  ensure: () => void,
): AsyncGenerator<Surplus> {
  const [blobs, target] = [openShared(store), openSharedTarget(store)];
  if (blobs === undefined || target === undefined) return;
  const unneeded: [string, number][] = [];
  for await (const { digest, bytes } of blobs.list())
    if (!needed.has(digest)) unneeded.push([digest, bytes]);
  const results: [string, number][] = [];
  for await (const { key, bytes } of target.list(resultsFolder)) results.push([key, bytes]);
  const row = (
    what: string,
    found: [string, number][],
    remove: (name: string) => Promise<void>,
  ) => ({
    what,
    count: found.length,
    bytes: found.reduce((sum, [, bytes]) => sum + bytes, 0),
    async free() {
      for (const [name] of found) {
        ensure();
        await remove(name);
      }
    },
  });
  yield row("shared blobs", unneeded, blobs.remove);
  yield row("results of jobs", results, target.remove);
}
