import { existsSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../api/client.ts";
import { readToken } from "../config/load.ts";
import type { Config } from "../config.ts";
import { createProber, type Prober, probeLimits } from "../probe/prober.ts";
import { keptSecret } from "./masked.ts";
import { type CommonOptions, reporterOf } from "./options.ts";
import { abortOnSignals } from "./signals.ts";

interface Questions {
  config: Config;
  options: CommonOptions;
  /** Folder of the store, which remembers the rate, if there is one. */
  store?: string | undefined;
  stage: string;
  most: number;
}

/** Runs something that asks an origin a few questions, and shows its progress. */
export async function withProber<T>(questions: Questions, use: (prober: Prober) => Promise<T>) {
  const { config, options, store, stage, most } = questions;
  const token = keptSecret(readToken(config.origin));
  const reporter = reporterOf(options);
  const rateFile = store && existsSync(store) ? join(store, "rate.json") : undefined;
  const signal = abortOnSignals();
  const client = createClient({ config, token, reporter, signal, rateFile, limits: probeLimits });
  const progress = reporter.stage(stage, most);
  try {
    const prober = createProber(client, config.origin.baseUrl, most, () => progress.advance());
    const result = await use(prober);
    progress.end(`${client.stats.requests} requests`);
    return result;
  } finally {
    reporter.close();
    await client.close();
  }
}
