// An author, with pictures of a few kilobytes that keep a decoder busy for hours, take gigabytes, or crash it.
import { spawn } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ConfigSchema } from "../../../src/config.ts";
import { createDecoders, type Decoders } from "../../../src/media/decoders.ts";
import type { RenderTask } from "../../../src/media/encode.ts";
import { planVariants } from "../../../src/media/variants.ts";
import { id, imageOf, picture, useStage } from "../../media/fixture.ts";

const { media } = ConfigSchema.parse({ origin: { baseUrl: "https://media.example.org/api" } });

const open = (side: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${side}" height="${side}">`;
const filtered = (primitives: string): string =>
  `${open(4000)}<filter id="f">${primitives}</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`;
const doubled = (n: number): string =>
  `<g id="g${n + 1}" opacity="0.9"><use xlink:href="#g${n}"/><use xlink:href="#g${n}"/></g>`;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Each takes minutes to years in the C and Rust code of the decoder, which hears no timer. */
const slowDrawings: Record<string, string> = {
  "noise of 200 octaves, 200 times": filtered(
    '<feTurbulence baseFrequency="0.9" numOctaves="200"/>'.repeat(200),
  ),
  "the largest of 4 million pixels, for each pixel": filtered(
    `<feTurbulence baseFrequency="0.9"/>${'<feMorphology operator="dilate" radius="2000"/>'.repeat(200)}`,
  ),
  "a square 262,144 times": `${open(4000)}<g id="g0"><rect width="4000" height="4000" opacity="0.5"/></g>${numbers(18).map(doubled).join("")}</svg>`,
};
/** 60 layers of 67 MB. */
const largeDrawing = `${open(4096)}${'<g opacity="0.9"><rect width="9" height="9"/>'.repeat(60)}${"</g>".repeat(60)}</svg>`;

let folder: string;
let decoders: Decoders | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-costly-"));
});
afterEach(async () => {
  await decoders?.close();
  decoders = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(bytes: string | Buffer): string {
  const path = join(mkdtempSync(join(folder, "picture-")), "original");
  writeFileSync(path, bytes);
  return path;
}

async function taskFor(pool: Decoders, path: string): Promise<RenderTask> {
  const { image } = await pool.inspect(path);
  if (image === undefined) throw new Error("no image");
  const plans = planVariants(image, media);
  const targets = plans.flatMap(({ formats }) => formats).map((_, n) => `${path}-${n}`);
  return { path, image, plans, settings: media, targets };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
const isRunning = (pid: number): boolean => !/^$|\) Z/.test(read(`/proc/${pid}/stat`));
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" "))
    .map(Number)
    .filter((child) => child > 0 && isRunning(child));
}
/** Seconds of the processor that a process has used. */
const secondsOf = (pid: number): number =>
  Number(read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ")[11] ?? 0) / 100;

describe.skipIf(process.platform !== "linux")("a decoder", () => {
  it.each(Object.keys(slowDrawings))("is ended in time, once: %s", async (name) => {
    const path = fileOf(slowDrawings[name] as string);
    decoders = createDecoders({ slots: 1, limitMs: 4_000 });
    const task = await taskFor(decoders, path);
    const [pid] = childrenOf(process.pid);
    const seen = new Set<number | undefined>();
    const watch = setInterval(() => seen.add(childrenOf(process.pid)[0]), 50);
    const rendering = decoders.render(task);
    await expect(rendering).rejects.toThrow("no answer within 4 s");
    clearInterval(watch);
    // No other one tried it again.
    seen.delete(undefined);
    expect([...seen]).toEqual([pid]);
    expect(childrenOf(process.pid)).toEqual([]);
    // Each further one has less time.
    await expect(decoders.render(task)).rejects.toThrow("no answer within 2 s");
  });

  it("takes no more memory than the largest pictures need", async () => {
    decoders = createDecoders({ slots: 1, limitPixels: 1_000_000 });
    const task = await taskFor(decoders, fileOf(largeDrawing));
    let most = 0;
    const watch = setInterval(() => {
      for (const pid of childrenOf(process.pid)) {
        most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
      }
    }, 10);
    const failure = await decoders.render(task).catch((error: unknown) => error);
    clearInterval(watch);
    expect(failure).toBeInstanceOf(Error);
    // In kB. The program itself, which lies in memory too, has 100 MB.
    expect(most).toBeLessThan((2 ** 30 + 16e6) / 1024 + 200_000);
    const small = await taskFor(decoders, fileOf(await picture(1)));
    expect((await decoders.render(small)).files).toHaveLength(small.targets.length);
  });

  it("ends with the process that asked, also in the middle of C code; it leaves no core, and works in no folder", async () => {
    const path = fileOf(Object.values(slowDrawings)[0] as string);
    decoders = createDecoders({ slots: 1 });
    const task = await taskFor(decoders, path);
    const program = `
      import { createDecoders } from ${JSON.stringify(new URL("../../../src/media/decoders.ts", import.meta.url))};
      await createDecoders({ slots: 1 }).render(${JSON.stringify(task)});`;
    const node = [process.execPath, "--import", "tsx", "--input-type=module", "--eval", program];
    const args = ["-c", 'ulimit -c unlimited; exec "$@"', "sh", ...node];
    const asking = spawn("/bin/sh", args, { stdio: ["ignore", "inherit", "inherit"] });
    let busy: number[] = [];
    while (busy.length === 0) {
      await sleep(50);
      expect(asking.exitCode).toBeNull();
      busy = childrenOf(asking.pid as number).filter((pid) => secondsOf(pid) > 3);
    }
    const [pid] = busy;
    expect(read(`/proc/${asking.pid}/limits`)).toMatch(/Max core file size +unlimited/);
    expect(read(`/proc/${pid}/limits`)).toMatch(/Max core file size +0 +0 /);
    expect(read(`/proc/${pid}/coredump_filter`).trim()).toBe("00000000");
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    asking.kill("SIGKILL");
    await expect.poll(() => busy.filter(isRunning), { timeout: 5_000 }).toEqual([]);
  });
});

/** A PNG of one pixel with a chunk before its pixels. */
async function pngWith(type: string, data: Buffer): Promise<Buffer> {
  const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: "#fff" } })
    .png()
    .toBuffer();
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([png.subarray(0, 33), length, body, sum, png.subarray(33)]);
}

/** Directories of a TIFF, each of which names the next, and the last the first. */
function loopingTiff(directories: number): Buffer {
  const tags = [
    [256, 1],
    [257, 1],
    [258, 8],
    [259, 1],
    [262, 1],
    [273, 8],
    [277, 1],
    [278, 1],
    [279, 1],
  ] as const;
  const size = 2 + tags.length * 12 + 4;
  const file = Buffer.alloc(16 + directories * size);
  file.write("II*\0");
  file.writeUInt32LE(16, 4);
  for (const n of numbers(directories)) {
    const at = 16 + n * size;
    file.writeUInt16LE(tags.length, at);
    for (const [index, [tag, value]] of tags.entries()) {
      const entry = at + 2 + index * 12;
      file.writeUInt16LE(tag, entry);
      file.writeUInt16LE(4, entry + 2);
      file.writeUInt32LE(1, entry + 4);
      file.writeUInt32LE(value, entry + 8);
    }
    file.writeUInt32LE(16 + ((n + 1) % directories) * size, at + size - 4);
  }
  return file;
}

/** A GIF of one pixel and many frames. */
function longGif(frames: number): Buffer {
  const head = Buffer.from(
    "474946383961010001008000000000000fffff21f90400010000002c00000000010001000002024401003b",
    "hex",
  );
  const frame = Buffer.from("21f904000100000000" + "2c000000000100010000" + "0202440100", "hex");
  const start = head.subarray(0, 19);
  return Buffer.concat([start, ...numbers(frames).map(() => frame), Buffer.from([0x3b])]);
}

/** References to references: a billion laughs. */
const laughs = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${numbers(9)
  .map((n) => `<!ENTITY a${n} "${`&a${n === 0 ? "" : n - 1};`.repeat(10)}">`)
  .join("")}]>${open(100)}<text>&a8;</text></svg>`;

const zeros = deflateSync(Buffer.alloc(1 << 30));
const hostile: Record<string, () => Buffer | string | Promise<Buffer>> = {
  "TIFF directories in a circle": () => loopingTiff(1_000),
  "a TIFF directory that names itself": () => loopingTiff(1),
  "an ICC profile of 1 GiB": () => pngWith("iCCP", Buffer.concat([Buffer.from("x\0\0"), zeros])),
  "a text of 1 GiB": () => pngWith("zTXt", Buffer.concat([Buffer.from("x\0\0"), zeros])),
  "a GIF of 100,000 frames": () => longGif(100_000),
  "a billion laughs": () => laughs,
  "a drawing of another file": () =>
    `${open(100)}<image xlink:href="file:///etc/hostname" width="9" height="9"/></svg>`,
};

describe.skipIf(process.platform !== "linux")("a picture", () => {
  const stage = useStage();

  it("that takes too long costs its author his item, and is not tried again", async () => {
    const slow = Buffer.from(Object.values(slowDrawings)[0] as string);
    const said = { width: 4000, height: 4000, mime: "image/svg+xml" };
    const images = [await imageOf(100, await picture(1)), await imageOf(101, slow, said)];
    // The origin itself cannot draw it either.
    const intercept = ({ url = "" }: IncomingMessage, response: ServerResponse): boolean => {
      const isWeb = url.includes(`/images/${id(101)}.jpg`);
      if (isWeb) response.writeHead(500).end();
      return isWeb;
    };
    await stage.start({ images }, { intercept });
    const short = stage.configOf({ crawl: { maxDuration: 12 } });
    const manifest = await stage.crawl(short);
    const reason = "kept without renditions: the image decoder crashed (no answer within 3 s)";
    const remark = expect.stringContaining(reason);
    const first = await stage.media(short, manifest);
    expect(first.remarks.first).toEqual([{ subject: `image ${id(101)}`, remark }]);
    expect(first.problems).toEqual([]);
    expect(stage.store.media.get("images", id(100))?.renditions).not.toHaveLength(0);

    const long = stage.configOf();
    expect(await stage.media(long, manifest)).toMatchObject({ upToDate: 2, downloaded: 0 });
    // New words beside the same file.
    (images[1] as { title: string }).title = "Renamed";
    const renamed = await stage.crawl(long);
    const again = await stage.media(long, renamed);
    expect(again).toMatchObject({ downloaded: 1, encoded: 0, problems: [] });
    expect(again.remarks.first).toEqual([{ subject: `image ${id(101)}`, remark }]);

    const other = stage.configOf({ crawl: { maxDuration: 8 }, media: { limitPixels: 90_000_000 } });
    const { remarks } = await stage.media(other, renamed);
    expect(remarks.first[0]?.remark).toContain("no answer within 2 s");
  });

  it("of a hostile kind ends within its limits, and the next ones are decoded", async () => {
    const made = await Promise.all(
      Object.values(hostile).map(async (make, n) => imageOf(101 + n, Buffer.from(await make()))),
    );
    await stage.start({ images: [...made, await imageOf(200, await picture(2))] });
    const config = stage.configOf({ crawl: { maxDuration: 60 } });
    const { problems } = await stage.media(config, await stage.crawl(config));
    expect(problems).toEqual([]);
    expect(stage.store.media.get("images", id(200))?.renditions).not.toHaveLength(0);
    for (const [n, name] of Object.keys(hostile).entries()) {
      const entry = stage.store.media.get("images", id(101 + n));
      expect(entry?.remark ?? "", name).not.toMatch(/no answer/);
      expect(entry?.original.bytes, name).toBe(made[n]?.filesize);
    }
  });
});
