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
import { makeVideo, videoSeconds } from "./art/video.ts";
import type { FileKind, Image, MediaFile } from "./model.ts";
import type { Story } from "./prose/story.ts";
import { mix, textKey } from "./random.ts";

/** Raise when the art of an unchanged plan looks different. */
const artVersion = 2;

/** Above this number of images, pictures repeat after the first `sharedPictures`. */
const mostPictures = 300;
const sharedPictures = 200;

/** A picture with what its record says about it; sizes are those of the upright picture. */
export type Picture = Omit<Image, "id" | "organisationId" | "private" | "createdAt">;

/** Called after each finished picture. */
export type Progress = (done: number, total: number) => void;

/** The folder that is used when none is given: of this user, version and seed alone. */
function defaultCacheDir(seed: number): string {
  const user = process.getuid?.() ?? "user";
  return join(tmpdir(), `stillpress-demo-${user}-${artVersion}-${seed}`);
}

/**
 * Makes a cache folder if it is missing, and returns it. One directly below the system's temporary
 * folder must be ours, since anybody can put files there: throws a ConfigError if it is not.
 */
export async function prepareCacheDir(seed: number, dir = defaultCacheDir(seed)): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const user = process.getuid?.();
  if (user === undefined || dirname(dir) !== tmpdir()) return dir;
  if ((await lstat(dir)).uid === user) return dir;
  const hint = "remove it, or name another folder for the demo's pictures";
  throw new ConfigError(`cache folder ${dir} belongs to another user`, { hint });
}

/**
 * The pictures for a number of images, painting those that are not in the cache, two at a time.
 * More than 300 images share 200 pictures.
 */
export async function preparePictures(
  count: number,
  seed: number,
  dir: string,
  onProgress?: Progress,
): Promise<Picture[]> {
  const plans = planPictures(count > mostPictures ? sharedPictures : count, seed);
  const queue = new PQueue({ concurrency: 2 });
  let done = 0;
  const pictures = plans.map((plan, index) =>
    queue.add(async (): Promise<Picture> => {
      const recipe = mix(textKey(JSON.stringify(plan)), seed).toString(16);
      const name = `picture-${index}-${recipe}.jpg`;
      const file = await stored(dir, name, () => paintPicture(plan));
      const { autoOrient } = await sharp(await file.read()).metadata();
      done += 1;
      onProgress?.(done, plans.length);
      const { title, caption, meta } = plan;
      return { ...file, title, caption, meta, mime: "image/jpeg", ...autoOrient };
    }),
  );
  return Promise.all(pictures);
}

/** A short film, a short recording, or a document with the text of an article. */
export async function prepareFile(
  kind: FileKind,
  index: number,
  { title, subject, fill }: Story,
  { seed, dir }: { seed: number; dir: string },
): Promise<Pick<MediaFile, "filesize" | "read" | "mime" | "seconds">> {
  if (kind === "videos") {
    const film = await stored(dir, `video-${index}.webm`, () => makeVideo(index));
    return { ...film, mime: "video/webm", seconds: videoSeconds };
  }
  if (kind === "audio") {
    const seconds = 4 + (index % 4);
    const plan = { seed: mix(seed, index), seconds };
    const sound = await stored(dir, `audio-${index}.wav`, () => makeAudio(plan));
    return { ...sound, mime: "audio/wav", seconds };
  }
  const paragraphs = [...subject.openings, ...subject.paragraphs, subject.quote].map((text) =>
    fill(text).replace(/<[^>]+>/g, ""),
  );
  const name = `document-${textKey(title + paragraphs).toString(16)}.pdf`;
  const paper = await stored(dir, name, () => makeDocument(title, paragraphs));
  return { ...paper, mime: "application/pdf", seconds: null };
}

/** The file of that name, made and put in place as a whole if it is missing or empty. */
async function stored(
  dir: string,
  name: string,
  make: () => Promise<Buffer> | Buffer,
): Promise<Pick<MediaFile, "filesize" | "read">> {
  const path = join(dir, name);
  const bytesOf = (): Promise<number> =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  if ((await bytesOf()) === 0) {
    const temporary = `${path}.${randomUUID()}.tmp`;
    await writeFile(temporary, await make(), { mode: 0o600 });
    await rename(temporary, path);
  }
  // Several processes may paint the same picture; what counts is the file that is there now.
  return { filesize: await bytesOf(), read: () => readFile(path) };
}
