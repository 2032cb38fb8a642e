import { describe, expect, it } from "vitest";
import { originsAfter, sameOrigin } from "../../src/store/origin.ts";

const [a, b, c] = ["https://a.test/api", "https://b.test/api", "https://c.test/v2"] as const;

describe("sameOrigin", () => {
  it.each([
    ["https://a.test/api", "https://A.Test/api/", true],
    ["https://a.test/api", "HTTPS://a.test:443/api", true],
    ["http://a.test", "http://a.test:80/", true],
    ["http://a.test/api", "https://a.test/api", false],
    ["https://a.test/api", "https://a.test:8443/api", false],
    ["https://a.test/api", "https://a.test/API", false],
    ["https://a.test/api/v1", "https://a.test/api/v2", false],
    ["http://127.0.0.1:8080/api", "http://localhost:8080/api", false],
  ])("%s, %s: %s", (one, other, same) => {
    expect([sameOrigin(one, other), sameOrigin(other, one)]).toEqual([same, same]);
  });
});

describe("the addresses of a service", () => {
  it.each([
    ["at first", undefined, a, { origin: a }],
    ["the next night", { origin: a }, a, { origin: a }],
    ["in another spelling", { origin: a }, "https://A.test:443/api", { origin: a }],
    ["after a move", { origin: a }, b, { origin: b, origins: [a, b] }],
    ["after two", { origin: b, origins: [a, b] }, c, { origin: c, origins: [a, b, c] }],
    ["back again", { origin: b, origins: [a, b] }, a, { origin: a, origins: [a, b] }],
  ])("%s", (_, latest, baseUrl, expected) => {
    expect(originsAfter(latest, baseUrl)).toEqual(expected);
  });
});
