import type { Config } from "../config.ts";
import { isOriginHost } from "../lib/urls.ts";

/** Hosts that are told: more are an attack. */
const mostHosts = 10;

/** What is said where files lie at a host that may not be asked. */
export function notAllowed(host: string): { host: string; hint: string } {
  const hint = `add "${host}" to origin.allowHosts if the service keeps its files there`;
  return { host, hint };
}

/** Looks at the links of files, and gives each host that may not be asked when it is first met. */
export function createHostCheck({ baseUrl, allowHosts }: Config["origin"]) {
  const base = new URL(baseUrl);
  const met = new Set<string>();
  return (link: string) => {
    const url = new URL(link);
    if (isOriginHost(url, base, allowHosts) || met.has(url.host) || met.size === mostHosts)
      return undefined;
    met.add(url.host);
    const text = `files lie at ${url.host}, which origin.allowHosts does not name: they are not downloaded`;
    return { text, ...notAllowed(url.host) };
  };
}
