/**
 * Runs `work` on each item, at most `limit` at once. After the first failure no item is taken; it is thrown when the
 * running work has ended.
 */
export async function eachLimited<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  try {
    for await (const item of items) {
      if (failure !== undefined) break;
      const task = work(item)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(task));
      running.add(task);
      if (running.size >= limit) await Promise.race(running);
    }
  } finally {
    await Promise.all(running);
  }
  if (failure !== undefined) throw failure.error;
}

/** A limit to pieces of work at a time, and to their total weight (`capacity`). First come, first served. */
export function createBudget(slots: number, capacity: number) {
  const waiting: { weight: number; start: () => void }[] = [];
  let running = 0;
  let load = 0;

  function admit(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (running >= slots || load + next.weight > capacity) return;
      waiting.shift();
      running++;
      load += next.weight;
      next.start();
    }
  }

  return {
    /** Runs work when there is room for it; something heavier than the whole budget runs alone. */
    async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
      const share = Math.min(weight, capacity);
      await new Promise<void>((start) => {
        waiting.push({ weight: share, start });
        admit();
      });
      try {
        return await work();
      } finally {
        running--;
        load -= share;
        admit();
      }
    },
  };
}
