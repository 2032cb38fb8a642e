import { execFile } from "node:child_process";
import { promisify } from "node:util";
import PQueue from "p-queue";
import type { Size } from "./variants.ts";

/** Readers of ffmpeg by content type. A file is read as nothing else: a playlist could name other files. */
const readers: Record<string, string> = {
  "video/mp4": "mov",
  "video/quicktime": "mov",
  "video/3gpp": "mov",
  "video/x-m4v": "mov",
  "video/webm": "matroska",
  "video/x-matroska": "matroska",
  "video/ogg": "ogg",
  "video/x-msvideo": "avi",
  "image/avif": "mov",
  "image/png": "apng",
};

/** The operator's program, and the file that it reads, with its content type. */
export interface Ffmpeg {
  program: string;
  path: string;
  type: string;
}

export const isReadable = (type: string): boolean => Object.hasOwn(readers, type);

/** Milliseconds and bytes that one file may cost. */
const limits = { timeout: 120_000, maxBuffer: 256 << 20 };
const memory = String(1 << 30);
const widest = 1600;
const turns = new PQueue({ concurrency: 2 });

/** The first frame behind a tenth of a video, at most 1600 pixels wide; PNG. @throws Error that says why there is none */
export function frameOf(ffmpeg: Ffmpeg, seconds = 0) {
  const scale = `scale=w='min(${widest},iw)':h=-2`;
  const still = ["-frames:v", "1", "-vf", scale, "-c:v", "png", "-f", "image2pipe"];
  return run(ffmpeg, ["-ss", String(seconds / 10)], still);
}

/** The first frames of an animation; WebP. @throws Error that says why there are none */
export function webpOf(
  ffmpeg: Ffmpeg,
  { width, height, frames, quality }: Size & { frames: number; quality: number },
) {
  const moving = ["-frames:v", String(frames), "-vf", `scale=${width}:${height}`, "-loop", "0"];
  const codec = ["-c:v", "libwebp_anim", "-quality", String(quality), "-f", "webp"];
  return run(ffmpeg, [], [...moving, ...codec]);
}

async function run({ program, type, path }: Ffmpeg, start: string[], rest: string[]) {
  const safe = ["-nostdin", "-v", "error", "-threads", "1", "-max_alloc", memory];
  const from = ["-protocol_whitelist", "file", "-f", readers[type] ?? "", "-i", `file:${path}`];
  // Other variables are not passed on: one can hold the access token.
  const options = { ...limits, env: { PATH: process.env.PATH }, encoding: "buffer" as const };
  const all = [...safe, ...start, ...from, "-an", ...rest, "pipe:1"];
  const { stdout } = await turns
    .add(() => promisify(execFile)(program, all, options))
    .catch((error: { stderr?: Buffer; code?: unknown; signal?: unknown }) => {
      // The message has the whole command in it.
      const [said] = /[^\n]*$/.exec(String(error.stderr ?? "").trim()) ?? [];
      throw new Error(`ffmpeg: ${said || error.signal || error.code}`);
    });
  if (stdout.length === 0) throw new Error("ffmpeg found no frame in it");
  return stdout;
}
