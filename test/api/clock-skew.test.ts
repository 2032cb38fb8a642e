import { describe, expect, it } from "vitest";
import { virtualClock } from "../lib/virtual-clock.ts";
import { clientOf, serve } from "./support.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

/** The forms of a date that RFC 9110 (5.6.7) has a recipient understand. */
const forms = {
  "IMF-fixdate": (time: number) => new Date(time).toUTCString(),
  "RFC 850": (time: number) => {
    const [, d = "", m = "", y = "", t = ""] = new Date(time).toUTCString().split(" ");
    const name = new Date(time).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
    return `${name}, ${d}-${m}-${y.slice(2)} ${t} GMT`;
  },
  asctime: (time: number) => {
    const [name = "", d = "", m = "", y = "", t = ""] = new Date(time).toUTCString().split(" ");
    return `${name.slice(0, 3)} ${m} ${d.replace(/^0/, " ")} ${t} ${y}`;
  },
};

type Headers = Record<string, string>;

/** What a client warns of that asks every seven seconds. @param headers of the answers, by the right time and their number */
async function warningsWith(headers: (time: number, n: number) => Headers, asked = 5) {
  const clock = virtualClock();
  const server = await serve((_, response, n) => {
    response.sendDate = false;
    for (const [name, value] of Object.entries(headers(clock.now(), n)))
      response.setHeader(name, value);
    response.setHeader("content-type", "application/json");
    response.end('{"data":[]}');
  });
  const client = clientOf(server.url, { clock });
  for (let n = 0; n < asked; n++) {
    await client.json(`${server.url}/articles`);
    clock.set(clock.now() + 7 * second);
  }
  return { log: client.log, skewMs: client.originClock.skewMs() };
}

describe("a clock that differs from the origin's", () => {
  it.each(Object.entries(forms))("is told once, with both times: %s", async (_, form) => {
    const { log, skewMs } = await warningsWith((now) => ({ date: form(now - 3 * day) }));
    expect(log).toEqual([
      "the origin's clock says 2024-04-29T10:00:07.000Z, and this machine's 2024-05-02T10:00:07.000Z",
    ]);
    expect(skewMs).toBe(-3 * day);
  });

  it.each([
    ["an hour behind", -hour],
    ["six minutes ahead", 6 * minute],
    ["seven years ahead", 7 * 365 * day],
  ])("is told where the origin's is %s", async (_, ms) => {
    const { log, skewMs } = await warningsWith((now) => ({ date: forms["IMF-fixdate"](now + ms) }));
    expect([log.length, skewMs]).toEqual([1, ms]);
  });

  const fixed = forms["IMF-fixdate"];
  it.each<[string, (time: number, n: number) => Headers]>([
    ["the clocks agree", (now) => ({ date: fixed(now) })],
    ["they differ by four minutes", (now) => ({ date: fixed(now - 4 * minute) })],
    ["there is no date", () => ({})],
    ["the date cannot be read", () => ({ date: "yesterday" })],
    ["a cache says how old its answer is", (now) => ({ date: fixed(now - day), age: "86400" })],
    ["a cache sends one answer for ever", () => ({ date: "Mon, 01 Apr 2024 00:00:00 GMT" })],
    ["a cache was filled at different times", (now, n) => ({ date: fixed(now - day * (n + 1)) })],
    ["one answer is old", (now, n) => ({ date: fixed(n === 2 ? now - day : now) })],
  ])("is not told where %s", async (_, headers) => {
    expect(await warningsWith(headers)).toEqual({ log: [], skewMs: 0 });
  });
});
