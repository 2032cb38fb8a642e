/** The files behind generated content: painted once, kept on disk, read when asked for. */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import PQueue from "p-queue";
import sharp from "sharp";
import { ConfigError } from "../errors.ts";
import { makeAudio } from "./art/audio.ts";
import { makeDocument } from "./art/document.ts";
import { paintPicture } from "./art/paint.ts";
import { planPictures } from "./art/plan.ts";
import { makeVideo } from "./art/video.ts";
import type { FileKind } from "./model.ts";
import type { Story } from "./prose/story.ts";
import { mix, textKey } from "./random.ts";

/** Raise when the art of an unchanged plan looks different. */
const artVersion = 2;

/** Above this number of images, pictures repeat after the first `sharedPictures`. */
const mostPictures = 300;
const sharedPictures = 200;

/** A file on disk. */
export interface StoredFile {
  /** Bytes. */
  filesize: number;
  read(): Promise<Buffer>;
}

/** A picture with what its record says about it; sizes are those of the upright picture. */
export interface Picture extends StoredFile {
  title: string;
  caption: string;
  meta: Record<string, string>;
  mime: string;
  width: number;
  height: number;
  absent?: 404 | 410;
}

/** Called after each finished file. */
export type Progress = (done: number, total: number) => void;

/** Where to keep files, and whom to tell. */
export interface Studio {
  /** Folder of the cache; made if missing. */
  dir: string;
  seed: number;
  onProgress?: Progress | undefined;
}

/** The folder that is used when none is given: of this user, version and seed alone. */
export function defaultCacheDir(seed: number): string {
  const user = process.getuid?.() ?? "user";
  return join(tmpdir(), `stillpress-demo-${user}-${artVersion}-${seed}`);
}

/**
 * Makes a cache folder if it is missing. One directly below the system's temporary folder must be
 * ours, since anybody can put files there: throws a ConfigError if somebody else owns it.
 */
export async function prepareCacheDir(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const user = process.getuid?.();
  if (user === undefined || dirname(dir) !== tmpdir()) return;
  const { uid } = await lstat(dir);
  if (uid === user) return;
  const hint = "remove it, or name another folder for the demo's pictures";
  throw new ConfigError(`cache folder ${dir} belongs to another user`, { hint });
}

/**
 * The pictures for a number of images, painting those that are not in the cache, two at a time.
 * More than 300 images share 200 pictures.
 */
export async function preparePictures(count: number, studio: Studio): Promise<Picture[]> {
  const plans = planPictures(count > mostPictures ? sharedPictures : count, studio.seed);
  const queue = new PQueue({ concurrency: 2 });
  let done = 0;
  const pictures = plans.map((plan, index) =>
    queue.add(async (): Promise<Picture> => {
      const recipe = mix(textKey(JSON.stringify(plan)), studio.seed).toString(16);
      const name = `picture-${index}-${recipe}.jpg`;
      const file = await stored(studio.dir, name, () => paintPicture(plan));
      const { autoOrient } = await sharp(await file.read()).metadata();
      done += 1;
      studio.onProgress?.(done, plans.length);
      const { title, caption, meta } = plan;
      return { ...file, title, caption, meta, mime: `image/${plan.format}`, ...autoOrient };
    }),
  );
  return Promise.all(pictures);
}

/** A short film, a short recording, or a document with the text of an article. */
export function prepareFile(
  kind: FileKind,
  { index, seconds, story }: { index: number; seconds: number; story: Story },
  { dir, seed }: Studio,
): Promise<StoredFile> {
  const plan = { seed: mix(seed, index, kind.length), seconds };
  if (kind === "videos")
    return stored(dir, `video-${index}-${seconds}s.webm`, () => makeVideo(plan));
  if (kind === "audio") return stored(dir, `audio-${index}-${seconds}s.wav`, () => makeAudio(plan));
  const { openings, paragraphs, quote } = story.subject;
  const text = {
    title: story.title,
    paragraphs: [...openings, ...paragraphs, quote].map((one) =>
      story.fill(one).replace(/<[^>]+>/g, ""),
    ),
    footer: "Supplement to the magazine",
  };
  const name = `document-${textKey(JSON.stringify(text)).toString(16)}.pdf`;
  return stored(dir, name, () => makeDocument(text));
}

/** The file of that name, made and put in place as a whole if it is missing or empty. */
async function stored(
  dir: string,
  name: string,
  make: () => Promise<Buffer> | Buffer,
): Promise<StoredFile> {
  const path = join(dir, name);
  let filesize = await sizeOf(path);
  if (filesize === 0) {
    const bytes = await make();
    const temporary = `${path}.${randomUUID()}.tmp`;
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, path);
    // Several processes may paint the same picture; what counts is the file that is there now.
    filesize = await sizeOf(path);
  }
  return { filesize, read: () => readFile(path) };
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
