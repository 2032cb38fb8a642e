import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import { buildConnector } from "undici";
import { addressClass } from "../lib/addresses.ts";
import { AttemptError } from "./failure.ts";
import { notAllowed } from "./hosts.ts";

interface ConnectorOptions {
  /** Address of the API; its own host may be anywhere. */
  base: URL;
  /** As `origin.allowHosts`: an address that stands there itself is allowed. */
  allowHosts: readonly string[];
  lookup?: LookupFunction | undefined;
}

/**
 * Makes connections, but not to an address inside of something (loopback, private, link-local with the metadata of
 * clouds) that the name in a link or a redirect leads to: their author must not reach what only this machine can. Where
 * the API itself has an address of the same class, the service lives there. Every address of a name is checked, and the
 * connection is made to one of them: there is no second look-up that could say something else. A URL with an address in
 * place of a name comes here only if `allowHosts` names it.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { base, lookup = systemLookup } = options;
  const ownHost = bare(base.hostname);
  const named = new Set(options.allowHosts.map(hostOf));
  const lookupAll = promisify(lookup) as (
    host: string,
    options: { all: true },
  ) => Promise<LookupAddress[]>;

  /** Addresses of a host, all of which may be connected to. @throws AttemptError with a host to allow */
  async function checked(host: string): Promise<LookupAddress[]> {
    const found = await lookupAll(host, { all: true });
    for (const { address } of found) {
      const kind = addressClass(address);
      if (kind === undefined || named.has(hostOf(address))) continue;
      // Without its address there is nothing that others could share.
      const own = await lookupAll(ownHost, { all: true }).catch(() => []);
      if (!own.some((one) => addressClass(one.address) === kind)) {
        const article = /^[aeiou]/.test(kind) ? "an" : "a";
        const refusal = { final: true, ...notAllowed(address) };
        throw new AttemptError(`${host} leads to ${article} ${kind} address`, refusal);
      }
    }
    return found;
  }

  const checkedLookup: LookupFunction = (host, wanted, callback) => {
    checked(host).then(
      (found) => {
        const [first] = found;
        if (wanted.all || first === undefined) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };

  const connectToOwn = buildConnector({ lookup });
  const connectToOther = buildConnector({ lookup: checkedLookup });
  return (target, callback) => {
    const connect = target.hostname === ownHost ? connectToOwn : connectToOther;
    connect(target, callback);
  };
}

/** Host of `host`, `host:port` or an IPv6 address with or without brackets, as `URL` writes it. */
function hostOf(text: string): string {
  const host = isIP(text) === 6 ? `[${text}]` : text;
  return URL.canParse(`http://${host}`) ? bare(new URL(`http://${host}`).hostname) : text;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}
