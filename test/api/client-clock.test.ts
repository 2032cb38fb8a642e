import { describe, expect, it } from "vitest";
import { startOrigin } from "../../src/demo/origin.ts";
import { virtualClock } from "../lib/virtual-clock.ts";
import { generateContent } from "../support/content.ts";
import { clientOf } from "./support.ts";

const minute = 60_000;

describe("a client on a clock of its own", () => {
  it.each([
    ["its own rate", { requests: 60, perSeconds: 60 }, "none" as const, 0],
    ["what the origin says", "auto" as const, "x-ratelimit" as const, 0],
    ["what the origin states", "auto" as const, "ratelimit" as const, 0],
    ["what is safe where it says nothing", "auto" as const, "none" as const, 0],
    ["what refusals ask for", { requests: 600, perSeconds: 60 }, "none" as const, 8 + 29 * 4],
  ])("keeps to %s for half an hour, over HTTP", async (_name, rate, rateHeaders, atMost) => {
    const clock = virtualClock();
    const statuses: number[] = [];
    const content = await generateContent({ articles: 20, galleries: 0, images: 0, seed: 1 });
    const origin = await startOrigin({
      content,
      rate: { requests: 60, perSeconds: 60 },
      rateHeaders,
      now: () => new Date(clock.now()),
      intercept(_, response) {
        response.setHeader("date", new Date(clock.now()).toUTCString());
        response.on("close", () => statuses.push(response.statusCode));
        return false;
      },
    });
    try {
      const token = origin.tokens.organisation;
      const client = clientOf(origin.baseUrl, { clock, token, origin: { rate } });
      const begun = clock.now();
      const asked = Array.from({ length: 1800 }, () => client.json(`${origin.baseUrl}/categories`));
      await clock.run(Promise.all(asked), () => client.stats.requests > statuses.length);
      expect(statuses.filter((status) => status === 429).length).toBeLessThanOrEqual(atMost);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1800);
      const tookMs = clock.now() - begun;
      expect(tookMs).toBeGreaterThanOrEqual(29 * minute);
      expect(tookMs).toBeLessThanOrEqual((29 * minute) / 0.97);
    } finally {
      await origin.close();
    }
  });
});
