import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeLock } from "../../src/store/lock.ts";
import { temporaryFolder } from "./support.ts";

const lockPath = (): string => join(temporaryFolder(), "lock.json");

/** Pid of a process that has ended. */
const gonePid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

function startChild(paths: string[]): ChildProcess {
  const script = new URL("lock-child.ts", import.meta.url).pathname;
  return spawn(process.execPath, ["--import", "tsx", script, ...paths], {
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
    ["nobody, written just now", () => "", false],
  ])("held by %s is taken over: %3$s", (_, content, taken) => {
    const path = lockPath();
    writeFileSync(path, content());
    if (!taken) return expect(() => takeLock(path)).toThrow("locked by");
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
