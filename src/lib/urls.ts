import { orUndefined } from "./or-undefined.ts";

/** Host of a URL from behind its slashes, without port, in lower case, in ASCII; "" for none. */
export function hostnameOf(rest: string): string {
  const url = `http://${/^[^/?#\\&]*/.exec(rest)?.[0]}`;
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** Whether a URL carries an expiry or a signature ("Image binary retrieval" in the API document). */
export function isSigned({ searchParams }: URL): boolean {
  return [...searchParams.keys()].some((name) => /^(?:expires|signature)$/i.test(name));
}

/** As it is where it cannot be decoded. */
export function percentDecoded(text: string): string {
  return orUndefined(() => decodeURIComponent(text)) ?? text;
}

/** Whether a URL is on the API's own host, or on one that the configuration allows: `host` (any port) or `host:port`. */
export function isOriginHost(url: URL, base: URL, allowHosts: readonly string[]): boolean {
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  if (url.host === base.host) return true;
  return allowHosts.some((host) => {
    const allowed = host.toLowerCase();
    return allowed === url.host || allowed === url.hostname;
  });
}
