import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expected } from "../../src/cli/failures.ts";
import { exitCodes, StillpressError } from "../../src/errors.ts";
import { tryPublishing } from "../../src/publish/swap.ts";
import { serve } from "../api/support.ts";
import { stillpress } from "../support/archive.ts";

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-trial-"));
  out = join(folder, "out");
  mkdirSync(out);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("what would keep a night from publishing ends it before its first request", () => {
  it.each<[string, number, (out: string) => void]>([
    ["a folder in the place of public", 5, (at) => mkdirSync(join(at, "public"))],
    ["a file in the place of public", 5, (at) => writeFileSync(join(at, "public"), "")],
    ["a folder in the place of deploy", 5, (at) => mkdirSync(join(at, "deploy"))],
    ["a folder in the place of the next link", 5, (at) => mkdirSync(join(at, "public.tmp"))],
    ["a file in the place of builds", 2, (at) => writeFileSync(join(at, "builds"), "")],
  ])("%s: exit %i", async (_, code, spoil) => {
    spoil(out);
    const origin = await serve((_request, response) => response.end("{}"));
    const config = join(folder, "config.json");
    writeFileSync(config, JSON.stringify({ origin: { baseUrl: origin.url }, out }));
    const env = { STILLPRESS_TOKEN: "token-of-the-night" };
    const run = await stillpress(["snapshot", "--config", config], { env });
    expect(run.code, run.stderr).toBe(code);
    expect(origin.requests).toEqual([]);
  });
});

describe("tryPublishing", () => {
  it("leaves nothing behind, and follows no link that is there", () => {
    mkdirSync(join(out, "builds"));
    symlinkSync("builds/gone/public", join(out, "public"));
    const before = readdirSync(out, { recursive: true });
    tryPublishing(out, "link");
    expect(readdirSync(out, { recursive: true })).toEqual(before);
  });

  it("is never stopped by what a killed trial left", { timeout: 30_000 }, async () => {
    const module = new URL("../../src/publish/swap.ts", import.meta.url).href;
    const program = `import { tryPublishing } from ${JSON.stringify(module)};
      console.log("at work");
      for (;;) tryPublishing(${JSON.stringify(out)}, "link");`;
    for (let round = 0; round < 8; round++) {
      const args = ["--import", "tsx", "--input-type=module", "--eval", program];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout, "data");
      await sleep(30 + round);
      child.kill("SIGKILL");
      await once(child, "close");
      tryPublishing(out, "link");
      expect(readdirSync(out)).toEqual([]);
    }
  });

  it("says where no symbolic link can be made", ({ skip }) => {
    try {
      execFileSync("chattr", ["+i", out], { stdio: "ignore" });
    } catch {
      return skip();
    }
    try {
      expect(() => tryPublishing(out, "link")).toThrow(
        /no symbolic link can be made here \(EPERM\)/,
      );
    } finally {
      execFileSync("chattr", ["-i", out]);
    }
  });

  it("says that the disk is full", ({ skip }) => {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=32k", "none", out], { stdio: "ignore" });
    } catch {
      return skip();
    }
    try {
      const error = thrownBy(() => tryPublishing(out, "link"));
      expect(expected(error)).toMatchObject({ message: "the local disk is full" });
      expect(readdirSync(out)).toEqual([]);
    } finally {
      execFileSync("umount", [out]);
    }
  });
});

// errno(3): what Linux calls 95, and its siblings.
it.each(["ENOTSUP", "EOPNOTSUPP", "ENOSYS"])("%s is a failure of the disk, in words", (code) => {
  const error = Object.assign(new Error(`${code}: operation not supported`), { code, path: "/x" });
  const told = expected(error) as StillpressError;
  expect(told).toBeInstanceOf(StillpressError);
  expect(told).toMatchObject({ exitCode: exitCodes.disk, hint: expect.stringContaining("--out") });
});

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
