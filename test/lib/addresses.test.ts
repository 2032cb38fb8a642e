import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AddressClass, addressClass } from "../../src/lib/addresses.ts";

describe("addressClass", () => {
  it.each<[string, AddressClass | undefined]>([
    ["8.8.8.8", undefined],
    ["126.255.255.255", undefined],
    ["127.0.0.1", "loopback"],
    ["127.255.255.255", "loopback"],
    ["128.0.0.0", undefined],
    ["0.0.0.0", "unspecified"],
    ["0.1.2.3", "unspecified"],
    ["169.253.255.255", undefined],
    ["169.254.169.254", "link-local"],
    ["10.0.0.1", "private"],
    ["172.15.255.255", undefined],
    ["172.16.0.0", "private"],
    ["172.31.255.255", "private"],
    ["172.32.0.0", undefined],
    ["192.168.1.1", "private"],
    ["100.63.255.255", undefined],
    ["100.64.0.1", "private"],
    ["100.128.0.0", undefined],
    ["198.18.0.1", "reserved"],
    ["203.0.113.7", "reserved"],
    ["224.0.0.1", "multicast"],
    ["239.255.255.255", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "reserved"],
    ["2606:4700::1111", undefined],
    ["[2606:4700::1111]", undefined],
    ["::1", "loopback"],
    ["[::1]", "loopback"],
    ["0:0:0:0:0:0:0:1", "loopback"],
    ["::", "unspecified"],
    ["fe80::1", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["febf::1", "link-local"],
    ["fec0::1", "private"],
    ["fc00::1", "private"],
    ["fdff::1", "private"],
    ["ff02::1", "multicast"],
    ["2001:db8::1", "reserved"],
    ["2001:0:7f00:1::", "reserved"],
    ["100::1", "reserved"],
    // Forms of old that nobody gives out any more, with an IPv4 address in them.
    ["::ffff:0:10.0.0.1", "reserved"],
    ["::127.0.0.1", "reserved"],
    ["2002:7f00:1::", "reserved"],
    ["2002:808:808::1", "reserved"],
    ["4000::1", "reserved"],
  ])("%s → %s", (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });

  it.each<[string, AddressClass | undefined]>([
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::FFFF:169.254.169.254", "link-local"],
    ["::ffff:8.8.8.8", undefined],
    ["64:ff9b::169.254.169.254", "link-local"],
    ["64:ff9b::a9fe:a9fe", "link-local"],
    ["64:ff9b::8.8.8.8", undefined],
    ["64:ff9b:1::8.8.8.8", "private"],
  ])("sees the address behind another one: %s → %s", (address, expected) => {
    expect(addressClass(address)).toBe(expected);
  });

  it.each([
    ["http://2130706433/", "loopback"],
    ["http://0x7f.1/", "loopback"],
    ["http://017700000001/", "loopback"],
    ["http://127.1/", "loopback"],
    ["http://0/", "unspecified"],
    ["http://0xa9fea9fe/", "link-local"],
    ["http://①②⑦.0.0.1/", "loopback"],
    ["http://[::ffff:127.0.0.1]/", "loopback"],
    ["http://[0:0:0:0:0:ffff:7f00:1]/", "loopback"],
  ])("knows the odd spelling of a URL: %s → %s", (url, expected) => {
    expect(addressClass(new URL(url).hostname)).toBe(expected);
  });

  it.each(["", "localhost", "1.2.3", "1.2.3.4.5", "::g", "[1.2.3.4", "2130706433"])(
    "refuses what is no address: %j",
    (text) => {
      expect(() => addressClass(text)).toThrow(TypeError);
    },
  );

  it("says the same of an address in every spelling and every wrapping", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const parts = address.split(".").map(Number) as [number, number, number, number];
        const [high, low] = [parts[0] * 256 + parts[1], parts[2] * 256 + parts[3]];
        const hex = `${high.toString(16)}:${low.toString(16)}`;
        const expected = addressClass(address);
        const wrapped = [`::ffff:${address}`, `::ffff:${hex}`, `64:ff9b::${hex}`];
        expect(wrapped.map(addressClass)).toEqual(wrapped.map(() => expected));
        const canonical = new URL(`http://[::ffff:${address}]/`).hostname;
        expect(addressClass(canonical)).toBe(expected);
      }),
    );
  });

  it("has an answer for every address", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new URL(`http://[${address}]/`).hostname;
        expect(addressClass(address)).toBe(addressClass(canonical));
      }),
    );
  });
});
