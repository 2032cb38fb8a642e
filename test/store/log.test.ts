import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeFolder, writeDurably } from "../../src/lib/files.ts";
import { dice } from "../../src/lib/random.ts";
import { SegmentLog } from "../../src/store/log.ts";
import { checkLog } from "../../src/store/log-check.ts";
import { lineOf, markLine } from "../../src/store/log-lines.ts";
import { newFolder } from "../faults/disk/nodes.ts";
import { models, survivorsOf } from "../faults/disk/power.ts";
import { simulateDisk } from "../faults/disk/simulated.ts";
import type { Trouble } from "../faults/disk/trouble.ts";
import { temporaryFolder } from "./support.ts";

const segmentBytes = 300;
const open = (folder: string): SegmentLog => new SegmentLog(folder, { segmentBytes });
const segmentsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".ndjson"))
    .sort();

/** What a log says of some keys. */
function contentsOf(log: SegmentLog, keys: Iterable<string>): Map<string, string | undefined> {
  return new Map([...keys].map((key) => [key, log.read(key)]));
}

/** A few keys that come again, so that lines are replaced, and some that trip up parsers. */
const key = fc.oneof(
  fc.constantFrom("a", "b", "c", "__proto__", '","value":', "ü\n\u2028", "0".repeat(32)),
  fc.string(),
);
const value = fc
  .oneof(fc.jsonValue(), fc.string({ minLength: 50, maxLength: 200 }))
  .map((one) => JSON.stringify(one));

type Step = { do: "append"; key: string; value: string } | { do: "read" | "sync" | "reopen" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("append" as const), key, value }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("read" as const, "sync" as const, "reopen" as const),
    }),
  },
);

describe("a segment log", () => {
  it("reads what was last appended, through syncs and reopening", () => {
    const root = temporaryFolder();
    let run = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const folder = join(root, String(run++));
        const expected = new Map<string, string>();
        let log = open(folder);
        for (const one of steps) {
          if (one.do === "append") {
            log.append(one.key, one.value);
            expected.set(one.key, one.value);
          } else if (one.do === "sync") log.sync();
          else if (one.do === "read") {
            expect(contentsOf(log, expected.keys())).toEqual(expected);
          } else {
            log.close();
            log = open(folder);
          }
        }
        expect(contentsOf(log, expected.keys())).toEqual(expected);
        expect(log.size).toBe(expected.size);
        log.close();
      }),
      { numRuns: 60 },
    );
  });

  it("keeps every synced line when a crash cuts or garbles what came after", () => {
    const root = temporaryFolder();
    let run = 0;
    const lines = fc.array(fc.tuple(key, value), { minLength: 1, maxLength: 12 });
    const damage = fc.record({
      /** Bytes of the unsynced end that reached the disk, as a share. */
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      /** Where a block of them was not written. */
      zeroAt: fc.double({ min: 0, max: 1, noNaN: true }),
      garbles: fc.boolean(),
      /** What a block of them holds. */
      garbage: fc.constantFrom(0, 0x58, 0x0a),
    });
    fc.assert(
      fc.property(lines, lines, damage, (synced, unsynced, { share, zeroAt, garbles, garbage }) => {
        const folder = join(root, String(run++));
        const log = new SegmentLog(folder);
        for (const [one, text] of synced) log.append(one, text);
        log.sync();
        const path = join(folder, "000001.ndjson");
        const safe = statSync(path).size;
        for (const [one, text] of unsynced) log.append(one, text);
        const all = readFileSync(path);
        const end = safe + Math.floor((all.length - safe) * share);
        const torn = Buffer.from(all.subarray(0, end));
        const zeros = safe + Math.floor((end - safe) * zeroAt);
        const zerosEnd = end - ((end - safe) >> 2);
        // Of a block of the disk that is not written, two bytes at least.
        if (garbles && zerosEnd - zeros >= 2) torn.fill(garbage, zeros, zerosEnd);
        log.close();
        writeFileSync(path, torn);

        const after = new SegmentLog(folder);
        const possible = new Map<string, Set<string>>();
        for (const [one, text] of unsynced) {
          possible.set(one, (possible.get(one) ?? new Set()).add(text));
        }
        for (const [one, text] of new Map(synced)) {
          // A line that was appended later may have reached the disk, whole.
          const found = after.read(one) as string;
          expect(found === text || possible.get(one)?.has(found)).toBe(true);
        }
        for (const [one, texts] of possible) {
          const found = after.read(one);
          const before = new Map(synced).get(one);
          expect(found === before || texts.has(found as string)).toBe(true);
        }
        after.append("new", "1");
        after.close();
        const again = new SegmentLog(folder);
        expect(again.read("new")).toBe("1");
        expect(again.size).toBe(after.size);
        again.close();
        expect(readFileSync(path).at(-1)).toBe(0x0a);
      }),
      { numRuns: 150 },
    );
  });

  it("is made of lines of JSON, each with its key and value", () => {
    const folder = temporaryFolder();
    const log = open(folder);
    log.append('a"b', '{"x":4.50}');
    log.append("c", "[]");
    log.close();
    const text = readFileSync(join(folder, "000001.ndjson"), "utf8");
    expect(text.split("\n").map((line) => line.slice(18))).toEqual([
      '"key":"","value":{"durable":true}}',
      '"key":"a\\"b","value":{"x":4.50}}',
      '"key":"c","value":[]}',
      '"key":"","value":{"durable":true}}',
      "",
    ]);
    expect(
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { key: "", value: { durable: true } },
      { key: 'a"b', value: { x: 4.5 } },
      { key: "c", value: [] },
      { key: "", value: { durable: true } },
    ]);
  });

  it("starts a new segment when one is full, and takes lines longer than its buffer", () => {
    const folder = temporaryFolder();
    const log = open(folder);
    const long = JSON.stringify("ä".repeat(1_500_000));
    for (let n = 0; n < 20; n++) log.append(`k${n}`, JSON.stringify("x".repeat(100)));
    log.append("long", long);
    log.append("after", "1");
    expect(log.read("long") === long).toBe(true);
    log.close();
    expect(segmentsOf(folder).length).toBeGreaterThan(5);
    for (const name of segmentsOf(folder).slice(0, -2)) {
      expect(statSync(join(folder, name)).size).toBeLessThan(segmentBytes + 200);
    }
    const again = open(folder);
    expect(again.read("long") === long).toBe(true);
    expect(again.size).toBe(22);
    again.close();
  });

  it("reports a line that is damaged while it is open, and refuses to open with it", () => {
    const folder = temporaryFolder();
    const log = new SegmentLog(folder);
    for (const name of ["a", "b", "c"]) log.append(name, JSON.stringify(name.repeat(20)));
    log.sync();
    const path = join(folder, "000001.ndjson");
    const bytes = readFileSync(path);
    bytes[bytes.indexOf("bbb")] = 0x58;
    writeFileSync(path, bytes);
    expect(() => log.read("b")).toThrow(/segment 1 is damaged at byte \d+/);
    expect(log.read("c")).toBe(JSON.stringify("c".repeat(20)));
    log.close();
    expect(() => new SegmentLog(folder)).toThrow(/segment 1 is damaged at byte \d+/);
  });

  it("takes damage behind its last mark for that of a power cut, and all before it for damage", () => {
    const folder = temporaryFolder();
    const path = join(folder, "000001.ndjson");
    const log = new SegmentLog(folder);
    log.append("a", '"aaa"');
    log.sync();
    log.append("b", '"bbb"');
    log.append("c", '"ccc"');
    const bytes = readFileSync(path);
    log.close();
    const damaged = (text: string): Buffer => {
      const copy = Buffer.from(bytes);
      copy[copy.indexOf(text)] = 0x58;
      return copy;
    };
    writeFileSync(path, damaged("aaa"));
    expect(() => new SegmentLog(folder)).toThrow(/segment 1 is damaged at byte \d+/);
    writeFileSync(path, damaged("bbb"));
    const reader = new SegmentLog(folder, { readOnly: true });
    expect([reader.read("a"), reader.has("b"), reader.has("c")]).toEqual(['"aaa"', false, false]);
    reader.close();
    expect(readFileSync(path)).toEqual(damaged("bbb"));
    new SegmentLog(folder).close();
    expect(readFileSync(path)).toEqual(
      bytes.subarray(0, bytes.indexOf("\n", bytes.indexOf("aaa")) + 1 + markLine.length),
    );
  });

  it("marks what is durable once, and writes nothing where nothing was appended", () => {
    const folder = temporaryFolder();
    const path = join(folder, "000001.ndjson");
    const log = new SegmentLog(folder);
    expect(log.bytes).toBe(0);
    log.append("a", "1");
    log.sync();
    log.sync();
    const { bytes } = log;
    expect(bytes).toBe(lineOf("a", "1").length);
    log.close();
    const text = readFileSync(path, "utf8");
    for (let night = 0; night < 2; night++) {
      const again = new SegmentLog(folder);
      expect([again.bytes, again.size]).toEqual([bytes, 1]);
      again.close();
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("opens one without marks, as earlier versions wrote it, and tells damage there from zeros", () => {
    const folder = temporaryFolder();
    const path = join(folder, "000001.ndjson");
    const lines = ["a", "b", "c"].map((name) => lineOf(name, JSON.stringify(name.repeat(30))));
    const old = Buffer.concat(lines);
    const zeros = Buffer.concat([Buffer.alloc(20), Buffer.from("\n")]);
    writeFileSync(path, Buffer.concat([zeros, old]));
    const log = new SegmentLog(folder);
    expect(log.bytes).toBe(old.length);
    expect(log.read("c")).toBe(JSON.stringify("c".repeat(30)));
    log.append("d", "1");
    log.close();
    expect(checkLog(folder)).toEqual([]);
    expect(new SegmentLog(folder).size).toBe(4);
    old[old.indexOf("aaa")] = 0x58;
    writeFileSync(path, old);
    expect(() => new SegmentLog(folder)).toThrow(/segment 1 is damaged at byte 0/);
    expect(checkLog(folder)).toHaveLength(1);
  });

  it.each(models)(
    "goes on after each crash of the first run with one without marks: %s",
    (model) => {
      const old = Buffer.concat([lineOf("a", "1"), lineOf("b", JSON.stringify("x".repeat(600)))]);
      for (let crashAt = 1; ; crashAt++) {
        const trouble: Trouble = { crashAt: Number.POSITIVE_INFINITY };
        const disk = simulateDisk(newFolder(), trouble);
        makeFolder("/log", disk);
        writeDurably("/log/000001.ndjson", old, disk);
        trouble.crashAt = disk.changes + crashAt;
        try {
          const log = new SegmentLog("/log", { disk, segmentBytes: 900 });
          for (let n = 0; n < 9; n++) {
            log.append(`k${n}`, JSON.stringify("y".repeat(100)));
            if (n % 2 === 1) log.sync();
          }
          log.close();
        } catch (error) {
          expect(disk.crashed, String(error)).toBe(true);
        }
        const left = simulateDisk(survivorsOf(disk.root, model, dice(crashAt)));
        const after = new SegmentLog("/log", { disk: left });
        expect(after.read("a")).toBe("1");
        after.append("new", "2");
        after.close();
        expect(checkLog("/log", left)).toEqual([]);
        if (!disk.crashed) return;
      }
    },
  );

  it("never replaces a segment that another log has begun meanwhile", () => {
    const folder = temporaryFolder();
    const paused = new SegmentLog(folder);
    const other = new SegmentLog(folder);
    other.append("a", "1");
    other.close();
    expect(() => paused.append("b", "2")).toThrow(/another run began it/);
    paused.close();
    const reopened = new SegmentLog(folder);
    expect([reopened.size, reopened.read("a")]).toEqual([1, "1"]);
    reopened.close();
  });

  it("refuses a folder in which a segment is missing", () => {
    const folder = temporaryFolder();
    const log = open(folder);
    for (let n = 0; n < 10; n++) log.append(`k${n}`, JSON.stringify("x".repeat(100)));
    log.close();
    rmSync(join(folder, segmentsOf(folder)[1] ?? ""));
    expect(() => open(folder)).toThrow(/000002.ndjson is missing/);
  });

  it("loses nothing that was there before where a call fails while it is opened", () => {
    const trouble: Trouble = { code: "EIO" };
    const disk = simulateDisk(newFolder(), trouble);
    const log = new SegmentLog("/log", { disk });
    log.append("a", "1");
    log.close();
    let failed = 0;
    for (let later = 1; later <= 12; later++) {
      trouble.failAt = disk.calls.length + later;
      try {
        new SegmentLog("/log", { disk }).close();
      } catch (error) {
        expect(error).toMatchObject({ code: "EIO" });
        failed++;
      }
      delete trouble.failAt;
      const after = new SegmentLog("/log", { disk, readOnly: true });
      expect(after.read("a")).toBe("1");
      after.close();
    }
    expect(failed).toBeGreaterThan(0);
  });

  it.each([
    ["a write", "ENOSPC"],
    ["a sync", "EIO"],
  ])("takes nothing more after %s has failed, and forgets what was not durable", (failed, code) => {
    const trouble: Trouble = { code };
    const disk = simulateDisk(newFolder(), trouble);
    const log = new SegmentLog("/log", { disk });
    log.append("a", "1");
    log.sync();
    const append = (): void => log.append("b", "2");
    if (failed === "a sync") append();
    trouble.failAt = disk.calls.length + 1;
    expect(failed === "a sync" ? () => log.sync() : append).toThrow(code);
    for (let n = 0; n < 2; n++) expect(() => log.sync()).toThrow(code);
    expect(() => log.append("c", "3")).toThrow(code);
    log.close();
    const after = new SegmentLog("/log", { disk });
    expect(contentsOf(after, ["a", "b"])).toEqual(
      new Map([
        ["a", "1"],
        ["b", undefined],
      ]),
    );
    after.append("b", "3");
    after.close();
    // The sync that succeeds after the one that failed must not cover what was lost by it.
    const left = simulateDisk(survivorsOf(disk.root, "strict", dice(1)));
    const last = new SegmentLog("/log", { disk: left });
    expect(contentsOf(last, ["a", "b"])).toEqual(
      new Map([
        ["a", "1"],
        ["b", "3"],
      ]),
    );
  });

  it("changes nothing when it is opened for reading, beside one that writes", () => {
    const folder = temporaryFolder();
    const writer = new SegmentLog(folder);
    writer.append("a", "1");
    writer.sync();
    writer.append("b", "2");
    appendFileSync(join(folder, "000001.ndjson"), '{"sum":"0000');
    const before = readFileSync(join(folder, "000001.ndjson"));
    const reader = new SegmentLog(folder, { readOnly: true });
    expect(contentsOf(reader, ["a", "b", "c"])).toEqual(
      new Map([
        ["a", "1"],
        ["b", "2"],
        ["c", undefined],
      ]),
    );
    reader.close();
    expect(readFileSync(join(folder, "000001.ndjson"))).toEqual(before);
    writer.close();
    expect(new SegmentLog(join(folder, "none"), { readOnly: true }).size).toBe(0);
    expect(readdirSync(folder)).not.toContain("none");
  });
});
