import type { z } from "zod";
import { matching, oneOf, seconds, section, text } from "./fields.ts";

export const Engine = section({
  kind: oneOf(
    ["local", "bullmq"],
    'Where renditions are made: "local" on this machine, "bullmq" by any number of "stillpress worker", which a queue of BullMQ gives their jobs. The bytes are the same.',
  ),
  redis: matching(
    /^(?:rediss?|postgres(?:ql)?):\/\/./,
    "expected an address such as redis://host:6379",
  )
    .default("redis://127.0.0.1:6379")
    .describe(
      "Address of the queue: Redis 6.2 or later, Valkey, or postgres://…. A user and a password may stand in it; better, set the whole address in the variable STILLPRESS_ENGINE_REDIS.",
    ),
  blobs: text
    .nullable()
    .default(null)
    .describe(
      'The place that all machines share, for originals and renditions: "dir:PATH", a mounted folder, or "s3://BUCKET/PREFIX". It belongs to this archive alone, and is not published.',
    ),
  patience: seconds(86_400)
    .default(300)
    .describe(
      "Seconds to wait for a worker, or for a queue that went away; then the run ends with exit 9 or 7. The next one goes on.",
    ),
  encoder: text
    .nullable()
    .default(null)
    .describe(
      "Versions of the encoder that all workers have, as they print it, where this machine has others. Other workers are refused.",
    ),
}).superRefine(({ kind, blobs }, { issues }) => {
  if (kind === "local" || blobs !== null) return;
  const message = 'expected "dir:PATH" or "s3://BUCKET/PREFIX" with engine.kind "bullmq"';
  issues.push({ code: "custom", message, path: ["blobs"], input: blobs });
});
export type Engine = z.infer<typeof Engine>;
