import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import { isOriginHost } from "../../src/lib/urls.ts";

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

  it.each([
    ["seconds", "?signature=s&expires=1714650000"],
    ["milliseconds", "?expires=1714650000000&signature=s"],
    ["a name in capitals", "?Expires=1714650000"],
    ["an ISO date", "?expires=2024-05-02T11:40:00Z"],
    ["an ISO date with an offset", "?expires=2024-05-02T13:40:00%2B02:00"],
    ["one whose plus has become a space", "?expires=2024-05-02T13:40:00+02:00"],
  ])("gives a link with %s out no longer than it may be used", (_name, query) => {
    const lifeMs = 12 * hour;
    let now = Date.parse("2024-05-02T11:40:00Z") - lifeMs;
    const links = createLinkBook(() => now, { maxAgeMs: 24 * hour });
    links.remember("images", "1", `https://media.example.org/1.jpg${query}`);
    now += lifeMs - lifeMs / 20 - 1;
    expect(links.take("images", "1")).toBeDefined();
    now += 1;
    expect(links.take("images", "1")).toBeUndefined();
  });

  it.each([
    // A margin of a minute, or of half a life, or of a twentieth of it; and never more than ten hours.
    [600, 540],
    [90, 45],
    [7_200, 6_840],
    [86_400, 36_000],
    // It has just expired, by the origin's own clock.
    [-30, 0],
    // These are no times at which a link can expire, so that its age alone counts.
    [-3_600, 36_000],
    [40 * 86_400, 36_000],
  ])("a link that expires in %i s is given out for %i s", (lifeSeconds, expected) => {
    const begun = 1_714_650_000;
    let now = begun * 1000;
    const links = createLinkBook(() => now);
    links.remember("images", "1", `/1.jpg?expires=${begun + lifeSeconds}`);
    let usable = 0;
    for (let seconds = 0; seconds <= 40_000; seconds += 15) {
      now = (begun + seconds) * 1000;
      if (links.take("images", "1") !== undefined) usable = seconds + 15;
    }
    expect(usable).toBe(expected);
  });

  it.each([
    "?expires=soon",
    "?expires=",
    "?expires=1e9",
    "?expires=12",
    "?expires=%",
    "#expires=9",
  ])("counts the age alone of a link with %s", (query) => {
    let now = 1_714_650_000_000;
    const links = createLinkBook(() => now);
    links.remember("images", "1", query);
    now += 10 * hour - 1;
    expect(links.take("images", "1")).toBe(query);
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
