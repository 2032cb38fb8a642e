import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { sealed, unseal } from "../../src/lib/sealed.ts";
import type { Report } from "../../src/publish/report.ts";
import { type Press, type PressOptions, startPress, stillpress } from "../support/archive.ts";

let press: Press | undefined;
afterEach(async () => {
  await press?.close();
  press = undefined;
});

/** An origin that counts, gives validators with its files, and sends a signal to the run at its n-th download. */
interface Bench {
  press: Press;
  /** Paths since the last run began, without what signs them. */
  asked: string[];
  run(name: string, settings?: RunSettings): Promise<Ended>;
}

interface RunSettings {
  /** The download at which the run gets the signal. */
  at?: number;
  signal?: NodeJS.Signals;
  /** The download that is answered with 400. */
  refused?: number;
  env?: Record<string, string>;
  args?: string[];
}

interface Ended {
  code: number | null;
  stderr: string;
  report: Report;
}

async function startBench(config: PressOptions["config"] = {}): Promise<Bench> {
  let child: ChildProcess | undefined;
  let settings: RunSettings = {};
  const asked: string[] = [];
  const started = await startPress({
    size: { articles: 6, galleries: 2, images: 30 },
    config: { ...config, crawl: { concurrency: 2, ...config.crawl } },
    origin: {
      intercept({ url = "", headers }, response) {
        const path = url.split("?")[0] as string;
        asked.push(path);
        if (!isDownload(path)) return false;
        const count = asked.filter(isDownload).length;
        if (count === settings.at) child?.kill(settings.signal);
        response.setHeader("ETag", '"always"');
        const status = count === settings.refused ? 400 : 304;
        if (status === 304 && headers["if-none-match"] !== '"always"') return false;
        response.writeHead(status).end();
        return true;
      },
    },
  });
  press = started;
  return {
    press: started,
    asked,
    async run(name, given = {}) {
      settings = { signal: "SIGKILL", ...given };
      asked.length = 0;
      const { code, stdout, stderr } = await stillpress(
        [name, "--config", started.configFile, "--json", ...(given.args ?? [])],
        {
          env: { STILLPRESS_TOKEN: started.origin.tokens.organisation, ...given.env },
          started(process) {
            child = process;
          },
        },
      );
      const report = (stdout === "" ? {} : JSON.parse(stdout)) as Report;
      return { code, stderr, report };
    },
  };
}

const isDownload = (path: string): boolean => path.endsWith("/download");
/** Links are kept in memory only, so a run that continues asks for what carries them once more. */
const carriesLinks = (path: string): boolean => /\/(?:images|videos|documents|audio)\b/.test(path);
const others = (asked: readonly string[]): string[] => asked.filter((path) => !isDownload(path));

describe("a run after one that was ended behind its crawl", () => {
  it("goes on with media and build, says so, and reports what the whole run did", async () => {
    const { press, asked, run } = await startBench();
    await run("snapshot", { at: 9 });
    const drafts = join(press.out, "store", "draft");
    // As a version left it that kept links on disk.
    writeFileSync(join(drafts, "links"), "sealed links");
    const { code, stderr, report } = await run("snapshot");
    expect([code, others(asked).filter((path) => !carriesLinks(path))]).toEqual([0, []]);
    expect(stderr).toContain(`continuing an interrupted run after its crawl: snapshot `);
    expect(report).toMatchObject({
      complete: true,
      published: true,
      problems: [],
      changes: { articles: { added: 6, changed: 0, removed: 0 } },
    });
    expect(report.proof.length).toBeGreaterThan(5);
    expect(existsSync(join(press.out, "public", "index.html"))).toBe(true);
    expect(readdirSync(drafts)).toEqual(["draft.json"]);
    await run("snapshot");
    expect(others(asked).length).toBeGreaterThan(0);
  });

  it.each<[string, string, RunSettings, RunSettings]>([
    ["was stopped by SIGINT", "goes on", { at: 9, signal: "SIGINT" }, {}],
    ["was killed, and only a crawl is asked for", "crawls", { at: 9 }, { args: ["crawl"] }],
  ])("that %s %s", async (_, what, first, second) => {
    const { run } = await startBench();
    await run("snapshot", first);
    const { args: [name = "snapshot"] = [], ...settings } = second;
    const { code, stderr } = await run(name, settings);
    expect(code).toBe(0);
    expect(stderr.includes("continuing an interrupted run") ? "goes on" : "crawls").toBe(what);
  });

  it.each<[string, Record<string, string>]>([
    ["", {}],
    [
      ", also where SOURCE_DATE_EPOCH says that no time goes by",
      { SOURCE_DATE_EPOCH: "1750000000" },
    ],
  ])("that was killed the day before crawls%s", async (_, env) => {
    const { press, asked, run } = await startBench();
    const begun = Date.now();
    await run("snapshot", { at: 9, env });
    const path = join(press.out, "store", "draft", "draft.json");
    const head = unseal(readFileSync(path, "utf8")) as { unfinished: { at: number } };
    expect(head.unfinished.at).toBeGreaterThanOrEqual(begun);
    expect(head.unfinished.at).toBeLessThanOrEqual(Date.now());
    head.unfinished.at -= 86_400_000;
    writeFileSync(path, sealed(head));
    const { code, report } = await run("snapshot", { env });
    expect(code).toBe(0);
    expect(others(asked).length).toBeGreaterThan(0);
    if (env.SOURCE_DATE_EPOCH !== undefined) expect(report.snapshot).toMatch(/^2025-06-15T/);
  });

  it("crawls where that one refused to publish what has gaps", async () => {
    const { asked, run } = await startBench();
    expect((await run("snapshot", { refused: 9 })).code).toBe(3);
    expect((await run("snapshot")).code).toBe(0);
    expect(others(asked).length).toBeGreaterThan(0);
  });
});
