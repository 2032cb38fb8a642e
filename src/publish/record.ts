import { join } from "node:path";
import { z } from "zod";
import { hostNames } from "../config/host-names.ts";
import { ConfigSchema } from "../config.ts";
import { readable, StoreError } from "../errors.ts";
import { Problem } from "../lib/reporter.ts";
import { readSealed, writeSealed } from "../lib/sealed.ts";
import { outputPaths, publishedBuild } from "./swap.ts";

/** How a build came about; it lies beside the publish root. */
const BuildRecord = z.object({
  program: z.string(),
  /** Key over everything the build was made from. */
  inputs: z.string(),
  /** Id of the snapshot that it shows. */
  snapshot: z.string(),
  /** Digest of the ids that were looked for in its files, see `LeakGuard`. */
  canaries: z.string(),
  /** What is odd about the addresses of its pages, and about its originals. */
  remarks: z.array(Problem),
  /** Blobs of originals that are not published because of what they say, in ascending order. */
  withheld: z.array(z.string()),
  totals: z.object({ files: z.int(), bytes: z.int(), missing: z.int(), held: z.int() }),
  /** Digests of the tokens, and of the hosts of signed links, that its files were searched for. */
  searched: z.array(z.string()),
  /** What the hosts cannot do; `exceeded`: the archive goes beyond what the host takes, and cannot be put there as it is. */
  deployment: z.object({
    /** Those of the setting. */
    hosts: z.array(z.enum(hostNames)),
    limits: z.array(z.object({ host: z.enum(hostNames), text: z.string(), exceeded: z.boolean() })),
  }),
  /** What decided what was shown, beside `settings.media`. */
  site: ConfigSchema.shape.site,
  /** How the origin's URLs were shaped, which one must know to serve the build. */
  settings: z.object({
    origin: ConfigSchema.shape.origin,
    mirror: ConfigSchema.shape.mirror,
    media: ConfigSchema.shape.media,
  }),
});
export type BuildRecord = z.infer<typeof BuildRecord>;

export const recordName = "build.json";

export function writeRecord(build: string, record: BuildRecord): void {
  writeSealed(join(build, recordName), record);
}

/** The record of a build; undefined where it is missing, damaged, or of another version. */
export function readRecord(build: string): BuildRecord | undefined {
  const found = lookAtRecord(build);
  return typeof found === "string" ? undefined : found;
}

/** The record of a build, or why there is none. One of another version ("foreign") is not damaged. */
export function lookAtRecord(build: string): BuildRecord | "missing" | "damaged" | "foreign" {
  const path = join(build, recordName);
  const read = () => readSealed(path, (value) => BuildRecord.safeParse(value));
  const parsed = readable(() => read() ?? "missing");
  if (parsed === undefined) return "damaged";
  if (parsed === "missing") return parsed;
  return parsed.success ? parsed.data : "foreign";
}

/** The settings of the published build. @throws StoreError where there is none, or its record cannot be read */
export function publishedSettings(out: string): BuildRecord["settings"] {
  return publishedRecord(out).record.settings;
}

/** The published build and its record. @throws StoreError where there is none, or its record cannot be read */
export function publishedRecord(out: string): { build: string; record: BuildRecord } {
  const build = publishedBuild(out);
  if (build === undefined) {
    throw new StoreError(`${outputPaths(out).public}: nothing is published there`, {
      hint: 'run "stillpress snapshot" first, or "stillpress demo"',
    });
  }
  const record = lookAtRecord(build);
  if (typeof record !== "string") return { build, record };
  const [reason, hint] =
    record === "foreign"
      ? ["was written by another version of stillpress", 'run "stillpress build"']
      : [`is ${record}`, 'run "stillpress repair"'];
  throw new StoreError(`${join(build, recordName)} ${reason}`, { hint });
}
