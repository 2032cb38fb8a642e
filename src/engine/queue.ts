import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "bullmq";
import { ConfigError, exitCodes, TargetError } from "../errors.ts";

/** Milliseconds until a queue that does not answer counts as unreachable. */
const answerMs = 10_000;
/** A worker says twice in this time that it still has its jobs; then others take them. */
const lockMs = 30_000;
/** A job may lose its worker so often before it counts as failed. */
const maxLost = 5;
/** How often workers try a job that failed for another reason than its picture. */
const attempts = 5;

const isPostgres = (url: string): boolean => /^postgres/.test(url);

/** The address without user and password. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return "engine.redis";
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/**
 * The classes of BullMQ, for a queue that was found to answer.
 *
 * @throws ConfigError naming the command that installs what is missing
 * @throws TargetError where the queue cannot be reached, or refuses the password
 */
async function loadBullMq(url: string) {
  const library = await importBullMq(url);
  if (!isPostgres(url)) await tryRedis(url);
  const { createPostgresBackend, withBackend } = library;
  const classes = isPostgres(url)
    ? (withBackend(createPostgresBackend) as unknown as typeof library)
    : library;
  // Commands wait while the connection is made again.
  const connection = isPostgres(url) ? url : { url, maxRetriesPerRequest: null };
  return { ...classes, options: { connection } as { connection: { url: string } } };
}

async function importBullMq(url: string) {
  const driver = isPostgres(url) ? "pg" : "ioredis";
  try {
    await import(driver);
    return await import("bullmq");
  } catch (cause) {
    throw new ConfigError(`the packages for ${addressOf(url)} are not installed`, {
      cause,
      hint: `npm install bullmq ${driver}`,
    });
  }
}

/** Says without secrets why a queue cannot be used. */
export function unreachable(url: string, cause: unknown): TargetError {
  const { message, code } = cause as { message?: string; code?: string };
  const [reason = ""] = (message || code || "it does not answer").split("\n", 1);
  const isRefused = /WRONGPASS|NOAUTH|NOPERM|password authentication/i.test(reason);
  const said = isRefused ? "access refused" : reason;
  return new TargetError(`the queue at ${addressOf(url)}: ${said}`, {
    cause,
    exitCode: isRefused ? exitCodes.credentials : exitCodes.disk,
    hint: `check engine.redis${isRefused ? "" : ", and that the queue runs and has memory"}; what is done so far is kept`,
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

/** Tries the connection once; later ones are made again and again. @throws TargetError where there is none */
async function tryRedis(url: string): Promise<void> {
  const { Redis } = await import("ioredis");
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  let broken: unknown;
  client.on("error", (error) => {
    broken ??= error;
  });
  try {
    await inTime(client.connect());
    await inTime(client.ping());
  } catch (error) {
    throw unreachable(url, broken ?? error);
  } finally {
    client.disconnect();
  }
}

export interface QueueListeners {
  done(id: string, answer: unknown): void;
  failed(id: string, reason: string): void;
}

export type JobQueue = Awaited<ReturnType<typeof openQueue>>;

/** Opens the side of a queue that gives jobs. @throws as `loadBullMq` */
export async function openQueue(name: string, url: string, { done, failed }: QueueListeners) {
  const { Queue, QueueEvents, options } = await loadBullMq(url);
  // Finished jobs leave at once, so that the same one can be given again. Their answers go with the events.
  const kept = { removeOnComplete: true, removeOnFail: true };
  const backoff = { type: "exponential", delay: 1_000 };
  const queue = new Queue(name, { ...options, defaultJobOptions: { ...kept, attempts, backoff } });
  queue.on("error", () => {});
  const events = new QueueEvents(name, options);
  events.on("completed", ({ jobId, returnvalue }) => done(jobId, returnvalue));
  events.on("failed", ({ jobId, failedReason }) => failed(jobId, failedReason));
  events.on("error", () => {});
  await events.waitUntilReady();
  return {
    /** Gives jobs. One that lies there already stays as it is. */
    async add(jobs: readonly { id: string; data: unknown }[]): Promise<void> {
      const all = jobs.map(({ id, data }) => ({ name: "job", data, opts: { jobId: id } }));
      await inTime(queue.addBulk(all));
    },
    /** How many jobs wait, and the names of the workers that are connected. */
    async state(): Promise<{ waiting: number; workers: string[] }> {
      const { wait = 0, delayed = 0 } = await inTime(queue.getJobCounts("wait", "delayed"));
      const workers = await inTime(queue.getWorkers());
      const names = workers.map(({ rawname = "" }) => rawname.replace(/^.*:w:/, ""));
      return { waiting: wait + delayed, workers: [...new Set(names)] };
    },
    async close(): Promise<void> {
      const ends = [queue.disconnect(), events.close()];
      await Promise.all(ends.map((one) => inTime(one).catch(() => {})));
    },
  };
}

/** The job cannot be done by any worker. */
export class ImpossibleJob extends Error {}

export interface WorkerOptions {
  /** Of the worker, for people. */
  as: string;
  concurrency: number;
  /** @throws ImpossibleJob where the original is not where it should be; anything else is tried again */
  work: (id: string, data: unknown) => Promise<unknown>;
  /** The connection broke; it is made again. */
  onTrouble: (error: Error) => void;
}

/** Opens the side of a queue that takes jobs. `close` waits for those in hand. @throws as `loadBullMq` */
export async function openWorker(name: string, url: string, options: WorkerOptions) {
  const { as, concurrency, work, onTrouble } = options;
  const { UnrecoverableError, Worker, options: shared } = await loadBullMq(url);
  const process = async ({ id = "", data }: Job) => {
    try {
      return await work(id, data);
    } catch (error) {
      throw error instanceof ImpossibleJob ? new UnrecoverableError(error.message) : error;
    }
  };
  const worker = new Worker(name, process, {
    ...{ ...shared, name: as, concurrency, autorun: false },
    ...{ lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: maxLost },
  });
  worker.on("error", onTrouble);
  const running = worker.run().catch(onTrouble);
  return {
    async close(): Promise<void> {
      await worker.close();
      await running;
    },
  };
}
