import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Kinds of addresses that are no part of the public internet. */
export type AddressClass =
  | "loopback"
  | "unspecified"
  | "link-local"
  | "private"
  | "multicast"
  | "reserved";

/** The special-purpose registries of IANA (RFC 6890 and its updates), the most telling class first. */
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
  // Nothing outside 2000::/3 is given out at all. Teredo stands in 2001::/23.
  ["reserved", listOf("::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "3fff::/20")],
];
/** Prefixes behind which an IPv4 address stands, and the place of its first byte. */
const wrappings = [
  // Mapped, translated (RFC 2765), NAT64, and "compatible".
  { list: listOf("::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "::/96"), at: 12 },
  // 6to4
  { list: listOf("2002::/16"), at: 2 },
];
/** "::" and "::1" look like compatible ones. */
const unwrapped = listOf("::/127");

/**
 * What kind of address stands in a text; undefined for one of the public internet. An IPv6 address that leads to
 * an IPv4 address is of that one's kind.
 *
 * addressClass("::ffff:169.254.169.254") → "link-local"
 *
 * @param text as `URL` and resolvers write it, also with brackets or a zone
 * @throws TypeError where it is no IP address
 */
export function addressClass(text: string): AddressClass | undefined {
  const address = text.replace(/^\[(.*)\]$/, "$1").replace(/%.*$/, "");
  if (isIPv4(address)) return firstOf(ipv4Classes, address, "ipv4");
  if (!isIPv6(address)) throw new TypeError(`no IP address: ${text}`);
  const inner = wrappedIn(address);
  return inner === undefined
    ? firstOf(ipv6Classes, address, "ipv6")
    : firstOf(ipv4Classes, inner, "ipv4");
}

function firstOf(
  classes: [AddressClass, BlockList][],
  address: string,
  family: "ipv4" | "ipv6",
): AddressClass | undefined {
  return classes.find(([, list]) => list.check(address, family))?.[0];
}

/** The IPv4 address that an IPv6 address leads to. */
function wrappedIn(address: string): string | undefined {
  if (unwrapped.check(address, "ipv6")) return undefined;
  const wrapping = wrappings.find(({ list }) => list.check(address, "ipv6"));
  if (wrapping === undefined) return undefined;
  return bytesOf(address)
    .slice(wrapping.at, wrapping.at + 4)
    .join(".");
}

/** The 16 bytes of a valid IPv6 address. */
function bytesOf(address: string): number[] {
  const groups = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = [], tail = []] = groups
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const missing = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...missing, ...tail].flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
}

function listOf(...subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", prefix] = subnet.split("/");
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
