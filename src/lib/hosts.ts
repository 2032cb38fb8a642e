/**
 * Whether binaries may be fetched from a URL, and its links count as the origin's: the API's own host, or one
 * that the configuration allows, written `host` (any port) or `host:port`.
 */
export function isOriginHost(url: URL, base: URL, allowHosts: readonly string[]): boolean {
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  if (url.host === base.host) return true;
  return allowHosts.some((host) => {
    const allowed = host.toLowerCase();
    return allowed === url.host || allowed === url.hostname;
  });
}
