import { z } from "zod";
import { type Config, Media } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import { recipesOf } from "../media/jobs.ts";
import { Made } from "../media/made.ts";
import type { SourceFile } from "../media/render.ts";

/** A job, as it lies in the queue: digests, sizes and settings alone. No address, no title and no secret enters it. */
const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const side = z.number().nullable();

export const Question = z.discriminatedUnion("ask", [
  z.object({
    ask: z.literal("render"),
    /** Digest of the original. */
    source: Digest,
    /** Content type that the origin named. */
    type: z.string().max(200).optional(),
    /** Pixels, as the record says. */
    recorded: z.object({ width: side, height: side }).optional(),
    /** Versions of the encoder. */
    encoder: z.string().max(1_000),
    media: z.record(z.string(), z.unknown()).transform((media) => Media.parse(media)),
  }),
  /** What is the digest of a blob? */
  z.object({ ask: z.literal("digest"), source: Digest }),
]);
export type Question = z.infer<typeof Question>;
export type RenderQuestion = Extract<Question, { ask: "render" }>;

/** What a worker answers. It is checked. */
export const Answer = z.object({
  worker: z.string().max(300),
  made: Made.optional(),
  digest: z.string().optional(),
});
export type Answer = z.infer<typeof Answer>;

export function renderQuestion(
  { sha256, type, recorded }: SourceFile,
  media: Config["media"],
  encoder: string,
): RenderQuestion {
  const { width = null, height = null } = recorded ?? {};
  return {
    ask: "render",
    source: sha256,
    type: type?.slice(0, 200),
    recorded: recorded && { width, height },
    encoder,
    // Each worker names its own.
    media: { ...media, ffmpeg: media.ffmpeg && "ffmpeg" },
  };
}

/** Names a job, so that the same one is never queued twice, nor its result lost. The queue takes no name of digits alone. */
export function idOf(question: Question): string {
  if (question.ask === "digest") return `digest-${question.source}`;
  const { source, type, recorded, encoder, media } = question;
  const { width, height } = recorded ?? {};
  const recipes = JSON.stringify(recipesOf(media, encoder)("images"));
  return `render-${keyOf(source, type, width, height, recipes)}`;
}
