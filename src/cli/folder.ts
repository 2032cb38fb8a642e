import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import { type CommonOptions, defaultConfigFile } from "./options.ts";

/** The output folder of a command that needs no configuration. @throws ConfigError for a wrong one */
export function outputFolder({ config, out }: CommonOptions) {
  const isWanted = config !== defaultConfigFile || existsSync(config);
  const loaded = isWanted ? loadConfig({ file: config, flags: { out } }) : undefined;
  return { out: loaded?.out ?? resolve(out ?? "out"), loaded };
}

/** A path for people, relative to the working directory if it lies below that. */
export function shortPath(path: string): string {
  const below = relative("", path) || ".";
  return below.startsWith("..") ? path : below;
}
