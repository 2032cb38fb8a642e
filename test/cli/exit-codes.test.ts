import type { ChildProcess } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { wholeOutput } from "../faults/support/trees.ts";
import { type Press, type PressOptions, startPress, stillpress } from "../support/archive.ts";

const small = { articles: 6, galleries: 1, images: 8 };
let press: Press | undefined;

afterEach(async () => {
  await press?.close();
  press = undefined;
});

async function begin(options: PressOptions = {}): Promise<Press> {
  press = await startPress({ size: small, ...options });
  return press;
}

/** An origin that answers requests of a pattern with a status, as often as `times` says. */
describe("the command ends with", () => {
  it("0 when everything is there, and again 0 when nothing changed", async () => {
    const { run, out } = await begin();
    const first = await run("snapshot");
    expect(first.code).toBe(0);
    expect(first.report).toMatchObject({
      exitCode: 0,
      complete: true,
      published: true,
      problems: [],
    });
    const build = realpathSync(join(out, "public"));
    const second = await run("snapshot");
    expect(second.report).toMatchObject({
      exitCode: 0,
      published: false,
      downloads: 0,
      changes: {},
    });
    expect(second.report.snapshot).toBe(first.report.snapshot);
    expect(second.report.requests).toBeLessThan(first.report.requests / 2);
    expect(realpathSync(join(out, "public"))).toBe(build);
  });

  it("2 for wrong usage and configuration, before any request", async () => {
    const { origin, configFile } = await begin();
    const env = { STILLPRESS_TOKEN: "t" };
    expect(await stillpress(["snapshot", "--no-such-option"], { env })).toMatchObject({ code: 2 });
    expect(await stillpress(["no-such-command"], { env })).toMatchObject({ code: 2 });
    expect(await stillpress(["verify", "--sample", "9"], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs --base-url"),
    });
    expect(await stillpress(["crawl", "--config", "/nowhere.json"], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("/nowhere.json: no such file"),
    });
    const broken = configFile.replace("config.json", "broken.json");
    writeFileSync(broken, '{ "origin": { "baseURL": "http://127.0.0.1:1" } }');
    const wrong = await stillpress(["crawl", "--config", broken], { env });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("origin.baseURL: unknown key");
    expect(wrong.stderr).toContain('did you mean "baseUrl"?');
    const noToken = await stillpress(["crawl", "--config", configFile]);
    expect(noToken).toMatchObject({ code: 2, stderr: expect.stringContaining("STILLPRESS_TOKEN") });
    expect(origin.requests).toEqual([]);
  });

  it.each(["crawl", "build", "serve", "hosts", "verify", "repair", "rollback"])(
    "2 where the output folder of %s is a file",
    async (command) => {
      const { configFile } = await begin();
      const env = { STILLPRESS_TOKEN: "t" };
      for (const out of [configFile, join(configFile, "below")]) {
        const args = [command, "--config", configFile, "--out", out];
        const { code, stderr } = await stillpress(args, { env });
        expect(stderr).toContain("the output folder, --out");
        expect(stderr).not.toContain("    at ");
        expect(code).toBe(2);
      }
    },
  );

  it("3 for gaps, keeps the published archive, and publishes gaps only when asked to", async () => {
    let broken = false;
    const { run, out, origin } = await begin({
      pressed: true,
      origin: {
        intercept: (request, response) => {
          if (!broken || !/\/download/.test(request.url ?? "")) return false;
          response.writeHead(404).end();
          return true;
        },
      },
    });
    const before = realpathSync(join(out, "public"));
    rmSync(join(out, "store", "media"), { recursive: true });
    rmSync(join(out, "store", "blobs"), { recursive: true });
    broken = true;
    const gaps = await run("snapshot");
    expect(gaps).toMatchObject({ code: 3, report: { exitCode: 3, published: false } });
    expect(gaps.report.problems).toContainEqual(
      expect.objectContaining({
        subject: "images",
        reason: expect.stringContaining("answers 404 for each"),
      }),
    );
    expect(realpathSync(join(out, "public"))).toBe(before);
    const allowed = await run("snapshot", "--allow-incomplete");
    expect(allowed).toMatchObject({
      code: 0,
      report: { exitCode: 0, complete: false, published: true, next: null },
    });
    const [, , first] = readFileSync(join(out, "report.md"), "utf8").split("\n");
    expect(first).toMatch(/^Exit code 0: published with \d+ gaps?, as --allow-incomplete asks\.$/);
    expect(JSON.stringify(allowed.report.problems)).not.toContain("--allow-incomplete");
    expect(realpathSync(join(out, "public"))).not.toBe(before);
    expect(origin.requests.length).toBeGreaterThan(0);
  });

  it("4 when the origin refuses the token", async () => {
    const { configFile, out } = await begin();
    const refused = await stillpress(["snapshot", "--config", configFile], {
      env: { STILLPRESS_TOKEN: "wrong-token" },
    });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("401 after 1 attempt");
    expect(refused.stderr).not.toContain("wrong-token");
    expect(existsSync(join(out, "public"))).toBe(false);
  });

  it("5 for a store without a snapshot, and for one that is damaged", async () => {
    const empty = await begin();
    expect(await empty.run("build")).toMatchObject({ code: 5 });
    await empty.close();
    const { run, out } = await begin({ pressed: true });
    const published = realpathSync(join(out, "public"));
    const segment = join(out, "store", "objects", "000001.ndjson");
    writeFileSync(segment, readFileSync(segment, "utf8").replace('"title":', '"titel":'));
    const damaged = await run("build");
    expect(damaged.code).toBe(5);
    expect(damaged.report.error).toMatchObject({
      message: expect.stringMatching(/segment 1 is damaged at byte \d+$/),
      hint: expect.stringMatching(/"npx stillpress repair --config \S+"/),
    });
    expect(realpathSync(join(out, "public"))).toBe(published);
  });

  it("6 while another run holds the lock", async () => {
    const { run, out } = await begin();
    await run("crawl");
    // This test's own process stands for the other run: it is alive.
    const lock = { pid: process.pid, host: (await import("node:os")).hostname() };
    writeFileSync(join(out, "lock.json"), JSON.stringify(lock));
    expect(await run("build")).toMatchObject({
      code: 6,
      report: { error: { message: expect.stringContaining(`process ${process.pid}`) } },
    });
    expect(existsSync(join(out, "lock.json"))).toBe(true);
  });

  it("8 when nothing answers, when it is no such service, and when it dies on the way", async () => {
    const html = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
    });
    await new Promise<void>((resolve) => html.listen(0, "127.0.0.1", resolve));
    const { port } = html.address() as AddressInfo;
    const other = await begin({
      config: { origin: { baseUrl: `http://127.0.0.1:${port}/api` }, crawl: { patience: 0 } },
    });
    expect((await other.run("snapshot")).code).toBe(8);
    await other.close();
    html.close();

    let down = false;
    const dying = await begin({
      config: { crawl: { patience: 0 } },
      origin: {
        intercept(request, response) {
          down ||= /\/articles\/[0-9a-f-]+$/.test(request.url ?? "");
          if (down) response.writeHead(500).end();
          return down;
        },
      },
    });
    const died = await dying.run("snapshot");
    expect(died.code).toBe(8);
    expect(died.report.error?.message).toContain("stopped answering");
    expect(existsSync(join(dying.out, "public"))).toBe(false);
  });

  it.each([
    ["articles", small.articles],
    ["images", small.images],
  ])("10 when more %s vanished at once than the brake allows", async (name, count) => {
    let emptied = false;
    const { run, out } = await begin({
      pressed: true,
      origin: {
        intercept: (request, response) => {
          if (!emptied || !RegExp(`^/api/v1/${name}(\\?|$)`).test(request.url ?? "")) return false;
          const meta = { current_page: 1, last_page: 1, per_page: 20, total: 0 };
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify({ data: [], links: { next: null }, meta }));
          return true;
        },
      },
    });
    const before = realpathSync(join(out, "public"));
    emptied = true;
    const refused = await run("snapshot");
    expect(refused.code).toBe(10);
    expect(refused.report.error?.message).toMatch(/vanished from the origin at once/);
    // The message names three of them, the report all: with id and title.
    const vanished = refused.report.error?.vanished ?? [];
    expect(new Set(vanished).size).toBe(count);
    for (const item of vanished) expect(item).toMatch(RegExp(`^${name}/\\S+ ".+"$`));
    expect(realpathSync(join(out, "public"))).toBe(before);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s: %i, and the next run goes on where it stopped", async (signal, code) => {
    let child: ChildProcess | undefined;
    let asked = 0;
    const { run, origin, configFile } = await begin({
      origin: {
        intercept: () => {
          if (++asked === 14) child?.kill(signal);
          return false;
        },
      },
    });
    const interrupted = await stillpress(["crawl", "--config", configFile], {
      env: { STILLPRESS_TOKEN: origin.tokens.organisation },
      started: (started) => {
        child = started;
      },
    });
    expect(interrupted.code).toBe(code);
    const done = origin.requests.length;
    origin.requests.length = 0;
    expect((await run("crawl")).report).toMatchObject({ exitCode: 0, complete: true });
    // What was answered before is not asked again, but for what was under way.
    const repeated = origin.requests.length;
    expect(done).toBeGreaterThan(5);
    const fresh = await begin();
    await fresh.run("crawl");
    expect(repeated).toBeLessThanOrEqual(fresh.origin.requests.length - done + 8);
  });
});

describe("--help and --version", () => {
  it("tell the commands, the options and the exit codes", async () => {
    const { code, stdout } = await stillpress(["--help"]);
    expect(code).toBe(0);
    for (const word of [
      "snapshot",
      "crawl",
      "media",
      "build",
      "serve",
      "demo",
      "Exit codes",
      "130",
    ]) {
      expect(stdout).toContain(word);
    }
    const version = await stillpress(["--version"]);
    const { version: declared } = JSON.parse(readFileSync("package.json", "utf8")) as {
      version: string;
    };
    expect(version).toMatchObject({ code: 0, stdout: `${declared}\n` });
  });
});

describe("the build", () => {
  it("makes no request and leaves no temporary file", async () => {
    const { run, out, origin } = await begin();
    await run("crawl");
    await run("media");
    origin.requests.length = 0;
    expect((await run("build")).code).toBe(0);
    expect(origin.requests).toEqual([]);
    expect(readdirSync(out).sort()).toEqual([...wholeOutput]);
    expect(readdirSync(join(out, "builds")).sort()).toEqual([expect.any(String)]);
    expect(tmpdir()).not.toBe(out);
  });
});
