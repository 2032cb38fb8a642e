/**
 * A limit to what happens at the same time, by number and by weight. First come, first served.
 *
 * @param slots pieces of work at a time
 * @param capacity total weight at a time
 */
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
