import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { Report } from "../../src/publish/report.ts";
import { type Run, stillpress } from "../support/archive.ts";
import { generateContent } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";
import { startProxy } from "../support/proxy.ts";

/*
 * Files at other hosts than the API's: public ones, and ones inside of a network (RFC 1918, 4193, 6761, 6762, 8375 and
 * the "internal" of ICANN). Names under "test" (RFC 6761) exist for the proxy only.
 */

const folder = mkdtempSync(join(tmpdir(), "stillpress-hosts-"));
let origin: Origin;
let proxy: Awaited<ReturnType<typeof startProxy>>;
/** The hosts of the files, in turn. */
let hosts: string[] = [];
let redirected: string | undefined;

beforeAll(async () => {
  const content = await generateContent({ articles: 20, galleries: 3, images: 24, seed: 3 });
  origin = await startOrigin({
    ...{ content, rate: null },
    intercept({ url = "" }, response) {
      if (redirected === undefined || !/\/images\/[^/]+\/download/.test(url)) return false;
      response.writeHead(302, { location: `http://${redirected}${url}` }).end();
      return true;
    },
  });
  const { port } = origin;
  let at = 0;
  proxy = await startProxy(undefined, (text) =>
    text
      .replaceAll(`127.0.0.1:${port}`, `media.test:${port}`)
      .replaceAll(
        /media\.test:\d+(\/[^"?]*\/download\?expires=)/g,
        (_, path) => `${hosts[at++ % hosts.length]}:${port}${path}`,
      ),
  );
});
afterAll(async () => {
  await proxy.close();
  await origin.close();
  rmSync(folder, { recursive: true });
});

const configFile = join(folder, "stillpress.json");
const out = join(folder, "out");
const baseUrl = () => origin.baseUrl.replace("127.0.0.1", "media.test");

function run(...args: string[]): Promise<Run> {
  const env = {
    STILLPRESS_TOKEN: origin.tokens.organisation,
    STILLPRESS_ORIGIN_RATE: '{ "requests": 1000, "perSeconds": 1 }',
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
  };
  return stillpress([...args, "--config", configFile, "--out", out], { env });
}

function configure(origin: object, more = {}): void {
  const media = { variants: [], formats: ["jpeg"], ...more };
  writeFileSync(configFile, JSON.stringify({ origin: { baseUrl: baseUrl(), ...origin }, media }));
}

const withPort = (host: string) => `${host}:${origin.port}`;

it("are written by init where they are public, and named where they are not", async () => {
  const open = ["cdn.test", "8.8.8.8", "files.example.org"];
  const inside = ["10.1.2.3", "[fd00::1]", "localhost", "nas", "minio.internal", "disk.local"];
  hosts = [...open, ...inside];
  rmSync(configFile, { force: true });
  const { code, stdout } = await run("init", "--base-url", baseUrl());
  expect(code, stdout).toBe(0);
  const { allowHosts } = loadConfig({ file: configFile, env: {} }).config.origin;
  expect([...allowHosts].sort()).toEqual(open.map(withPort).sort());
  const [first = ""] = stdout.split("\n");
  const [, line = "[]"] =
    /write "allowHosts": (\[[^\]]*(?:\][^\]]+)*\]) in "origin"/.exec(first) ?? [];
  expect(JSON.parse(line).sort()).toEqual(hosts.map(withPort).sort());
}, 60_000);

it.each([
  ["one", ["cdn.test"]],
  ["two", ["cdn.test", "static.test"]],
  ["one inside of a network", ["10.1.2.3"]],
])(
  "are told once by plan and snapshot where they are not allowed: %s",
  async (_, names) => {
    hosts = names;
    configure({});
    rmSync(out, { recursive: true, force: true });
    const asked = proxy.asked.length;
    const { stdout } = await run("plan");
    const loud = stdout.split("\n").filter((line) => line.startsWith("! "));
    expect(loud.map((line) => line.split(/[ ,]/)[4])).toEqual(names.map(withPort));
    const { code, stderr, report } = await snapshot();
    expect(code).toBe(3);
    const before = stderr.slice(0, stderr.indexOf("problem: "));
    for (const name of names.map(withPort)) {
      expect(before.split(`warning: files lie at ${name}`)).toHaveLength(2);
      expect(stderr.split(`problem: files at ${name}`)).toHaveLength(2);
    }
    expect(report.problems.map(({ subject }) => subject).sort()).toEqual(
      names.map((name) => `files at ${withPort(name)}`).sort(),
    );
    expect(proxy.asked.slice(asked).filter((one) => /\/download/.test(one))).toEqual([]);
  },
  60_000,
);

it("are told once where only redirects lead there", async () => {
  hosts = ["media.test"];
  redirected = withPort("far.test");
  configure({});
  rmSync(out, { recursive: true, force: true });
  const { code, report } = await snapshot();
  redirected = undefined;
  expect([code, report.problems]).toEqual([
    3,
    [
      {
        subject: `files at ${withPort("far.test")}`,
        reason: expect.stringMatching(/^\d\d files not downloaded: /),
        hint: expect.stringContaining(`add "${withPort("far.test")}" to origin.allowHosts`),
      },
    ],
  ]);
}, 60_000);

it("are no matter where they are allowed, or where no file is wanted", async () => {
  hosts = ["cdn.test", "static.test"];
  rmSync(out, { recursive: true, force: true });
  configure({ allowHosts: ["cdn.test", withPort("static.test")] });
  expect((await run("plan")).stdout).not.toContain("! files");
  const whole = await snapshot();
  expect([whole.code, whole.report.problems, whole.report.warnings]).toEqual([0, [], []]);
  configure({}, { originals: false });
  expect((await run("plan")).stdout).not.toContain("! files");
  expect((await snapshot()).report).toMatchObject({ problems: [], warnings: [] });
}, 60_000);

async function snapshot() {
  const { code, stderr } = await run("snapshot");
  const report: Report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"));
  return { code, stderr, report };
}
