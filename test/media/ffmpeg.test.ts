import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import type { MediaFile } from "../../src/demo/model.ts";
import { frameOf } from "../../src/media/ffmpeg.ts";
import { articleOf, fileOf, id, imageOf, useStage } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media } = stage;
const folder = mkdtempSync(join(tmpdir(), "stillpress-ffmpeg-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Two seconds of ffmpeg's own test picture. */
function made(name: string, ...codec: string[]): Buffer {
  const path = join(folder, name);
  const source = ["-f", "lavfi", "-i", "testsrc=size=240x160:rate=5:duration=2"];
  execFileSync("ffmpeg", ["-v", "error", "-y", ...source, ...codec, path]);
  return readFileSync(path);
}

const stored = (blob = ""): Buffer => readFileSync(stage.store.blobs.own.pathOf(blob));
const withFfmpeg = (ffmpeg: string | null) => configOf({ media: { ffmpeg } });

describe("with ffmpeg", () => {
  it.each([
    ["APNG", "a.png", ["-f", "apng"]],
    ["AVIF", "a.avif", ["-c:v", "libaom-av1", "-cpu-used", "8"]],
  ])("an animated %s moves, and its other renditions stay as they were", async (_, name, codec) => {
    await start({ images: [await imageOf(101, made(name, ...codec))] });
    const entryOf = () => stage.store.media.get("images", id(101));
    const manifest = await crawl(configOf());
    expect((await media(withFfmpeg(null), manifest)).problems).toEqual([]);
    const still = entryOf();
    const without = still?.renditions ?? [];
    expect(without.filter(({ slot }) => slot === "animation")).toEqual([]);
    expect((await media(withFfmpeg("ffmpeg"), manifest)).problems).toEqual([]);
    expect(entryOf()?.remark).toMatch(/^animated \w+, renditions show the first of 10 frames$/);
    const [moving] = entryOf()?.renditions.filter(({ slot }) => slot === "animation") ?? [];
    const header = await sharp(stored(moving?.blob), { pages: -1 }).metadata();
    expect(header).toMatchObject({ format: "webp", width: 240, pageHeight: 160, pages: 10 });
    expect(header.delay?.[0]).toBe(200);
    const others = entryOf()?.renditions.filter(({ slot }) => slot !== "animation");
    // The decoder of sharp knows no AVIF that is a sequence from its start.
    if (name === "a.png") expect(others).toEqual(without);
    expect(others?.length).toBeGreaterThan(20);
    expect(await media(withFfmpeg("ffmpeg"), manifest)).toMatchObject({ upToDate: 1, encoded: 0 });
  });

  it.each([
    ["video/mp4", "a.mp4", ["-c:v", "libx264", "-pix_fmt", "yuv420p"]],
    ["video/webm", "a.webm", ["-c:v", "libvpx-vp9"]],
  ])("a video has a frame for its poster: %s", async (type, name, codec) => {
    await start({ videos: [fileOf(101, type, made(name, ...codec))] });
    const manifest = await crawl(configOf());
    expect((await media(withFfmpeg("ffmpeg"), manifest)).problems).toEqual([]);
    const { renditions = [] } = stage.store.media.get("videos", id(101)) ?? {};
    expect(renditions).toMatchObject([{ slot: "web", format: "jpeg", width: 240, height: 160 }]);
    expect(await sharp(stored(renditions[0]?.blob)).metadata()).toMatchObject({ width: 240 });
    expect(await media(withFfmpeg("ffmpeg"), manifest)).toMatchObject({ upToDate: 1 });
  });

  it("what it cannot read is kept with a remark, and so is everything where it is missing", async () => {
    const whole = made("b.mp4", "-c:v", "libx264", "-pix_fmt", "yuv420p");
    const broken = Buffer.concat([whole.subarray(0, 48), Buffer.alloc(whole.length - 48, 7)]);
    const videos: MediaFile[] = [fileOf(101, "video/mp4", broken)];
    await start({ videos, articles: [articleOf(1, [])] });
    const manifest = await crawl(configOf());
    for (const program of ["ffmpeg", join(folder, "missing")]) {
      expect((await media(withFfmpeg(program), manifest)).problems).toEqual([]);
      expect(stage.store.media.get("videos", id(101))?.remark).toMatch(
        program === "ffmpeg" ? /^no poster: ffmpeg: [^/]+$/ : /^no poster: ffmpeg: ENOENT$/,
      );
    }
  });

  it("reads a file as nothing but what it is, and passes no variable on", async () => {
    const list = join(folder, "list.mp4");
    writeFileSync(list, `ffconcat version 1.0\nfile ${join(folder, "b.mp4")}\n`);
    const asVideo = { program: "ffmpeg", type: "video/mp4", path: list };
    await expect(frameOf(asVideo)).rejects.toThrow();
    const spy = join(folder, "spy");
    writeFileSync(spy, "#!/bin/sh\nenv\n", { mode: 0o755 });
    process.env.STILLPRESS_TOKEN = "s3cr3t";
    const seen = await frameOf({ ...asVideo, program: spy }).finally(() => {
      delete process.env.STILLPRESS_TOKEN;
    });
    expect(seen.toString()).not.toContain("s3cr3t");
  });
});
