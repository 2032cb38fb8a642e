import type { z } from "zod";
import type { WireEnvelope } from "../api/schema.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { isTurnOf, type Turn } from "../lib/turns.ts";
import { type AttachmentRoute, attachmentRoutes, type Parent } from "../routes/table.ts";
import type { AttachmentCounts } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";

/** The indexes whose items are not let go without a proof. */
export const watched = ["articles", "galleries", "images"] as const;
export type Watched = (typeof watched)[number];

/** Whether a list is such an index. */
export function isWatched(list: string): list is Watched {
  return watched.some((one) => one === list);
}

/** Whether an item is asked for: if its index form changed, and in its turn, which finds edits without a trace there. */
export function needsRefresh(
  id: string,
  { single, changed }: { single: Ref | undefined; changed: boolean },
  { refresh, turn }: { refresh: Config["crawl"]["refresh"]; turn: Turn },
): boolean {
  return single === undefined || changed || refresh === "all" || isTurnOf(id, turn);
}

interface RecheckLoad {
  /** Articles and galleries. */
  items: number;
  /** Requests that one of them takes. */
  each: number;
  /** Originals, which have their turn half as often. */
  files: number;
  /** Requests a second so far; infinite where nothing is known. */
  perSecond: number;
}

/** The share of everything that a night can check again, so that the requests for it stay within their budget. */
export function recheckShare(
  { share, maxRequests, maxSeconds }: Config["crawl"]["recheck"],
  { items, each, files, perSecond }: RecheckLoad,
): number {
  const all = items * each + files / 2;
  return Math.min(share, Math.min(maxRequests, maxSeconds * perSecond) / Math.max(all, 1));
}

/** Key of an index form without the members that change by themselves, such as `rating` or `stats.views`. */
export function steadyKey(raw: string, volatile: readonly string[]): string {
  const object = JSON.parse(raw) as Record<string, unknown>;
  for (const path of volatile) {
    const names = path.split(".");
    const last = names.pop() as string;
    let holder: unknown = object;
    for (const name of names) holder = (holder as Record<string, unknown> | undefined)?.[name];
    if (typeof holder === "object" && holder !== null) Reflect.deleteProperty(holder, last);
  }
  return keyOf(JSON.stringify(object));
}

/** The attachment lists to ask for: those with a path at this origin and a count that is unknown or above zero. */
export function wantedAttachments(
  parent: Parent,
  counts: AttachmentCounts,
  paths: Config["origin"]["paths"],
): AttachmentRoute[] {
  return attachmentRoutes.filter(
    (route) => route.parent === parent && paths[route.path] !== null && counts[route.kind] !== 0,
  );
}

type Envelope = z.infer<typeof WireEnvelope>;

/** How many items an envelope says that its list has. Some origins write 0 where they do not count. */
export function totalOf({ meta, data }: Envelope): number | undefined {
  return meta?.total === 0 && data.length > 0 ? undefined : meta?.total;
}

/** The last page of an index: what the origin says, or what follows from its total and page size. */
export function lastPageOf(envelope: Envelope): number | undefined {
  const { last_page: last = 0, per_page: perPage = 0 } = envelope.meta ?? {};
  if (last > 0) return last;
  const total = totalOf(envelope);
  return total === undefined || perPage === 0 ? undefined : Math.max(1, Math.ceil(total / perPage));
}

/**
 * A list in which items that vanished from it stand again, each behind the one that it followed before.
 *
 * withVanished([a, b, c], [x, a, c]) → [x, a, b, c]
 */
export function withVanished(before: Iterable<Ref>, now: readonly Ref[]): Ref[] {
  const present = new Set(now.map(({ id }) => id));
  const onTop: Ref[] = [];
  const behind = new Map<string, Ref[]>();
  let place = onTop;
  for (const ref of before) {
    if (present.has(ref.id)) {
      place = [];
      behind.set(ref.id, place);
    } else place.push(ref);
  }
  return [...onTop, ...now.flatMap((ref) => [ref, ...(behind.get(ref.id) ?? [])])];
}
