/** The files behind generated content, made at the start and kept in memory. */
import { eachLimited } from "../lib/concurrency.ts";
import { mix } from "../lib/random.ts";
import { makeAudio } from "./art/audio.ts";
import { makeDocument } from "./art/document.ts";
import { paintPicture } from "./art/paint.ts";
import { planPictures } from "./art/plan.ts";
import { makeVideo, videoSeconds } from "./art/video.ts";
import type { FileKind, Image, MediaFile } from "./model.ts";
import type { Story } from "./prose/story.ts";

/** Later images show these again, so that the demo starts soon. */
const sharedPictures = 100;

/** With sizes of the upright picture. */
export type Picture = Omit<Image, "id" | "organisationId" | "private" | "createdAt">;

/** The pictures of images, painted two at a time. */
export async function paintPictures(count: number, seed: number, onProgress = () => {}) {
  const plans = planPictures(Math.min(count, sharedPictures), seed);
  const pictures: Picture[] = [];
  await eachLimited(plans.entries(), 2, async ([index, plan]) => {
    const file = held(await paintPicture(plan));
    const { title, caption, meta, width, height } = plan;
    pictures[index] = { ...file, title, caption, meta, width, height, mime: "image/jpeg" };
    onProgress();
  });
  return pictures;
}

export function makeFile(kind: FileKind, index: number, story: Story, seed: number) {
  if (kind === "videos") {
    return { ...held(makeVideo(index)), mime: "video/webm", seconds: videoSeconds };
  }
  if (kind === "audio") {
    const plan = { seed: mix(seed, index), seconds: 4 + (index % 4) };
    return { ...held(makeAudio(plan)), mime: "audio/wav", seconds: plan.seconds };
  }
  const { title, subject, fill } = story;
  const paragraphs = [...subject.openings, ...subject.paragraphs, subject.quote].map((text) =>
    fill(text).replace(/<[^>]+>/g, ""),
  );
  return { ...held(makeDocument(title, paragraphs)), mime: "application/pdf", seconds: null };
}

export function held(bytes: Buffer): Pick<MediaFile, "filesize" | "read"> {
  return { filesize: bytes.length, read: async () => bytes };
}
