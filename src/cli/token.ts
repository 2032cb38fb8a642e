import { readToken } from "../config/load.ts";
import type { Config } from "../config.ts";
import { ConfigError } from "../errors.ts";

/** The token, to look for it in what is published, where a command that makes no request can know it. */
export function knownToken(origin: Config["origin"]): string | undefined {
  try {
    return readToken(origin);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
