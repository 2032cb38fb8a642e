import type { CrawlContext } from "./context.ts";
import { itemFailureOf } from "./failures.ts";
import type { Watched } from "./plan.ts";
import { findObject } from "./single-images.ts";

/**
 * Whether each of some items answers when it is requested alone. The first one that does not ends the search: the path
 * of single images is not documented, and a wrong one is missing for all.
 *
 * @param walk names the walk that asks, and its pass
 */
export async function allAnswer(
  context: CrawlContext,
  index: Watched,
  ids: readonly string[],
  walk: string,
): Promise<boolean> {
  for (const id of ids) {
    const task = `alone ${index}/${id}, ${walk}`;
    if (!(await context.draft.once(task, () => answers(context, index, id)))) return false;
  }
  return true;
}

async function answers(context: CrawlContext, index: Watched, id: string): Promise<boolean> {
  const url = context.routes.urlOf({ route: "single", index, id });
  if (url === undefined) return false;
  try {
    return findObject((await context.client.json(url)).text, id) !== undefined;
  } catch (error) {
    await itemFailureOf(context, error);
    return false;
  }
}
