import type { Config } from "../config.ts";
import { isOriginHost } from "../lib/urls.ts";

/** Hosts that are told: more are an attack. */
const mostHosts = 10;

/** What is said where files lie at a host that may not be asked. */
export function notAllowed(host: string): { host: string; hint: string } {
  const hint = `add "${host}" to origin.allowHosts if the service keeps its files there`;
  return { host, hint };
}

/** Looks at the links of files, and tells of each host that may not be asked, once. */
export function createHostCheck(
  { baseUrl, allowHosts }: Config["origin"],
  tell: (text: string, hint: string) => void,
) {
  const base = new URL(baseUrl);
  const met = new Set<string>();
  return (link: string): void => {
    const url = new URL(link);
    const { host } = url;
    if (isOriginHost(url, base, allowHosts) || met.has(host) || met.size === mostHosts) return;
    met.add(host);
    const text = `files lie at ${host}, which origin.allowHosts does not name: they are not downloaded`;
    tell(text, notAllowed(host).hint);
  };
}
