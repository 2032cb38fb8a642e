import { resultsFolder } from "../engine/results.ts";
import { openShared } from "../store/shared-place.ts";

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
export async function sharedSurplus(
  store: string,
  needed: ReadonlySet<string>,
  ensure: () => void,
): Promise<Surplus[]> {
  const shared = openShared(store);
  if (shared === undefined) return [];
  const { blobs, target } = shared;
  const row = async <T extends { bytes: number }>(
    what: string,
    list: AsyncIterable<T>,
    isSurplus: (one: T) => boolean,
    remove: (one: T) => Promise<void>,
  ): Promise<Surplus> => {
    const surplus: T[] = [];
    for await (const one of list) if (isSurplus(one)) surplus.push(one);
    const free = async () => {
      for (const one of surplus) {
        ensure();
        await remove(one);
      }
    };
    const bytes = surplus.reduce((sum, one) => sum + one.bytes, 0);
    return { what, count: surplus.length, bytes, free };
  };
  const isUnneeded = ({ digest }: { digest: string }) => !needed.has(digest);
  const unneeded = await row("shared blobs", blobs.list(), isUnneeded, (one) =>
    blobs.remove(one.digest),
  );
  const results = target.list(resultsFolder);
  const isAny = () => true;
  return [unneeded, await row("results of jobs", results, isAny, ({ key }) => target.remove(key))];
}
