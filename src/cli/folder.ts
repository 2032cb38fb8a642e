import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { type CommonOptions, defaultConfigFile } from "./options.ts";

/** Whether there is a configuration to read: a named one must be there, the usual one need not. */
export function isConfigured({ config }: CommonOptions): boolean {
  return config !== defaultConfigFile || existsSync(config);
}

/** The output folder of a command that needs no configuration. @throws ConfigError for a wrong one */
export function outputFolder(options: CommonOptions) {
  const { config, out } = options;
  const loaded = isConfigured(options) ? loadConfig({ file: config, flags: { out } }) : undefined;
  return { out: loaded?.out ?? resolve(out ?? "out"), loaded };
}

/** A path for people, relative to the working directory if it lies below that. */
export function shortPath(path: string): string {
  const below = relative("", path) || ".";
  return below.startsWith("..") ? path : below;
}
