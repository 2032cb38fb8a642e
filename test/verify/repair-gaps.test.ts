import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Press, startPress, stillpress } from "../support/archive.ts";
import { flipBit, publishedTree } from "./support.ts";

let press: Press;
/** Whether the origin answers a page in the place of every video. */
let broken: boolean;
let tree: Record<string, string>;

beforeEach(async () => {
  broken = false;
  press = await startPress({
    pressed: true,
    size: { articles: 6, galleries: 1, images: 8 },
    origin: {
      intercept: ({ url = "" }, response) => {
        if (!broken || !/\/videos\/[^/?]+\/download/.test(url)) return false;
        response.writeHead(200, { "content-type": "text/html" }).end("<p>Sign in</p>");
        return true;
      },
    },
  });
  tree = publishedTree(press.out);
});
afterEach(() => press.close());

const store = (...path: string[]): string => join(press.out, "store", ...path);

describe("stillpress repair", () => {
  it("does not publish without a file that it cannot have again, and has it by another repair", async () => {
    const log = store("media", "000001.ndjson");
    flipBit(log, readFileSync(log).lastIndexOf('"kind":"videos"') + 30);
    broken = true;
    const gaps = await press.run("repair");
    expect(gaps.code).toBe(3);
    expect(gaps.report.error?.message).toMatch(/1 of \d+ videos? missing: video /);
    expect(publishedTree(press.out)).toEqual(tree);
    expect((await press.run("verify")).code).toBe(5);
    broken = false;
    expect((await press.run("repair")).code).toBe(0);
    expect((await press.run("verify", "--full")).code).toBe(0);
    expect(publishedTree(press.out)).toEqual(tree);
  });

  it("ends with 130 at the first SIGINT, gives the lock back, and can be run again", async () => {
    // Large enough to keep it busy until the signal has come.
    const large = `00${"1".repeat(62)}`;
    mkdirSync(store("blobs", "00"), { recursive: true });
    writeFileSync(store("blobs", "00", large), "");
    truncateSync(store("blobs", "00", large), 512 * 2 ** 20);
    const lock = join(press.out, "lock.json");
    let signalled: Promise<void> | undefined;
    const interrupted = await stillpress(["repair", "--config", press.configFile], {
      env: { STILLPRESS_TOKEN: press.origin.tokens.organisation },
      started: (child) => {
        signalled = (async () => {
          while (!existsSync(lock) && child.exitCode === null) await wait(1);
          child.kill("SIGINT");
        })();
      },
    });
    await signalled;
    expect(interrupted.code).toBe(130);
    expect(interrupted.stderr).toContain("error: interrupted by SIGINT");
    expect(existsSync(lock)).toBe(false);
    expect(publishedTree(press.out)).toEqual(tree);
    expect((await press.run("repair")).code).toBe(0);
    expect((await press.run("verify", "--full")).code).toBe(0);
  });
});

describe("a log that lost its end", () => {
  it("is named by verify, and mended", async () => {
    const path = store("objects", "000001.ndjson");
    truncateSync(path, readFileSync(path).length >> 1);
    expect((await press.run("verify", "--full")).code).toBe(5);
    expect((await press.run("repair")).code).toBe(0);
    expect((await press.run("build")).code).toBe(0);
  });
});
