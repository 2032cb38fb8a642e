import { z } from "zod";
import { type Config, imageFormats } from "../config.ts";
import { FileFacts, type ImageFacts } from "./facts.ts";
import type { VariantPlan } from "./variants.ts";

export interface RenderTask {
  path: string;
  image: ImageFacts;
  plans: VariantPlan[];
  settings: Pick<Config["media"], "quality" | "limitPixels">;
  /** Paths of the files to write, one for each format of each plan, taken in the order of the answer. */
  targets: string[];
}

export type DecoderQuestion =
  /** `said`: content type that the answer gave. */
  { ask: "inspect"; path: string; said: string | undefined } | { ask: "render"; task: RenderTask };

export const RenderedFile = z.object({
  plan: z.int().nonnegative(),
  format: z.enum(imageFormats),
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type RenderedFile = z.infer<typeof RenderedFile>;

/** What a decoder process says. It is checked: a hostile picture may have taken the process over. */
export const DecoderAnswer = z.discriminatedUnion("answer", [
  z.object({ answer: z.literal("facts"), facts: FileFacts }),
  z.object({
    answer: z.literal("rendered"),
    files: z.array(RenderedFile),
    warnings: z.array(z.string()),
  }),
  /** The picture is no good; see DecodeError. */
  z.object({ answer: z.literal("refused"), reason: z.string(), tooLarge: z.boolean() }),
  /** Something else is: the file system, where `code` is there, or who knows what. */
  z.object({ answer: z.literal("failed"), reason: z.string(), code: z.string().optional() }),
]);
export type DecoderAnswer = z.infer<typeof DecoderAnswer>;
