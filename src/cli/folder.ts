import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import type { CommonOptions } from "./options.ts";

/** The output folder of a command that works without a configuration too, and the configuration where there is one. */
export function outputFolder({ config, out }: CommonOptions): {
  out: string;
  loaded: LoadedConfig | undefined;
} {
  const loaded = existsSync(config) ? loadConfig({ file: config, flags: { out } }) : undefined;
  return { out: loaded?.out ?? resolve(out ?? "out"), loaded };
}
