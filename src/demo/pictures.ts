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

/**
 * Breaks some of the first pictures, as in every grown archive: an upload that was cut short, two types that few decoders
 * know, a record without a file. Sizes in bytes are true; a type that the service could not read has no dimensions.
 */
export function breakSome(pictures: readonly Picture[]): Picture[] {
  const broken = [...pictures];
  const [, second, third, , fifth, sixth] = pictures;
  if (second) {
    const filesize = Math.floor(second.filesize * 0.6);
    const read = async () => (await second.read()).subarray(0, filesize);
    broken[1] = { ...second, filesize, read };
  }
  if (third) broken[2] = { ...third, ...bitmap, mime: "image/bmp", width: 48, height: 32 };
  if (fifth) broken[4] = { ...fifth, ...heic, mime: "image/heic", width: 0, height: 0 };
  if (sixth) broken[5] = { ...sixth, absent: 404 };
  return broken;
}

function fileOf(...parts: Buffer[]): Pick<Picture, "filesize" | "read"> {
  const bytes = Buffer.concat(parts);
  return { filesize: bytes.length, read: async () => bytes };
}

/** 48 x 32 grey pixels of 24 bits. */
const bitmap = fileOf(
  Buffer.from("424d361200000000000036000000280000003000000020000000010018000000", "hex"),
  Buffer.alloc(22),
  Buffer.alloc(48 * 32 * 3, 0x80),
);

/** The head of a photograph, and nothing to decode. */
const heic = fileOf(
  Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
  Buffer.alloc(4096, "not a picture "),
);
