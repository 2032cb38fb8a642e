import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSegmentLog } from "../../src/store/log.ts";
import { checkLog, repairLog } from "../../src/store/log-check.ts";
import { filesOf } from "../crawl/support.ts";
import { temporaryFolder } from "./support.ts";

const names = ["000001.ndjson", "000002.ndjson", "index.bin"] as const;

/** A log of two segments in which "b" was replaced once; what it says of its keys. */
function makeLog(folder: string): Map<string, string> {
  const log = openSegmentLog(folder, { segmentBytes: 100 });
  log.append("a", '{"title":"JJJ **"}');
  log.append("b", "1");
  log.append("c", '"ü"');
  log.append("b", "2");
  log.append("d", "[4.50]");
  log.close();
  return new Map([
    ["a", '{"title":"JJJ **"}'],
    ["b", "2"],
    ["c", '"ü"'],
    ["d", "[4.50]"],
  ]);
}

/** Opens a log and compares: a value is the right one, or absent; returns how many are absent. */
function absent(folder: string, expected: Map<string, string>): number {
  const log = openSegmentLog(folder);
  try {
    let count = 0;
    for (const [key, value] of expected) {
      const found = log.read(key);
      // Where the newest line of a key is lost, the one before it counts again.
      if (found === undefined || (key === "b" && found === "1")) count++;
      else expect(found).toBe(value);
    }
    return count;
  } finally {
    log.close();
  }
}

/** Flips each bit of a file in turn, or each `step`th. */
function* flips(path: string, step = 1): Generator<string> {
  const whole = readFileSync(path);
  for (let bit = 0; bit < whole.length * 8; bit += step) {
    const damaged = Buffer.from(whole);
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(path, damaged);
    yield `${path}, bit ${bit}`;
    writeFileSync(path, whole);
  }
}

describe("the check of a log", () => {
  it("finds nothing in a whole one, nor in one that does not exist", () => {
    const folder = temporaryFolder();
    expect(checkLog(join(folder, "none"))).toEqual([]);
    makeLog(folder);
    expect([...filesOf(folder).keys()].sort()).toEqual([...names]);
    expect(checkLog(folder)).toEqual([]);
  });

  it.each(names)("finds every flipped bit of %s", (name) => {
    const folder = temporaryFolder();
    makeLog(folder);
    for (const flip of flips(join(folder, name))) {
      expect(checkLog(folder)[0]?.path, flip).toBe(join(folder, name));
    }
  });

  it("tells what is damaged, and where", () => {
    const folder = temporaryFolder();
    makeLog(folder);
    const path = join(folder, "000001.ndjson");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace('"value":1', '"value":7'));
    const offset = text.indexOf("\n") + 1;
    expect(checkLog(folder)).toEqual([{ path, offset, reason: "a damaged line" }]);
    rmSync(path);
    expect(checkLog(folder)).toContainEqual({ path, offset: 0, reason: "is missing" });
  });

  it.each<[string, (entries: Buffer[]) => Buffer[], string]>([
    ["lacks", (entries) => entries.toSpliced(1, 1), "lacks a line before this entry"],
    ["repeats", (entries) => [...entries, entries[0] as Buffer], "an entry out of order"],
    ["exchanges", ([a, b, ...rest]) => [b, a, ...rest] as Buffer[], "an entry out of order"],
  ])("finds an index that %s an entry", (_, change, reason) => {
    const folder = temporaryFolder();
    makeLog(folder);
    const path = join(folder, "index.bin");
    const bytes = readFileSync(path);
    const entries = Array.from({ length: 5 }, (_, n) => bytes.subarray(n * 32, n * 32 + 32));
    writeFileSync(path, Buffer.concat(change(entries)));
    expect(checkLog(folder)).toContainEqual(expect.objectContaining({ path, reason }));
  });

  it("takes what a crash left for no damage, neither before the next opening nor after it", () => {
    const folder = temporaryFolder();
    makeLog(folder);
    const path = join(folder, "000002.ndjson");
    truncateSync(join(folder, "index.bin"), 4 * 32);
    appendFileSync(path, `${"\0".repeat(20)}\n{"sum":"0000`);
    expect(checkLog(folder)).toEqual([]);
    const log = openSegmentLog(folder);
    log.append("e", "1");
    log.close();
    expect(readFileSync(path, "utf8")).toMatch(
      /\0\n\{"sum":"[0-9a-f]{8}","key":"e","value":1\}\n$/,
    );
    expect(checkLog(folder)).toEqual([]);
  });

  it("finds an index that ends in rubbish, which the next opening cuts off", () => {
    const folder = temporaryFolder();
    const expected = makeLog(folder);
    const path = join(folder, "index.bin");
    appendFileSync(path, Buffer.alloc(40));
    expect(checkLog(folder).map(({ offset }) => offset)).toEqual([5 * 32, 6 * 32]);
    expect(absent(folder, expected)).toBe(0);
    expect(checkLog(folder)).toEqual([]);
  });
});

describe("the repair of a log", () => {
  it.each(names)("mends flipped bits of %s, and counts what was lost", (name) => {
    const folder = temporaryFolder();
    const expected = makeLog(folder);
    const path = join(folder, name);
    const index = join(folder, "index.bin");
    const copy = join(temporaryFolder(), "index.bin");
    copyFileSync(index, copy);
    for (const flip of flips(path, 7)) {
      const lost = repairLog(folder);
      const gone = absent(folder, expected);
      // A replaced line that is lost is not missed.
      expect(lost >= gone && lost <= 2, flip).toBe(true);
      expect(lost === 0, flip).toBe(name === "index.bin");
      expect(checkLog(folder), flip).toEqual([]);
      copyFileSync(copy, index);
    }
    expect(absent(folder, expected)).toBe(0);
  });

  it("takes a missing segment for an empty one", () => {
    const folder = temporaryFolder();
    const expected = makeLog(folder);
    rmSync(join(folder, "000001.ndjson"));
    expect(() => openSegmentLog(folder)).toThrow("000001.ndjson is missing");
    expect(repairLog(folder)).toBe(3);
    expect(absent(folder, expected)).toBe(2);
    expect(checkLog(folder)).toEqual([]);
  });
});
