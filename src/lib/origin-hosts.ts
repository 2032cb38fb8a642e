/** Whether a URL is on the API's own host, or on one that the configuration allows: `host` (any port) or `host:port`. */
export function isOriginHost(url: URL, base: URL, allowHosts: readonly string[]): boolean {
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  if (url.host === base.host) return true;
  return allowHosts.some((host) => {
    const allowed = host.toLowerCase();
    return allowed === url.host || allowed === url.hostname;
  });
}
