import type { ChildProcess } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { type Press, startPress, stillpress } from "../support/archive.ts";

let press: Press | undefined;
afterEach(async () => {
  await press?.close();
  press = undefined;
});

describe("a run that is killed", () => {
  it.each([1, 6, 11, 16])("costs what was underway, here at the %ith", async (last) => {
    let child: ChildProcess | undefined;
    const asked: string[] = [];
    press = await startPress({
      size: { articles: 3, galleries: 1, images: 16 },
      config: { crawl: { concurrency: 2 } },
      origin: {
        intercept: ({ url = "" }) => {
          if (!url.includes("/download")) return false;
          asked.push(url.split("?")[0] as string);
          if (asked.length === last) child?.kill("SIGKILL");
          return false;
        },
      },
    });
    const { origin, configFile, run } = press;
    await stillpress(["snapshot", "--config", configFile], {
      env: { STILLPRESS_TOKEN: origin.tokens.organisation },
      started: (started) => {
        child = started;
      },
    });
    expect(child?.signalCode).toBe("SIGKILL");
    expect(asked.length).toBeLessThan(last + 2);
    expect((await run("snapshot")).report).toMatchObject({ exitCode: 0, problems: [] });
    // At most 4 that are decoded, and as many beside them as the setting says.
    expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(4 + 2);
  });
});
