import { join } from "node:path";
import { type Config, ConfigSchema } from "../../../src/config.ts";
import type { Problem } from "../../../src/lib/reporter.ts";
import type { Store } from "../../../src/store/store.ts";
import { built } from "../support/built.ts";
import { type Contents, differenceOf, snapshotOf } from "../support/trees.ts";

/**
 * The program as it was built: from its source, each of thousands of decoder processes would compile itself first.
 * Loaded when it is needed, because not every copy of the project is built.
 */
async function loadProgram() {
  return {
    ...(await built<typeof import("../../../src/api/client.ts")>("api/client")),
    ...(await built<typeof import("../../../src/api/links.ts")>("api/links")),
    ...(await built<typeof import("../../../src/crawl/crawl.ts")>("crawl/crawl")),
    ...(await built<typeof import("../../../src/errors.ts")>("errors")),
    ...(await built<typeof import("../../../src/media/media.ts")>("media/media")),
    ...(await built<typeof import("../../../src/publish/build.ts")>("publish/build")),
    ...(await built<typeof import("../../../src/routes/table.ts")>("routes/table")),
    ...(await built<typeof import("../../../src/store/store.ts")>("store/store")),
  };
}
type Program = Awaited<ReturnType<typeof loadProgram>>;

export type Stage = "crawl" | "media";

/** What became of a run. */
export type Outcome =
  /** Complete, as far as the run can tell, and how it differs from the truth. */
  | { kind: "complete"; difference: string | undefined }
  /** Ended, or ended with gaps, and said so. */
  | { kind: "told"; why: string }
  /** Ended as no run may. */
  | { kind: "broken"; why: string };

export interface StageInput {
  config: Config;
  token: string;
  /** The output folder. */
  folder: string;
  /** What the store holds after an undisturbed run; empty where that is not known yet. */
  truth: Contents;
}

/** Short ones, so that what hangs or drips costs little; six runs side by side can be silent for a second. */
const limits = {
  maxJsonBytes: 2 << 20,
  maxDownloadBytes: 2 << 20,
  idleMs: 2_000,
  jsonMs: 3_000,
  slowAfterMs: 1_000,
  firstDelayMs: 1,
};
/** Much longer than six of the larger runs side by side take on a busy machine. */
const maxRunMs = 120_000;

/** A configuration that makes little of each image. */
export function configOf(baseUrl: string): Config {
  return ConfigSchema.parse({
    origin: { baseUrl, rate: { requests: 1_000_000, perSeconds: 1 } },
    media: {
      formats: ["jpeg"],
      web: { width: 32 },
      thumbs: { square: [8, 8], portrait: [8, 12], landscape: [12, 8] },
      variants: [],
    },
  });
}

/** Runs a stage as the command does, with its own modules, and judges what came of it. */
export async function runStage(stage: Stage, input: StageInput): Promise<Outcome> {
  const { folder, truth } = input;
  const program = await loadProgram();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error("hangs")), maxRunMs);
  try {
    const gaps = await work(program, stage, input, stop.signal);
    if (gaps !== undefined) return { kind: "told", why: gaps };
    const difference = differenceOf(snapshotOf(join(folder, "store")), truth);
    // Whether files are missing that should be published is for the build to say.
    if (difference !== undefined && truth.size > 0 && stage === "media")
      await build(program, input);
    return { kind: "complete", difference };
  } catch (error) {
    if (stop.signal.aborted) return { kind: "broken", why: `no end within ${maxRunMs / 1000} s` };
    if (error instanceof program.GapsError) return { kind: "told", why: error.message };
    if (error instanceof program.StillpressError) {
      return { kind: "told", why: `exit ${error.exitCode}: ${error.message}` };
    }
    return { kind: "broken", why: error instanceof Error ? String(error.stack) : String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Why the result is known to be incomplete; undefined where it is not. */
async function work(
  { openStore, createClient, createRoutes, createLinkBook, runCrawl, runMedia }: Program,
  stage: Stage,
  { config, token, folder }: StageInput,
  signal: AbortSignal,
): Promise<string | undefined> {
  const store = openStore(join(folder, "store"));
  const client = createClient({ config, token, signal, limits });
  const tools = { config, store, client, routes: createRoutes(config), links: createLinkBook() };
  try {
    let problems: Problem[];
    if (stage === "crawl") ({ problems } = await runCrawl(tools));
    else {
      const manifest = latestOf(store);
      ({ problems } = await runMedia({ ...tools, manifest, signal }));
    }
    const [problem] = problems;
    if (problem !== undefined) return `${problem.subject}: ${problem.reason}`;
    return latestOf(store).complete ? undefined : "the snapshot is incomplete";
  } finally {
    await client.close();
    store.close();
  }
}

function latestOf(store: Store) {
  const manifest = store.snapshots.latest();
  if (manifest === undefined) throw new Error("the store holds no snapshot");
  return manifest;
}

/** @throws GapsError where the archive may not be published */
async function build(
  { openStore, buildArchive }: Program,
  { config, folder }: StageInput,
): Promise<void> {
  const store = openStore(join(folder, "store"));
  const templates = join(folder, "templates");
  try {
    await buildArchive({ config, store, out: folder, templates });
  } finally {
    store.close();
  }
}
