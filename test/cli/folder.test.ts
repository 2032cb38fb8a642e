import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stillpress } from "../support/archive.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-folder-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a configuration that is not there", () => {
  it.each([
    ["verify"],
    ["verify", "--base-url", "http://127.0.0.1:1/"],
    ["rollback"],
    ["rollback", "--list"],
    ["serve"],
    ["hosts"],
  ])("is wrong usage where it is named: %s %s", async (...args) => {
    const run = await stillpress([...args, "--config", "typo.json"], { cwd: folder });
    expect(run).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("error: typo.json: no such file\n"),
    });
  });

  it("is no matter where nobody named one", async () => {
    const run = await stillpress(["rollback", "--list"], { cwd: folder });
    expect(run).toMatchObject({ code: 0, stdout: "there are no builds\n" });
  });
});
