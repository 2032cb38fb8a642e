import { ConfigError } from "../errors.ts";
import type { SnapshotManifest } from "./snapshots.ts";

/**
 * Whether two base URLs are the same address: the case of the host, a default port and slashes at the end make no
 * difference.
 */
export function sameOrigin(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, "");
}

/** Whether the configuration may name another address than the store: any, none, or one on the same host. */
export type Moved = boolean | "on this host";

/**
 * Makes sure that a store is continued from the service that filled it. Another one would look as if everything had
 * been deleted and something else published.
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

/**
 * The address of a new snapshot, and all addresses that the service has had, the first one first, if it has moved: older
 * texts still name them.
 *
 * @param latest snapshot before it; undefined before the first
 */
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
