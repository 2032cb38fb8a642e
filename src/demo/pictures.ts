/** The files behind generated content: painted once, kept on disk, read when asked for. */
import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { lstat, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { mix } from "../lib/random.ts";
import { makeAudio, makeDocument, makeVideo, videoSeconds } from "./art/files.ts";
import { paintPicture } from "./art/paint.ts";
import { planPictures } from "./art/plan.ts";
import { textKey } from "./ids.ts";
import type { FileKind, Image, MediaFile } from "./model.ts";

/** Raise when the art of an unchanged plan looks different. */
const artVersion = 5;

/** Later images show these again, so that the demo is soon there. */
const sharedPictures = 100;

/** With sizes of the upright picture. */
export type Picture = Omit<Image, "id" | "organisationId" | "private" | "createdAt">;

/** Makes the cache folder. Throws a ConfigError if it belongs to another user, who could put files into it. */
export async function prepareCacheDir(seed: number, given?: string): Promise<string> {
  const user = process.getuid?.();
  const dir = given ?? join(tmpdir(), `stillpress-demo-${user ?? "user"}-${artVersion}-${seed}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (user === undefined || (await lstat(dir)).uid === user) return dir;
  const hint = "remove it, or set TMPDIR to another folder";
  throw new ConfigError(`cache folder ${dir} belongs to another user`, { hint });
}

/** The pictures of images; paints those that are not in the cache, two at a time. */
export async function preparePictures(
  count: number,
  seed: number,
  dir: string,
  onProgress: () => void = () => {},
): Promise<Picture[]> {
  const plans = planPictures(Math.min(count, sharedPictures), seed);
  const pictures: Picture[] = [];
  await eachLimited(plans.entries(), 2, async ([index, plan]) => {
    const recipe = mix(textKey(JSON.stringify(plan)), seed).toString(16);
    const file = await stored(dir, `picture-${index}-${recipe}.jpg`, () => paintPicture(plan));
    const { title, caption, meta, width, height } = plan;
    pictures[index] = { ...file, title, caption, meta, width, height, mime: "image/jpeg" };
    onProgress();
  });
  return pictures;
}

export async function prepareFile(
  kind: FileKind,
  index: number,
  title: string,
  { seed, dir }: { seed: number; dir: string },
): Promise<Pick<MediaFile, "filesize" | "read" | "mime" | "seconds">> {
  if (kind === "videos") {
    const film = await stored(dir, `video-${index}.webm`, () => makeVideo(index));
    return { ...film, mime: "video/webm", seconds: videoSeconds };
  }
  if (kind === "audio") {
    const plan = { seed: mix(seed, index), seconds: 4 + (index % 4) };
    const sound = await stored(dir, `audio-${index}.wav`, () => makeAudio(plan));
    return { ...sound, mime: "audio/wav", seconds: plan.seconds };
  }
  const name = `document-${textKey(title).toString(16)}.pdf`;
  const paper = await stored(dir, name, () => makeDocument(title));
  return { ...paper, mime: "application/pdf", seconds: null };
}

/** A file of the cache, made as a whole if it is missing or empty. */
async function stored(dir: string, name: string, make: () => Promise<Buffer> | Buffer) {
  const path = join(dir, name);
  let filesize = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (filesize === 0) {
    const bytes = await make();
    const temporary = `${path}.${randomUUID()}.tmp`;
    await writeFile(temporary, bytes, { mode: 0o600 });
    await rename(temporary, path);
    filesize = bytes.length;
  }
  return { filesize, read: () => readFile(path) };
}
