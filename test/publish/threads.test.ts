import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createUnsigner } from "../../src/api/signatures.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { silent } from "../../src/lib/reporter.ts";
import { requireSnapshot } from "../../src/publish/build.ts";
import { readBuildManifest } from "../../src/publish/manifest.ts";
import type { PlacedFile } from "../../src/publish/shares.ts";
import { shareWithThreads } from "../../src/publish/threads.ts";
import { makeConfig } from "../mirror/fixture.ts";
import { type RunSettings, startPress, stillpress } from "../support/archive.ts";
import { type Publishing, startPublishing } from "./support.ts";

let archive: Publishing;
let staging: string;
beforeEach(() => {
  archive = startPublishing();
  staging = mkdtempSync(join(tmpdir(), "stillpress-threads-"));
});
afterEach(() => {
  archive.close();
  rmSync(staging, { recursive: true, force: true });
});

const now = () => new Date("2026-03-01T12:00:00Z");
const signature = "4c0dd3f2a7b19e8866d0a1b2c3d4e5f60718293a";

/** What other threads make where the first one makes nothing. */
async function madeByOthers(
  threads: number,
  secrets: string[] = [],
): Promise<readonly PlacedFile[]> {
  const { store } = archive.fixture;
  const config = makeConfig();
  const unsigner = createUnsigner(config.origin);
  unsigner.learn({ links: { self: `https://origin.test/a?expires=9&signature=${signature}` } });
  const shares = shareWithThreads(threads, {
    config,
    store: store.folder,
    manifest: requireSnapshot(store),
    templates: join(archive.out, "templates"),
    secrets,
    signatures: unsigner.learned(),
    withheld: [],
    before: undefined,
    staging,
    last: undefined,
    keysHold: false,
    searchAll: false,
    now: now(),
  });
  try {
    return await shares.others();
  } finally {
    await shares.close();
  }
}

describe("the threads of a build", () => {
  it.each([2, 4])(
    "make each file once, as one thread does: %i threads",
    { timeout: 60_000 },
    async (threads) => {
      archive.edit("Title", `<p>A ${signature} in a text.</p>`);
      const unsigner = createUnsigner(makeConfig().origin);
      unsigner.learn({ links: { self: `https://origin.test/a?expires=9&signature=${signature}` } });
      await archive.build({ build: { workers: 1 } }, { now, unsigner });
      const build = join(realpathSync(join(archive.out, "public")), "..");
      const made = [...(await madeByOthers(threads))].sort(([a], [b]) => a - b);
      const listed = [...readBuildManifest(build).values()];
      const { blobs } = archive.fixture.store;
      // The first thread links the blobs, and makes the files that have an index in common.
      const isAlone = /^search\/recent\/(?:index|words|terms-\d+)\.js$/;
      const rendered = listed.filter(
        ({ path, sha256 }) => !isAlone.test(path) && !existsSync(blobs.own.pathOf(sha256)),
      );
      expect(made.map(([, { built }]) => JSON.stringify(built))).toEqual(
        rendered.map((file) => JSON.stringify(file)),
      );
      for (const { path } of rendered) {
        const [theirs, ours] = [staging, build].map((folder) => join(folder, "public", path));
        expect(readFileSync(theirs as string).equals(readFileSync(ours as string)), path).toBe(
          true,
        );
      }
      expect([...walkSorted(join(staging, "public"))]).toEqual(
        rendered.map(({ path }) => path).sort(),
      );
      expect(archive.holding(signature)).toEqual([]);
      expect(archive.holding("[signature]").length).toBeGreaterThan(0);
    },
  );

  it("fail where a file holds the token", { timeout: 60_000 }, async () => {
    archive.edit("Title", "<p>It says token-of-the-night-4711.</p>");
    await expect(madeByOthers(2, ["token-of-the-night-4711"])).rejects.toThrow(
      "would contain the access token",
    );
  });

  it("leave nothing when a build is refused or ended", { timeout: 60_000 }, async () => {
    await archive.build({}, { now });
    const before = archive.shown();
    archive.edit("Title", "<p>It says token-of-the-night-4711.</p>");
    const settings = { build: { workers: 3 } };
    const secrets = ["token-of-the-night-4711"];
    await expect(archive.build(settings, { secrets })).rejects.toThrow("the access token");
    const ending = new AbortController();
    const advance = () => ending.abort(new Error("ended with the first file"));
    const reporter = { ...silent, stage: () => ({ ...silent.stage("build"), advance }) };
    const ended = archive.build(settings, { signal: ending.signal, reporter });
    await expect(ended).rejects.toThrow("ended with the first file");
    expect(archive.shown()).toBe(before);
    expect(readdirSync(join(archive.out, "builds"))).toEqual([before]);
  });

  /** Builds in two threads, from nothing, where another thread does something else. */
  async function builtWhere(code: string, started?: RunSettings["started"]) {
    const press = await startPress({ pressed: true, config: { build: { workers: 2 } } });
    const shown = realpathSync(join(press.out, "public"));
    rmSync(join(press.out, "builds"), { recursive: true });
    const preload = join(staging, "preload.mjs");
    writeFileSync(preload, `import { isMainThread } from "node:worker_threads"; ${code}`);
    const env = { NODE_OPTIONS: `--import ${preload}` };
    const run = await stillpress(["build", "--config", press.configFile], { env, started });
    const left = readdirSync(join(press.out, "builds"));
    await press.close();
    return { run, left, before: basename(join(shown, "..")) };
  }

  it("leave the work to one when another fails", { timeout: 180_000 }, async () => {
    const { run, left, before } = await builtWhere("if (!isMainThread) process.exit(9);");
    expect(run.stderr).toContain("a thread of the build failed: exit code 9");
    expect(run.code, run.stderr).toBe(0);
    expect(left).toEqual([before]);
  });

  it("end with the build, also one that hangs", { timeout: 180_000 }, async () => {
    let ending: ReturnType<typeof setTimeout> | undefined;
    const { run, left } = await builtWhere("while (!isMainThread);", (child) => {
      // When the first thread has made its share, and waits.
      ending = setTimeout(() => child.kill("SIGTERM"), 6_000);
    });
    clearTimeout(ending);
    expect(run.code, run.stderr).toBe(143);
    // What is unfinished goes with the next build.
    expect(left.filter((name) => !name.startsWith("staging-"))).toEqual([]);
  });
});
