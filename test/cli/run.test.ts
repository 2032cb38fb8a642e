import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runStages } from "../../src/cli/run.ts";
import { loadConfig } from "../../src/config/load.ts";
import { Interrupted } from "../../src/errors.ts";
import { type Press, type PressOptions, startPress } from "../support/archive.ts";

let press: Press | undefined;
afterEach(async () => {
  await press?.close();
  press = undefined;
});

async function begin(options: PressOptions = {}): Promise<Press> {
  press = await startPress({ size: { articles: 6, galleries: 1, images: 8 }, ...options });
  return press;
}

describe("a run whose report cannot be written", () => {
  it("tells what failed before, and gives the lock back", async () => {
    const { run, out } = await begin();
    mkdirSync(join(out, "report.json"), { recursive: true });
    const { code, report } = await run("build");
    expect({ code, message: report.error?.message }).toEqual({
      code: 5,
      message: expect.stringContaining("holds no snapshot"),
    });
    expect(existsSync(join(out, "lock.json"))).toBe(false);
  });

  it("fails with that where nothing else has failed", async () => {
    const { run, out } = await begin();
    mkdirSync(join(out, "report.json"), { recursive: true });
    const { code, report } = await run("crawl");
    expect(code).toBe(1);
    expect(report).toMatchObject({
      exitCode: 1,
      complete: true,
      error: { message: expect.stringContaining("report.json") },
    });
    expect(existsSync(join(out, "lock.json"))).toBe(false);
  });
});

describe("a run that loses its lock", () => {
  it.each([
    ["crawls", /\/articles\/[0-9a-f-]+$/, []],
    ["downloads", /\/download/, [expect.stringMatching(/^20.*\.json$/), "latest.json"]],
  ])(
    "while it %s ends with 6, and commits and publishes nothing more",
    async (_, at, snapshots) => {
      const other = JSON.stringify({ pid: 7, host: "elsewhere", token: "another" });
      const { run, out } = await begin({
        origin: {
          intercept: ({ url = "" }) => {
            if (at.test(url)) writeFileSync(join(out, "lock.json"), other);
            return false;
          },
        },
      });
      const { code, report } = await run("snapshot");
      expect(code).toBe(6);
      expect(report.error?.message).toContain("lock.json: lost to process 7 on elsewhere");
      const names = readdirSync(join(out, "store", "snapshots"));
      expect(names.filter((name) => name.endsWith(".json"))).toEqual(snapshots);
      // The folder is the other run's, and so are the lock and the report in it.
      expect(readdirSync(out).sort()).toEqual(["lock.json", "store"]);
      expect(readFileSync(join(out, "lock.json"), "utf8")).toBe(other);
    },
  );
});

describe("a run", () => {
  it("begins no stage after a signal", async () => {
    const { configFile, run, out } = await begin();
    await run("crawl");
    const print = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => print.mockRestore());
    const code = await runStages({
      loaded: loadConfig({ file: configFile, flags: { out }, env: {} }),
      stages: ["build"],
      common: { config: configFile, json: false, quiet: true, color: false },
      allowIncomplete: true,
      moved: false,
      signal: AbortSignal.abort(new Interrupted("SIGINT")),
    });
    expect(code).toBe(130);
    expect(existsSync(join(out, "public"))).toBe(false);
  });

  it("tells of the snapshot's problems once, whichever stages it has", async () => {
    let broken: string | undefined;
    const { run, out } = await begin({
      origin: {
        intercept: ({ url = "" }, response) => {
          if (/\/articles\/[0-9a-f-]+$/.test(url)) broken ??= url;
          if (url !== broken) return false;
          response.writeHead(404).end();
          return true;
        },
      },
    });
    const crawled = await run("crawl");
    expect(crawled.code).toBe(3);
    const { problems } = crawled.report;
    expect(problems).not.toEqual([]);
    for (const args of [
      ["media"],
      ["build", "--allow-incomplete"],
      ["snapshot", "--allow-incomplete"],
    ]) {
      const [name = "", ...more] = args;
      const { code, report } = await run(name, ...more);
      expect([name, code, report.problems]).toEqual([name, more.length > 0 ? 0 : 3, problems]);
      expect(readFileSync(join(out, "report.md"), "utf8")).toContain("## Problems");
    }
  });
});
