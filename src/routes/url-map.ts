import { z } from "zod";

/** One line of `urlmap.json`: what the archive answers to a URL. */
export const MappedUrl = z.object({
  /** Path and canonical query, from the publish root. */
  url: z.string().startsWith("/"),
  file: z.string(),
  type: z.string(),
  size: z.int(),
  sha256: z.string(),
  /** What a host should send with the file as `Cache-Control`. */
  cacheControl: z.string().optional(),
  /** Of a former address, which leads to that of the file: 301. */
  status: z.literal(301).optional(),
  location: z.string().startsWith("/").optional(),
});
export type MappedUrl = z.infer<typeof MappedUrl>;
