/**
 * Signed links in memory: they live twelve hours, are secrets, and so are never stored. Whoever lists items
 * remembers their links here; whoever downloads takes them, and lists again when they are too old.
 */
export interface LinkBook {
  /** Remembers the download link of an item as of now. */
  remember(kind: string, id: string, url: string): void;
  /** A link young enough to be used; undefined where there is none. */
  take(kind: string, id: string): string | undefined;
  /** Drops a link that the origin refused. */
  forget(kind: string, id: string): void;
}

const hour = 3_600_000;

/**
 * @param maxAgeMs links older than this are not given out; the service's live 12 h
 * @param maxLinks the oldest are dropped above this, to bound memory
 */
export function createLinkBook(
  now: () => number = Date.now,
  { maxAgeMs = 10 * hour, maxLinks = 50_000 } = {},
): LinkBook {
  const links = new Map<string, { url: string; at: number }>();
  const keyFor = (kind: string, id: string): string => `${kind}/${id}`;
  return {
    remember(kind, id, url) {
      const key = keyFor(kind, id);
      links.delete(key);
      links.set(key, { url, at: now() });
      if (links.size > maxLinks) links.delete(links.keys().next().value as string);
    },
    take(kind, id) {
      const link = links.get(keyFor(kind, id));
      return link !== undefined && now() - link.at < maxAgeMs ? link.url : undefined;
    },
    forget(kind, id) {
      links.delete(keyFor(kind, id));
    },
  };
}
