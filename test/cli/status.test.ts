import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ExitCode, exitCodes } from "../../src/errors.ts";
import { writeMetrics } from "../../src/publish/metrics.ts";
import { emptyReport, type Report, setOutcome, writeReport } from "../../src/publish/report.ts";
import { type Publishing, startPublishing } from "../publish/support.ts";
import { command, stillpress } from "../support/archive.ts";

let archive: Publishing;
let out: string;
beforeEach(() => {
  archive = startPublishing();
  out = archive.out;
});
afterEach(() => archive.close());

/** Ends a run as the stages do. */
function endRun(exitCode: ExitCode, durations: Record<string, number> = {}): Report {
  const report = emptyReport();
  setOutcome(report, exitCode);
  const next = exitCode === exitCodes.complete ? null : "Run again later.";
  Object.assign(report, { durations, next, counts: { articles: 5 } });
  writeReport(out, report);
  writeMetrics(out, report);
  return report;
}
const night = { crawl: 1, media: 1, build: 1 };
const reports = () => readdirSync(join(out, "reports")).sort();
const status = async (...args: string[]) => {
  const { code, stdout } = await stillpress(["status", "--out", out, "--json", ...args]);
  return { code, ...JSON.parse(stdout) };
};

describe("stillpress status", () => {
  it("says that nothing is published yet, and what to do", async () => {
    const { code, stdout } = await stillpress(["status", "--out", out]);
    expect(code).toBe(0);
    expect(stdout).toContain("nothing yet");
    expect(stdout).toContain("npx stillpress snapshot --out");
    expect(await status("--max-age", "36h")).toMatchObject({ code: 3, age: null, isOld: true });
  });

  it("tells the last run and the last that succeeded apart", async () => {
    await archive.build();
    endRun(exitCodes.complete, night);
    endRun(exitCodes.origin);
    const found = await status("--max-age", "1h");
    expect(found).toMatchObject({ code: 0, isOld: false, lastRun: { exitCode: 8 } });
    expect(found.lastSuccess.exitCode).toBe(0);
    expect(found.age).toBeLessThan(60);
    expect(found.published.name).toBe(archive.shown());
    expect(found.next).toContain("Run again later");
  });

  it("exits with 3 where no run succeeded for too long", async () => {
    await archive.build();
    endRun(exitCodes.complete, night);
    const [name = ""] = reports();
    const path = join(out, "reports", name);
    const old = new Date(Date.now() - 3 * 86_400_000).toISOString();
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ended: old }));
    expect(await status("--max-age", "4d")).toMatchObject({ code: 0 });
    expect(await status("--max-age", "36h")).toMatchObject({ code: 3, isOld: true });
    const { stdout } = await stillpress(["status", "--out", out, "--max-age", "36h"]);
    expect(stdout).toMatch(/TOO OLD +3 days/);
  });

  it("takes no crawl or build alone for a success", async () => {
    await archive.build();
    endRun(exitCodes.complete, { build: 1 });
    expect((await status()).lastSuccess).toBeNull();
  });

  it.each(["36", "h", "-1h", "1w", "1e3h"])("refuses --max-age %s", async (text) => {
    const { code, stderr } = await stillpress(["status", `--max-age=${text}`]);
    expect(code).toBe(2);
    expect(stderr).toContain("such as 36h");
  });
});

describe("the reports of earlier runs", () => {
  it("are the last 30, and the last good one", async () => {
    endRun(exitCodes.complete, night);
    const [good] = reports();
    for (let n = 0; n < 33; n++) {
      endRun(exitCodes.origin);
      // Their names are times in milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(reports()).toHaveLength(31);
    expect(reports()[0]).toBe(good);
  });
});

describe("out/metrics.prom", () => {
  it("has times, counts and the exit code, as gauges with units in their names", async () => {
    await archive.build();
    const good = endRun(exitCodes.complete, night);
    await new Promise((resolve) => setTimeout(resolve, 5));
    endRun(exitCodes.credentials);
    const text = readFileSync(join(out, "metrics.prom"), "utf8");
    const values = new Map(
      text.split("\n").flatMap((line) => {
        const [, name = "", value] = /^(\w+(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? [];
        return value === undefined ? [] : [[name, Number(value)]];
      }),
    );
    expect(values.get("stillpress_last_run_exit_code")).toBe(4);
    const ended = Date.parse(good.ended ?? "") / 1000;
    expect(values.get("stillpress_last_success_timestamp_seconds")).toBe(ended);
    expect(values.get('stillpress_archive_items{list="articles"}')).toBe(5);
    expect(values.get("stillpress_archive_files")).toBeGreaterThan(50);
    for (const name of values.keys()) {
      const [plain] = name.split("{");
      expect(text).toContain(`# TYPE ${plain} gauge\n`);
    }
    expect(text.endsWith("# EOF\n")).toBe(true);
  });
});

describe("hooks", () => {
  it("hear how a run ended, without the token, and change nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "stillpress-hooks-"));
    try {
      const config = join(folder, "stillpress.json");
      const said = join(folder, "said.txt");
      const failure = `"${process.execPath}" "${command}" status --config ${config} >/dev/null && echo "$STILLPRESS_EXIT_CODE $STILLPRESS_TOKEN. $STILLPRESS_REPORT" > ${said}; exit 7`;
      const settings = {
        origin: { baseUrl: "http://127.0.0.1:1/api" },
        hooks: { failure, success: `touch ${folder}/success` },
        out: "out",
      };
      writeFileSync(config, JSON.stringify(settings));
      const env = { STILLPRESS_TOKEN: "a-token-of-some-length" };
      const { code, stderr } = await stillpress(["build", "--config", config], {
        env,
        cwd: folder,
      });
      expect(code).toBe(5);
      expect(stderr).toContain("hooks.failure ended with 7");
      expect(readFileSync(said, "utf8")).toMatch(/^5 \. .*report\.json\n$/);
      expect(existsSync(join(folder, "success"))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
