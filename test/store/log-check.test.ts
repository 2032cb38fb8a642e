import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SegmentLog } from "../../src/store/log.ts";
import { checkLog, repairLog } from "../../src/store/log-check.ts";
import { markLine } from "../../src/store/log-lines.ts";
import { filesOf } from "../crawl/support.ts";
import { temporaryFolder } from "./support.ts";

const names = ["000001.ndjson", "000002.ndjson"] as const;

/** A log of two segments in which "b" was replaced once; what it says of its keys. */
function makeLog(folder: string): Map<string, string> {
  const log = new SegmentLog(folder, { segmentBytes: 150 });
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
  const log = new SegmentLog(folder);
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

/**
 * Flips each bit of a file in turn, or each `step`th, but for the mark at the end of the last segment: nothing is lost
 * with it, and a power cut can damage it too.
 */
function* flips(path: string, step = 1): Generator<string> {
  const whole = readFileSync(path);
  const bytes = path.endsWith(names[1]) ? whole.length - markLine.length : whole.length;
  for (let bit = 0; bit < bytes * 8; bit += step) {
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
    const offset = text.lastIndexOf("\n", text.indexOf('"key":"b"')) + 1;
    expect(checkLog(folder)).toEqual([{ path, offset, reason: "a damaged line" }]);
    rmSync(path);
    expect(checkLog(folder)).toContainEqual({ path, offset: 0, reason: "is missing" });
  });

  it("takes what a crash left for no damage, neither before the next opening nor after it", () => {
    const folder = temporaryFolder();
    makeLog(folder);
    const path = join(folder, "000002.ndjson");
    const whole = readFileSync(path, "utf8");
    appendFileSync(path, `${"\0".repeat(20)}\nold blocks\n{"sum":"0000`);
    expect(checkLog(folder)).toEqual([]);
    const log = new SegmentLog(folder);
    log.append("e", "1");
    log.close();
    const [added, ...rest] = readFileSync(path, "utf8").slice(whole.length).split("\n");
    expect(added).toMatch(/^\{"sum":"[0-9a-f]{8}","key":"e","value":1\}$/);
    expect(rest.join("\n")).toBe(markLine.toString());
    expect(checkLog(folder)).toEqual([]);
  });
});

describe("the repair of a log", () => {
  it.each(names)("mends flipped bits of %s, and counts what was lost", (name) => {
    const folder = temporaryFolder();
    const expected = makeLog(folder);
    const path = join(folder, name);
    for (const flip of flips(path, 7)) {
      const lost = repairLog(folder);
      const gone = absent(folder, expected);
      // Two lines without an end between them are one damaged line.
      expect(lost >= 1 && gone <= 2, flip).toBe(true);
      expect(checkLog(folder), flip).toEqual([]);
    }
    expect(absent(folder, expected)).toBe(0);
  });

  it("takes a missing segment for an empty one", () => {
    const folder = temporaryFolder();
    const expected = makeLog(folder);
    rmSync(join(folder, "000001.ndjson"));
    expect(() => new SegmentLog(folder)).toThrow("000001.ndjson is missing");
    expect(repairLog(folder)).toBe(1);
    expect(absent(folder, expected)).toBe(2);
    expect(checkLog(folder)).toEqual([]);
  });
});
