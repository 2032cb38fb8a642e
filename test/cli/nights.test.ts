import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../src/publish/report.ts";
import { type Press, startPress } from "../support/archive.ts";

const command = new URL("../../dist/cli/main.js", import.meta.url).pathname;
const isRoot = process.getuid?.() === 0;

/** What the origin answers instead of the truth. */
type Fault = (url: string) => { status: number; body?: string } | undefined;

let press: Press;
let fault: Fault = () => undefined;
let stop: (() => void) | undefined;

beforeAll(async () => {
  press = await startPress({
    size: { articles: 6, galleries: 1, images: 4 },
    pressed: true,
    origin: {
      intercept(request, response) {
        stop?.();
        const answer = fault(request.url ?? "");
        if (answer === undefined) return false;
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(answer.body);
        return true;
      },
    },
  });
  // The nights are tried as another user, too.
  chmodSync(press.folder, 0o755);
}, 120_000);

beforeEach(() => {
  fault = () => undefined;
  stop = undefined;
});

afterAll(() => press.close());

interface Night {
  env?: Record<string, string>;
  out?: string;
  args?: string[];
  uid?: number;
  /** The program that starts stillpress, with arguments before it. */
  wrapper?: string[];
  /** Signal to the started process, at its first request. */
  signal?: NodeJS.Signals;
}

/** One night in a process of its own, with the variables of a job on GitHub. */
async function night(given: Night = {}) {
  const { out = press.out, args = [], wrapper = [], signal, uid } = given;
  const summary = join(press.folder, "summary.md");
  const output = join(press.folder, "output");
  for (const path of [summary, output]) {
    writeFileSync(path, "");
    chmodSync(path, 0o666);
  }
  const words = [...wrapper, process.execPath, command, "snapshot"];
  const [program = "", ...rest] = [...words, "--config", press.configFile, "--out", out, ...args];
  const env = {
    PATH: process.env.PATH,
    STILLPRESS_TOKEN: press.origin.tokens.organisation,
    GITHUB_ACTIONS: "true",
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: output,
    STILLPRESS_CRAWL_PATIENCE: "0",
    ...given.env,
  };
  const child = spawn(program, rest, { env, cwd: press.folder, ...(uid && { uid, gid: uid }) });
  if (signal) {
    stop = () => {
      stop = undefined;
      child.kill(signal);
    };
  }
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.resume();
  const shown = () => realpathSync(join(press.out, "public"));
  const before = shown();
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const untouched = shown() === before;
  const read = (path: string): string => readFileSync(path, "utf8");
  const page = read(join(out, "report.md"));
  const report: Report = JSON.parse(read(join(out, "report.json")));
  return { code, untouched, stdout, page, report, summary: read(summary), output: read(output) };
}

const nothing = JSON.stringify({
  data: [],
  links: { next: null },
  meta: { current_page: 1, last_page: 1, per_page: 20, total: 0 },
});

const refused: Fault = (url) =>
  /\/articles(\?|$)/.test(url) ? { status: 200, body: nothing } : undefined;

/** Two articles and their lists. */
function someFail(): Fault {
  const ids = new Set<string>();
  return (url) => {
    const [, id] = /\/articles\/([^/?]+)$/.exec(url) ?? [];
    if (id !== undefined && ids.size < 2) ids.add(id);
    return id !== undefined && ids.has(id) ? { status: 500 } : undefined;
  };
}

const everything = { STILLPRESS_CRAWL_REFRESH: "all" };

describe("a night that is", () => {
  it.each<[string, number, () => Fault, () => Night, RegExp | undefined]>([
    ["quiet", 0, () => () => undefined, () => ({}), undefined],
    ["refused by the guard", 10, () => refused, () => ({}), /MAX_REMOVED_ITEMS=6 npx stillpress/],
    [
      "started with a wrong token",
      4,
      () => () => undefined,
      () => ({ env: { STILLPRESS_TOKEN: "wrong" } }),
      /token/,
    ],
    [
      "started without a token",
      2,
      () => () => undefined,
      () => ({ env: { STILLPRESS_TOKEN: "" } }),
      /set it to an access token/,
    ],
    ["met by 500 for everything", 8, () => () => ({ status: 500 }), () => ({}), /again later/],
    [
      "met by 500 for some articles",
      3,
      someFail,
      () => ({ env: everything }),
      /npx stillpress snapshot --config \S+ --out \S+ --allow-incomplete/,
    ],
    ["stopped with SIGTERM", 143, () => () => undefined, () => ({ signal: "SIGTERM" }), /again/],
    [
      "pointed at another origin",
      2,
      () => () => undefined,
      () => ({ env: { STILLPRESS_ORIGIN_BASE_URL: "http://127.0.0.1:9/api/v1" } }),
      /--moved/,
    ],
  ])("%s ends with %i and a report that says what to do", async (_, exit, broken, given, next) => {
    fault = broken();
    const { code, untouched, page, report, summary, output, stdout } = await night(given());
    expect([code, report.exitCode, untouched]).toEqual([exit, exit, true]);
    expect(page).toContain(`Exit code ${exit}: `);
    expect(page).toContain("untouched by this run");
    expect(page).toContain(`| Command | \`npx stillpress snapshot --config ${press.configFile}`);
    expect(page.split("\n").length).toBeLessThan(110);
    expect(summary).toBe(page);
    expect(output).toMatch(/^changed=\w+\ncomplete=\w+\nsnapshot=.*\npublished=false\n$/);
    if (next === undefined) return expect(report.next).toBeNull();
    expect(page).toContain(`What to do: ${report.next}`);
    expect(report.next).toMatch(next);
    expect(stdout).toMatch(/^::error title=stillpress::/m);
  });

  it("stopped with SIGTERM to a shell around it goes on to its end and tells the truth", async () => {
    // A shell with another command behind it does not pass signals on.
    const wrapper = ["sh", "-c", '"$@"; exit $?', "sh"];
    const { code, untouched, report, page } = await night({ wrapper, signal: "SIGTERM" });
    expect(code).toBeNull();
    expect(report).toMatchObject({ exitCode: 0, published: !untouched });
    expect(page).toContain(untouched ? "untouched by this run" : "new with this run");
  });

  it("begun as a user who may not write the folder says so and keeps what is published", async ({
    skip,
  }) => {
    if (!isRoot) skip();
    const { code, untouched, report, stdout } = await night({ uid: 65_534, args: ["--json"] });
    // The report on disk stays the last one that could be written; stdout has that of this night.
    expect([code, JSON.parse(stdout).exitCode, untouched]).toEqual([7, 7, true]);
    expect(JSON.parse(stdout).next).toMatch(/\S/);
    expect(report.ended).not.toBe(JSON.parse(stdout).ended);
  });

  it("out of space ends with 7 and keeps what is published", async ({ skip }) => {
    const out = join(press.folder, "small");
    mkdirSync(out);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=128k", "none", out], { stdio: "ignore" });
    } catch {
      return skip();
    }
    try {
      writeFileSync(join(out, "report.json"), "{}");
      writeFileSync(join(out, "report.md"), "");
      const { code, summary } = await night({ out });
      expect(code).toBe(7);
      expect(summary).toContain("Exit code 7: ");
      expect(summary).toMatch(/What to do: \S/);
    } finally {
      execFileSync("umount", [out]);
    }
  });
});

it("with --json annotations leave stdout alone", async () => {
  const { stdout } = await night({ env: { STILLPRESS_TOKEN: "" }, args: ["--json"] });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 2, published: false });
});
