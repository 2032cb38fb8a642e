/* Another container that shares the output folder, and a user who may write into it: with a lock at the wrong moment, and with planted files. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { writeDurably } from "../../src/lib/files.ts";
import { compactLog } from "../../src/store/compact.ts";
import { type HeldLock, takeLock } from "../../src/store/lock.ts";
import { SegmentLog } from "../../src/store/log.ts";
import { repairLog } from "../../src/store/log-check.ts";
import { temporaryFolder } from "../store/support.ts";

const other = JSON.stringify({ pid: 7, host: "elsewhere", token: "another" });

/** A folder with its lock, and a log in it of several segments. */
function lockedLog(): { lock: HeldLock; lockPath: string; log: string } {
  const folder = temporaryFolder();
  const log = join(folder, "log");
  const writer = new SegmentLog(log, { segmentBytes: 100 });
  for (let n = 0; n < 20; n++) writer.append(`key ${n % 5}`, JSON.stringify("x".repeat(40)));
  writer.close();
  const lockPath = join(folder, "lock.json");
  return { lock: takeLock(lockPath), lockPath, log };
}

const first = (log: string): string => join(log, "000001.ndjson");

describe("a lock that another container takes over during long work", () => {
  it("ends a compaction before a segment is renamed", async () => {
    const { lock, lockPath, log } = lockedLog();
    const before = readFileSync(first(log));
    writeFileSync(lockPath, other);
    const compacted = async () =>
      compactLog(log, { wanted: () => false, dryRun: false, disk: lock.disk });
    await expect(compacted).rejects.toMatchObject({ exitCode: 6 });
    expect(readFileSync(first(log)).equals(before)).toBe(true);
  });

  it("ends the repair of a log before a segment is renamed", () => {
    const { lock, lockPath, log } = lockedLog();
    const damaged = readFileSync(first(log), "utf8").replace("xxx", "yyy");
    writeFileSync(first(log), damaged);
    writeFileSync(lockPath, other);
    expect(() => repairLog(log, lock.disk)).toThrow(expect.objectContaining({ exitCode: 6 }));
    expect(readFileSync(first(log), "utf8")).toBe(damaged);
  });

  it("ends a write of host configurations before a file is renamed", () => {
    const { lock, lockPath } = lockedLog();
    const path = join(lockPath, "..", "nginx.conf");
    writeFileSync(path, "old");
    writeFileSync(lockPath, other);
    expect(() => writeDurably(path, "new", lock.disk)).toThrow(
      expect.objectContaining({ exitCode: 6 }),
    );
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  it("is shown to be alive by the work itself, which leaves timers no turn", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { lock, lockPath, log } = lockedLog();
    utimesSync(lockPath, 0, 0);
    vi.advanceTimersByTime(20_000);
    const store = new SegmentLog(log, { disk: lock.disk });
    store.close();
    expect(statSync(lockPath).mtimeMs).toBeGreaterThan(0);
  });

  it("is heard of between the segments of a compaction, as signals are", async () => {
    const { lock, log } = lockedLog();
    let turns = 0;
    const timer = setImmediate(function turn() {
      turns++;
      if (turns < 100) setImmediate(turn);
    });
    onTestFinished(() => clearImmediate(timer));
    await compactLog(log, { wanted: () => true, dryRun: true, disk: lock.disk });
    expect(turns).toBeGreaterThan(2);
  });
});

describe("a lock file that another user planted", () => {
  it("removes nothing outside of the folder", () => {
    const folder = temporaryFolder();
    const path = join(folder, "out", "lock.json");
    const victim = join(folder, "victim");
    mkdirSync(join(folder, "out", "lock.json."), { recursive: true });
    mkdirSync(victim);
    writeFileSync(join(victim, "thesis.txt"), "years of work");
    const token = "/../../victim";
    writeFileSync(path, JSON.stringify({ pid: 1, host: hostname(), boot: "another", token }));
    utimesSync(path, 0, 0);
    takeLock(path)();
    expect(readFileSync(join(victim, "thesis.txt"), "utf8")).toBe("years of work");
  });

  it.each([
    ["is a link to a file of ours", "lock.json"],
    ["has a link as its guard", "lock.json.guard"],
  ])("that %s is replaced, and the file stays", (_, name) => {
    const folder = temporaryFolder();
    const victim = join(folder, "thesis.txt");
    writeFileSync(victim, "years of work");
    utimesSync(victim, 0, 0);
    mkdirSync(join(folder, "out"));
    const path = join(folder, "out", "lock.json");
    if (name !== "lock.json") {
      writeFileSync(path, JSON.stringify({ pid: 1, host: hostname(), boot: "another" }));
    }
    symlinkSync(victim, join(folder, "out", name));
    takeLock(path)();
    expect(readFileSync(victim, "utf8")).toBe("years of work");
    expect(existsSync(path)).toBe(false);
  });
});

describe("a link that another user planted where a temporary file will be", () => {
  it.each(["report.json", "store/rate.json"])("is not followed: %s", (name) => {
    const folder = temporaryFolder();
    const victim = join(folder, "thesis.txt");
    writeFileSync(victim, "years of work");
    const path = join(folder, "out", name);
    mkdirSync(join(path, ".."), { recursive: true });
    symlinkSync(victim, `${path}.${process.pid}.tmp`);
    writeDurably(path, "{}");
    expect(readFileSync(victim, "utf8")).toBe("years of work");
    expect(readFileSync(path, "utf8")).toBe("{}");
  });
});
