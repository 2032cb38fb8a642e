import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeAudio, makeDocument, makeVideo } from "../../src/demo/art/files.ts";
import { paintPicture } from "../../src/demo/art/paint.ts";
import { pictureKinds, planPictures } from "../../src/demo/art/plan.ts";
import { chromiumPath, startChromium } from "../support/browser.ts";

const pdftotextPath = "/usr/bin/pdftotext";

describe("planPictures", () => {
  it("plans the same pictures for the same seed, others for another", () => {
    expect(planPictures(60, 5)).toEqual(planPictures(60, 5));
    expect(planPictures(60, 5)).not.toEqual(planPictures(60, 6));
  });

  it("varies titles, shapes and sizes", () => {
    const plans = planPictures(200, 1);
    const long = plans.map(({ width, height }) => Math.max(width, height));
    expect(new Set(plans.map(({ kind }) => kind))).toEqual(new Set(pictureKinds));
    expect(new Set(plans.map(({ title }) => title)).size).toBeGreaterThan(150);
    expect(new Set(plans.map(({ width, height }) => (width / height).toFixed(1))).size).toBe(6);
    expect(new Set(plans.map(({ palette }) => palette)).size).toBe(8);
    expect([Math.min(...long), Math.max(...long)]).toEqual([300, 2000]);
    expect(long.filter((edge) => edge >= 800 && edge <= 1080).length).toBeGreaterThan(160);
  });

  it("turns every 40th picture", () => {
    const turned = planPictures(200, 1).filter(({ orientation }) => orientation !== 1);
    expect(turned).toHaveLength(5);
  });
});

describe("paintPicture", () => {
  it("paints the same bytes again", async () => {
    for (const plan of planPictures(4, 9)) {
      expect((await paintPicture(plan)).equals(await paintPicture(plan))).toBe(true);
    }
  });

  it("paints every kind in the planned size, with contrast and many colours", async () => {
    const plans = planPictures(30, 3);
    const kinds = new Map(plans.map((plan) => [plan.kind, plan]));
    expect(kinds.size).toBe(pictureKinds.length);
    for (const plan of kinds.values()) {
      const jpeg = await paintPicture(plan);
      expect((await sharp(jpeg).metadata()).format).toBe("jpeg");
      const upright = await sharp(jpeg).autoOrient().toBuffer({ resolveWithObject: true });
      expect(upright.info).toMatchObject({ width: plan.width, height: plan.height });
      const { channels } = await sharp(jpeg).stats();
      expect(Math.max(...channels.map(({ stdev }) => stdev)), plan.kind).toBeGreaterThan(12);
      expect(await countColours(jpeg), plan.kind).toBeGreaterThan(60);
    }
  });

  it("stores a turned picture with its tag, upright after the tag is applied", async () => {
    const turned = planPictures(80, 3).filter(({ orientation }) => orientation !== 1);
    for (const plan of turned) {
      for (const orientation of [6, 8] as const) {
        const jpeg = await paintPicture({ ...plan, orientation });
        const stored = await sharp(jpeg).metadata();
        expect(stored).toMatchObject({ orientation, width: plan.height, height: plan.width });
        const upright = await paintPicture({ ...plan, orientation: 1 });
        expect(await difference(jpeg, upright)).toBeLessThan(4);
      }
    }
    expect(turned).toHaveLength(2);
  });
});

describe("makeVideo", () => {
  it("is a WebM whose cues point at its clusters", () => {
    const video = makeVideo(4);
    expect(video.equals(makeVideo(4))).toBe(true);
    expect(video.equals(makeVideo(5))).toBe(false);
    const [header, segment] = elementsOf(video, 0, video.length);
    expect(header?.id).toBe("1a45dfa3");
    expect(segment?.id).toBe("18538067");
    expect(segment?.end).toBe(video.length);
    const parts = elementsOf(video, segment?.start ?? 0, video.length);
    const names = ["1549a966", "1654ae6b", "1c53bb6b", ...Array(4).fill("1f43b675")];
    expect(parts.map(({ id }) => id)).toEqual(names);
    const clusters = parts.filter(({ id }) => id === "1f43b675");
    const positions = parts
      .filter(({ id }) => id === "1c53bb6b")
      .flatMap((cues) => childrenOf(video, cues, "bb"))
      .flatMap((point) => childrenOf(video, point, "b7"))
      .flatMap((track) => childrenOf(video, track, "f1"))
      .map((position) => video.readUInt32BE(position.start));
    expect(positions).toEqual(clusters.map(({ at }) => at - (segment?.start ?? 0)));
    const blocks = clusters.flatMap((cluster) => childrenOf(video, cluster, "a3"));
    expect(blocks).toHaveLength(4);
    for (const { start } of blocks) {
      // After the block's head of 4 bytes: a VP8 frame tag (bit 0 clear: key frame), start code.
      expect((video[start + 4] ?? 1) & 1).toBe(0);
      expect(video.toString("hex", start + 7, start + 10)).toBe("9d012a");
    }
  });
});

describe("makeAudio", () => {
  it("writes a WAV header that fits its samples", () => {
    const wav = makeAudio({ seed: 2, seconds: 5 });
    expect(wav.equals(makeAudio({ seed: 2, seconds: 5 }))).toBe(true);
    expect(wav.equals(makeAudio({ seed: 3, seconds: 5 }))).toBe(false);
    expect(wav.toString("latin1", 0, 4) + wav.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([
      1, 11_025, 16,
    ]);
    expect(wav.readUInt32LE(40)).toBe(5 * 11_025 * 2);
  });

  it("sounds from the beginning to the end without clipping or a constant offset", () => {
    const samples = samplesOf(makeAudio({ seed: 2, seconds: 8 }));
    const peak = samples.reduce((loudest, value) => Math.max(loudest, Math.abs(value)), 0);
    expect(peak).toBeGreaterThan(16_000);
    expect(peak).toBeLessThan(32_000);
    expect(Math.abs(samples.reduce((sum, value) => sum + value, 0) / samples.length)).toBeLessThan(
      60,
    );
    for (let second = 0; second < 7; second++) {
      const part = samples.subarray(second * 11_025, (second + 1) * 11_025);
      const power = part.reduce((sum, value) => sum + value * value, 0) / part.length;
      expect(Math.sqrt(power), `second ${second}`).toBeGreaterThan(300);
    }
    expect(Math.abs(samples.at(-1) ?? 99)).toBeLessThan(20);
  });
});

describe("makeDocument", () => {
  const title = "The ferryman’s path at Łódź (and back) \\ 2";

  it("writes a cross-reference table that points at every object", () => {
    const pdf = makeDocument(title);
    expect(pdf.equals(makeDocument(title))).toBe(true);
    const file = pdf.toString("latin1");
    expect(file.startsWith("%PDF-1.4\n")).toBe(true);
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
    expect(file.slice(start, start + 5)).toBe("xref\n");
    const entries = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)];
    expect(entries).toHaveLength(6);
    for (const [index, entry] of entries.entries()) {
      expect(file.slice(Number(entry[1])).startsWith(`${index + 1} 0 obj\n`)).toBe(true);
    }
    for (const [, length, content] of file.matchAll(
      /\/Length (\d+) >>\nstream\n(.*?)\nendstream/gs,
    )) {
      expect(content).toHaveLength(Number(length));
    }
    expect(file).not.toMatch(/Date/);
  });

  it.skipIf(!existsSync(pdftotextPath))("can be read as text", () => {
    const folder = mkdtempSync(join(tmpdir(), "stillpress-art-"));
    try {
      writeFileSync(join(folder, "a.pdf"), makeDocument(title));
      const read = execFileSync(pdftotextPath, ["-layout", join(folder, "a.pdf"), "-"]).toString();
      expect(read).toContain("The ferryman’s path at ??d? (and back) \\ 2");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe.skipIf(!existsSync(chromiumPath))("in a browser", () => {
  let browser: Browser;
  let page: Page;
  let server: Server;
  let base: string;

  beforeAll(async () => {
    const files = new Map([
      ["/video.webm", { type: "video/webm", data: makeVideo(8) }],
      ["/audio.wav", { type: "audio/wav", data: makeAudio({ seed: 8, seconds: 4 }) }],
      ["/", { type: "text/html", data: Buffer.from("<!doctype html><title>media</title>") }],
    ]);
    server = createServer((request, response) => {
      const file = files.get(request.url ?? "");
      if (!file) return response.writeHead(404).end();
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
      const head = { "content-type": file.type, "accept-ranges": "bytes" };
      if (from === undefined) return response.writeHead(200, head).end(file.data);
      const last = to ? Math.min(Number(to), file.data.length - 1) : file.data.length - 1;
      const range = `bytes ${from}-${last}/${file.data.length}`;
      response.writeHead(206, { ...head, "content-range": range });
      return response.end(file.data.subarray(Number(from), last + 1));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await startChromium();
    page = await browser.newPage();
    await page.goto(base);
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  it("plays the video and seeks in it", async () => {
    const played = await page.evaluate(`(async () => {
      const video = document.createElement("video");
      const heard = (name) => new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.addEventListener("error", () => reject(new Error(video.error.message)));
      });
      video.muted = true;
      video.src = "/video.webm";
      document.body.append(video);
      await heard("loadeddata");
      await video.play();
      await new Promise((resolve) => setTimeout(resolve, 900));
      const advanced = video.currentTime;
      video.pause();
      video.currentTime = 3.1;
      await heard("seeked");
      const canvas = document.createElement("canvas");
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      const context = canvas.getContext("2d");
      context.drawImage(video, 0, 0);
      const colours = new Set(context.getImageData(0, 0, canvas.width, canvas.height).data).size;
      const { duration, currentTime, videoWidth, videoHeight } = video;
      return { duration, advanced, currentTime, videoWidth, videoHeight, colours };
    })()`);
    expect(played).toMatchObject({ currentTime: 3.1, videoWidth: 160, videoHeight: 90 });
    const { duration, advanced, colours } = played as Record<string, number>;
    expect(duration).toBeCloseTo(4, 1);
    expect(advanced).toBeGreaterThan(0.2);
    expect(colours).toBeGreaterThan(40);
  });

  it("decodes the sound", async () => {
    const decoded = await page.evaluate(`(async () => {
      const bytes = await (await fetch("/audio.wav")).arrayBuffer();
      const context = new OfflineAudioContext(1, 11025, 11025);
      const { duration, numberOfChannels, sampleRate } = await context.decodeAudioData(bytes);
      return { duration, numberOfChannels, sampleRate };
    })()`);
    expect(decoded).toEqual({ duration: 4, numberOfChannels: 1, sampleRate: 11_025 });
  });
});

/** Number of colours of an image at 200 pixels, in steps of 8 for each channel. */
async function countColours(image: Buffer): Promise<number> {
  const small = await sharp(image).resize(200).raw().toBuffer();
  const seen = new Set<number>();
  for (let at = 0; at + 2 < small.length; at += 3) {
    seen.add(
      ((small[at] ?? 0) >> 3) * 1024 +
        ((small[at + 1] ?? 0) >> 3) * 32 +
        ((small[at + 2] ?? 0) >> 3),
    );
  }
  return seen.size;
}

/** Mean difference of two images as shown, in steps of 256. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((image) => sharp(image).autoOrient().raw().toBuffer()),
  );
  if (!a || !b || a.length !== b.length) return 256;
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

function samplesOf(wav: Buffer): Int16Array {
  return Int16Array.from({ length: (wav.length - 44) / 2 }, (_, at) =>
    wav.readInt16LE(44 + at * 2),
  );
}

/** EBML element: its id, where it begins, and where its content begins and ends. */
interface Element {
  id: string;
  at: number;
  start: number;
  end: number;
}

function elementsOf(file: Buffer, from: number, to: number): Element[] {
  const found: Element[] = [];
  for (let at = from; at < to; ) {
    const idLength = Math.clz32(file[at] ?? 0) - 23;
    const sizeAt = at + idLength;
    const sizeLength = Math.clz32(file[sizeAt] ?? 0) - 23;
    const size = file.readUIntBE(sizeAt, sizeLength) - 2 ** (7 * sizeLength);
    const start = sizeAt + sizeLength;
    found.push({ id: file.toString("hex", at, sizeAt), at, start, end: start + size });
    at = start + size;
  }
  return found;
}

function childrenOf(file: Buffer, parent: Element, id: string): Element[] {
  return elementsOf(file, parent.start, parent.end).filter((child) => child.id === id);
}
