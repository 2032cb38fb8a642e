import { describe, expect, it } from "vitest";
import { createPatience } from "../../src/api/patience.ts";
import { ApiError } from "../../src/errors.ts";
import { virtualClock } from "../lib/virtual-clock.ts";

const failure = (status = 500): ApiError =>
  new ApiError(`GET /articles/7: ${status}`, { url: "https://x/articles/7", status, attempts: 5 });

interface Met {
  /** In this run. */
  met?: boolean;
  /** In an earlier run. */
  isKnown?: boolean;
}

/** Patience with an origin that answers from some moment on, in seconds; it has answered before unless told. */
function patienceWith(
  seconds: number,
  answersFrom: number,
  { met = true, isKnown = false }: Met = {},
) {
  const clock = virtualClock();
  const begun = clock.now();
  const said: string[] = [];
  const looks: number[] = [];
  const patience = createPatience({
    seconds,
    isKnown,
    clock,
    reporter: { info: (text) => void said.push(text) },
    async look() {
      looks.push((clock.now() - begun) / 1000);
      if (clock.now() - begun < answersFrom * 1000) throw failure(0);
    },
  });
  if (met) patience.answered();
  return { patience, clock, said, looks };
}

describe("patience with an origin", () => {
  it("takes a failure for one of the item alone where the origin answers otherwise", async () => {
    const { patience, said, looks } = patienceWith(60, 0);
    expect(await patience.failed(failure())).toBe("there");
    expect([looks, said]).toEqual([[0], []]);
  });

  it("waits for an origin that comes back, and says so once", async () => {
    const { patience, clock, said, looks } = patienceWith(60, 31);
    const both = Promise.all([patience.failed(failure()), patience.failed(failure())]);
    expect(await clock.run(both)).toEqual(["back", "back"]);
    expect(looks).toEqual([0, 15, 30, 45]);
    expect(said).toEqual(["the origin does not answer; waiting up to 60 s for it"]);
  });

  it.each<[string, number, Met, number, number[]]>([
    ["as long as it was told to", 40, {}, 500, [0, 15, 30, 40]],
    ["not at all without patience", 0, {}, 500, [0]],
    ["for one that answers its first request with 503", 40, { met: false }, 503, [0, 15, 30, 40]],
    [
      "for one that answers it with a page of maintenance",
      40,
      { met: false },
      200,
      [0, 15, 30, 40],
    ],
    [
      "for one that is only silent, and was met before",
      20,
      { met: false, isKnown: true },
      0,
      [0, 15, 20],
    ],
    ["not for silence where nothing was ever met", 40, { met: false }, 0, [0]],
  ])("waits %s, and then ends the run", async (_, seconds, met, status, expected) => {
    const { patience, clock, looks } = patienceWith(seconds, Number.POSITIVE_INFINITY, met);
    const failed = patience.failed(failure(status));
    failed.catch(() => {});
    await expect(clock.run(failed)).rejects.toMatchObject({
      exitCode: 8,
      message: expect.stringContaining(`GET /articles/7: ${status}`),
    });
    expect(looks).toEqual(expected);
  });

  it("takes the first answer of all for a return, once", async () => {
    const { patience } = patienceWith(60, 0, { met: false });
    expect(await patience.failed(failure(503))).toBe("back");
    expect(await patience.failed(failure(503))).toBe("there");
  });

  it("gives up on a kind after fifty failures in a row, until something is answered", async () => {
    const { patience, looks } = patienceWith(60, 0);
    for (let n = 1; n <= 50; n++) {
      expect(patience.isVain()).toBe(false);
      await patience.failed(failure());
    }
    expect([patience.isVain(), looks.length]).toEqual([true, 49]);
    patience.answered();
    expect(patience.isVain()).toBe(false);
  });
});
