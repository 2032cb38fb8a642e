import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { Interrupted } from "../../src/errors.ts";
import {
  createDecoders,
  DecoderCrash,
  DecoderFailure,
  type Decoders,
  type DecodersOptions,
} from "../../src/media/decoders.ts";
import type { RenderTask } from "../../src/media/encode.ts";
import { flawOf } from "../../src/media/render.ts";
import { planVariants } from "../../src/media/variants.ts";
import { id, imageOf, useStage } from "./fixture.ts";

const { media } = ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org/api" } });

let folder: string;
let original: string;
let decoders: Decoders | undefined;
let disturbance: NodeJS.Timeout | undefined;

/** A decoder takes long to read it, so that there is time to disturb it. */
async function largePicture(): Promise<Buffer> {
  const noise = { type: "gaussian" as const, mean: 128, sigma: 60 };
  const create = { width: 3000, height: 2000, channels: 3 as const, background: "#888", noise };
  const slow = { quality: 100, progressive: true, chromaSubsampling: "4:4:4" };
  return await sharp({ create }).jpeg(slow).toBuffer();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-decoders-"));
  original = join(folder, "original.jpg");
  writeFileSync(original, await largePicture());
});
afterEach(async () => {
  clearInterval(disturbance);
  await decoders?.close();
  decoders = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(options: Partial<DecodersOptions> = {}): Decoders {
  decoders = createDecoders({ slots: 2, ...options });
  return decoders;
}

async function taskFor(pool: Decoders, path = original, into = folder): Promise<RenderTask> {
  const { image } = await pool.inspect(path);
  if (image === undefined) throw new Error("no image");
  const plans = planVariants(image, media);
  const count = plans.reduce((sum, { formats }) => sum + formats.length, 0);
  const targets = Array.from({ length: count }, (_, n) => join(into, `target-${n}`));
  return { path, image, plans, settings: media, targets };
}

/** What a file of the system's process table says; empty where the process, or a thread, is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Processes that a process has started and that still run. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" "))
    .map(Number)
    .filter((child) => child > 0 && isRunning(child));
}

function isRunning(pid: number): boolean {
  const state = read(`/proc/${pid}/stat`);
  // A zombie has ended, whoever has yet to hear of it.
  return state !== "" && !/\) Z/.test(state);
}

/** Whether a process reads the original just now, or a copy of it: libvips maps files into memory. */
function isDecoding(pid: number): boolean {
  return read(`/proc/${pid}/maps`)
    .split("\n")
    .filter((line) => /\/(?:original\.jpg|incoming\/[\w-]+)$/.test(line))
    .map((line) => line.split(/[- ]/).map((word) => Number.parseInt(word, 16)))
    .some(([start = 0, end = 0]) => end - start >= statSync(original).size);
}

/** Sends each decoder process a signal when it works on the original; returns those that got one. */
function disturb(signal: NodeJS.Signals, times = Number.POSITIVE_INFINITY): Set<number> {
  const pids = new Set<number>();
  disturbance = setInterval(() => {
    for (const pid of childrenOf(process.pid)) {
      if (pids.size >= times || pids.has(pid) || !isDecoding(pid)) continue;
      pids.add(pid);
      process.kill(pid, signal);
    }
  }, 5);
  return pids;
}

describe.skipIf(process.platform !== "linux")("a decoder process", () => {
  it("is started when it is needed, used again, and ended with the pool", async () => {
    const pool = open();
    expect(childrenOf(process.pid)).toEqual([]);
    const task = await taskFor(pool);
    const [first] = childrenOf(process.pid);
    const { files, warnings } = await pool.render(task);
    expect(childrenOf(process.pid)).toEqual([first]);
    expect(warnings).toEqual([]);
    expect(files).toHaveLength(task.targets.length);
    for (const [n, { plan, format, bytes }] of files.entries()) {
      const written = readFileSync(task.targets[n] as string);
      const { width, height } = task.plans[plan] ?? {};
      expect(await sharp(written).metadata()).toMatchObject({ width, height, format });
      expect(written).toHaveLength(bytes);
    }
    await pool.close();
    expect(childrenOf(process.pid)).toEqual([]);
  });

  it("has no more of the environment than it needs", async () => {
    process.env.STILLPRESS_TOKEN = "secret-of-the-run";
    try {
      await open().inspect(original);
    } finally {
      delete process.env.STILLPRESS_TOKEN;
    }
    const [pid] = childrenOf(process.pid);
    const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
    expect(environment).toContain("MALLOC_ARENA_MAX=2");
    expect(environment).not.toMatch(/secret-of-the-run|STILLPRESS/);
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, "utf8").trim()).toBe("800");
  });

  it("that is killed in the middle of a picture is replaced, and the picture done again", async () => {
    const pool = open();
    const task = await taskFor(pool);
    const pids = disturb("SIGKILL", 1);
    const { files } = await pool.render(task);
    clearInterval(disturbance);
    expect(pids.size).toBe(1);
    expect(files).toHaveLength(task.targets.length);
  });

  it("costs two at most for one picture, and the pool goes on", async () => {
    const pool = open();
    const task = await taskFor(pool);
    const pids = disturb("SIGSEGV");
    await expect(pool.render(task)).rejects.toThrow(/^SIGSEGV$/);
    clearInterval(disturbance);
    expect(pids.size).toBe(2);
    expect((await pool.render(task)).files).toHaveLength(task.targets.length);
  });

  it("that hangs is ended after the time limit", async () => {
    const pool = open({ limitMs: 5_000 });
    const task = await taskFor(pool);
    const path = join(folder, "pipe-without-writer");
    execFileSync("mkfifo", [path]);
    await expect(pool.render({ ...task, path })).rejects.toThrow("no answer within 5 s");
    expect(childrenOf(process.pid)).toEqual([]);
  });

  it("goes on where the terminal interrupts all processes of its group", async () => {
    const pool = open();
    const task = await taskFor(pool);
    const pids = disturb("SIGINT");
    const { files } = await pool.render(task);
    clearInterval(disturbance);
    expect(pids.size).toBe(1);
    expect(files).toHaveLength(task.targets.length);
    expect(childrenOf(process.pid)).toEqual([...pids]);
  });

  it("is ended in the middle of a picture when the signal is raised, and nothing is asked any more", async () => {
    const reason = new Error("interrupted");
    const stopping = new AbortController();
    const pool = open({ signal: stopping.signal, limitMs: 3_600_000 });
    const task = await taskFor(pool);
    const pids = disturb("SIGSTOP");
    const asked = [1, 2, 3].map(() => pool.render(task));
    const ended = Promise.allSettled(asked);
    await expect.poll(() => pids.size, { timeout: 20_000 }).toBe(2);
    stopping.abort(reason);
    expect(await ended).toEqual(asked.map(() => ({ status: "rejected", reason })));
    expect(childrenOf(process.pid)).toEqual([]);
    await expect(pool.inspect(original)).rejects.toBe(reason);
  });

  it("costs the picture whose encoder fails, whatever the reason, and goes on", async () => {
    const pool = open();
    const task = await taskFor(pool);
    const settings = { ...media, quality: { ...media.quality, webp: 0 } };
    const failing = pool.render({ ...task, settings });
    await expect(failing).rejects.toThrow(DecoderFailure);
    await expect(failing).rejects.toThrow(/quality/);
    expect(flawOf(await failing.catch((error) => error))).toMatchObject({
      reason: expect.stringMatching(/^the image decoder failed: .*quality/),
      limited: true,
    });
    expect((await pool.render(task)).files).toHaveLength(task.targets.length);
    expect(childrenOf(process.pid)).toHaveLength(1);
  });

  it("that answers with another number of files than it should is ended as one that crashed", async () => {
    const pool = open();
    const task = await taskFor(pool);
    const targets = [...task.targets, join(folder, "one-more")];
    await expect(pool.render({ ...task, targets })).rejects.toThrow(
      new DecoderCrash("answered nonsense"),
    );
    expect(childrenOf(process.pid)).toEqual([]);
  });

  it("tells why it could not write, which is no fault of the picture", async () => {
    const pool = open();
    const task = await taskFor(pool, original, join(folder, "nowhere"));
    await expect(pool.render(task)).rejects.toMatchObject({ code: "ENOENT" });
    expect(childrenOf(process.pid)).toHaveLength(1);
  });

  it("ends in the middle of a picture when the process that asked is killed", async () => {
    const program = `
      import { createDecoders } from ${JSON.stringify(new URL("../../src/media/decoders.ts", import.meta.url))};
      const pool = createDecoders({ slots: 1 });
      const task = ${JSON.stringify(await taskFor(open()))};
      await pool.render(task);`;
    const args = ["--import", "tsx", "--input-type=module", "--eval", program];
    const asking = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    const parent = asking.pid as number;
    let decoding: number[] = [];
    while (decoding.length === 0) {
      await sleep(20);
      expect(asking.exitCode).toBeNull();
      decoding = childrenOf(parent).filter(isDecoding);
    }
    asking.kill("SIGKILL");
    await expect.poll(() => decoding.filter(isRunning), { timeout: 2_000 }).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("the stage", () => {
  const stage = useStage();

  it("goes on without a picture that no decoder survives", async () => {
    const small = await sharp(original).resize(60).jpeg().toBuffer();
    const images = [await imageOf(100, readFileSync(original)), await imageOf(101, small)];
    await stage.start({ images });
    const config = stage.configOf();
    const manifest = await stage.crawl(config);
    const pids = disturb("SIGKILL");
    const { problems, remarks } = await stage.media(config, manifest);
    clearInterval(disturbance);
    const remark = "kept without renditions: the image decoder crashed (SIGKILL)";
    expect(problems).toEqual([]);
    expect(remarks.first).toEqual([{ subject: `image ${id(100)}`, remark }]);
    // Two for its pixels, and perhaps one before, for its header.
    expect([2, 3]).toContain(pids.size);
    expect(stage.store.media.get("images", id(101))?.renditions).not.toHaveLength(0);
    expect(readdirSync(join(stage.folder, "blobs", "incoming"))).toEqual([]);
    expect(childrenOf(process.pid)).toEqual([]);
    const again = await stage.media(config, manifest);
    expect(again).toMatchObject({ upToDate: 1, downloaded: 0, encoded: 1, problems: [] });
    expect(again.remarks.count).toBe(0);
  });

  it("names pictures that cannot be encoded, and ends with the others", async () => {
    await stage.start({
      images: [await imageOf(100, await sharp(original).resize(60).jpeg().toBuffer())],
    });
    const config = stage.configOf();
    const manifest = await stage.crawl(config);
    const quality = { ...config.media.quality, jpeg: 0 };
    const { problems, remarks } = await stage.media(
      { ...config, media: { ...config.media, quality } },
      manifest,
    );
    expect(problems).toEqual([]);
    expect(remarks.first).toEqual([
      {
        subject: `image ${id(100)}`,
        remark: expect.stringMatching(/the image decoder failed: .*quality/),
      },
    ]);
  });

  it("waits no longer for pictures than the signal allows, and has no problem with them", async () => {
    await stage.start({ images: [await imageOf(100, readFileSync(original))] });
    const config = stage.configOf();
    const manifest = await stage.crawl(config);
    const stopping = new AbortController();
    const pids = disturb("SIGSTOP");
    const running = stage.media(config, manifest, { signal: stopping.signal, drainMs: 500 });
    await expect.poll(() => pids.size, { timeout: 20_000 }).toBe(1);
    stopping.abort(new Interrupted("SIGINT"));
    const { problems } = await running;
    clearInterval(disturbance);
    expect(problems).toEqual([]);
    expect(childrenOf(process.pid)).toEqual([]);
    const again = await stage.media(config, manifest);
    expect(again).toMatchObject({ downloaded: 1, encoded: 1, problems: [] });
  });
});
