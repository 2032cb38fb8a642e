import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dice } from "../../src/lib/random.ts";
import { compactLog } from "../../src/store/compact.ts";
import { SegmentLog } from "../../src/store/log.ts";
import { checkLog } from "../../src/store/log-check.ts";
import { newFolder } from "../faults/disk/nodes.ts";
import { models, survivorsOf } from "../faults/disk/power.ts";
import { type SimulatedDisk, simulateDisk } from "../faults/disk/simulated.ts";
import type { Trouble } from "../faults/disk/trouble.ts";

const segmentBytes = 400;

/** Appends keys with numbered values, and tells the last value of each. */
function writeLog(disk: SimulatedDisk, keys: readonly string[]): Map<string, string> {
  const log = new SegmentLog("/log", { disk, segmentBytes });
  const values = new Map<string, string>();
  for (const [at, key] of keys.entries()) {
    values.set(key, JSON.stringify(`${at} ${"x".repeat(at % 90)}`));
    log.append(key, values.get(key) as string);
  }
  log.close();
  return values;
}

function valuesIn(disk: SimulatedDisk): Map<string, string | undefined> {
  const log = new SegmentLog("/log", { disk, segmentBytes });
  const found = new Map([...log.keys()].map((key) => [key, log.read(key)]));
  log.close();
  return found;
}

const bytesOf = (disk: SimulatedDisk): number =>
  disk.list("/log").reduce((sum, name) => sum + (disk.stat(`/log/${name}`)?.bytes ?? 0), 0);

const keys = fc.array(fc.constantFrom("a", "b", "c", "d", "ü\n", '","value":'), { maxLength: 40 });
const wantedKeys = fc.array(fc.constantFrom<string>("a", "c", "ü\n"));

describe("the compaction of a log", () => {
  it("keeps the last values of the wanted keys, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(keys, wantedKeys, async (written, kept) => {
        const disk = simulateDisk(newFolder());
        const values = writeLog(disk, written);
        const wanted = (key: string): boolean => kept.includes(key);
        const expected = new Map([...values].filter(([key]) => wanted(key)));
        const before = bytesOf(disk);
        const foretold = await compactLog("/log", { wanted, dryRun: true, disk });
        expect(bytesOf(disk)).toBe(before);
        expect(await compactLog("/log", { wanted, dryRun: false, disk })).toEqual(foretold);
        expect(foretold.count).toBe(written.length - expected.size);
        expect(valuesIn(disk)).toEqual(expected);
        expect(checkLog("/log", disk)).toEqual([]);
        expect((await compactLog("/log", { wanted, dryRun: true, disk })).count).toBe(0);
      }),
    );
  });

  it("leaves a log that takes new values", async () => {
    const disk = simulateDisk(newFolder());
    writeLog(disk, [..."abcabcabcabc"]);
    await compactLog("/log", { wanted: (key) => key === "b", dryRun: false, disk });
    writeLog(disk, ["c", "d"]);
    expect([...valuesIn(disk).keys()]).toEqual(["b", "c", "d"]);
  });

  it.each(models)("loses no wanted value at any crash: %s", async (model) => {
    const wanted = (key: string): boolean => key !== "b";
    for (let crashAt = 1; ; crashAt++) {
      const trouble: Trouble = {};
      const disk = simulateDisk(newFolder(), trouble);
      const values = writeLog(disk, [..."abcabdaaebcfghabc"]);
      trouble.crashAt = disk.changes + crashAt;
      try {
        await compactLog("/log", { wanted, dryRun: false, disk });
      } catch (error) {
        expect(disk.crashed, String(error)).toBe(true);
      }
      const left = simulateDisk(survivorsOf(disk.root, model, dice(crashAt)));
      const found = valuesIn(left);
      for (const [key, value] of values) if (wanted(key)) expect(found.get(key)).toBe(value);
      expect(checkLog("/log", left)).toEqual([]);
      if (!disk.crashed) return;
    }
  });
});
