import { afterEach, describe, expect, it } from "vitest";
import type { OriginOptions } from "../../src/demo/options.ts";
import { type Origin, startOrigin } from "../../src/demo/origin.ts";
import { ask, bytesOf, imageOf, smallContent, stripes } from "./support.ts";

let time = Date.UTC(2025, 0, 1);
let origin: Origin;

/** An origin with a clock of its own that admits three requests in ten seconds. */
async function start(options: Partial<OriginOptions> = {}): Promise<void> {
  const content = smallContent({ articles: [{}], images: [imageOf(0, await stripes(false))] });
  const rate = { requests: 3, perSeconds: 10 };
  origin = await startOrigin({ content, rate, now: () => new Date(time), ...options });
}
afterEach(() => origin.close());

describe("the rate limit", () => {
  it("is a sliding window over requests of every kind", async () => {
    await start();
    const { json } = await ask(origin, "/images");
    const web = json.data[0]?.links.web ?? "";
    time += 4000;
    expect((await bytesOf(web)).status).toBe(200);
    expect((await ask(origin, "/nothing", null)).status).toBe(401);
    const refused = await ask(origin, "/images");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "6"]);
    expect(refused.json.message).toBe("Too many requests.");
    expect((await bytesOf(web)).status).toBe(429);
    time += 5999;
    expect((await ask(origin, "/tags")).status).toBe(429);
    time += 1;
    expect((await ask(origin, "/tags")).status).toBe(200);
    // The two requests of the fourth second are still in the window.
    expect((await ask(origin, "/tags")).headers.get("retry-after")).toBe("4");
  });

  it.each<[OriginOptions["rateHeaders"], ...[name: string, value: string][]]>([
    ["x-ratelimit", ["x-ratelimit-limit", "3"], ["x-ratelimit-remaining", "2"]],
    ["ratelimit", ["ratelimit-limit", "3"], ["ratelimit-remaining", "2"]],
    ["ratelimit", ["ratelimit-policy", "3;w=10"], ["ratelimit-reset", "10"]],
  ])("speaks %s: %s, %s", async (rateHeaders, ...expected) => {
    await start({ rateHeaders });
    const { headers } = await ask(origin, "/tags");
    for (const [name, value] of expected) expect(headers.get(name)).toBe(value);
  });

  it("gives the date to come back, or says nothing at all", async () => {
    time = Date.UTC(2025, 0, 1, 0, 0, 0, 300);
    await start({ retryAfter: "date" });
    for (let count = 0; count < 3; count += 1) await ask(origin, "/tags");
    const { headers } = await ask(origin, "/tags");
    expect(headers.get("retry-after")).toBe("Wed, 01 Jan 2025 00:00:11 GMT");
    await origin.close();
    await start({ retryAfter: "none", rateHeaders: "none" });
    for (let count = 0; count < 3; count += 1) await ask(origin, "/tags");
    const silent = await ask(origin, "/tags");
    expect(silent.status).toBe(429);
    expect([...silent.headers.keys()].filter((name) => /rate|retry/.test(name))).toEqual([]);
  });
});

describe("an interceptor", () => {
  it("can answer instead of the origin", async () => {
    let failures = 2;
    await start({
      intercept: (_request, response) => {
        if (failures === 0) return false;
        failures -= 1;
        response.writeHead(503).end();
        return true;
      },
    });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await ask(origin, "/tags")).status);
    expect(statuses).toEqual([503, 503, 200]);
  });
});
