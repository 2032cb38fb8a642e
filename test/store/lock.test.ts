import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { StoreError } from "../../src/errors.ts";
import { takeLock, thisProcess } from "../../src/store/lock.ts";
import { temporaryFolder } from "./support.ts";

/**
 * Takes a lock in a process that is killed, and whose parent never asks how it ended, as the first process of many
 * containers: it stays a zombie.
 *
 * @returns its pid, once it is one
 */
async function killedHolder(path: string): Promise<number> {
  const script = new URL("lock-child.mjs", import.meta.url).pathname;
  // The shell becomes a program that waits for nobody, with the holder as its child.
  const command = '"$0" "$1" "$2" <&3 & exec sleep 60';
  const parent = spawn("sh", ["-c", command, process.execPath, script, path], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  await line(parent);
  (parent.stdio[3] as Writable).write("go\n");
  expect(await line(parent)).toBe('["won"]');
  const { pid } = JSON.parse(readFileSync(path, "utf8")) as { pid: number };
  process.kill(pid, "SIGKILL");
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))) await sleep(5);
  return pid;
}

const lockPath = (): string => join(temporaryFolder(), "lock.json");

/** Pid of a process that has ended. */
const gonePid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

/** Field 22 of what Linux says of a process. */
const ticksOf = (pid: number): string | undefined =>
  /\) (?:\S+ ){19}(\S+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];

function startChild(paths: string[]): ChildProcess {
  const script = new URL("lock-child.mjs", import.meta.url).pathname;
  return spawn(process.execPath, [script, ...paths], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** The next line that a child prints. */
async function line(child: ChildProcess): Promise<string> {
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    return String(chunk).trim();
  }
  return "";
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin?.end();
  await ended;
}

/** Lets several processes try for the same locks at the same moment; gives the results of each lock. */
async function race(paths: string[], count: number): Promise<unknown[][]> {
  const children = Array.from({ length: count }, () => startChild(paths));
  try {
    await Promise.all(children.map(line));
    for (const child of children) child.stdin?.write("go\n");
    const results = await Promise.all(children.map(line));
    const parsed = results.map((text) => JSON.parse(text) as unknown[]);
    return paths.map((_, at) => parsed.map((one) => one[at]));
  } finally {
    await Promise.all(children.map(end));
  }
}

const oneWinner = (count: number): unknown[] => [
  ...Array.from({ length: count - 1 }, () => 6),
  "won",
];

describe("a lock", () => {
  it("has one winner of 20 processes, which gives it back", async () => {
    const path = lockPath();
    const [results] = await race([path], 20);
    expect(results?.sort()).toEqual(oneWinner(20));
    expect(readdirSync(dirname(path))).toEqual([]);
  }, 60_000);

  it("has one winner also where all of them find it stale", async () => {
    const folder = temporaryFolder();
    const paths = Array.from({ length: 200 }, (_, n) => join(folder, `${n}.json`));
    const stale = JSON.stringify({ pid: gonePid(), host: hostname() });
    for (const path of paths) writeFileSync(path, stale);
    for (const results of await race(paths, 4)) expect(results.sort()).toEqual(oneWinner(4));
  }, 60_000);

  it("has one winner of 20 processes that find one from before the machine was started", async () => {
    const path = lockPath();
    writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname(), boot: "another" }));
    const [results] = await race([path], 20);
    expect(results?.sort()).toEqual(oneWinner(20));
    expect(readdirSync(dirname(path))).toEqual([]);
  }, 60_000);

  it("takes the temporary file away that a killed run left beside its stale lock", () => {
    const path = lockPath();
    const stale = { pid: gonePid(), host: hostname(), token: "7f3c" };
    for (const file of [path, `${path}.7f3c`]) writeFileSync(file, JSON.stringify(stale));
    const release = takeLock(path);
    expect(readdirSync(dirname(path))).toEqual(["lock.json"]);
    release();
  });

  it.runIf(process.platform === "linux")(
    "of a killed process that nobody has reaped yet is taken over at once",
    async () => {
      const path = lockPath();
      const pid = await killedHolder(path);
      // The system still has such a process.
      process.kill(pid, 0);
      expect(readFileSync(path, "utf8")).toContain(`"pid":${pid}`);
      const release = takeLock(path);
      expect(readFileSync(path, "utf8")).toContain(`"pid":${process.pid}`);
      release();
    },
    30_000,
  );

  it("is refused to a second taking in the same process, with the holder's name and exit code 6", () => {
    const path = lockPath();
    const release = takeLock(path);
    expect(() => takeLock(path)).toThrow(
      `${path}: locked by process ${process.pid} on ${hostname()}`,
    );
    expect(() => takeLock(path)).toThrow(expect.objectContaining({ exitCode: 6 }));
    release();
    takeLock(path)();
    expect(existsSync(path)).toBe(false);
  });

  it.each<[string, () => string, boolean]>([
    ["a process that is gone", () => JSON.stringify({ pid: gonePid(), host: hostname() }), true],
    [
      "an earlier process with our pid",
      () => JSON.stringify({ pid: process.pid, host: hostname(), started: 1 }),
      true,
    ],
    ["a process that runs", () => JSON.stringify({ pid: process.ppid, host: hostname() }), false],
    [
      "a process of another host",
      () => JSON.stringify({ pid: gonePid(), host: "elsewhere" }),
      false,
    ],
    [
      "a process that runs, but not since the machine was started",
      () => JSON.stringify({ pid: process.ppid, host: hostname(), boot: "another" }),
      true,
    ],
    [
      "a process whose pid another one has by now",
      () => JSON.stringify({ ...thisProcess(), pid: process.ppid, ticks: "1" }),
      true,
    ],
    [
      "a process that runs since then",
      () => JSON.stringify({ ...thisProcess(), pid: process.ppid, ticks: ticksOf(process.ppid) }),
      false,
    ],
    [
      "a process of another container that has our pid",
      () => JSON.stringify({ ...thisProcess(), started: 1, namespace: "pid:[1]" }),
      false,
    ],
    [
      "a process of another container, which is not to be seen here",
      () => JSON.stringify({ ...thisProcess(), pid: gonePid(), namespace: "pid:[1]" }),
      false,
    ],
    ["nobody, written just now", () => "", false],
    ["something that is no holder, written just now", () => "null", false],
  ])("held by %s is taken over: %3$s", (_, content, taken) => {
    const path = lockPath();
    writeFileSync(path, content());
    if (!taken) return expect(() => takeLock(path)).toThrow("locked by");
    const release = takeLock(path);
    expect(readdirSync(dirname(path))).toEqual(["lock.json"]);
    release();
  });

  it.each([
    ["host", { host: "elsewhere" }],
    ["container", { host: hostname(), namespace: "pid:[1]" }],
  ])("of another %s is taken over when nobody has touched it for 5 minutes", (_, other) => {
    const path = lockPath();
    const age = (seconds: number): void => {
      const time = Date.now() / 1000 - seconds;
      utimesSync(path, time, time);
    };
    writeFileSync(path, JSON.stringify({ ...thisProcess(), started: 1, ...other }));
    age(290);
    expect(() => takeLock(path)).toThrow(`locked by process ${process.pid} on ${other.host}`);
    age(310);
    takeLock(path)();
    expect(existsSync(path)).toBe(false);
  });

  it("is touched by its holder every 15 seconds, until it is given back or lost", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const path = lockPath();
    const touchedAfter = (ms: number): boolean => {
      utimesSync(path, 0, 0);
      vi.advanceTimersByTime(ms);
      return statSync(path).mtimeMs > 0;
    };
    const release = takeLock(path);
    expect([touchedAfter(14_000), touchedAfter(1_000), touchedAfter(15_000)]).toEqual([
      false,
      true,
      true,
    ]);
    const kept = readFileSync(path);
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere", token: "another" }));
    expect(touchedAfter(60_000)).toBe(false);
    rmSync(path);
    vi.advanceTimersByTime(60_000);
    writeFileSync(path, kept);
    release();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["was taken over", '{"pid":7,"host":"elsewhere","token":"another"}', "process 7 on elsewhere"],
    ["was deleted", undefined, "another run"],
  ])("tells its holder once that it %s", (_, content, other) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const path = lockPath();
    const lost: StoreError[] = [];
    const lock = takeLock(path, { onLost: (error) => void lost.push(error) });
    vi.advanceTimersByTime(60_000);
    lock.ensure();
    if (content === undefined) rmSync(path);
    else writeFileSync(path, content);
    const error = { message: expect.stringContaining(`lost to ${other}`), exitCode: 6 };
    expect(lock.ensure).toThrow(expect.objectContaining(error));
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(60_000);
    expect(lost).toMatchObject([error]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not lost where it just cannot be read", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const path = lockPath();
    const lock = takeLock(path, { onLost: () => expect.unreachable() });
    writeFileSync(path, "{");
    vi.advanceTimersByTime(60_000);
    lock.ensure();
  });

  it("is taken over where one who did that has left its guard behind", () => {
    const path = lockPath();
    const gone = JSON.stringify({ pid: gonePid(), host: hostname() });
    for (const name of [path, `${path}.guard`]) writeFileSync(name, gone);
    const release = takeLock(path);
    expect(readdirSync(dirname(path))).toEqual(["lock.json"]);
    release();
  });

  it("that cannot be read is taken over when it is old", () => {
    const path = lockPath();
    writeFileSync(path, "{");
    utimesSync(path, 0, 0);
    takeLock(path)();
    expect(existsSync(path)).toBe(false);
  });

  it("is not given back by one who has lost it", () => {
    const path = lockPath();
    const release = takeLock(path);
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere", token: "another" }));
    release();
    expect(existsSync(path)).toBe(true);
  });
});
