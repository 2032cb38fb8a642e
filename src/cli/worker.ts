import { availableParallelism, hostname } from "node:os";
import { loadConfig } from "../config/load.ts";
import { ConfigError, type ExitCode, exitCodes } from "../errors.ts";
import { sharedPlace } from "./engine.ts";
import type { CommonOptions } from "./options.ts";
import { print } from "./print.ts";
import { abortOnSignals } from "./signals.ts";

/** `stillpress worker`: makes renditions for runs on other machines, until it is told to end. */
export async function runWorkerCommand(
  options: CommonOptions & { concurrency?: number },
): Promise<ExitCode> {
  const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
  const place = sharedPlace(loaded);
  if (place === undefined) {
    throw new ConfigError('engine.kind is "local": there is no work for a worker', {
      hint: 'set engine.kind to "bullmq", and engine.redis and engine.blobs to what all machines reach',
    });
  }
  const { runWorker } = await import("../engine/worker.ts");
  const tell = (text: string): void => {
    if (!options.quiet) print([`${new Date().toISOString()} ${text}`]);
  };
  const signal = abortOnSignals();
  const { concurrency = availableParallelism() } = options;
  const as = `${hostname()}-${process.pid}`;
  await runWorker({ config: loaded.config, place, concurrency, as, tell, signal });
  // It ended as it was told to, with nothing left in hand.
  return exitCodes.complete;
}
