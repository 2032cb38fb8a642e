import { readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import glob from "fast-glob";
import { lookup } from "mrmime";
import sharp from "sharp";
import type { Image, MediaFile } from "./model.ts";
import { uuidOf } from "./random.ts";

const extensions = {
  images: ["jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "avif", "svg"],
  videos: ["mp4", "m4v", "webm", "mov"],
  documents: ["pdf"],
  audio: ["mp3", "wav", "ogg", "m4a", "flac"],
} as const;

/**
 * The image files anywhere below a folder, by their paths; those below a folder `private` are private.
 * Links out of the folder are not followed. Times of files say little after a copy, so that every
 * file counts as created an hour before the one ahead of it, starting at `newest` (milliseconds).
 */
export async function imagesIn(dir: string, newest: number): Promise<Map<string, Image>> {
  const images = new Map<string, Image>();
  for (const path of await pathsIn(dir, "images")) {
    images.set(path, {
      ...(await recordOf(dir, path, newest - images.size * 3600_000)),
      ...(await sizeOf(join(dir, path))),
      meta: { file: path },
      private: path.startsWith("private/"),
    });
  }
  return images;
}

/** The files of another kind, in the same way. */
export async function filesIn(
  dir: string,
  kind: "videos" | "documents" | "audio",
  newest: number,
): Promise<MediaFile[]> {
  const files: MediaFile[] = [];
  for (const path of await pathsIn(dir, kind)) {
    const record = await recordOf(dir, path, newest - files.length * 3600_000);
    files.push({ ...record, seconds: null });
  }
  return files;
}

async function pathsIn(dir: string, kind: keyof typeof extensions): Promise<string[]> {
  const paths = await glob(`**/*.@(${extensions[kind].join("|")})`, {
    cwd: dir,
    caseSensitiveMatch: false,
    followSymbolicLinks: false,
  });
  // By code units, so that the order is the same in every locale.
  return paths.sort((a, b) => (a < b ? -1 : 1));
}

async function recordOf(dir: string, path: string, createdAt: number) {
  const full = join(dir, path);
  const name = basename(path, extname(path)).replace(/[-_]+/g, " ").trim();
  return {
    id: uuidOf(`file:${path}`),
    organisationId: uuidOf("organisation"),
    title: name === "" ? basename(path) : name,
    caption: "",
    filesize: (await stat(full)).size,
    mime: lookup(path.toLowerCase()) ?? "application/octet-stream",
    createdAt,
    read: () => readFile(full),
  };
}

/** Size of the upright picture in pixels; 0 x 0 if it is none. */
async function sizeOf(path: string): Promise<{ width: number; height: number }> {
  try {
    // From memory: an SVG that is read from a file could pull in its neighbours.
    const { autoOrient } = await sharp(await readFile(path)).metadata();
    return { width: autoOrient.width, height: autoOrient.height };
  } catch {
    return { width: 0, height: 0 };
  }
}
