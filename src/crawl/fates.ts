import type { Problem } from "../lib/reporter.ts";
import type { Ref } from "../store/snapshots.ts";
import type { CrawlContext } from "./context.ts";
import { isGone, itemFailureOf } from "./failures.ts";
import type { Watched } from "./plan.ts";

/** An item of an earlier snapshot that the origin lists no more. */
export interface Vanished extends Ref {
  index: Watched;
}

/**
 * What the origin says of an item that it lists no more: that it is gone; that it is still there, which for an image
 * means that it became private; or nothing that can be believed.
 */
type Fate = "gone" | "there" | "unknown";

/** What the answer was, and what it gives to complain about. */
export interface Finding {
  fate: Fate;
  problem?: Problem;
}

/** Name of an item in messages and lists: `articles/7f3c`. */
export function listedName(index: Watched, id: string): string {
  return `${index}/${id}`;
}

/** Asks for an item that is no longer listed; anything but a clear answer is a problem. */
export async function fateOf(context: CrawlContext, { index, id }: Vanished): Promise<Finding> {
  const url = context.routes.urlOf({ route: "single", index, id });
  // Where single images cannot be asked for, nothing tells a deleted one from one that became private.
  if (url === undefined) return { fate: "there" };
  const subject = listedName(index, id);
  try {
    await context.client.json(url);
  } catch (thrown) {
    const error = await itemFailureOf(context, thrown);
    if (isGone(error)) return { fate: "gone" };
    // An image that is not for this token any more became private; of anything else, 403 may be a fault.
    if (index === "images" && error.status === 403) return { fate: "there" };
    const reason = `no longer listed: ${error.message}`;
    return { fate: "unknown", problem: { subject, reason } };
  }
  // An image that still answers may have become private, which removes it from the index by design.
  if (index === "images") return { fate: "there" };
  const reason = "no longer listed, but the origin still answers for it";
  const hint = "the listing may be incomplete; run again";
  return { fate: "there", problem: { subject, reason, hint } };
}
