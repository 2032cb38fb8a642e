import type { Config } from "../config.ts";
import type { Reporter } from "../lib/reporter.ts";
import { encoderVersions } from "../media/encode.ts";
import { createLocalRenderer, type Renderer } from "../media/renderer.ts";
import type { Blobs } from "../store/blobs.ts";
import type { PlaceRecord } from "../store/shared-place.ts";
import { openTarget } from "../targets/open.ts";
import type { Place } from "../targets/place.ts";
import { type Answer, type Question, renderQuestion } from "./job.ts";
import { JobFailure, Questions } from "./questions.ts";

/** Pictures whose jobs are given at once: enough for some hundred workers. */
const picturesAtOnce = 1_000;

export interface EngineInput {
  config: Config;
  place: Place;
  record: PlaceRecord;
  /** With a shared place. */
  blobs: Blobs;
  reporter: Reporter;
  signal: AbortSignal;
}

/** Work that workers do. */
export type Engine = Awaited<ReturnType<typeof startEngine>>;

/** Name of the queue of a place. */
export const queueName = ({ id }: PlaceRecord): string => `stillpress-${id}`;

/**
 * Makes the side of the engine that gives jobs. What no worker can do is done here, so that it has the same end as with
 * the local engine.
 *
 * @throws ConfigError where a package is missing
 * @throws TargetError where the queue cannot be used
 */
export async function startEngine(input: EngineInput) {
  const { config, place, record, blobs, reporter, signal } = input;
  const { encoder } = record;
  const { redis: url, patience } = config.engine;
  const target = openTarget(place, signal);
  const questions = new Questions({
    ...{ name: queueName(record), url, patience, target },
    isRight: (answer, question) => isRight(answer, question, blobs),
  });
  await questions.start();
  signal.addEventListener("abort", () => questions.stop(signal.reason), { once: true });
  const local = createLocalRenderer(config, blobs, signal);

  /** What a worker says; undefined where none can do it. */
  async function ask(question: Question): Promise<Answer | undefined> {
    try {
      return await questions.ask(question);
    } catch (error) {
      // Another encoder would make other bytes.
      if (!(error instanceof JobFailure) || encoder !== encoderVersions()) throw error;
      reporter.info(`${error.message}; this run does the job itself`);
      return undefined;
    }
  }

  const renderer: Renderer = {
    atOnce: picturesAtOnce,
    async make(file, held) {
      if (held !== undefined) return await local.make(file, held);
      await blobs.share(file.sha256, file.path);
      const answer = await ask(renderQuestion(file, config.media, encoder));
      return answer?.made ?? (await local.make(file));
    },
    note: () => questions.note(),
    jobs: questions.counts,
    async close() {
      await Promise.all([questions.close(), local.close(), target.close()]);
    },
  };
  return {
    renderer,
    encoder,
    /** SHA-256 of a shared blob, read by a worker; "" where it cannot be read. */
    async digestOf(digest: string): Promise<string> {
      const answer = await ask({ ask: "digest", source: digest });
      return answer?.digest ?? (await blobs.shared?.digestOf(digest)) ?? "";
    },
  };
}

/** Whether an answer has what its question asks for, and all its blobs lie at the shared place. */
async function isRight(
  { made, digest }: Answer,
  { ask }: Question,
  { shared }: Blobs,
): Promise<boolean> {
  if (ask === "digest") return digest !== undefined;
  if (made === undefined) return false;
  const { renditions, metadata } = made;
  const all = [...renditions, ...(metadata?.copy ? [metadata.copy] : [])];
  // Several slots often share one file.
  const files = new Map(all.map(({ blob, bytes }) => [blob, bytes]));
  const confirmed = Array.from(files, (file) => shared?.confirm(file[0], file[1]) ?? false);
  return (await Promise.all(confirmed)).every(Boolean);
}
