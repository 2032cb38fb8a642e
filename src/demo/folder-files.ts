import { readFile, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import glob from "fast-glob";
import { lookup } from "mrmime";
import PQueue from "p-queue";
import sharp from "sharp";
import type { Image, MediaFile } from "./model.ts";
import { uuidOf } from "./random.ts";

const extensions = {
  images: ["jpg", "jpeg", "png", "webp", "gif", "tif", "tiff", "avif", "svg"],
  videos: ["mp4", "m4v", "webm", "mov"],
  documents: ["pdf"],
  audio: ["mp3", "wav", "ogg", "m4a", "flac"],
} as const;

/** Files of a folder as records, sorted by path. */
export interface FolderFiles {
  images: { path: string; image: Image }[];
  videos: MediaFile[];
  documents: MediaFile[];
  audio: MediaFile[];
}

/**
 * Lists the media files anywhere below a folder; links out of it are not followed. Times of files
 * say little after a copy, so every file counts as created an hour before the one ahead of it,
 * starting at `newest` (milliseconds since 1970).
 */
export async function listFiles(
  dir: string,
  organisationId: string,
  newest: number,
): Promise<FolderFiles> {
  const queue = new PQueue({ concurrency: 4 });
  const list = async <T>(
    kind: keyof typeof extensions,
    make: (path: string, createdAt: number) => Promise<T>,
  ): Promise<T[]> => {
    const paths = await glob(`**/*.@(${extensions[kind].join("|")})`, {
      cwd: dir,
      caseSensitiveMatch: false,
      followSymbolicLinks: false,
    });
    // By code units, so that the order is the same in every locale.
    paths.sort((a, b) => (a < b ? -1 : 1));
    return Promise.all(
      paths.map((path, at) => queue.add(() => make(path, newest - at * 3600_000))),
    );
  };
  const file = async (path: string, createdAt: number): Promise<MediaFile> => ({
    ...(await common(dir, path, organisationId)),
    seconds: null,
    createdAt,
  });
  return {
    images: await list("images", async (path, createdAt) => ({
      path,
      image: {
        ...(await common(dir, path, organisationId)),
        ...(await sizeOf(join(dir, path))),
        meta: { file: path },
        private: path.startsWith("private/"),
        createdAt,
      },
    })),
    videos: await list("videos", file),
    documents: await list("documents", file),
    audio: await list("audio", file),
  };
}

async function common(dir: string, path: string, organisationId: string) {
  const full = join(dir, path);
  const name = basename(path, extname(path)).replace(/[-_]+/g, " ").trim();
  return {
    id: uuidOf(`file:${path}`),
    organisationId,
    title: name === "" ? basename(path) : name,
    caption: "",
    filesize: (await stat(full)).size,
    mime: lookup(path.toLowerCase()) ?? "application/octet-stream",
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
