import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptSecret, masked } from "../../src/cli/masked.ts";
import { stillpress } from "../support/archive.ts";

describe("masked", () => {
  it.each([
    ['got "s3cr3t-t0k3n"', { STILLPRESS_TOKEN: "s3cr3t-t0k3n" }, 'got "[STILLPRESS_TOKEN]"'],
    ["?t=a%2Fb%2Bc%3Dd%20e", { MY_SECRET: "a/b+c=d e" }, "?t=[MY_SECRET]"],
    ["a path is none", { PATH: "a path is none" }, "a path is none"],
    [
      "through night:p%40ss-of-the-proxy@",
      { HTTPS_PROXY: "http://night:p%40ss-of-the-proxy@proxy.test:3128" },
      "through night:[password of the proxy]@",
    ],
    [
      "got p@ss-of-the-proxy",
      { http_proxy: "http://night:p%40ss-of-the-proxy@proxy.test:3128" },
      "got [password of the proxy]",
    ],
    ["short", { API_TOKEN: "short" }, "short"],
  ])("%s with %o → %s", (text, environment, expected) => {
    expect(masked(text, environment)).toBe(expected);
  });

  it("knows a token that was read, whatever its variable is called", () => {
    const environment = { MEDIA_PAT: "read-token-0123" };
    expect(masked("at read-token-0123", environment)).toBe("at read-token-0123");
    keptSecret("read-token-0123");
    expect(masked("at read-token-0123", environment)).toBe("at [token]");
  });
});

it("hides a token by any name, also one in a file", async () => {
  const token = "misplaced-token-0123456789";
  const folder = mkdtempSync(join(tmpdir(), "stillpress-masked-"));
  const [file, tokenFile] = [join(folder, "config.json"), join(folder, "token")];
  try {
    writeFileSync(tokenFile, `${token}\n`);
    for (const place of [{ tokenEnv: "MEDIA_PAT" }, { tokenFile }]) {
      const origin = { baseUrl: "https://a.test/api", rate: token, ...place };
      writeFileSync(file, JSON.stringify({ origin }));
      for (const args of [[], ["--json"]]) {
        const env: Record<string, string> = "tokenEnv" in place ? { MEDIA_PAT: token } : {};
        const run = await stillpress(["crawl", "--config", file, ...args], { env });
        expect(run.code).toBe(2);
        expect(run.stdout + run.stderr).not.toContain(token);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("covers the stack of an unexpected error", async () => {
  const token = "misplaced-token-0123456789";
  const folder = mkdtempSync(join(tmpdir(), "stillpress-masked-"));
  try {
    // A folder where a file should be, in a folder whose name is the token.
    const out = join(folder, token);
    mkdirSync(join(out, "store", "published", "history.json"), { recursive: true });
    const env = { STILLPRESS_TOKEN: token };
    const run = await stillpress(["rollback", "--list", "--out", out], { env });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain("EISDIR");
    expect(run.stderr).not.toContain(token);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("is how the command tells of a token that was written where it does not belong", async () => {
  const token = "misplaced-token-0123456789";
  const folder = mkdtempSync(join(tmpdir(), "stillpress-masked-"));
  const file = join(folder, "config.json");
  try {
    for (const origin of [
      { baseUrl: "https://a.test/api", rate: token },
      { baseUrl: `https://a.test/api?token=${token}` },
    ]) {
      writeFileSync(file, JSON.stringify({ origin }));
      for (const args of [[], ["--json"]]) {
        const env = { STILLPRESS_TOKEN: token };
        const run = await stillpress(["crawl", "--config", file, ...args], { env });
        expect(run.code).toBe(2);
        expect(run.stdout + run.stderr).not.toContain(token);
        expect(run.stderr).toContain("error: ");
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
