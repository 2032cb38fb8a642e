import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Kinds of addresses that are no part of the public internet. */
export type AddressClass =
  | "loopback"
  | "unspecified"
  | "link-local"
  | "private"
  | "multicast"
  | "reserved";

/**
 * The special-purpose registries of IANA (RFC 6890 and its updates), the most telling class first. The families have
 * lists of their own, because a list takes an IPv4 address for the IPv6 address that is mapped to it.
 */
const ipv4Classes: [AddressClass, BlockList][] = [
  ["loopback", listOf("127.0.0.0/8")],
  ["unspecified", listOf("0.0.0.0/8")],
  ["link-local", listOf("169.254.0.0/16")],
  ["private", listOf("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")],
  ["multicast", listOf("224.0.0.0/4")],
  [
    "reserved",
    listOf(
      ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24"],
      ...["203.0.113.0/24", "240.0.0.0/4"],
    ),
  ],
];
const ipv6Classes: [AddressClass, BlockList][] = [
  ["loopback", listOf("::1/128")],
  ["unspecified", listOf("::/128")],
  ["link-local", listOf("fe80::/10")],
  // The last two: sites of old, and NAT64 with a local prefix, behind which there may be anything.
  ["private", listOf("fc00::/7", "fec0::/10", "64:ff9b:1::/48")],
  ["multicast", listOf("ff00::/8")],
  [
    "reserved",
    // Nothing outside 2000::/3 is given out at all. Teredo stands in 2001::/23, 6to4 in 2002::/16.
    listOf(
      ...["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
    ),
  ],
];
/** IPv4 addresses in IPv6, mapped or behind NAT64, as `URL` writes them. */
const wrapped = /^\[(?:::ffff:|64:ff9b::)(?:([\da-f]+):)?([\da-f]+)\]$/;

/**
 * What kind of address stands in a text; undefined for one of the public internet. An IPv6 address that stands for
 * an IPv4 address is of that one's kind.
 *
 * addressClass("::ffff:169.254.169.254") → "link-local"
 *
 * @param text as `URL` and resolvers write it, also with brackets or a zone
 * @throws TypeError where it is no IP address
 */
export function addressClass(text: string): AddressClass | undefined {
  const address = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (isIPv4(address)) return ipv4Classes.find(([, list]) => list.check(address, "ipv4"))?.[0];
  if (!isIPv6(address)) throw new TypeError(`no IP address: ${text}`);
  const inner = wrapped.exec(new URL(`http://[${address}]`).hostname);
  if (inner === null) return ipv6Classes.find(([, list]) => list.check(address, "ipv6"))?.[0];
  const [, high = "0", low = "0"] = inner;
  const groups = [high, low].map((group) => Number.parseInt(group, 16));
  return addressClass(groups.flatMap((group) => [group >> 8, group & 255]).join("."));
}

function listOf(...subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix] = subnet.split("/");
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
