import { setTimeout as sleep } from "node:timers/promises";
import { BudgetError, type StillpressError, TargetError } from "../errors.ts";
import { plural } from "../lib/words.ts";
import type { JobCounts } from "../media/renderer.ts";
import type { Target } from "../targets/target.ts";
import { Answer, idOf, type Question } from "./job.ts";
import { type JobQueue, openQueue, unreachable } from "./queue.ts";
import { readResult, resultKey } from "./results.ts";

export interface QuestionsOptions {
  /** Of the queue. */
  name: string;
  url: string;
  /** Where results lie. */
  target: Target;
  /** Whether an answer is what it says, such as that its blobs are there. */
  isRight: (answer: Answer, question: Question) => Promise<boolean>;
  /** Seconds to wait for workers, and for a queue that went away. */
  patience: number;
}

/** A question without an answer. */
interface Open {
  question: Question;
  /** When it was sent last, in milliseconds of this process. */
  sent: number;
  failures: number;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** No worker could do a job. */
export class JobFailure extends TargetError {}

/** A question without an answer is sent again: its job, or the event that it is done, may be lost. */
const resendMs = 30_000;
const lookMs = 2_000;
/** Wrong answers, and failures after all attempts of workers, until a job is given up. */
const maxFailures = 3;

/**
 * Asks workers, and takes nothing for granted: what the queue loses is sent again, what a worker answers is checked, and
 * the first right answer counts. What was answered before is not asked again.
 */
export class Questions {
  readonly counts: JobCounts = { done: 0, known: 0, again: 0 };
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  readonly #asked = new Map<string, Promise<Answer>>();
  readonly #byWorker = new Map<string, { since: number; done: number }>();
  #queue: JobQueue | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #outbox = new Set<string>();
  #sending: Promise<void> | undefined;
  #state: Awaited<ReturnType<JobQueue["state"]>> = { waiting: 0, workers: [] };
  /** When a worker and the queue were last known to be there. */
  #seen = { worker: performance.now(), queue: performance.now() };
  #trouble: unknown;
  /** Whether the queue takes no jobs, as when it is full. */
  #isRefused = false;
  #failure: unknown;

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
    this.#timer = setInterval(() => void this.#look(), lookMs);
  }

  /**
   * @throws JobFailure where no worker can do it
   * @throws BudgetError without workers, TargetError without a queue; what `stop` was called with
   */
  ask(question: Question): Promise<Answer> {
    const id = idOf(question);
    const asked =
      this.#asked.get(id) ?? this.#answerTo(id, question).finally(() => this.#asked.delete(id));
    this.#asked.set(id, asked);
    return asked;
  }

  /** What is going on, for people. */
  note(): string {
    const { workers } = this.#state;
    const waiting = plural(Math.min(this.#state.waiting, this.#open.size), "job");
    const rates = workers.slice(0, 4).map((worker) => {
      const { since, done } = this.#byWorker.get(worker) ?? { since: 0, done: 0 };
      return `${worker} ${((done * 1_000) / (performance.now() - since)).toFixed(1)}/s`;
    });
    const more = workers.length > rates.length ? " …" : "";
    return [`${waiting} queued`, plural(workers.length, "worker"), ...rates].join(", ") + more;
  }

  stop(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue?.close();
  }

  async #answerTo(id: string, question: Question): Promise<Answer> {
    const { target, isRight } = this.#options;
    const known = question.ask === "render" ? await readResult(target, id) : undefined;
    if (known !== undefined && (await isRight(known, question))) {
      this.counts.known++;
      return known;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return await new Promise((resolve, reject) => {
      this.#open.set(id, { question, sent: 0, failures: 0, resolve, reject });
      this.#send(id);
    });
  }

  #send(id: string): void {
    this.#outbox.add(id);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    // What is asked in one go is sent in one go.
    await sleep(2);
    while (this.#outbox.size > 0) {
      const jobs = [...this.#outbox].flatMap((id) => {
        const open = this.#open.get(id);
        if (open === undefined) return [];
        open.sent = performance.now();
        return [{ id, data: open.question }];
      });
      this.#outbox.clear();
      try {
        await this.#queue?.add(jobs);
        this.#isRefused = false;
      } catch (error) {
        this.#trouble = error;
        this.#isRefused = true;
      }
    }
  }

  async #take(id: string, said: unknown): Promise<void> {
    const { target, isRight } = this.#options;
    const open = this.#open.get(id);
    if (open === undefined) return;
    const { data: answer } = Answer.safeParse(said);
    try {
      if (answer === undefined || !(await isRight(answer, open.question))) {
        await target.remove(resultKey(id));
        return this.#failed(id, "the answer was not right");
      }
    } catch (error) {
      if (this.#open.delete(id)) open.reject(error);
    }
    // Another answer may have come meanwhile.
    if (answer === undefined || !this.#open.delete(id)) return;
    this.counts.done++;
    const now = performance.now();
    this.#seen = { worker: now, queue: now };
    const by = this.#byWorker.get(answer.worker) ?? { since: now - 1_000, done: 0 };
    by.done++;
    this.#byWorker.set(answer.worker, by);
    open.resolve(answer);
  }

  #failed(id: string, reason: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    if (++open.failures < maxFailures) this.#sendAgain(id);
    else if (this.#open.delete(id)) open.reject(new JobFailure(`workers gave up: ${reason}`));
  }

  #sendAgain(id: string): void {
    if (!this.#outbox.has(id)) this.counts.again++;
    this.#send(id);
  }

  async #look(): Promise<void> {
    try {
      this.#state = (await this.#queue?.state()) ?? this.#state;
      const now = performance.now();
      if (!this.#isRefused) this.#seen.queue = now;
      if (this.#state.workers.length > 0) this.#seen.worker = now;
    } catch (error) {
      this.#trouble = error;
    }
    const now = performance.now();
    // Only who waits misses anybody.
    if (this.#open.size === 0) this.#seen = { worker: now, queue: now };
    const gone = this.#goneAt(now);
    if (gone !== undefined) return this.stop(gone);
    const afterMs = this.#isRefused ? lookMs : resendMs;
    for (const [id, { sent }] of this.#open) if (now - sent > afterMs) this.#sendAgain(id);
  }

  /** Why there is no use in waiting longer. */
  #goneAt(now: number): StillpressError | undefined {
    const { patience, url } = this.#options;
    const { worker, queue } = this.#seen;
    if (now - queue > patience * 1_000) return unreachable(url, this.#trouble);
    if (now - worker <= patience * 1_000) return undefined;
    return new BudgetError(`no worker took a job for ${patience} s`, {
      hint: 'start "stillpress worker" and run again: it goes on where this run stopped',
    });
  }
}
