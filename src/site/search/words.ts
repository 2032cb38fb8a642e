import { createContext, runInContext } from "node:vm";
import { ConfigError } from "../../errors.ts";
import type { Templates } from "../templates.ts";

/** What `templates/assets/search-words.js` defines. */
export interface SearchWords {
  words: (text: string) => string[];
}

const asset = "search-words.js";

/**
 * Runs the script that the search page runs, so that both cut texts into the same words.
 *
 * @throws ConfigError when the script of own templates fails
 */
export function searchWords({ assets }: Pick<Templates, "assets">): SearchWords {
  const context = createContext({}) as { stillpressSearch?: SearchWords };
  try {
    runInContext(Buffer.from(assets.get(asset)?.bytes ?? []).toString("utf8"), context);
  } catch (cause) {
    throw new ConfigError(`templates: assets/${asset} failed`, { cause });
  }
  if (context.stillpressSearch === undefined) {
    throw new ConfigError(`templates: assets/${asset} does not define stillpressSearch`);
  }
  return context.stillpressSearch;
}
