/**
 * The engine with workers. `npm run bench:engine -- --photos 40` renders photographs by one worker, by two, and by as
 * many processes of the local engine, in turns; the median of three rounds counts. `-- --photos 0 --jobs 1000000 --simulated 64` gives jobs to simulated workers, which
 * answer after `--ms` without work.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigSchema } from "../src/config.ts";
import { startEngine } from "../src/engine/engine.ts";
import { renderQuestion } from "../src/engine/job.ts";
import { Questions } from "../src/engine/questions.ts";
import { openWorker } from "../src/engine/queue.ts";
import { eachLimited } from "../src/lib/concurrency.ts";
import { sha256 } from "../src/lib/digest.ts";
import { silent } from "../src/lib/reporter.ts";
import { plural } from "../src/lib/words.ts";
import { createDecoders } from "../src/media/decoders.ts";
import { encoderVersions } from "../src/media/encode.ts";
import { renderImage } from "../src/media/render.ts";
import { joinPlace } from "../src/store/shared-place.ts";
import { openStore } from "../src/store/store.ts";
import { openFolder } from "../src/targets/folder.ts";
import { placeOf } from "../src/targets/place.ts";
import { startRedis } from "../test/support/redis.ts";
import { benchOptions, type Figures, inFolder, printCells, report } from "./lib.ts";
import { photosIn } from "./photo.ts";

const { sizes, part, args } = benchOptions({
  photos: 40,
  rounds: 3,
  megapixels: 12,
  jobs: 0,
  simulated: 64,
  ms: 20,
});
/** Jobs that are open at once, as in a run. */
const openAtOnce = 1_000;
const queue = "bench";
/** What the processes of a measurement are told. */
const { BENCH_FOLDER = "", BENCH_REDIS = "", BENCH_WORKERS = "0" } = process.env;

/** Renders all photographs of a folder, by workers or here by so many processes, and writes what came of it. */
async function render(): Promise<void> {
  const workers = Number(BENCH_WORKERS);
  const place = placeOf(`dir:${join(BENCH_FOLDER, "shared")}`);
  const config = ConfigSchema.parse({
    origin: { baseUrl: "http://127.0.0.1/api" },
    engine: { kind: "bullmq", redis: BENCH_REDIS || undefined, blobs: place.name },
  });
  const folder = join(BENCH_FOLDER, "store");
  const record = await joinPlace(folder, place, encoderVersions());
  const store = openStore(folder);
  const { blobs } = store;
  const { media } = config;
  const shared = { config, place, record, blobs, reporter: silent };
  const { signal } = new AbortController();
  const engine = workers > 0 ? await startEngine({ ...shared, signal }) : undefined;
  const slots = 2;
  const decoders = createDecoders({ slots });
  const made: string[] = [];
  while (engine !== undefined && !engine.renderer.note?.().includes(plural(workers, "worker")))
    await sleep(100);
  await report(async () => {
    await eachLimited(JSON.parse(readFileSync(photosFile(), "utf8")), openAtOnce, async (path) => {
      const file = { path: path as string, sha256: sha256(readFileSync(path as string)) };
      const all =
        (await engine?.renderer.make(file)) ??
        (await renderImage(file, { media, blobs, decoders }));
      const files = all.renditions.map(({ slot, format, blob }) => `${slot} ${format} ${blob}`);
      made.push([file.sha256, ...files.sort()].join("\n"));
    });
  });
  writeFileSync(join(BENCH_FOLDER, "made"), made.sort().join("\n"));
  await engine?.renderer.close();
  await decoders.close();
  store.close();
}

const photosFile = (): string => join(BENCH_FOLDER, "..", "photos.json");

/** Asks as many jobs as there are to be, with no picture behind them. */
async function ask(): Promise<void> {
  const { media } = ConfigSchema.parse({ origin: { baseUrl: "http://127.0.0.1/api" } });
  const questions = new Questions({
    ...{ name: queue, url: BENCH_REDIS, patience: 60 },
    target: openFolder("results", BENCH_FOLDER),
    isRight: async () => true,
  });
  await questions.start();
  const numbers = Array.from({ length: sizes.jobs }, (_, n) => n);
  await report(() =>
    eachLimited(numbers, openAtOnce, async (n) => {
      const picture = { sha256: sha256(String(n)), type: "image/jpeg" };
      await questions.ask(renderQuestion(picture, media, encoderVersions()));
    }),
  );
  await questions.close();
}

/** So many workers that answer as if they had rendered. */
async function simulate(): Promise<void> {
  const rendition = { slot: "width/640", format: "jpeg", blob: sha256(""), bytes: 60_000 };
  const renditions = Array.from({ length: 20 }, () => ({ ...rendition, width: 640, height: 480 }));
  const facts = { type: "image/jpeg", extension: "jpg", bytes: 4_000_000 };
  const made = { facts, renditions, remarks: [] };
  const work = async () => {
    await sleep(sizes.ms);
    return { worker: "simulated", made };
  };
  for (let n = 0; n < sizes.simulated; n++) {
    const options = { as: `worker-${n}`, concurrency: 1, work, onTrouble: () => {} };
    await openWorker(queue, BENCH_REDIS, options);
  }
  process.send?.("ready");
  await once(process, "disconnect");
  process.exit();
}

function startPart(name: string, env: Record<string, string>, ipc = false): ChildProcess {
  const program = ["--import", "tsx", import.meta.filename, "--part", name, ...args];
  return spawn(process.execPath, program, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit", ...(ipc ? ["ipc" as const] : [])],
  });
}

async function figuresOf(child: ChildProcess): Promise<Figures> {
  let text = "";
  child.stdout?.on("data", (piece) => {
    text += piece;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`exit ${code}`);
  return JSON.parse(text.trim().split("\n").at(-1) as string) as Figures;
}

async function renderWith(root: string, workers: number) {
  const folder = join(root, `with-${workers}`);
  mkdirSync(join(folder, "shared"), { recursive: true });
  const redis = await startRedis();
  const env = { BENCH_FOLDER: folder, BENCH_REDIS: redis.url, BENCH_WORKERS: String(workers) };
  const file = join(folder, "worker.json");
  const engine = { kind: "bullmq", redis: redis.url, blobs: `dir:${join(folder, "shared")}` };
  const origin = { baseUrl: "http://127.0.0.1/api" };
  writeFileSync(file, JSON.stringify({ origin, engine, out: join(folder, "out") }));
  const cli = new URL("../dist/cli/main.js", import.meta.url).pathname;
  const fleet = Array.from({ length: workers }, () =>
    spawn(process.execPath, [cli, "worker", "--config", file, "--concurrency", "1", "--quiet"]),
  );
  const { wallMs } = await figuresOf(startPart("render", env));
  const ends = fleet.map((child) => once(child, "exit"));
  for (const child of fleet) child.kill("SIGTERM");
  await Promise.all(ends);
  await redis.close();
  return { seconds: wallMs / 1_000, made: readFileSync(join(folder, "made"), "utf8") };
}

type Run = Awaited<ReturnType<typeof renderWith>>;

async function benchPhotos(root: string): Promise<void> {
  const { photos, megapixels } = sizes;
  const paths = await photosIn(root, photos, megapixels);
  writeFileSync(join(root, "photos.json"), JSON.stringify(paths));
  const runs: Record<number, Run[]> = { 0: [], 1: [], 2: [] };
  for (let round = 0; round < sizes.rounds; round++)
    for (const [workers, all] of Object.entries(runs)) {
      rmSync(join(root, `with-${workers}`), { recursive: true, force: true });
      all.push(await renderWith(root, Number(workers)));
    }
  const [local, one, two] = [0, 1, 2].map((workers) => {
    const sorted = runs[workers]?.toSorted((a, b) => a.seconds - b.seconds) ?? [];
    return sorted[Math.floor(sorted.length / 2)];
  }) as [Run, Run, Run];
  const row = (name: string, { seconds }: { seconds: number }): string[] => {
    const speed = (photos / seconds).toFixed(2);
    return [name, seconds.toFixed(1), speed, (one.seconds / seconds).toFixed(2)];
  };
  printCells(`${photos} photographs of ${megapixels} megapixels`, [
    ["", "s", "photos/s", "x one worker"],
    row("one worker", one),
    row("two workers", two),
    row("local engine, two processes", local),
  ]);
  const share = (local.seconds / two.seconds).toFixed(2);
  const isSame = one.made === two.made && two.made === local.made;
  const bytes = isSame ? "the same bytes" : "OTHER BYTES";
  process.stdout.write(`  two workers: ${share} x the local engine, ${bytes}\n`);
}

async function benchJobs(root: string): Promise<void> {
  const { jobs, simulated, ms } = sizes;
  const redis = await startRedis({ forgets: true });
  const env = { BENCH_FOLDER: root, BENCH_REDIS: redis.url };
  const workers = startPart("simulate", env, true);
  await once(workers, "message");
  const { wallMs, cpuMs, peakMiB } = await figuresOf(startPart("ask", env));
  const [, peak = "0"] = /used_memory_peak:(\d+)/.exec(await redis.ask("INFO", "memory")) ?? [];
  workers.disconnect();
  await redis.close();
  const speed = jobs / (wallMs / 1_000);
  const ideal = (simulated * 1_000) / ms;
  printCells(`${jobs} jobs through ${simulated} simulated workers of ${ms} ms`, [
    ["", ""],
    ["jobs/s", `${speed.toFixed(0)}, ${(speed / ideal).toFixed(2)} x the ideal`],
    ["run", `${peakMiB.toFixed(0)} MiB, ${(cpuMs / wallMs).toFixed(2)} processors`],
    ["Redis", `${(Number(peak) / 2 ** 20).toFixed(0)} MiB at most`],
  ]);
}

const parts: Record<string, () => Promise<void>> = { render, ask, simulate };
if (part !== undefined) await parts[part]?.();
else {
  if (sizes.photos > 0) await inFolder(benchPhotos);
  if (sizes.jobs > 0) await inFolder(benchJobs);
}
