import { z } from "zod";
import { count, section, share, text, whole } from "./fields.ts";

export const Publish = section({
  target: text
    .nullable()
    .default(null)
    .describe(
      'Where publish puts the archive where nothing else is named: "s3://BUCKET/PREFIX", or "dir:PATH" for another folder.',
    ),
  swap: z
    .enum(["link", "files"])
    .default("link")
    .describe(
      'How out/public comes to show a new build: "link" renames a symbolic link, at once; "files" copies what differs, for file systems without such links, and where out/public is a mounted volume.',
    ),
  keepDeleted: whole("seconds", 0, 31_536_000)
    .default(3_600)
    .describe(
      "Seconds that a file which left the archive stays at the target, so that pages in caches still find their pictures. A later publish removes it.",
    ),
  maxDeleted: section({
    share: share.default(0.25).describe("Share of the files at the target, 0 to 1."),
    files: count.default(100).describe("So many files may always leave."),
  })
    .prefault({})
    .describe(
      "If more files leave the archive at once, publish ends with exit 10 before it sends anything, unless --allow-deletions is given.",
    ),
  apiKeys: z
    .boolean("expected true or false")
    .default(false)
    .describe(
      "Whether a store gets each answer of the API under its own path too, such as api/v1/articles beside api/v1/articles/index.json, so that a bucket alone answers requests without a query.",
    ),
  after: text
    .nullable()
    .default(null)
    .describe(
      "Command for the shell that is run after a publish which changed something, such as a purge of a CDN. The variable STILLPRESS_CHANGES names the file of the changed addresses.",
    ),
});
