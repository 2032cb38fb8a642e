import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";
import { ConfigError } from "../errors.ts";

/** Names of this machine, which no page of another one has. */
const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/;
/** RFC 9110, 7.2: a name or an address, and perhaps a port. */
const hostAndPort = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Makes the function that gives status and reason to refuse a request for; undefined for one to answer.
 *
 * A page can point its own name at this machine and read what that name answers. So a server answers only to the given
 * hosts, to this machine's own names, and to all addresses if it listens on all. A page can also make its reader's
 * browser ask for these names. So there, pages of other sites may lead to the server, and nothing else.
 *
 * @param hosts the address that it listens on, then names
 * @throws ConfigError for what is no name
 */
export function createGate(hosts: readonly string[]) {
  const known = new Set(hosts.map(hostOf));
  const isOpen = known.has("0.0.0.0") || known.has("[::]");
  const isOwn = (name: string): boolean =>
    loopback.test(name) || known.has(name) || (isOpen && isIP(name.replace(/[[\]]/g, "")) !== 0);

  return ({ headers, headersDistinct }: IncomingMessage): [number, string] | undefined => {
    const [host, second] = headersDistinct.host ?? [];
    // Only HTTP/1.0 has requests without one.
    if (host === undefined) return undefined;
    const name = hostAndPort.test(host) ? nameIn(`http://${host}`) : undefined;
    if (name === undefined || second !== undefined) return [400, "Bad Host header."];
    if (!isOwn(name)) return [421, `${name} is no host of this server; to add it: --host ${name}`];
    const { origin, referer, "sec-fetch-site": site, "sec-fetch-dest": target } = headers;
    if (!loopback.test(name) || target === "document") return undefined;
    const page = origin ?? (site === "cross-site" ? (referer ?? "") : undefined);
    if (page === undefined || isOwn(nameIn(page) ?? "")) return undefined;
    return [403, "Pages of other sites may lead here, and nothing else."];
  };
}

/** The host of a URL as browsers write it. */
function nameIn(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, "") : undefined;
}

function hostOf(host: string): string {
  const name = nameIn(`http://${isIPv6(host) ? `[${host}]` : host}`);
  if (name !== undefined && (isIPv6(host) || /^[^:/\\?#@]+$/.test(host))) return name;
  throw new ConfigError(`--host: expected a name or an address without a port, got "${host}"`);
}
