import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Report } from "../../src/publish/report.ts";
import { type Press, type Run, startPress, stillpress } from "../support/archive.ts";

let press: Press;
let published: Report;
let status = 0;
/** Paths that are answered with 403 and 410. */
let refuse: RegExp | undefined;

beforeAll(async () => {
  press = await startPress({
    size: { articles: 6, galleries: 1, images: 4 },
    pressed: true,
    origin: {
      intercept({ url = "" }, response) {
        if (status === 0 && !refuse?.test(url)) return false;
        response.writeHead(status || (url.includes("/download") ? 403 : 410)).end();
        return true;
      },
    },
  });
  published = reportIn(press.out);
}, 120_000);

afterAll(() => press.close());

function reportIn(out: string): Report {
  return JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
}

function snapshot(settings: { token?: string; config?: string; more?: string[] } = {}) {
  const { token = press.origin.tokens.organisation, config = press.configFile } = settings;
  const env: Record<string, string> = token === "" ? {} : { STILLPRESS_TOKEN: token };
  env.STILLPRESS_CRAWL_PATIENCE = "0";
  const args = ["snapshot", "--config", config, "--out", press.out, ...(settings.more ?? [])];
  return stillpress(args, { env });
}

async function whileAllAnswer(code: number): Promise<Run> {
  status = code;
  try {
    return await snapshot();
  } finally {
    status = 0;
  }
}

function withConfig(change: (config: { origin: Record<string, unknown> }) => void): string {
  const config = JSON.parse(readFileSync(press.configFile, "utf8"));
  change(config);
  const path = join(press.folder, "changed.json");
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function whileLocked(): Promise<Run> {
  const path = join(press.out, "lock.json");
  writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }));
  const run = await snapshot();
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: 1 }));
  return run;
}

describe("the report of a run that published nothing", () => {
  it.each<[string, number, () => Promise<Run>, RegExp]>([
    ["without a token", 2, () => snapshot({ token: "" }), /What to do: set it to an access token/],
    [
      "with a wrong setting",
      2,
      () => snapshot({ config: withConfig(({ origin }) => Object.assign(origin, { rates: 1 })) }),
      /origin\.rates: unknown key/,
    ],
    [
      "with another origin's address",
      2,
      () =>
        snapshot({
          config: withConfig(({ origin }) =>
            Object.assign(origin, { baseUrl: "http://127.0.0.1:9/api/v1" }),
          ),
        }),
      /What to do: .*--moved/,
    ],
    ["with a wrong token", 4, () => snapshot({ token: "wrong" }), /What to do: .*token/],
    ["while another run holds the lock", 6, whileLocked, /What to do: wait for it to end/],
    ["while the origin answers 500", 8, () => whileAllAnswer(500), /What to do: \S/],
    ["while the origin answers 403", 4, () => whileAllAnswer(403), /What to do: \S/],
  ])("%s, tells that and what is still published", async (_, code, run, text) => {
    const before = Date.now();
    expect((await run()).code).toBe(code);
    const report = reportIn(press.out);
    expect(report).toMatchObject({ exitCode: code, published: false });
    expect(report.publication).toEqual(published.publication);
    expect(report.publication?.snapshot).toBe(published.snapshot);
    expect(Date.parse(report.started)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(report.ended ?? "")).toBeGreaterThanOrEqual(Date.parse(report.started));
    const page = readFileSync(join(press.out, "report.md"), "utf8");
    expect(page).toContain(`Exit code ${code}: `);
    expect(page).toContain(
      `| Published | snapshot ${published.snapshot} (build ${published.publication?.name}) since `,
    );
    expect(page).toContain("untouched by this run");
    expect(page).toMatch(text);
  });

  it("is not made where there was no run before", async () => {
    const out = join(press.folder, "none");
    const config = withConfig(({ origin }) => Object.assign(origin, { rates: 1 }));
    mkdirSync(out);
    expect((await stillpress(["crawl", "--config", config, "--out", out])).code).toBe(2);
    expect(() => reportIn(out)).toThrow("ENOENT");
  });

  it("does not hide what is wrong with the configuration where it cannot be written", async () => {
    const out = join(press.folder, "unwritable");
    const config = withConfig(({ origin }) => Object.assign(origin, { rates: 1 }));
    mkdirSync(join(out, "report.json"), { recursive: true });
    const { code, stderr } = await stillpress(["crawl", "--config", config, "--out", out]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("origin.rates: unknown key")]);
  });
});

describe("what ended a run", () => {
  it("stands on stderr with --json, too, and is an event of ndjson", async () => {
    const json = await snapshot({ token: "", more: ["--json"] });
    expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 2 });
    expect(json.stderr).toContain("error: no token");
    const events = await snapshot({ token: "", more: ["--log-format", "ndjson"] });
    expect(JSON.parse(events.stderr.trim())).toMatchObject({
      event: "error",
      message: expect.stringContaining("no token"),
    });
  });
});

describe("a problem in report.json", () => {
  it.each([
    ["image ", /\/images\/[^/?]+\/download/],
    ["articles/", /\/articles\/[^/?]+\/images/],
    ["galleries/", /\/galleries\/[^/?]+\/images/],
  ])("carries title and page of its item: %s", async (concerned, refused) => {
    refuse = refused;
    const out = mkdtempSync(join(press.folder, "gaps-"));
    const env = { STILLPRESS_TOKEN: press.origin.tokens.organisation };
    const args = ["snapshot", "--config", press.configFile, "--out", out];
    const { code } = await stillpress(args, { env });
    refuse = undefined;
    expect(code).toBe(3);
    const { problems } = reportIn(out);
    const { content } = press.origin;
    const kinds = new Set<string>();
    for (const { subject, title, link } of problems) {
      const [, kind = "", id = ""] = /^(image |articles\/|galleries\/)([^/]+)/.exec(subject) ?? [];
      const item = [...content.articles, ...content.galleries, ...content.images].find(
        (one) => one.id === id,
      );
      kinds.add(kind);
      expect([subject, title]).toEqual([subject, item?.title]);
      expect(link).toContain("http");
    }
    expect([...kinds]).toEqual([concerned]);
    const page = readFileSync(join(out, "report.md"), "utf8");
    for (const { title = "" } of problems) expect(page).not.toContain(title);
  });
});

describe("what a run warned of", () => {
  it("stands in its report", async () => {
    const config = withConfig(({ origin }) =>
      Object.assign(origin, { paths: { ...Object(origin.paths), audio: "/no-such-index" } }),
    );
    const out = join(press.folder, "warned");
    const env = { STILLPRESS_TOKEN: press.origin.tokens.organisation };
    const crawled = await stillpress(["crawl", "--config", config, "--out", out], { env });
    expect(crawled.stderr).toContain("warning: ");
    const [warning] = reportIn(out).warnings;
    expect(warning?.text).toContain("audio");
    const page = readFileSync(join(out, "report.md"), "utf8");
    expect(page.split("## Warnings")[1]).toContain(warning?.text);
  });
});

describe("how fresh an archive is", () => {
  it("stands in its report: what was read again, how old the rest is, when all comes round", async () => {
    const out = join(press.folder, "fresh");
    const env = { STILLPRESS_TOKEN: press.origin.tokens.organisation };
    const night = async (...more: string[]) => {
      const args = ["snapshot", "--config", press.configFile, "--out", out, ...more];
      expect(await stillpress(args, { env })).toMatchObject({ code: 0 });
      const { asked, ...bodies } = reportIn(out).freshness?.bodies ?? { asked: 0 };
      const page = readFileSync(join(out, "report.md"), "utf8");
      return { bodies, row: /Read in full \| (.*) \|/.exec(page)?.[1], asked };
    };
    expect((await night()).row).toBe("7 of 7, all in this night");
    await night();
    const { bodies, row, asked } = await night();
    expect(bodies).toEqual({ of: 7, oldest: 2, nights: 7 });
    expect(row).toBe(`${asked} of 7, the oldest 2 nights ago; all in 7 nights`);
    expect((await night("--refresh", "all")).row).toBe("7 of 7, all in this night");
  });
});
