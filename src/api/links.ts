import { utcTime } from "./times.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Signed links, in memory only: they live twelve hours and are secrets. Who finds none lists the items again. */
export type LinkBook = ReturnType<typeof createLinkBook>;

/**
 * @param now the origin's clock, in milliseconds since the epoch: links expire by that
 * @param maxAgeMs links older than this are not given out; the service's live 12 h
 * @param maxLinks the oldest are dropped above this, to bound memory
 */
export function createLinkBook(
  now: () => number = Date.now,
  { maxAgeMs = 10 * hour, maxLinks = 50_000 } = {},
) {
  const links = new Map<string, { url: string; until: number }>();
  // Grows with the archive, as the snapshot does.
  const listed = new Set<string>();
  const keyFor = (kind: string, id: string): string => `${kind}/${id}`;
  return {
    remember(kind: string, id: string, url: string): void {
      const key = keyFor(kind, id);
      const time = now();
      const until = Math.min(time + maxAgeMs, usableUntil(url, time) ?? Number.POSITIVE_INFINITY);
      links.delete(key);
      links.set(key, { url, until });
      listed.add(key);
      if (links.size > maxLinks) links.delete(links.keys().next().value as string);
    },
    /** A link young enough to be used; undefined where there is none. */
    take(kind: string, id: string): string | undefined {
      const link = links.get(keyFor(kind, id));
      return link !== undefined && now() < link.until ? link.url : undefined;
    },
    /** Whether a link was ever remembered: listing the item again gives a new one. */
    wasListed: (kind: string, id: string): boolean => listed.has(keyFor(kind, id)),
    forget(kind: string, id: string): void {
      links.delete(keyFor(kind, id));
    },
  };
}

/** Until when a link is worth trying; undefined where it names no time that can be meant. */
function usableUntil(url: string, now: number): number | undefined {
  const expires = expiryOf(url);
  if (expires === undefined || expires < now - minute || expires > now + 31 * day) return undefined;
  const lifeMs = expires - now;
  // The download has to begin in time; a link of a minute is not thrown away for that.
  const marginMs = Math.min(Math.max(minute, lifeMs / 20), lifeMs / 2);
  return expires - marginMs;
}

/**
 * When a link expires, in milliseconds since the epoch by the origin's clock; undefined where it does not say so. Its
 * `expires` may be seconds, milliseconds, or a date in ISO 8601.
 */
function expiryOf(url: string): number | undefined {
  const query = url.split("#", 1)[0]?.split("?")[1] ?? "";
  const parameters = [...new URLSearchParams(query)];
  const value = parameters.find(([name]) => /^expires$/i.test(name))?.[1].trim() ?? "";
  if (/^\d{9,10}(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  if (/^\d{12,13}$/.test(value)) return Number(value);
  // In a query, the plus of an offset that nobody has encoded means a space.
  const iso = utcTime(value.includes("T") ? value.replace(/ (\d\d:?\d\d)$/, "+$1") : value);
  return iso === undefined ? undefined : Date.parse(iso);
}
