import { outputPaths } from "../publish/swap.ts";
import { type HeldLock, takeLock } from "../store/lock.ts";
import { type CommonOptions, reporterOf } from "./options.ts";
import type { CommandReporter } from "./progress.ts";

/** Holds the lock of an output folder, and a reporter, for as long as `work` runs. @throws as `takeLock` */
export async function underLock<T>(
  out: string,
  options: CommonOptions,
  work: (held: { lock: HeldLock; reporter: CommandReporter }) => Promise<T>,
): Promise<T> {
  const lock = takeLock(outputPaths(out).lock);
  const reporter = reporterOf(options);
  try {
    return await work({ lock, reporter });
  } finally {
    reporter.close();
    lock();
  }
}
