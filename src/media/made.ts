import { z } from "zod";
import { ImageMetadata, Rendition } from "../store/media.ts";
import { FileFacts } from "./inspect.ts";

const Flaw = z.object({
  reason: z.string(),
  /** Whether the file is no whole picture. */
  damaged: z.boolean(),
  /** Whether this machine may be the reason, so that the next run tries again. */
  passing: z.boolean().optional(),
  /** Whether the decoder failed, of which its limits may be the reason. */
  limited: z.boolean().optional(),
});
export type Flaw = z.infer<typeof Flaw>;

/** What was made of a file. */
export const Made = z.object({
  facts: FileFacts,
  renditions: z.array(Rendition),
  thumbHash: z.string().optional(),
  /** Of an image. */
  metadata: ImageMetadata.optional(),
  remarks: z.array(z.string()),
  /** Whether media.limitPixels forbade some. */
  limited: z.boolean().optional(),
  /** Only where there are no renditions. */
  flaw: Flaw.optional(),
  /** Whether the file is empty, or nothing but zeros. */
  blank: z.boolean().optional(),
  /** Whether it breaks off before its own end, as far as its format tells. */
  cut: z.boolean().optional(),
});
export type Made = z.infer<typeof Made>;

export const flawRemark = (reason: string): string => `kept without renditions: ${reason}`;
