import { setTimeout as sleep } from "node:timers/promises";
import type { Job, Processor } from "bullmq";
import { ConfigError, EngineError, exitCodes } from "../errors.ts";

/** Milliseconds until a queue that does not answer counts as unreachable. */
const answerMs = 10_000;
/** A worker says so often that it still has its jobs; after this time without it, others take them. */
const lockMs = 30_000;
/** A job may lose its worker so often before its run does it itself. */
const maxLost = 5;
/** How often workers try a job that failed for another reason than its picture. */
const attempts = 5;

const isPostgres = (url: string): boolean => /^postgres/.test(url);

/** An address without user and password. */
export function addressOf(url: string): string {
  if (!URL.canParse(url)) return "the queue";
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** The classes of BullMQ over the queue's own store. @throws ConfigError naming the command that installs what is missing */
async function loadBullMq(url: string) {
  const driver = isPostgres(url) ? "pg" : "ioredis";
  try {
    await import(driver);
    const library = await import("bullmq");
    const classes = isPostgres(url)
      ? (library.withBackend(library.createPostgresBackend) as unknown as typeof library)
      : library;
    // Commands wait while the connection is made again.
    const connection = isPostgres(url) ? url : { url, maxRetriesPerRequest: null };
    return { ...classes, options: { connection } as { connection: { url: string } } };
  } catch (cause) {
    throw new ConfigError(`${addressOf(url)} needs packages that are not installed`, {
      cause,
      hint: `npm install bullmq ${driver}`,
    });
  }
}

/** Says without secrets why a queue cannot be used. */
export function unreachable(url: string, cause: unknown): EngineError {
  const { message, code } = cause as { message?: string; code?: string };
  const [reason = ""] = (message || code || "it does not answer").split("\n", 1);
  const isRefused = /WRONGPASS|NOAUTH|NOPERM|password authentication/i.test(reason);
  const said = isRefused ? "access refused" : reason;
  return new EngineError(`the queue at ${addressOf(url)}: ${said}`, {
    cause,
    exitCode: isRefused ? exitCodes.credentials : exitCodes.disk,
    hint: `check ${isRefused ? "user and password in " : "that it runs and has memory, and "}engine.redis; what is done so far is kept`,
  });
}

/** @throws what the work fails with, or an Error where it takes too long */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const waiting = new AbortController();
  const late = sleep(answerMs, undefined, { signal: waiting.signal }).then((): never => {
    throw new Error("it does not answer");
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    waiting.abort();
  }
}

export interface QueueListeners {
  done(id: string, answer: unknown): void;
  failed(id: string, reason: string): void;
}

export interface QueueState {
  waiting: number;
  /** Names of the workers that are connected. */
  workers: string[];
}

export type JobQueue = Awaited<ReturnType<typeof openQueue>>;

/**
 * Opens the side of a queue that gives jobs.
 *
 * @throws ConfigError where a package is missing
 * @throws EngineError where the queue cannot be reached, or refuses the password
 */
export async function openQueue(name: string, url: string, { done, failed }: QueueListeners) {
  const { Queue, QueueEvents, options } = await loadBullMq(url);
  const queue = new Queue(name, {
    ...options,
    defaultJobOptions: {
      attempts,
      backoff: { type: "exponential", delay: 1_000 },
      // Then the same job can be given again. Its answer goes with the event.
      removeOnComplete: true,
      removeOnFail: true,
    },
  });
  const broken = new Promise<never>((_, reject) => queue.on("error", reject));
  broken.catch(() => {});
  try {
    await inTime(Promise.race([queue.waitUntilReady(), broken]));
  } catch (error) {
    await queue.disconnect().catch(() => {});
    throw unreachable(url, error);
  }
  const events = new QueueEvents(name, options);
  // It connects again by itself.
  events.on("error", () => {});
  events.on("completed", ({ jobId, returnvalue }) => done(jobId, returnvalue));
  events.on("failed", ({ jobId, failedReason }) => failed(jobId, failedReason));
  await events.waitUntilReady();
  return {
    /** Gives jobs. One that lies there already stays as it is. */
    async add(jobs: readonly { id: string; data: unknown }[]): Promise<void> {
      await inTime(
        queue.addBulk(jobs.map(({ id, data }) => ({ name: "job", data, opts: { jobId: id } }))),
      );
    },
    async state(): Promise<QueueState> {
      const counts = await inTime(queue.getJobCounts("wait", "delayed"));
      const workers = await inTime(queue.getWorkers()).catch(() => []);
      const names = workers.map(({ name: full = "" }) => full.replace(/^.*:w:/, ""));
      return { waiting: (counts.wait ?? 0) + (counts.delayed ?? 0), workers: [...new Set(names)] };
    },
    async close(): Promise<void> {
      await Promise.all([queue.disconnect(), events.close()].map((one) => one.catch(() => {})));
    },
  };
}

export interface WorkerOptions {
  /** Of the worker, for people. */
  as: string;
  concurrency: number;
  /** @throws NoSource where the original is not where it should be; anything else is tried again */
  work: (id: string, data: unknown) => Promise<unknown>;
  /** The connection broke; it is made again. */
  onTrouble: (error: Error) => void;
}

/** The job cannot be done by any worker. */
export class NoSource extends Error {}

/**
 * Opens the side of a queue that takes jobs. `close` waits for those in hand.
 *
 * @throws as `openQueue`
 */
export async function openWorker(name: string, url: string, options: WorkerOptions) {
  const { as, concurrency, work, onTrouble } = options;
  const { UnrecoverableError, Worker, options: shared } = await loadBullMq(url);
  const process: Processor = async ({ id = "", data }: Job) => {
    try {
      return await work(id, data);
    } catch (error) {
      throw error instanceof NoSource ? new UnrecoverableError(error.message) : error;
    }
  };
  const worker = new Worker(name, process, {
    ...{ ...shared, name: as, concurrency, autorun: false },
    ...{ lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: maxLost },
  });
  const broken = new Promise<never>((_, reject) => worker.on("error", reject));
  broken.catch(() => {});
  try {
    await inTime(Promise.race([worker.waitUntilReady(), broken]));
  } catch (error) {
    await worker.disconnect().catch(() => {});
    throw unreachable(url, error);
  }
  worker.on("error", onTrouble);
  const running = worker.run();
  running.catch(onTrouble);
  return {
    async close(): Promise<void> {
      await worker.close();
      await running.catch(() => {});
    },
  };
}
