import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { personalities } from "../../src/demo/options.ts";
import { temporaryFolder } from "../store/support.ts";
import { stillpress } from "../support/archive.ts";
import { generateContent, generated } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";

const origins: Origin[] = [];
afterAll(() => Promise.all(origins.map((origin) => origin.close())));

/** An origin, and commands with a configuration for it. */
async function startWith(name: "plain" | "odd" | "strict", settings: object = {}) {
  const size = { articles: 120, galleries: 15, images: 200, seed: 1 };
  const content = await generateContent({ ...size, ...generated[name] });
  const origin = await startOrigin({ ...personalities[name], rate: null, content });
  origins.push(origin);
  const { paths, timezone, bodyField } = { timezone: "UTC", ...personalities[name] };
  const rate = { requests: 1_000_000, perSeconds: 1 };
  const file = join(temporaryFolder(), "stillpress.json");
  const api = { baseUrl: origin.baseUrl, paths, timezone, bodyField, rate, ...settings };
  const media = { variants: [], formats: ["jpeg"] };
  writeFileSync(file, JSON.stringify({ origin: api, media, out: join(dirname(file), "out") }));
  const run = (command: string, args: string[] = ["--json"], token = origin.tokens.organisation) =>
    stillpress([command, "--config", file, ...args], { env: { STILLPRESS_TOKEN: token } });
  return { origin, run, folder: dirname(file) };
}

describe("stillpress plan", () => {
  it.each(["plain", "odd", "strict"] as const)(
    "foretells requests and files of a first snapshot of the %s origin",
    async (name) => {
      const { run, origin, folder } = await startWith(name);
      const { code, stdout } = await run("plan");
      expect(code).toBe(0);
      expect(readdirSync(folder)).toEqual(["stillpress.json"]);
      expect(origin.requests.length).toBeLessThanOrEqual(60);
      const told = JSON.parse(stdout);
      expect(told).toMatchObject({ seconds: expect.any(Number), bytes: expect.any(Number) });
      const came = JSON.parse((await run("snapshot")).stdout);
      expect(came.exitCode).toBe(0);
      expect(Math.abs(told.requests / came.requests - 1)).toBeLessThan(0.05);
      expect(Math.abs(told.files / came.output.files - 1)).toBeLessThan(0.05);
      const again = JSON.parse((await run("plan")).stdout);
      expect(again.requests).toBeLessThan(told.requests / 3);
      expect(again.bytes).toBe(0);
    },
    180_000,
  );

  it("counts with the rate, and says how to stop what is long", async () => {
    const { run } = await startWith("plain", { rate: { requests: 60, perSeconds: 3600 } });
    const { code, stdout, stderr } = await run("plan", []);
    expect(stderr).not.toContain("error");
    expect(code).toBe(0);
    expect(stdout).toMatch(/time +9 h/);
    expect(stdout).toContain("Ctrl-C");
  });

  it("ends with 4 for a wrong token and writes nothing", async () => {
    const { run, folder } = await startWith("plain");
    const { code, stderr } = await run("plan", [], "wrong");
    expect(code).toBe(4);
    expect(stderr).toContain("error:");
    expect(existsSync(join(folder, "out"))).toBe(false);
  });
});
