import type { Config } from "../config.ts";
import { GuardError } from "../errors.ts";

/** What a list lost since the last snapshot: the items that it had, and the names of those that are gone. */
type Loss = { name: string; before: number; gone: readonly string[] };

const maxNamed = 3;

/**
 * Stops the crawl if too much vanished at once: more of these lists together than `crawl.maxRemoved` allows, or all
 * items of one that had several.
 *
 * @throws GuardError
 */
export function brake(maxRemoved: Config["crawl"]["maxRemoved"], losses: readonly Loss[]): void {
  const total = losses.reduce((sum, { before }) => sum + before, 0);
  const gone = losses.flatMap((loss) => loss.gone);
  const what = losses.length === 1 ? losses[0]?.name : "items";
  // One item may always vanish, unless the share allows none: in a small archive it is more than any share.
  const few = maxRemoved.share > 0 ? 1 : 0;
  const most = Math.min(maxRemoved.items, Math.max(few, maxRemoved.share * total));
  if (gone.length > most) throw refusal(`${gone.length} of ${total} ${what}`, gone);
  for (const { name, before, gone: all } of losses) {
    if (before > 1 && all.length >= before && maxRemoved.share < 1) {
      throw refusal(`all ${before} ${name}`, all);
    }
  }
}

function refusal(lost: string, gone: readonly string[]): GuardError {
  const more = gone.length > maxNamed ? ` and ${gone.length - maxNamed} more` : "";
  const names = gone.slice(0, maxNamed).join(", ");
  return new GuardError(`${lost} vanished from the origin at once: ${names}${more}`, {
    vanished: gone,
    hint: `nothing was replaced; if that is right, run once: STILLPRESS_CRAWL_MAX_REMOVED_SHARE=1 STILLPRESS_CRAWL_MAX_REMOVED_ITEMS=${gone.length} stillpress snapshot`,
  });
}
