/**
 * What the renditions of photographs cost, beside what their encoders alone cost.
 *
 *     images [--images 12] [--megapixels 12] [--widths 320,640,960,1280,1920] [--formats jpeg,webp]
 *            [--folder DIR]
 *
 * Each contender runs in a process of its own on the same files, three pictures at a time:
 *
 * - `stillpress` inspects, decodes, resizes and encodes, as the media stage does, without the store.
 * - `floor` only encodes: all raw images are resized beforehand. Nothing with these encoders can be faster.
 * - `eleventy-img` as it is shipped, where it can be resolved.
 *
 * The pictures are synthetic and seeded, or those of a folder.
 */
import { fork } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { ConfigSchema, type ImageFormat } from "../src/config.ts";
import { createBudget, eachLimited } from "../src/lib/concurrency.ts";
import { encodeRenditions } from "../src/media/encode.ts";
import { inspectFile } from "../src/media/inspect.ts";
import { pixelsOf, planVariants, scaledSize, type VariantPlan } from "../src/media/variants.ts";
import { paintPhoto } from "./photo.ts";

interface Job {
  contender: Contender;
  files: string[];
  widths: number[];
  formats: ImageFormat[];
  folder: string;
}

/** Seconds and MiB. */
interface Cost {
  wall: number;
  cpu: number;
  peak: number;
  bytes: number;
}

const contenders = ["stillpress", "floor", "eleventy-img"] as const;
type Contender = (typeof contenders)[number];

const inFlight = 3;
const { media } = ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org/api" } });

/** Only the widths: what the other contenders can do as well. */
function plansFor(size: { width: number; height: number }, job: Job): VariantPlan[] {
  const variants = job.widths.map((width) => ({ width }));
  const plans = planVariants(size, { ...media, variants, formats: job.formats });
  return plans.filter(({ slots }) => slots.some((slot) => slot.startsWith("width/")));
}

async function stillpress(job: Job): Promise<Cost> {
  const budget = createBudget(inFlight, 50_000_000);
  let bytes = 0;
  const meter = startMeter();
  await eachLimited(job.files, inFlight, async (path) => {
    const { image } = await inspectFile(path);
    if (image === undefined) throw new Error(`${path} is no image`);
    await budget.run(pixelsOf(image), async () => {
      const task = { path, image, plans: plansFor(image, job), settings: media };
      for await (const one of encodeRenditions(task)) {
        bytes += one.bytes.length;
      }
    });
  });
  return { ...meter(), bytes };
}

async function floor(job: Job): Promise<Cost> {
  const total = { wall: 0, cpu: 0, peak: 0, bytes: 0 };
  for (let start = 0; start < job.files.length; start += inFlight) {
    const batch = job.files.slice(start, start + inFlight);
    const raws: { data: Buffer; width: number; height: number }[][] = [];
    for (const path of batch) {
      const { autoOrient } = await sharp(path).metadata();
      const made = [];
      for (const width of job.widths) {
        const size = scaledSize(autoOrient, { width });
        const data = await sharp(path)
          .autoOrient()
          .resize({ ...size, fit: "fill" })
          .removeAlpha()
          .raw()
          .toBuffer();
        made.push({ data, ...size });
      }
      raws.push(made);
    }
    const meter = startMeter();
    await eachLimited(raws, inFlight, async (sizes) => {
      for (const { data, width, height } of sizes) {
        for (const format of job.formats) {
          const options = {
            quality: media.quality[format],
            ...(format === "jpeg" ? {} : { effort: 2 }),
          };
          const image = sharp(data, { raw: { width, height, channels: 3 } });
          const encoded = await image.toFormat(format, options).toBuffer();
          total.bytes += encoded.length;
        }
      }
    });
    const { wall, cpu, peak } = meter();
    total.wall += wall;
    total.cpu += cpu;
    total.peak = peak;
  }
  return total;
}

async function eleventy(job: Job): Promise<Cost> {
  const name = "@11ty/eleventy-img";
  const { default: image } = (await import(name)) as {
    default: (path: string, options: object) => Promise<Record<string, { size: number }[]>>;
  };
  let bytes = 0;
  const meter = startMeter();
  await eachLimited(job.files, inFlight, async (path) => {
    const made = await image(path, {
      widths: job.widths,
      formats: job.formats,
      outputDir: job.folder,
      useCache: false,
    });
    for (const one of Object.values(made).flat()) bytes += one.size;
  });
  return { ...meter(), bytes };
}

function startMeter(): () => Omit<Cost, "bytes"> {
  const started = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return {
      wall: (performance.now() - started) / 1000,
      cpu: (user + system) / 1e6,
      peak: peakMemory(),
    };
  };
}

/** MiB of this process alone: what the system says of its children includes their parent's at the fork. */
function peakMemory(): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}

function resolvable(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** Runs one contender in a process with the allocator set as the command sets it. */
async function measure(job: Job): Promise<Cost> {
  const env = { ...process.env, MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? "2" };
  const child = fork(fileURLToPath(import.meta.url), ["--contender"], { env });
  return await new Promise((resolve, reject) => {
    child.once("message", (cost) => resolve(cost as Cost));
    child.once("exit", (code) => reject(new Error(`${job.contender} ended with ${code}`)));
    child.send(job);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      images: { type: "string", default: "12" },
      megapixels: { type: "string", default: "12" },
      widths: { type: "string", default: "320,640,960,1280,1920" },
      formats: { type: "string", default: "jpeg,webp" },
      folder: { type: "string" },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "bench-images-"));
  try {
    const files: string[] = [];
    if (values.folder === undefined) {
      for (let n = 0; n < Number(values.images); n++) {
        const path = join(folder, `photo-${n}.jpg`);
        await paintPhoto(path, n + 1, Number(values.megapixels));
        files.push(path);
      }
    } else {
      const names = readdirSync(values.folder).sort().slice(0, Number(values.images));
      files.push(...names.map((name) => join(values.folder as string, name)));
    }
    const widths = values.widths.split(",").map(Number);
    const formats = values.formats.split(",") as ImageFormat[];
    const what = values.folder ?? `${values.megapixels} megapixels`;
    console.log(
      `${files.length} images (${what}), widths ${widths.join(" ")}, ${formats.join(" + ")}`,
    );
    const costs = new Map<Contender, Cost>();
    for (const contender of contenders) {
      if (contender === "eleventy-img" && !resolvable("@11ty/eleventy-img")) {
        console.log("eleventy-img  is not installed");
        continue;
      }
      const cost = await measure({ contender, files, widths, formats, folder });
      costs.set(contender, cost);
      console.log(
        contender.padEnd(13),
        `${cost.wall.toFixed(2)} s wall, ${cost.cpu.toFixed(2)} s CPU,`,
        `${(files.length / cost.wall).toFixed(2)} images/s, ${cost.peak.toFixed(0)} MiB peak,`,
        `${(cost.bytes / 1e6).toFixed(1)} MB written`,
      );
    }
    const own = costs.get("stillpress") as Cost;
    for (const [contender, cost] of costs) {
      if (contender === "stillpress") continue;
      console.log(
        `stillpress / ${contender}: ${(own.wall / cost.wall).toFixed(2)} of its wall time`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[2] === "--contender") {
  process.once("message", async (message) => {
    const job = message as Job;
    const run = { stillpress, floor, "eleventy-img": eleventy }[job.contender];
    process.send?.(await run(job), () => process.exit(0));
  });
} else {
  await main();
}
