import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endsOfTurns, openDraft, settleCrawl, unfinishedCrawl } from "../../src/crawl/draft.ts";
import { temporaryFolder } from "../store/support.ts";

const hour = 3_600_000;
const objects = { sync() {} };
const open = (folder: string, latest: string | null = "first") =>
  openDraft(folder, { key: "journal", now: () => 0, objects, latest });

/** A folder in which a crawl after the snapshot "first" was committed as "second". */
async function committed(): Promise<string> {
  const folder = temporaryFolder();
  const draft = open(folder);
  await draft.once("task", async () => 1);
  draft.discard({ key: "all", snapshot: "second" }, [0, 5]);
  return folder;
}

const look = (folder: string, { key = "all", at = 0, latest = "second" } = {}) =>
  unfinishedCrawl(folder, { key, now: () => at, latest });

describe("a committed crawl", () => {
  it.each([
    ["at once", {}, true],
    ["19 hours later", { at: 19 * hour }, true],
    ["20 hours later", { at: 20 * hour }, false],
    ["20 hours before, by a clock that was ahead", { at: -20 * hour }, false],
    ["with other settings", { key: "other" }, false],
    ["after another snapshot", { latest: "third" }, false],
  ])("is gone on with %s: %3$s", async (_, when, goesOn) => {
    const found = look(await committed(), when);
    expect(found).toEqual(goesOn ? { snapshot: "second", before: "first" } : undefined);
  });

  it("leaves nothing behind once its run has come to its end", async () => {
    const folder = await committed();
    writeFileSync(join(folder, "links"), "");
    settleCrawl(folder);
    expect(look(folder)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["draft.json"]);
    expect(endsOfTurns(folder)).toEqual([0, 5]);
  });

  it("leaves its round and its turns to the next crawl, which has the next round and no mark", async () => {
    const folder = await committed();
    const next = open(folder, "second");
    expect([next.round, next.before, next.resumed]).toEqual([1, "second", 0]);
    expect(next.turns).toEqual([0, 5]);
    expect(look(folder)).toBeUndefined();
    // Nothing was committed since, so that there is nothing to be settled either.
    await next.once("task", async () => 1);
    next.close();
    settleCrawl(folder);
    expect(open(folder).resumed).toBe(1);
  });

  it("is not known where its mark is damaged", async () => {
    const folder = await committed();
    const path = join(folder, "draft.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"second"', '"Second"'));
    expect(look(folder, { latest: "Second" })).toBeUndefined();
    settleCrawl(folder);
  });

  it("is none where the journal was thrown away without one", () => {
    const folder = temporaryFolder();
    open(folder).discard();
    expect(look(folder)).toBeUndefined();
  });

  it("knows the snapshot before it also where the crawl itself was interrupted", () => {
    const folder = temporaryFolder();
    open(folder, null).close();
    // The run was killed after the commit, and before the mark was written.
    const again = open(folder, "second");
    expect(again.before).toBeNull();
    again.close();
  });
});
