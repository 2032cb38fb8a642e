import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../api/support.ts";
import { command } from "../support/archive.ts";

const night = `"${process.execPath}" "${command}" snapshot --config config.json`;

describe("a run that npm started", () => {
  // `npx` is `npm exec`. Both start a command through a shell, which hands no signal on.
  it.each([["exec", "-c", night], ["run", "night"], ["start"]])(
    "ends, and says so, when SIGTERM has ended npm: %s",
    async (...args) => {
      const origin = await serve((_, response) => {
        response.writeHead(429, { "retry-after": "60" }).end();
      });
      const folder = mkdtempSync(join(tmpdir(), "stillpress-npm-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const config = { origin: { baseUrl: `${origin.url}/api/v1` } };
      writeFileSync(join(folder, "config.json"), JSON.stringify(config));
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ scripts: { night, start: night } }),
      );
      const env = { ...process.env, STILLPRESS_TOKEN: "token-of-the-night" };
      const npm = spawn("npm", args, { cwd: folder, env, stdio: "ignore" });
      const ended = once(npm, "exit");
      const report = join(folder, "out/report.json");
      await until(() => origin.requests.length > 0);
      expect(existsSync(report)).toBe(false);
      npm.kill();
      await ended;
      await until(() => existsSync(report));
      expect(JSON.parse(readFileSync(report, "utf8"))).toMatchObject({ exitCode: 143 });
    },
  );
});

/** Waits until something is so; the test's own time limit ends it. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(50);
}
