import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { differenceOf, treeOf } from "../faults/support/trees.ts";
import { startBucket } from "../support/bucket.ts";
import { found, reportMissing } from "../support/programs.ts";
import { redisProgram } from "../support/redis.ts";
import { type Fleet, startFleet, until } from "./fleet.ts";

const isMissing = !found(redisProgram);

describe.runIf(isMissing)("workers", () => reportMissing(redisProgram));

/** Stand where only the origin has them: in its addresses, in titles, and in what signs links. */
const canary = "canary-in-a-title";

describe.skipIf(isMissing)("two workers and a shared folder", () => {
  let fleet: Fleet;
  const local = (): string => join(fleet.press.folder, "local");
  const jobsAsked: string[] = [];

  beforeAll(async () => {
    fleet = await startFleet({
      press: {
        size: { articles: 12, galleries: 3, images: 40 },
        config: { media: { formats: ["jpeg", "webp"], metadata: "strip" } },
      },
    });
    const { images, articles } = fleet.press.origin.content;
    for (const { id } of images) images.edit(id, { title: `${canary} ${id}` });
    for (const { id } of articles) articles.edit(id, { title: `${canary} ${id}` });
    await fleet.startWorker();
    await fleet.startWorker();
  });
  afterAll(() => fleet?.close());

  it("make the archive that the local engine makes, to the byte", async () => {
    const { code, stderr, report } = await fleet.run("snapshot");
    expect(code, stderr).toBe(0);
    expect(report.jobs?.done).toBeGreaterThan(30);
    expect(report.jobs?.known).toBe(0);
    const alone = await fleet.runLocally(local());
    expect(alone.code, alone.stderr).toBe(0);
    const trees = [fleet.press.out, local()].map((out) => treeOf(join(out, "public")));
    expect(differenceOf(...(trees as [never, never]))).toBeUndefined();
  });

  it("leave what was asked of them in the shared folder, and nothing of it in the store's own", () => {
    const own = [...walkSorted(join(fleet.press.out, "store", "blobs"))];
    expect(own).toEqual([]);
    expect(readdirSync(fleet.shared).sort()).toEqual([
      ".stillpress",
      "blobs",
      "done",
      "place.json",
    ]);
    expect(readdirSync(join(fleet.shared, "blobs", "incoming"))).toEqual([]);
  });

  it("see no address, no title, no signature and no token: Redis has written down all it was told", () => {
    const { press, redis } = fleet;
    const log = redis.log();
    expect(log).toContain("render-");
    const { hostname, port } = new URL(press.origin.baseUrl);
    const secrets = ["signature", "expires", canary, `${hostname}:${port}`, "/api/v1"];
    for (const secret of [...secrets, ...Object.values(press.origin.tokens)])
      expect(log, secret).not.toContain(secret);
    // Nor do the results that lie beside the blobs.
    for (const path of walkSorted(join(fleet.shared, "done"))) {
      const text = readFileSync(join(fleet.shared, "done", path), "utf8");
      for (const secret of [...secrets, ...Object.values(press.origin.tokens)])
        expect(text, secret).not.toContain(secret);
    }
  });

  it("are asked nothing in a night without news, and make a new format of old originals", async () => {
    const quiet = await fleet.run("snapshot");
    expect(quiet.report.jobs).toEqual({ done: 0, known: 0, again: 0 });
    const media = { ...fleet.config.media, formats: ["jpeg", "avif"] };
    fleet.configure(fleet.configFile, {}, { media });
    fleet.press.origin.requests.length = 0;
    const { code, report } = await fleet.run("snapshot");
    expect(code).toBe(0);
    expect(report.jobs?.done).toBeGreaterThan(30);
    expect(fleet.press.origin.requests.filter(({ url }) => url.includes("/download"))).toEqual([]);
    const published = [...walkSorted(`${fleet.press.out}/public/`)];
    expect(published.filter((path) => path.endsWith(".avif")).length).toBeGreaterThan(100);
    jobsAsked.push(...published);
  });

  it("find a damaged blob for verify --full, and repair has it made again", async () => {
    const blobs = join(fleet.shared, "blobs");
    const whole = await fleet.run("verify", ["--full"]);
    expect(whole.code, whole.stderr).toBe(0);
    const named = new Set(treeOf(join(fleet.press.out, "public")).values());
    const path = [...walkSorted(blobs)].find((one) => named.has(one.slice(3))) as string;
    const bytes = readFileSync(join(blobs, path));
    // The build's file may be another name of the blob.
    rmSync(join(blobs, path));
    writeFileSync(join(blobs, path), Buffer.alloc(bytes.length, 1));
    const broken = await fleet.run("verify", ["--full"]);
    expect(broken.code).toBe(5);
    expect(broken.stdout).toContain(path.slice(3));
    const repaired = await fleet.run("repair");
    expect(repaired.code, repaired.stderr).toBe(0);
    expect(readFileSync(join(blobs, path))).toEqual(bytes);
  });

  it("leave what nothing needs to prune: former renditions and results", async () => {
    const { code, stdout } = await fleet.run("prune", ["--keep-snapshots", "1"]);
    expect(code).toBe(0);
    const { freed } = JSON.parse(stdout) as { freed: { what: string; count: number }[] };
    const counts = new Map(freed.map(({ what, count }) => [what, count]));
    expect(counts.get("results of jobs")).toBeGreaterThan(60);
    expect(existsSync(join(fleet.shared, "done"))).toBe(false);
    const after = await fleet.run("verify", ["--full"]);
    expect(after.code, after.stderr).toBe(0);
  });

  it("have all of their blobs in a bag, which goes on without the shared folder", async () => {
    const bag = join(fleet.press.folder, "archive.bag.zip");
    const { code, stderr } = await fleet.run("pack", ["bagit", bag]);
    expect(code, stderr).toBe(0);
    const names = readFileSync(bag, "latin1");
    for (const path of walkSorted(join(fleet.shared, "blobs")))
      expect(names.includes(`data/store/blobs/${path}`)).toBe(true);
    expect(names).not.toContain("data/store/shared.json");
  });
});

describe.skipIf(isMissing)("an archive that was made by the local engine", () => {
  it("goes on with workers, which get its originals", async () => {
    const size = { articles: 6, galleries: 2, images: 20 };
    const fleet = await startFleet({ press: { size } });
    try {
      const first = await fleet.runLocally(fleet.press.out);
      expect(first.code, first.stderr).toBe(0);
      fleet.configure(fleet.configFile, {}, { media: { formats: ["jpeg", "webp"], variants: [] } });
      await fleet.startWorker();
      const { code, stderr, report } = await fleet.run("snapshot");
      expect(code, stderr).toBe(0);
      expect(report.jobs?.done).toBeGreaterThan(15);
      expect(report.media?.downloaded).toBe(0);
      const verified = await fleet.run("verify", ["--full"]);
      expect(verified.code, verified.stderr).toBe(0);
    } finally {
      await fleet.close();
    }
  });
});

describe.skipIf(isMissing)("workers and a bucket", () => {
  it("make the archive that the local engine makes, while some requests fail", async () => {
    const bucket = await startBucket();
    const fleet = await startFleet({
      press: { size: { articles: 8, galleries: 2, images: 30 } },
      engine: { blobs: `${bucket.name}/shared` },
      environment: bucket.environment,
    });
    try {
      // Each seventh answer is an error that may pass, or is cut.
      bucket.failWith(({ count }) =>
        count % 7 === 0 ? 503 : count % 31 === 0 ? "cut" : undefined,
      );
      const workers = [await fleet.startWorker(), await fleet.startWorker()];
      const { code, stderr, report } = await fleet.run("snapshot");
      expect(code, stderr).toBe(0);
      expect(report.jobs?.done).toBeGreaterThan(20);
      const out = join(fleet.press.folder, "local");
      const alone = await fleet.runLocally(out);
      expect(alone.code, alone.stderr).toBe(0);
      const trees = [fleet.press.out, out].map((one) => treeOf(join(one, "public")));
      expect(differenceOf(...(trees as [never, never]))).toBeUndefined();
      const keys = [...bucket.objects.keys()];
      expect(keys.filter((key) => key.startsWith("shared/blobs/")).length).toBeGreaterThan(100);
      bucket.failWith();
      const full = await fleet.run("verify", ["--full"]);
      expect(full.code, full.stderr).toBe(0);
      expect(workers.map((worker) => worker.text()).join()).not.toContain(
        bucket.environment.AWS_SECRET_ACCESS_KEY,
      );
      // A store on another machine, without copies of its blobs.
      rmSync(join(fleet.press.out, "store", "cache"), { recursive: true });
      rmSync(join(fleet.press.out, "builds"), { recursive: true });
      mkdirSync(join(fleet.press.out, "builds"));
      const built = await fleet.run("build");
      expect(built.code, built.stderr).toBe(0);
      expect(
        differenceOf(treeOf(join(fleet.press.out, "public")), treeOf(join(out, "public"))),
      ).toBe(undefined);
    } finally {
      await fleet.close();
      await bucket.close();
    }
  }, 180_000);
});

describe.skipIf(isMissing)("a worker", () => {
  it("waits for the first run, tells what it does, and finishes what it has in hand", async () => {
    const fleet = await startFleet({ press: { size: { articles: 4, galleries: 1, images: 12 } } });
    try {
      const worker = await fleet.startWorker();
      await until(() => worker.text().includes("waiting for the first run"));
      const run = await fleet.run("snapshot");
      expect(run.code, run.stderr).toBe(0);
      expect(await worker.end("SIGTERM")).toBe(0);
      expect(worker.text()).toMatch(/takes 1 jobs at once of stillpress-/);
      expect(worker.text()).toMatch(/\d+ jobs in \d+ s \(\d+\.\d\/s\), 0 in hand, \d+ in all/);
    } finally {
      await fleet.close();
    }
  });
});
