import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import { isOriginHost } from "../../src/lib/hosts.ts";

const hour = 3_600_000;

describe("link book", () => {
  it("gives links out until they are ten hours old, two before they expire", () => {
    let now = 0;
    const links = createLinkBook(() => now);
    links.remember("images", "1", "first");
    now = 10 * hour - 1;
    expect(links.take("images", "1")).toBe("first");
    now = 10 * hour;
    expect(links.take("images", "1")).toBeUndefined();
    links.remember("images", "1", "second");
    expect(links.take("images", "1")).toBe("second");
  });

  it("keeps items of different kinds apart", () => {
    const links = createLinkBook();
    links.remember("images", "1", "image");
    links.remember("videos", "1", "video");
    expect([
      links.take("images", "1"),
      links.take("videos", "1"),
      links.take("audio", "1"),
    ]).toEqual(["image", "video", undefined]);
  });

  it("forgets what the origin refused", () => {
    const links = createLinkBook();
    links.remember("images", "1", "refused");
    links.forget("images", "1");
    expect(links.take("images", "1")).toBeUndefined();
  });

  it("drops the links that were remembered longest ago when it is full", () => {
    const links = createLinkBook(Date.now, { maxLinks: 2 });
    for (const id of ["1", "2", "1", "3"]) links.remember("images", id, `link ${id}`);
    expect(["1", "2", "3"].map((id) => links.take("images", id))).toEqual([
      "link 1",
      undefined,
      "link 3",
    ]);
  });
});

describe("isOriginHost", () => {
  const base = new URL("https://media.example.org/api");

  it.each([
    ["https://media.example.org/x", [], true],
    ["http://media.example.org/x", [], true],
    ["https://media.example.org:8443/x", [], false],
    ["https://example.org/x", [], false],
    ["https://media.example.org.evil.example/x", [], false],
    ["https://media.example.org@evil.example/x", [], false],
    ["https://cdn.example.org:8443/x", ["cdn.example.org"], true],
    ["https://cdn.example.org:8443/x", ["CDN.example.org:8443"], true],
    ["https://cdn.example.org/x", ["cdn.example.org:8443"], false],
    ["https://a.cdn.example.org/x", ["cdn.example.org"], false],
    ["http://[::1]:80/x", ["[::1]"], true],
    ["ftp://media.example.org/x", ["media.example.org"], false],
    ["file:///etc/passwd", [""], false],
  ])("%s with %j → %s", (url, allowHosts, expected) => {
    expect(isOriginHost(new URL(url), base, allowHosts)).toBe(expected);
  });
});
