import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import glob from "fast-glob";
import { lookup } from "mrmime";
import sharp from "sharp";
import { uuidOf } from "./ids.ts";
import type { Image } from "./model.ts";

const extensions = {
  images: ["jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "avif", "svg"],
  videos: ["mp4", "m4v", "webm", "mov"],
  documents: ["pdf"],
  audio: ["mp3", "wav", "ogg", "m4a", "flac"],
} as const;

/**
 * The files of a kind below a folder; links are not followed. Copies lose their times, so each file counts as created an
 * hour before the one ahead of it, starting at `newest` (milliseconds).
 */
export async function filesIn(dir: string, kind: keyof typeof extensions, newest: number) {
  const paths = await glob(`**/*.@(${extensions[kind].join("|")})`, {
    cwd: dir,
    caseSensitiveMatch: false,
    followSymbolicLinks: false,
  });
  // By code units, so that the order is the same in every locale.
  paths.sort((a, b) => (a < b ? -1 : 1));
  return paths.map((path, at) => {
    const name = basename(path, extname(path)).replace(/[-_]+/g, " ").trim();
    return {
      path,
      id: uuidOf(`file:${path}`),
      organisationId: uuidOf("organisation"),
      title: name === "" ? basename(path) : name,
      caption: "",
      filesize: statSync(join(dir, path)).size,
      mime: lookup(path.toLowerCase()) ?? "application/octet-stream",
      createdAt: newest - at * 3600_000,
      seconds: null,
      read: () => readFile(join(dir, path)),
    };
  });
}

/** `meta.file` is the path; images below `private` are private. */
export async function imagesIn(dir: string, newest: number): Promise<Image[]> {
  const images: Image[] = [];
  for (const { path, ...file } of await filesIn(dir, "images", newest)) {
    const size = await sizeOf(file);
    images.push({ ...file, ...size, meta: { file: path }, private: path.startsWith("private/") });
  }
  return images;
}

/** Of the upright picture; 0 x 0 if it is none. */
async function sizeOf({ read }: Pick<Image, "read">) {
  try {
    // From memory: an SVG that is read from a file could pull in its neighbours.
    const { autoOrient } = await sharp(await read()).metadata();
    return { width: autoOrient.width, height: autoOrient.height };
  } catch {
    return { width: 0, height: 0 };
  }
}
