import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileSha256 } from "../../src/lib/digest.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import { publishedBuild } from "../../src/publish/swap.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";

let press: Press;
beforeEach(async () => {
  press = await startPress({
    config: { publish: { swap: "files", keepDeleted: 0 } },
    size: { articles: 6, galleries: 2, images: 8 },
  });
  // As where a volume is mounted.
  mkdirSync(join(press.out, "public"), { recursive: true });
});
afterEach(() => press.close());

const shown = (): string => join(press.out, "public");

/** Digests of what readers can ask for, and what they should find. */
function both() {
  const paths = [...walkSorted(shown())].filter((path) => !path.startsWith(".stillpress/"));
  const found = paths.map((path) => [path, fileSha256(join(shown(), path))]);
  const files = readBuildManifest(publishedBuild(press.out) ?? "").values();
  const wanted = [...files].map(({ path, sha256 }) => [path, sha256]);
  return { found, wanted: wanted.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)) };
}
const expectShown = (): void => {
  const { found, wanted } = both();
  expect(found.length).toBeGreaterThan(100);
  expect(found.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))).toEqual(wanted);
};
const links = (): string[] =>
  [...walkSorted(press.out)].filter((path) => lstatSync(join(press.out, path)).isSymbolicLink());
const timesIn = (folder: string): string[] =>
  [...walkSorted(folder)]
    .filter((path) => !path.startsWith(".stillpress/"))
    .map((path) => `${path} ${lstatSync(join(folder, path)).mtimeMs}`);

it("shows each night's archive without a link, and changes nothing in a quiet one", async () => {
  expect((await press.run("snapshot")).code).toBe(0);
  expectShown();
  expect(links()).toEqual([]);
  expect(existsSync(join(press.out, "deploy", "urlmap.json"))).toBe(true);

  const deployed = join(press.out, "deploy");
  expect((await press.run("hosts", "netlify")).code).toBe(0);
  expect(readdirSync(deployed)).toContain("netlify");

  const before = [...timesIn(shown()), ...timesIn(deployed)];
  expect((await press.run("snapshot")).report).toMatchObject({ published: false });
  expect([...timesIn(shown()), ...timesIn(deployed)]).toEqual(before);

  const [first] = press.origin.content.articles;
  press.origin.content.articles.edit(first?.id ?? "", { title: "Edited in the night" });
  expect((await press.run("snapshot")).report).toMatchObject({ exitCode: 0, published: true });
  expectShown();
  expect(readFileSync(join(shown(), "index.html"), "utf8")).toContain("Edited in the night");

  expect((await press.run("rollback")).code).toBe(0);
  expectShown();
  expect(readFileSync(join(shown(), "index.html"), "utf8")).not.toContain("Edited in the night");
});

it("is verified and repaired", async () => {
  await press.run("snapshot");
  expect((await press.run("verify")).code).toBe(0);
  appendFileSync(join(shown(), "index.html"), "more");
  rmSync(join(shown(), "feed.xml"));
  const { code, stdout } = await press.run("verify");
  expect(code).toBe(5);
  expect(
    JSON.parse(stdout)
      .findings.map(({ path }: { path: string }) => path)
      .sort(),
  ).toEqual(["public/feed.xml", "public/index.html"]);
  expect((await press.run("repair")).code).toBe(0);
  expectShown();
});

it("copies on after it was killed", async () => {
  const parts = join(shown(), ".stillpress");
  const isCopying = (): boolean =>
    existsSync(parts) && readdirSync(parts).some((name) => name.startsWith("part-"));
  const env = { STILLPRESS_TOKEN: press.origin.tokens.organisation };
  const { code } = await stillpress(["snapshot", "--config", press.configFile], {
    env,
    started(child) {
      const timer = setInterval(() => isCopying() && child.kill("SIGKILL"), 1);
      child.on("exit", () => clearInterval(timer));
    },
  });
  expect(code).toBe(null);
  expect(both().found.length).toBeLessThan(both().wanted.length);
  expect((await press.run("snapshot")).code).toBe(0);
  expectShown();
});

it("goes back to a link once the copies are moved away", async () => {
  await press.run("snapshot");
  const config = JSON.parse(readFileSync(press.configFile, "utf8"));
  config.publish.swap = "link";
  writeFileSync(press.configFile, JSON.stringify(config));
  const refused = await press.run("build");
  expect(refused.code).toBe(5);
  expect(refused.report.error?.hint).toContain("move it away");
  for (const name of ["public", "deploy"])
    renameSync(join(press.out, name), join(press.folder, name));
  expect((await press.run("build")).code).toBe(0);
  expect(lstatSync(shown()).isSymbolicLink()).toBe(true);
  expect(existsSync(join(press.out, "shown.txt"))).toBe(false);
  expectShown();
});

it("takes over from a link", async () => {
  rmSync(shown(), { recursive: true });
  const config = JSON.parse(readFileSync(press.configFile, "utf8"));
  writeFileSync(press.configFile, JSON.stringify({ ...config, publish: {} }));
  await press.run("snapshot");
  expect(lstatSync(shown()).isSymbolicLink()).toBe(true);
  writeFileSync(press.configFile, JSON.stringify(config));
  expect((await press.run("build")).code).toBe(0);
  expectShown();
  expect(links()).toEqual([]);
});
