import { ConfigError } from "../errors.ts";
import type { SnapshotManifest } from "./snapshots.ts";

/** Whether base URLs are one address: the host's case, a default port and slashes at the end make no difference. */
export function sameOrigin(one: string, other: string): boolean {
  const plain = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/+$/, "");
  return plain(one) === plain(other);
}

/** Whether the configuration may name another address than the store: any, none, or one on the same host. */
export type Moved = boolean | "on this host";

/**
 * Makes sure that a store is continued from the service that filled it: another one would look like a mass deletion.
 *
 * @param latest snapshot of the store; undefined before the first
 * @throws ConfigError where it was taken at another address than `baseUrl`
 */
export function requireOrigin(
  folder: string,
  latest: Pick<SnapshotManifest, "origin"> | undefined,
  baseUrl: string,
  moved: Moved,
): void {
  if (latest === undefined || moved === true || sameOrigin(latest.origin, baseUrl)) return;
  const sameHost = new URL(latest.origin).hostname === new URL(baseUrl).hostname;
  if (moved === "on this host" && sameHost) return;
  throw new ConfigError(`${folder} holds ${latest.origin}, the configuration names ${baseUrl}`, {
    hint: 'add --moved if it is the same service at a new address; if not, choose another "out"',
  });
}

/** The address of a new snapshot; if the service has moved, all its addresses in order, which older texts name. */
export function originsAfter(
  latest: Pick<SnapshotManifest, "origin" | "origins"> | undefined,
  baseUrl: string,
): Pick<SnapshotManifest, "origin" | "origins"> {
  if (latest === undefined) return { origin: baseUrl };
  const { origins = [latest.origin] } = latest;
  // A known address stays as it was written, so that another spelling alone is no change.
  const known = origins.find((one) => sameOrigin(one, baseUrl));
  const all = known === undefined ? [...origins, baseUrl] : origins;
  return { origin: known ?? baseUrl, ...(all.length > 1 ? { origins: all } : {}) };
}
