import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "../support/archive.ts";
import { found, requireProgram } from "../support/programs.ts";

requireProgram("python3");

const script = new URL("terminal.py", import.meta.url).pathname;
const address = ["API: ", "http://127.0.0.1:9/api/v1\r"];
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-prompt-"));
  writeFileSync(join(folder, "token"), "tok-0123456789\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What a terminal shows where somebody types answers to prompts. */
function typed(...answers: string[]): { code: number; shown: string } {
  const { PATH = "", HOME = "" } = process.env;
  const argv = [process.execPath, command, "init", "--config", "c.json"];
  const env = { PATH, HOME, TERM: "xterm" };
  const text = execFileSync("python3", [script, ...answers, "--", ...argv], { cwd: folder, env });
  return JSON.parse(String(text));
}

describe.runIf(found("python3"))("init in a terminal", () => {
  // People paste the token where its file is asked for. Everything they paste is a secret then.
  it.each(["tok-5up3rs3cr3t", "Bearer tok-5up3rs3cr3t", "./tok-5up3rs3cr3t", "t0k/5up3rs3cr3t=="])(
    "shows nothing of %s, pasted for the file with the token",
    (token) => {
      const { code, shown } = typed(...address, "(not shown): ", `${token}\r`);
      expect(code).toBe(2);
      expect(shown).toContain("error: there is no such file");
      expect(shown).not.toContain("5up3rs3cr3t");
      expect(existsSync(join(folder, "c.json"))).toBe(false);
    },
  );

  it("takes the token from the file, and shows the address as it is typed", () => {
    const { code, shown } = typed(...address, "(not shown): ", "token\r");
    expect(code).toBe(8);
    expect(shown).toContain("http://127.0.0.1:9/api/v1");
    expect(shown).toContain("connection refused");
  });

  it.each([
    ["at the address", ["API: ", "\u0003"]],
    ["at the token", [...address, "(not shown): ", "\u0003"]],
  ])("is interrupted by Ctrl+C %s", (_, answers) => {
    const { code, shown } = typed(...answers);
    expect(code).toBe(130);
    expect(shown).toContain("interrupted by SIGINT");
  });
});
