import { BlockList, isIPv4, isIPv6 } from "node:net";

/** The special-purpose registries of IANA (RFC 6890 and its updates), the most telling class first. */
const subnets = {
  loopback: ["127.0.0.0/8", "::1/128"],
  unspecified: ["0.0.0.0/8", "::/128"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  private: [
    ...["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"],
    // The last two: old site-local ones, and NAT64 with a local prefix.
    ...["fc00::/7", "fec0::/10", "64:ff9b:1::/48"],
  ],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  reserved: [
    ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24"],
    ...["203.0.113.0/24", "240.0.0.0/4"],
    // Nothing outside 2000::/3 is assigned. Teredo is in 2001::/23, 6to4 in 2002::/16.
    ...["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
  ],
};
/** Kinds of addresses outside the public internet. */
export type AddressClass = keyof typeof subnets;

type Family = "ipv4" | "ipv6";
const classes = { ipv4: classesOf("ipv4"), ipv6: classesOf("ipv6") };
/** IPv4 addresses in IPv6, mapped or behind NAT64, as `URL` writes them. */
const wrapped = /^\[(?:::ffff:|64:ff9b::)(?:([\da-f]+):)?([\da-f]+)\]$/;

/**
 * The kind of an address; undefined for the public internet. An IPv6 address that stands for an IPv4 address is of its
 * kind.
 *
 * addressClass("::ffff:169.254.169.254") → "link-local"
 *
 * @param text as `URL` and resolvers write it, also with brackets or a zone
 * @throws TypeError where it is no IP address
 */
export function addressClass(text: string): AddressClass | undefined {
  const address = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (isIPv4(address)) return classOf(address, "ipv4");
  if (!isIPv6(address)) throw new TypeError(`no IP address: ${text}`);
  const inner = wrapped.exec(new URL(`http://[${address}]`).hostname);
  if (inner === null) return classOf(address, "ipv6");
  const [, high = "0", low = "0"] = inner;
  const groups = [high, low].map((group) => Number.parseInt(group, 16));
  return addressClass(groups.flatMap((group) => [group >> 8, group & 255]).join("."));
}

function classOf(address: string, family: Family): AddressClass | undefined {
  return classes[family].find(({ list }) => list.check(address, family))?.kind;
}

/** One family at a time: a list takes an IPv4 address for the IPv6 address that is mapped to it. */
function classesOf(family: Family): { kind: AddressClass; list: BlockList }[] {
  return (Object.keys(subnets) as AddressClass[]).map((kind) => {
    const list = new BlockList();
    for (const subnet of subnets[kind]) {
      const [network = "", prefix] = subnet.split("/");
      if (isIPv6(network) === (family === "ipv6")) list.addSubnet(network, Number(prefix), family);
    }
    return { kind, list };
  });
}
