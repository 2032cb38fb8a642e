import type { z } from "zod";
import type { WireEnvelope } from "../api/schema.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { isTurnOf, roundsOf } from "../lib/turns.ts";
import { type AttachmentRoute, attachmentRoutes, type Parent } from "../routes/table.ts";
import type { AttachmentCounts } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";

/** The indexes whose items are not let go without a proof. */
export const watched = ["articles", "galleries", "images"] as const;
export type Watched = (typeof watched)[number];

export interface RefreshRule {
  refresh: Config["crawl"]["refresh"];
  /** Share of the unchanged items that is fetched again, 0 to 1. */
  share: number;
  /** Number of this crawl, so that the share rolls over all items. */
  round: number;
}

/**
 * Whether an item's single form and attachments are requested: if the index form changed, and for a rolling share of
 * the rest, which finds edits without a trace in the index. With 0.15 each item has its turn once in 7 crawls.
 */
export function needsRefresh(
  id: string,
  { single, changed }: { single: Ref | undefined; changed: boolean },
  { refresh, share, round }: RefreshRule,
): boolean {
  if (single === undefined || changed || refresh === "all") return true;
  const rounds = roundsOf(share);
  return rounds > 0 && isTurnOf(id, round, rounds);
}

/**
 * Key of an index form without the members that change by themselves, such as `rating`.
 *
 * @param volatile names of members, or paths with dots such as `stats.views`
 */
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
