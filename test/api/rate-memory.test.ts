import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GovernorState } from "../../src/api/governor.ts";
import { createRateMemory } from "../../src/api/rate-memory.ts";
import { temporaryFolder } from "./support.ts";

const origin = "https://media.example.org";

/** A run that starts requests by its own clock, which begins at 1000 s. */
function run(file: string, requests: number | "auto") {
  const clock = { ms: 1_000_000 };
  const starts: number[] = [];
  let pausedUntil = 5;
  const rate = requests === "auto" ? requests : { requests, perSeconds: 60 };
  const memory = createRateMemory({ file, origin, rate, clock: { now: () => clock.ms } });
  const governor = {
    state: (): GovernorState => ({ starts: [...starts], pausedUntil }),
  };
  return {
    state: memory.recall(),
    startAt(ms: number) {
      clock.ms = 1_000_000 + ms;
      starts.push(clock.ms);
      memory.started(governor);
    },
    pauseAt(ms: number, until: number) {
      clock.ms = 1_000_000 + ms;
      pausedUntil = until;
      memory.paused(governor);
    },
    end: () => memory.ended(governor),
  };
}

/** Starts that a next run would know of, in milliseconds since the first run began. */
function known(file: string): number[] | undefined {
  return run(file, 60).state?.starts.map((at) => at - 1_000_000);
}

describe("rate memory", () => {
  it("holds exactly what started when the run came to its end", () => {
    const file = join(temporaryFolder(), "store", "rate.json");
    const first = run(file, 60);
    for (const ms of [0, 10, 20]) first.startAt(ms);
    first.end();
    expect(run(file, 60).state).toEqual({
      starts: [1_000_000, 1_000_010, 1_000_020],
      pausedUntil: 5,
    });
  });

  it("assumes what may have started in the second before a kill", () => {
    const file = join(temporaryFolder(), "rate.json");
    const killed = run(file, 60);
    for (const ms of [0, 400, 999]) killed.startAt(ms);
    expect(known(file)).toEqual([0, ...Array(9).fill(1_000)]);
    killed.startAt(1_000);
    expect(known(file)).toEqual([0, 400, 999, 1_000, ...Array(9).fill(2_000)]);
  });

  it.each([
    [60, 10],
    [1_001, 11],
    [100_000, 1_000],
  ])("knows of all but a hundredth of a rate of %i", (requests, every) => {
    const file = join(temporaryFolder(), "rate.json");
    const killed = run(file, requests);
    for (let n = 1; n <= 2 * every; n++) {
      killed.startAt(0);
      if (every > 100 && n % 97 !== 0) continue;
      const state = run(file, requests).state as GovernorState;
      expect(state.starts.length).toBeGreaterThanOrEqual(n);
      expect(state.starts.length).toBeLessThan(n + every);
    }
  });

  it("is written once a second or with every tenth request where there is no rate of our own", () => {
    const file = join(temporaryFolder(), "rate.json");
    const killed = run(file, "auto");
    killed.startAt(0);
    rmSync(file);
    for (let ms = 0; ms < 9; ms++) killed.startAt(ms);
    expect(run(file, "auto").state).toBeUndefined();
    killed.startAt(9);
    expect(run(file, "auto").state?.pausedUntil).toBe(5);
  });

  it("is written at once when the origin asks for a pause", () => {
    const file = join(temporaryFolder(), "rate.json");
    const killed = run(file, 60);
    killed.startAt(0);
    killed.pauseAt(1, 1_090_000);
    expect(run(file, 60).state).toMatchObject({ pausedUntil: 1_090_000 });
  });

  it.each([
    ["within a month", 1_000_000 + 31 * 86_400_000, 1_000_000 + 31 * 86_400_000],
    ["beyond it, which a clock has made that went wrong", 1_000_001 + 31 * 86_400_000, 0],
  ])("keeps a pause %s", (_name, pausedUntil, expected) => {
    const file = join(temporaryFolder(), "rate.json");
    writeFileSync(file, JSON.stringify({ origin, starts: [], pausedUntil }));
    expect(run(file, 60).state?.pausedUntil).toBe(expected);
  });

  it("takes the file of an earlier version, which also had limits that refusals had taught", () => {
    const file = join(temporaryFolder(), "rate.json");
    const learned = { windows: [], strikes: 2, distrustUntil: 0 };
    writeFileSync(
      file,
      JSON.stringify({ origin, starts: [7], pausedUntil: 0, learned, stated: [] }),
    );
    expect(run(file, 60).state).toMatchObject({ starts: [7], pausedUntil: 0 });
  });

  it("does without a file that cannot be written", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "store"), "");
    const file = join(folder, "store", "rate.json");
    run(file, 60).startAt(0);
    expect(run(file, 60).state).toBeUndefined();
    expect(readFileSync(join(folder, "store"), "utf8")).toBe("");
  });
});
