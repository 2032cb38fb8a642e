import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { snapshotIds } from "../../src/store/snapshots.ts";
import { openStore } from "../../src/store/store.ts";
import { type Press, startPress, stillpress } from "../support/archive.ts";

interface Freed {
  what: string;
  count: number;
  bytes: number;
}

let press: Press;

beforeAll(async () => {
  press = await startPress({
    pressed: true,
    size: { articles: 12, galleries: 2, images: 20 },
    config: { crawl: { refresh: "all" } },
  });
  const { articles, images } = press.origin.content;
  for (let night = 1; night <= 6; night++) {
    for (const { id } of articles) articles.edit(id, { rating: { average: 1, count: night } });
    const [article, image] = [articles.at(night), images.at(night)];
    articles.edit(article?.id ?? "", {
      title: `Title of night ${night}`,
      images: [image?.id ?? ""],
    });
    if (night === 2) articles.remove(articles.at(9)?.id ?? "");
    if (night === 3) {
      const { read, filesize, mime, width, height } = images.at(7) ?? {};
      images.edit(image?.id ?? "", { read, filesize, mime, width, height });
    }
    await press.run("snapshot");
  }
});

afterAll(() => press.close());

const store = (): string => join(press.out, "store");

async function prune(...args: string[]): Promise<Record<string, Freed>> {
  const { code, stdout, stderr } = await press.run("prune", ...args);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  const { freed } = JSON.parse(stdout) as { freed: Freed[] };
  return Object.fromEntries(freed.map((row) => [row.what, row]));
}

/** Everything that the store says of some snapshots. */
function contentOf(ids: readonly string[]): string {
  const opened = openStore(store(), { readOnly: true });
  try {
    return JSON.stringify(
      ids.map((id) => {
        const manifest = opened.snapshots.load(id);
        const lists = Object.values(manifest.lists).map((list) => [...opened.snapshots.refs(list)]);
        return [manifest, lists, lists.flat().map(({ digest }) => opened.objects.readRaw(digest))];
      }),
    );
  } finally {
    opened.close();
  }
}

/** Paths and sizes of all files below a folder. */
const filesIn = (root: string): string[] =>
  [...walkSorted(root)].map((path) => `${path} ${statSync(join(root, path)).size}`);

const total = (root: string): number =>
  [...walkSorted(root)].reduce((sum, path) => sum + statSync(join(root, path)).size, 0);

describe("stillpress prune", () => {
  it("changes nothing with --dry-run, and keeps what a month of nights would", async () => {
    const before = filesIn(press.out);
    const freed = await prune("--dry-run", "--keep-snapshots", "1");
    expect(freed.snapshots?.count).toBeGreaterThan(0);
    expect((await prune("--dry-run")).snapshots?.count).toBe(0);
    expect((await prune("--dry-run", "--keep-days", "1")).snapshots?.count).toBe(0);
    expect(filesIn(press.out)).toEqual(before);
  });

  it("tells people what it frees before it does", async () => {
    const { stdout, code } = await stillpress(
      ["prune", "--config", press.configFile, "--dry-run", "--keep-snapshots", "1"],
      {},
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}snapshots +\d+ {2}\d.*$/m);
    expect(stdout).toMatch(/^Would free .*B\.$/m);
  });

  it("keeps what it shall, frees what it says, and leaves an archive that goes on", async () => {
    const ids = snapshotIds(store());
    const kept = ids.slice(-2);
    const content = contentOf(kept);
    const published = filesIn(join(press.out, "public"));
    const before = total(store());
    writeFileSync(join(press.out, "report.md.4711.tmp"), "half");
    const foretold = await prune("--dry-run", "--keep-snapshots", "2");
    const freed = await prune("--keep-snapshots", "2");
    expect(freed).toEqual(foretold);
    expect(freed.objects?.bytes).toBeGreaterThan(0);
    const bytes = Object.values(freed).reduce((sum, row) => sum + row.bytes, 0);
    expect(before - total(store())).toBeGreaterThan(0.8 * bytes);
    expect(readdirSync(press.out)).not.toContain("report.md.4711.tmp");

    const left = snapshotIds(store());
    expect(left.slice(-2)).toEqual(kept);
    expect(left.length).toBeLessThan(ids.length);
    expect(contentOf(kept)).toBe(content);
    expect(filesIn(join(press.out, "public"))).toEqual(published);
    expect((await press.run("verify", "--full")).stdout).toContain('"findings":[]');
    const { report } = await press.run("snapshot");
    expect([report.exitCode, report.published, report.downloads]).toEqual([0, false, 0]);
  });

  it("keeps what a rollback needs, even of the store alone", async () => {
    await prune("--keep-snapshots", "0");
    for (const name of ["builds", "public", "deploy"]) {
      rmSync(join(press.out, name), { recursive: true, force: true });
    }
    expect(await press.run("build")).toMatchObject({ code: 0 });
    await prune("--keep-snapshots", "0");
    const { code, stdout } = await press.run("rollback");
    expect([code, JSON.parse(stdout).to]).toEqual([0, expect.any(String)]);
    expect((await press.run("verify", "--full")).stdout).toContain('"findings":[]');
  });

  it("keeps the work of a crawl that was killed", async () => {
    const { content, requests, tokens } = press.origin;
    for (const { id } of content.articles) content.articles.edit(id, { synopsis: "Another one." });
    const singles = (): string[] =>
      requests.map(({ url }) => url).filter((url) => /\/articles\/[^/?]+$/.test(url));
    requests.length = 0;
    await stillpress(["crawl", "--config", press.configFile], {
      env: { STILLPRESS_TOKEN: tokens.organisation, STILLPRESS_CRAWL_CONCURRENCY: "1" },
      started(child) {
        const looking = setInterval(() => singles().length > 5 && child.kill("SIGKILL"), 1);
        child.on("close", () => clearInterval(looking));
      },
    });
    const before = singles().length;
    expect(before).toBeLessThan(content.articles.length);
    await prune("--keep-snapshots", "0");
    const { report } = await press.run("crawl");
    expect(report.exitCode).toBe(0);
    // All but the one that was underway are asked for once.
    expect(singles().length).toBeLessThanOrEqual(content.articles.length + 1);
  });

  it("loses nothing when it is killed", async () => {
    const content = contentOf(snapshotIds(store()).slice(-1));
    const whole = join(press.folder, "whole");
    execFileSync("cp", ["-a", press.out, whole]);
    const args = ["prune", "--config", press.configFile, "--keep-snapshots", "0"];
    const began = performance.now();
    await stillpress(args);
    const tookMs = performance.now() - began;
    for (let kill = 1; kill <= 8; kill++) {
      rmSync(press.out, { recursive: true });
      execFileSync("cp", ["-a", whole, press.out]);
      await stillpress(args, {
        started: (child) => setTimeout(() => child.kill("SIGKILL"), tookMs * (0.4 + kill * 0.08)),
      });
      expect(contentOf(snapshotIds(store()).slice(-1))).toBe(content);
      expect((await press.run("verify", "--full")).stdout).toContain('"findings":[]');
    }
  });

  it("asks for a store", async () => {
    const { code, stderr } = await press.run("prune", "--out", join(press.folder, "none"));
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no store")]);
  });
});
