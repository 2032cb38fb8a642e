import { setTimeout as sleep } from "node:timers/promises";
import { BudgetError, type StillpressError } from "../errors.ts";
import type { JobCounts } from "../media/renderer.ts";
import { Answer, idOf, type Question } from "./job.ts";
import { type JobQueue, openQueue, unreachable } from "./queue.ts";
import type { Results } from "./results.ts";

export interface QuestionsOptions {
  /** Of the queue. */
  name: string;
  url: string;
  results: Pick<Results, "read" | "remove">;
  /** Whether an answer is what it says, such as that its blobs are there. */
  isRight: (answer: Answer, question: Question) => Promise<boolean>;
  /** Seconds to wait for workers, and for a queue that went away. */
  patience: number;
  /** Nobody is there to take jobs. */
  onAlone?: () => void;
}

/** An answer that has not come yet. */
interface Open {
  question: Question;
  /** When it was sent last, in milliseconds of this process. */
  sent: number;
  failures: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** No worker could do a job. */
export class JobFailure extends Error {}

/** A question without an answer is sent again: its job, or the event that it is done, may be lost. */
const resendMs = 30_000;
const lookMs = 2_000;
/** Workers may need so long to come. */
const aloneMs = 10_000;
/** Wrong answers, and failures after all attempts of workers, until a job is given up. */
const maxFailures = 3;
/** Jobs that are sent at once. */
const bulk = 200;

/**
 * Asks workers, and takes nothing for granted: what the queue loses is sent again, what a worker answers is checked, and
 * the first right answer counts. A question that was answered before is not asked again.
 */
export class Questions {
  readonly counts: JobCounts = { done: 0, known: 0, again: 0 };
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  readonly #asked = new Map<string, Promise<Answer>>();
  readonly #byWorker = new Map<string, { first: number; done: number }>();
  readonly #closed = new AbortController();
  #queue: JobQueue | undefined;
  #outbox: string[] = [];
  #sending: Promise<void> | undefined;
  #state = { waiting: 0, workers: [] as string[] };
  /** When somebody was last seen to work, and when the queue last answered. */
  #seen = { worker: performance.now(), queue: performance.now() };
  #trouble: unknown;
  /** Whether the queue answers, but takes no jobs, as when it is full. */
  #isRefused = false;
  #failure: unknown;
  #isAlone = false;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** @throws as `openQueue` */
  async start(): Promise<void> {
    const { name, url } = this.#options;
    this.#queue = await openQueue(name, url, {
      done: (id, answer) => void this.#take(id, answer),
      failed: (id, reason) => this.#failed(id, reason),
    });
    void this.#watch();
  }

  /**
   * @throws JobFailure where no worker can do it
   * @throws BudgetError without workers, EngineError without a queue; what `stop` was called with
   */
  ask(question: Question): Promise<Answer> {
    const id = idOf(question);
    const asked = this.#asked.get(id);
    if (asked !== undefined) return asked;
    const answer = this.#answerTo(id, question).finally(() => this.#asked.delete(id));
    this.#asked.set(id, answer);
    return answer;
  }

  /** What is going on, for people. */
  note(): string {
    const { waiting, workers } = this.#state;
    const now = performance.now();
    const rates = [...this.#byWorker]
      .filter(([worker]) => workers.includes(worker))
      .map(([worker, { first, done }]) => {
        return `${worker} ${((done * 1_000) / Math.max(now - first, 1_000)).toFixed(1)}/s`;
      });
    const few = rates.slice(0, 4).join(", ") + (rates.length > 4 ? " …" : "");
    const queued = `${waiting} jobs queued, ${workers.length} workers`;
    return few === "" ? queued : `${queued}: ${few}`;
  }

  /** Ends all that is open. */
  stop(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#queue?.close();
  }

  async #answerTo(id: string, question: Question): Promise<Answer> {
    if (question.ask === "render") {
      const known = await this.#options.results.read(id);
      if (known !== undefined && (await this.#options.isRight(known, question))) {
        this.counts.known++;
        return known;
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
    return await new Promise((resolve, reject) => {
      this.#open.set(id, { question, sent: performance.now(), failures: 0, resolve, reject });
      this.#send(id);
    });
  }

  #send(id: string): void {
    this.#outbox.push(id);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  /** What cannot be sent now is sent again later. */
  async #sendAll(): Promise<void> {
    // What is asked in one go is sent in one go.
    await sleep(2);
    while (this.#outbox.length > 0) {
      const jobs = this.#outbox.splice(0, bulk).flatMap((id) => {
        const open = this.#open.get(id);
        return open === undefined ? [] : [{ id, data: open.question }];
      });
      try {
        await this.#queue?.add(jobs);
        this.#isRefused = false;
      } catch (error) {
        this.#trouble = error;
        this.#isRefused = true;
        for (const { id } of jobs) {
          const open = this.#open.get(id);
          if (open !== undefined) open.sent = Number.NEGATIVE_INFINITY;
        }
      }
    }
  }

  async #take(id: string, said: unknown): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    const { data: answer } = Answer.safeParse(said);
    try {
      const isRight = answer !== undefined && (await this.#options.isRight(answer, open.question));
      if (!isRight) {
        await this.#options.results.remove(id);
        return this.#failed(id, "the answer was not right");
      }
      // Another answer may have come meanwhile.
      if (!this.#open.delete(id)) return;
      this.counts.done++;
      this.#note(answer.worker);
      open.resolve(answer);
    } catch (error) {
      if (this.#open.delete(id)) open.reject(error);
    }
  }

  #note(worker: string): void {
    const now = performance.now();
    this.#seen = { worker: now, queue: now };
    const known = this.#byWorker.get(worker) ?? { first: now, done: 0 };
    known.done++;
    this.#byWorker.set(worker, known);
  }

  #failed(id: string, reason: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    open.failures++;
    if (open.failures < maxFailures) this.#sendAgain([id]);
    else if (this.#open.delete(id)) open.reject(new JobFailure(reason));
  }

  #sendAgain(ids: readonly string[]): void {
    for (const id of ids) {
      const open = this.#open.get(id);
      if (open === undefined) continue;
      open.sent = performance.now();
      this.counts.again++;
      this.#send(id);
    }
  }

  /** Looks after the queue and its workers until the end. */
  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#look();
      const now = performance.now();
      const failure = this.#gone(now);
      if (failure !== undefined) this.stop(failure);
      const late = [...this.#open].filter(([, { sent }]) => now - sent > resendMs);
      this.#sendAgain(late.map(([id]) => id));
      await sleep(lookMs, undefined, { signal }).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    try {
      const state = await this.#queue?.state();
      const now = performance.now();
      if (!this.#isRefused) this.#seen.queue = now;
      if (state !== undefined) this.#state = state;
      if (this.#state.workers.length > 0) this.#seen.worker = now;
    } catch (error) {
      this.#trouble = error;
    }
  }

  /** Why there is no use in waiting longer. */
  #gone(now: number): StillpressError | undefined {
    const { patience, url, onAlone } = this.#options;
    // Only who waits misses anybody.
    if (this.#open.size === 0) this.#seen = { worker: now, queue: now };
    if (now - this.#seen.queue > patience * 1_000) return unreachable(url, this.#trouble);
    const alone = now - this.#seen.worker;
    if (alone > aloneMs && !this.#isAlone) {
      this.#isAlone = true;
      onAlone?.();
    }
    if (alone <= patience * 1_000) return undefined;
    return new BudgetError(`no worker took a job for ${patience} s`, {
      hint: 'start "stillpress worker" and run again: it goes on where this run stopped',
    });
  }
}
