import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../config.ts";
import { ConfigError, exitCodes, StoreError } from "../errors.ts";
import { createDecoders, type Decoders } from "../media/decoders.ts";
import { encoderVersions } from "../media/encode.ts";
import { renderImage } from "../media/render.ts";
import { limitFor } from "../media/renderer.ts";
import type { BlobPlace } from "../store/blob-place.ts";
import { openPlace, readPlace } from "../store/shared-place.ts";
import { openTarget } from "../targets/open.ts";
import type { Place } from "../targets/place.ts";
import type { Target } from "../targets/target.ts";
import { queueName } from "./engine.ts";
import { type Answer, Question, type RenderQuestion } from "./job.ts";
import { ImpossibleJob, openWorker } from "./queue.ts";
import { keepResult, readResult } from "./results.ts";

export interface WorkerInput {
  config: Config;
  place: Place;
  concurrency: number;
  /** Name of this worker, for people. */
  as: string;
  tell: (line: string) => void;
  /** Lets the worker finish what it has in hand. */
  signal: AbortSignal;
}

const tellMs = 10_000;
const waitMs = 2_000;
/** A machine that fails so often in a row, whatever the picture is, leaves the jobs to others. */
const maxFailures = 3;

/**
 * Does jobs until the signal.
 *
 * @throws ConfigError where the run wants another encoder
 * @throws TargetError where the queue cannot be used; what this machine fails with again and again
 */
export async function runWorker(input: WorkerInput): Promise<void> {
  const { config, place, concurrency, as, tell, signal } = input;
  const target = openTarget(place);
  const record = await joined(target, input);
  if (record === undefined) return;
  requireEncoder(record.encoder);
  const folder = await mkdtemp(join(tmpdir(), "stillpress-worker-"));
  const blobs = openPlace(place, folder, { mostBytes: 0 });
  const hands = new Hands(input, blobs, target);
  const ended = AbortSignal.any([signal, hands.failed.signal]);
  try {
    const worker = await openWorker(queueName(record), config.engine.redis, {
      // One more, so that no processor waits while the files of a picture are put.
      ...{ as, concurrency: concurrency + 1, work: hands.work },
      onTrouble: ({ message }) => tell(`trouble: ${message}`),
    });
    tell(`${as} takes ${concurrency} jobs at once of ${queueName(record)}`);
    try {
      while (!ended.aborted) {
        await sleep(tellMs, undefined, { signal: ended }).catch(() => {});
        tell(hands.line());
      }
    } finally {
      await worker.close();
      tell(`${as} is done: ${hands.total} jobs`);
    }
    hands.failed.signal.throwIfAborted();
  } finally {
    await hands.close();
    await blobs.close();
    await target.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What the place says of itself, as soon as a run has joined it; undefined after the signal. */
async function joined(target: Target, { tell, signal }: WorkerInput) {
  for (let told = false; !signal.aborted; told = true) {
    const record = await readPlace(target);
    if (record !== undefined) return record;
    if (!told) tell(`waiting for the first run that uses ${target.name}`);
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

/** @throws ConfigError where the run wants another encoder than this machine has */
function requireEncoder(encoder: string): void {
  const own = encoderVersions();
  if (own === encoder) return;
  throw new ConfigError(`this worker encodes with ${own}, and the run wants ${encoder}`, {
    hint: "install the same version of stillpress on all machines, or tell the run with engine.encoder",
  });
}

/** Does single jobs, and counts them. */
class Hands {
  readonly #input: WorkerInput;
  readonly #blobs: BlobPlace;
  readonly #target: Target;
  readonly #decoders: Decoders;
  /** With the error that this machine fails with again and again. */
  readonly failed = new AbortController();
  #failures = 0;
  #inHand = 0;
  #told = { at: performance.now(), total: 0 };
  total = 0;

  constructor(input: WorkerInput, blobs: BlobPlace, target: Target) {
    this.#input = input;
    this.#blobs = blobs;
    this.#target = target;
    const { limitPixels } = input.config.media;
    const limitMs = limitFor(input.config.crawl);
    this.#decoders = createDecoders({ slots: input.concurrency, limitPixels, limitMs });
  }

  readonly work = async (id: string, data: unknown): Promise<Answer> => {
    this.#inHand++;
    try {
      const answer = await this.#answer(id, Question.parse(data));
      this.#failures = 0;
      this.total++;
      return answer;
    } catch (error) {
      if (error instanceof ImpossibleJob) throw error;
      this.#input.tell(`job ${id} failed: ${(error as Error).message}`);
      const isLast = error instanceof ConfigError || ++this.#failures >= maxFailures;
      if (isLast) this.failed.abort(error);
      throw error;
    } finally {
      this.#inHand--;
    }
  };

  /** What was done since the last line. */
  line(): string {
    const now = performance.now();
    const { at, total } = this.#told;
    this.#told = { at: now, total: this.total };
    const done = this.total - total;
    const seconds = (now - at) / 1_000;
    const rate = `${done} jobs in ${Math.round(seconds)} s (${(done / seconds).toFixed(1)}/s)`;
    return `${rate}, ${this.#inHand} in hand, ${this.total} in all`;
  }

  readonly close = (): Promise<void> => this.#decoders.close();

  async #answer(id: string, question: Question): Promise<Answer> {
    const worker = this.#input.as;
    if (question.ask === "digest")
      return { worker, digest: await this.#blobs.digestOf(question.source) };
    const known = await readResult(this.#target, id);
    if (known !== undefined) return { ...known, worker };
    const answer = { worker, made: await this.#render(question) };
    await keepResult(this.#target, id, answer);
    return answer;
  }

  async #render({ source, type, recorded, encoder, media }: RenderQuestion) {
    if (encoder !== encoderVersions()) {
      requireEncoder((await readPlace(this.#target))?.encoder ?? encoder);
      throw new ImpossibleJob("the job is of an earlier run, with another encoder");
    }
    const facts = { sha256: source, type, recorded };
    // Whoever puts a blob looks first whether it is there.
    const blobs = { ...this.#blobs, has: async () => false };
    // What stands in the queue names no program that is run here.
    const ffmpeg = media.ffmpeg && this.#input.config.media.ffmpeg;
    const tools = { media: { ...media, ffmpeg }, blobs, decoders: this.#decoders };
    try {
      return await blobs.use(source, (path) => renderImage({ ...facts, path }, tools));
    } catch (error) {
      const isMissing = error instanceof StoreError && error.exitCode === exitCodes.damaged;
      throw isMissing ? new ImpossibleJob(error.message) : error;
    }
  }
}
