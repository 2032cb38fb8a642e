import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { walkSorted } from "../../src/lib/files.ts";
import { differenceOf, treeOf } from "../faults/support/trees.ts";
import { stillpress } from "../support/archive.ts";
import { found } from "../support/programs.ts";
import { redisProgram } from "../support/redis.ts";
import { freePort } from "../support/web-servers.ts";
import { type Fleet, type FleetOptions, startFleet, until } from "./fleet.ts";

describe.skipIf(!found(redisProgram))("an engine in trouble", () => {
  let fleet: Fleet;
  const size = { articles: 6, galleries: 2, images: 40 };

  async function start(options: FleetOptions = {}): Promise<void> {
    fleet = await startFleet({ press: { size }, ...options });
  }
  afterEach(() => fleet?.close());

  const results = (): string[] => {
    const folder = join(fleet.shared, "done");
    return statSync(folder, { throwIfNoEntry: false }) ? [...walkSorted(folder)] : [];
  };

  /** Whether the archive is the local engine's, to the byte. */
  async function expectSameAsLocal(): Promise<void> {
    const out = join(fleet.press.folder, "local");
    const alone = await fleet.runLocally(out);
    expect(alone.code, alone.stderr).toBe(0);
    const trees = [fleet.press.out, out].map((one) => treeOf(join(one, "public")));
    expect(differenceOf(...(trees as [never, never]))).toBeUndefined();
  }

  it("ends with 9 without workers, and the next run goes on", async () => {
    await start({ engine: { patience: 3 } });
    const { code, report } = await fleet.run("snapshot");
    expect(code).toBe(9);
    expect(report.error?.message).toBe("no worker took a job for 3 s");
    expect(report.error?.hint).toContain("stillpress worker");
    await fleet.startWorker();
    const next = await fleet.run("snapshot");
    expect(next.code, next.stderr).toBe(0);
    await expectSameAsLocal();
  });

  it("asks nothing where no queue is, and says where it looked, without the password", async () => {
    const port = await freePort();
    await start({ engine: { redis: `redis://reader:secret-word@127.0.0.1:${port}` } });
    const { code, report, stdout, stderr } = await fleet.run("snapshot");
    expect(code).toBe(7);
    expect(report.error?.message).toContain(`the queue at redis://127.0.0.1:${port}:`);
    expect(stdout + stderr).not.toContain("secret-word");
    expect(fleet.press.origin.requests).toEqual([]);
    const worker = await fleet.startWorker();
    writeFileSync(
      join(fleet.shared, "place.json"),
      JSON.stringify({ id: "00000000-0000-4000-8000-000000000000", encoder: "none" }),
    );
    expect(await worker.end()).toBe(2);
  });

  it("ends with 4 where the queue refuses the password, which is told nowhere", async () => {
    await start({ redis: { password: "right-word" }, engine: { redis: "redis://127.0.0.1:1" } });
    const { host } = new URL(fleet.redis.address);
    for (const user of ["", ":wrong-word@"]) {
      fleet.configure(fleet.configFile, { redis: `redis://${user}${host}` });
      const { code, report, stdout, stderr } = await fleet.run("snapshot");
      expect(code, stderr).toBe(4);
      expect(report.error?.message).toContain(`redis://${host}: access refused`);
      expect(stdout + stderr + readFileSync(join(fleet.press.out, "report.json"))).not.toContain(
        "wrong-word",
      );
    }
    fleet.configure(fleet.configFile, { redis: `redis://:right-word@${host}` });
    const worker = await fleet.startWorker();
    const done = await fleet.run("snapshot");
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout + done.stderr + worker.text()).not.toContain("right-word");
  });

  it("refuses workers with another encoder, unless it was told of theirs", async () => {
    await start({ engine: { encoder: "[another]", patience: 3 } });
    const worker = await fleet.startWorker();
    expect((await fleet.run("snapshot")).code).toBe(9);
    expect(await worker.end()).toBe(2);
    const [, own = ""] =
      /encodes with (\[.*\]), and the run wants \[another\]/.exec(worker.text()) ?? [];
    expect(own).toMatch(/^\[\d/);
    fleet.configure(fleet.configFile, { encoder: own, patience: 20 });
    const next = fleet.run("snapshot");
    const wanted = () => JSON.parse(readFileSync(join(fleet.shared, "place.json"), "utf8"));
    await until(() => wanted().encoder === own);
    await fleet.startWorker();
    expect((await next).code).toBe(0);
  });

  it("takes no place that holds the blobs of another store, nor one inside of its own folder", async () => {
    await start({ engine: { patience: 2 } });
    expect((await fleet.run("snapshot")).code).toBe(9);
    const other = await fleet.run("snapshot", ["--out", join(fleet.press.folder, "other")]);
    expect(other.code).toBe(2);
    expect(other.stderr + other.stdout).toContain("holds the blobs of another store");
    fleet.configure(fleet.configFile, { blobs: `dir:${fleet.press.out}/blobs` });
    expect((await fleet.run("snapshot")).code).toBe(2);
    fleet.configure(fleet.configFile, { blobs: `dir:${fleet.press.folder}/none` });
    const moved = await fleet.run("snapshot");
    expect(moved.code).toBe(2);
    expect(moved.stdout).toContain("this store has blobs at");
    // As if it were not mounted.
    fleet.configure(fleet.configFile);
    rmSync(fleet.shared, { recursive: true });
    mkdirSync(fleet.shared);
    const unmounted = await fleet.run("snapshot");
    expect(unmounted.code).toBe(2);
    expect(unmounted.stdout).toContain("is empty, and had the blobs of this store");
    expect((await fleet.run("verify")).code).toBe(5);
    expect(readdirSync(fleet.shared)).toEqual([]);
  });

  it("says of a worker with the local engine that there is nothing to do", async () => {
    await start();
    const file = fleet.configure(join(fleet.press.folder, "c.json"), { kind: "local" });
    const { code, stderr } = await stillpress(["worker", "--config", file]);
    expect(code).toBe(2);
    expect(stderr).toContain('engine.kind is "local"');
  });

  it("waits for a Redis that is full or restarts, with its data or without", async () => {
    await start({ engine: { patience: 60 } });
    await fleet.startWorker();
    const running = fleet.run("snapshot");
    await until(() => results().length >= 3);
    await fleet.redis.ask("CONFIG", "SET", "maxmemory", "1");
    await delay(3_000);
    await fleet.redis.ask("CONFIG", "SET", "maxmemory", "0");
    await until(() => results().length >= 8);
    await fleet.redis.restart(true);
    await until(() => results().length >= 14);
    await fleet.redis.restart(false);
    const { code, stderr } = await running;
    expect(code, stderr).toBe(0);
    await expectSameAsLocal();
  }, 180_000);

  it("ends with 7 where the queue stays full, and the next run goes on", async () => {
    await start({ engine: { patience: 3 } });
    await fleet.redis.ask("CONFIG", "SET", "maxmemory", "1");
    const { code, report } = await fleet.run("snapshot");
    expect(code).toBe(7);
    expect(report.error?.message).toContain(`the queue at ${fleet.redis.address}: OOM`);
    expect(report.error?.hint).toContain("has memory");
    await fleet.redis.ask("CONFIG", "SET", "maxmemory", "0");
    await fleet.startWorker();
    const next = await fleet.run("snapshot");
    expect(next.code, next.stderr).toBe(0);
  });

  it("loses nothing when run and worker are killed, encodes nothing again, and trusts no blob unseen", async () => {
    await start();
    const worker = await fleet.startWorker();
    let kill = (): void => {};
    const first = fleet.run("snapshot", [], {
      started: (child) => {
        kill = () => child.kill("SIGKILL");
      },
    });
    await until(() => results().length >= 5);
    kill();
    await first;
    // The worker goes on: what it does now, no run has taken over.
    const taken = results().length;
    await until(() => results().length >= taken + 6);
    await worker.end("SIGKILL");
    const before = new Map(results().map((path) => [path, timeOf(path)]));
    const [damaged = "", ...kept] = [...before.keys()].sort(
      (a, b) => (before.get(b) as number) - (before.get(a) as number),
    );
    const { made } = JSON.parse(readFileSync(join(fleet.shared, "done", damaged), "utf8"));
    const blob = made.renditions[0].blob as string;
    const file = join(fleet.shared, "blobs", blob.slice(0, 2), blob);
    writeFileSync(file, Buffer.alloc(statSync(file).size, 7));
    await fleet.startWorker();
    const { code, stderr, report } = await fleet.run("snapshot");
    expect(code, stderr).toBe(0);
    // The queue outlived the run, so that the new worker may have gone on before the new run asked.
    expect(report.jobs?.known).toBeGreaterThan(3);
    for (const path of kept) expect(timeOf(path), path).toBe(before.get(path));
    await expectSameAsLocal();
  }, 180_000);

  function timeOf(path: string): number {
    return statSync(join(fleet.shared, "done", path)).mtimeMs;
  }

  it("gives the jobs of a worker that was killed to another one", async () => {
    await start();
    const workers = [await fleet.startWorker(), await fleet.startWorker()];
    const running = fleet.run("snapshot");
    await until(() => results().length >= 4);
    await workers[0]?.end("SIGKILL");
    const { code, stderr } = await running;
    expect(code, stderr).toBe(0);
    await expectSameAsLocal();
  }, 180_000);

  it("says of bad pictures what the local engine says", async () => {
    const bad = new Map<string, Buffer>();
    await start({
      press: {
        size: { articles: 4, galleries: 1, images: 12 },
        origin: {
          intercept(request, response) {
            const [, id = ""] = /\/images\/([^/]+)\/download/.exec(request.url ?? "") ?? [];
            const bytes = bad.get(id);
            if (bytes === undefined) return false;
            response.writeHead(200, { "Content-Type": "image/jpeg" }).end(bytes);
            return true;
          },
        },
      },
    });
    const ids = [...fleet.press.origin.content.images].map(({ id }) => id);
    bad.set(ids[0] as string, Buffer.from("no picture at all"));
    bad.set(ids[1] as string, Buffer.from("ffd8ffe000104a46494600010100000100010000ffdb", "hex"));
    bad.set(ids[2] as string, Buffer.alloc(2_000));
    await fleet.startWorker();
    const given = await fleet.run("snapshot", ["--allow-incomplete"]);
    const out = join(fleet.press.folder, "local");
    const alone = await fleet.runLocally(out, "--allow-incomplete");
    const local = JSON.parse(alone.stdout);
    expect(given.code).toBe(local.exitCode);
    const sorted = (problems: { subject: string }[]) =>
      problems.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
    expect(sorted(given.report.problems)).toEqual(sorted(local.problems));
    expect(given.report.media?.remarks).toEqual(local.media.remarks);
    expect(local.problems.length + local.media.remarks.count).toBeGreaterThan(2);
    const trees = [fleet.press.out, out].map((one) => treeOf(join(one, "public")));
    expect(differenceOf(...(trees as [never, never]))).toBeUndefined();
  });
});
