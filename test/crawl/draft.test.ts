import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openDraft } from "../../src/crawl/draft.ts";
import { markLine } from "../../src/store/log-lines.ts";
import { newFolder } from "../faults/disk/nodes.ts";
import { simulateDisk } from "../faults/disk/simulated.ts";
import type { Trouble } from "../faults/disk/trouble.ts";
import { temporaryFolder } from "../store/support.ts";

const hour = 3_600_000;

/** Counts how often work is really done. */
function counted<T>(result: T) {
  const work = async (): Promise<T> => {
    work.calls++;
    return result;
  };
  work.calls = 0;
  return work;
}

/** Flips a bit of a byte. */
function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
}

function start(folder: string, { key = "k", at = 0 } = {}) {
  return { draft: openDraft(folder, { key, now: () => at, objects: { sync() {} } }) };
}

describe("a draft", () => {
  it("does each task once, also when the process was killed in between", async () => {
    const folder = temporaryFolder();
    const work = counted({ a: [1, null, "x"] });
    // Neither synced nor closed: nothing of it is left but what the operating system was given.
    const killed = start(folder);
    expect(await killed.draft.once("task", work)).toEqual({ a: [1, null, "x"] });
    expect(await killed.draft.once("task", work)).toEqual({ a: [1, null, "x"] });
    const { draft } = start(folder);
    expect(draft.resumed).toBe(1);
    expect(await draft.once("task", work)).toEqual({ a: [1, null, "x"] });
    expect(work.calls).toBe(1);
    draft.close();
    killed.draft.close();
  });

  it("makes what a result names durable before the result", async () => {
    const folder = temporaryFolder();
    const isMarked = (): boolean =>
      readFileSync(join(folder, "tasks", "000001.ndjson"), "utf8").endsWith(`1}\n${markLine}`);
    const marked: boolean[] = [];
    const objects = { sync: () => marked.push(isMarked()) };
    const draft = openDraft(folder, { key: "k", now: () => 0, objects });
    await draft.once("task", async () => 1);
    draft.sync();
    expect([...marked, isMarked()]).toEqual([false, true]);
    draft.close();
  });

  it("does a task again that failed, or whose result is no longer stored", async () => {
    const folder = temporaryFolder();
    const { draft } = start(folder);
    const failing = draft.once("task", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    const work = counted("digest");
    await draft.once("task", work);
    await draft.once("task", work, (digest) => digest !== "digest");
    expect(work.calls).toBe(2);
    draft.close();
  });

  it.each([
    ["soon after, with the same settings", { at: hour }, 1, 0, 0],
    ["a day later: its listing is old, its tasks are not", { at: 25 * hour }, 1, 0, 1],
    ["with other settings", { key: "other" }, 0, 1, 0],
  ])("goes on %s", async (_, when, resumed, round, listing) => {
    const folder = temporaryFolder();
    const first = start(folder);
    await first.draft.once("task", async () => 1);
    first.draft.close();
    const { draft } = start(folder, when);
    expect([draft.resumed, draft.round, draft.listing]).toEqual([resumed, round, listing]);
    draft.close();
  });

  it("starts anew, with the next round, when it was discarded", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    await first.draft.once("task", async () => 1);
    first.draft.discard();
    const { draft } = start(folder);
    expect([draft.resumed, draft.round]).toEqual([0, 1]);
    draft.close();
  });

  it.each<[string, (path: string) => void, number, number, number]>([
    ["is damaged in a line", (path) => flip(`${path}/tasks/000001.ndjson`, 30), 0, 0, 2],
    ["is cut short", (path) => truncateSync(`${path}/tasks/000001.ndjson`, 9), 0, 0, 2],
    ["lacks its segment", (path) => rmSync(`${path}/tasks/000001.ndjson`), 0, 0, 2],
    ["has a damaged head", (path) => flip(`${path}/draft.json`, 20), 0, 0, 2],
  ])("goes on where its journal %s", async (_, damage, resumed, round, calls) => {
    const folder = temporaryFolder();
    const first = start(folder);
    for (const task of ["a", "b"]) await first.draft.once(task, async () => task);
    first.draft.close();
    damage(folder);
    const { draft } = start(folder);
    expect([draft.resumed, draft.round]).toEqual([resumed, round]);
    const work = counted("again");
    const found = [await draft.once("a", work), await draft.once("b", work)];
    expect(found.filter((one) => one === "again")).toHaveLength(calls);
    expect(work.calls).toBe(calls);
    draft.close();
    expect(start(folder).draft.resumed).toBe(2);
  });

  it("does not begin anew because its head cannot be read just now", async () => {
    const trouble: Trouble = { code: "EIO" };
    const disk = simulateDisk(newFolder(), trouble);
    const objects = { sync: () => {} };
    const open = () => openDraft("/draft", { key: "k", now: () => 0, objects, disk });
    const draft = open();
    await draft.once("task", async () => 1);
    draft.close();
    trouble.failAt = disk.calls.length + 2;
    expect(open).toThrow("EIO");
    expect(open().resumed).toBe(1);
  });

  it("lists anew next time when it is told so", () => {
    const folder = temporaryFolder();
    const first = start(folder);
    first.draft.relist();
    first.draft.close();
    const { draft } = start(folder);
    expect([draft.round, draft.listing]).toEqual([0, 1]);
    draft.close();
  });
});
