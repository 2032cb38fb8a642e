import { type ChildProcess, fork } from "node:child_process";
import { z } from "zod";
import { imageFormats } from "../config.ts";
import { exitCodes, StoreError } from "../errors.ts";
import { createBudget } from "../lib/concurrency.ts";
import { DecodeError, type RenderTask } from "./encode.ts";
import { FileFacts } from "./inspect.ts";
import { pixelsOf } from "./variants.ts";

export type DecoderQuestion =
  /** `said`: content type that the answer gave. */
  { ask: "inspect"; path: string; said: string | undefined } | { ask: "render"; task: RenderTask };

export const RenderedFile = z.object({
  plan: z.int().nonnegative(),
  format: z.enum(imageFormats),
  blob: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type RenderedFile = z.infer<typeof RenderedFile>;

/** In base64. */
const ThumbHash = z.base64().min(1).max(36);

/** What a decoder process says. It is checked: a hostile picture may control the process. */
export const DecoderAnswer = z.discriminatedUnion("answer", [
  z.object({ answer: z.literal("facts"), facts: FileFacts }),
  z.object({
    answer: z.literal("rendered"),
    files: z.array(RenderedFile),
    warnings: z.array(z.string()),
    thumbHash: ThumbHash.optional(),
  }),
  /** The picture is no good; see DecodeError. */
  z.object({ answer: z.literal("refused"), reason: z.string(), tooLarge: z.boolean() }),
  /** Something else failed: the file system, if there is a `code`. */
  z.object({ answer: z.literal("failed"), reason: z.string(), code: z.string().optional() }),
]);
export type DecoderAnswer = z.infer<typeof DecoderAnswer>;

/** What a picture was made into. */
type Rendered = Extract<DecoderAnswer, { answer: "rendered" }>;

export interface DecodersOptions {
  /** Processes at a time; each is started when it is needed. */
  slots: number;
  /** Milliseconds after which a process that does not answer is ended. */
  limitMs?: number | undefined;
  /** Ends the processes; open questions are rejected with its reason. */
  signal?: AbortSignal | undefined;
}

/** The process ended without an answer; the message says how. */
export class DecoderCrash extends Error {}

/** The decoder failed for an unknown reason; the message is its own. */
export class DecoderFailure extends Error {}

interface Decoder {
  child: ChildProcess;
  /** Its first message: it is ready for questions. */
  ready: Promise<unknown>;
  ended: Promise<string>;
}

/** Much more than the largest pictures need. Sharp's own time limit should pass before. */
const defaultLimitMs = 900_000;
/** Pixels of all pictures in work at a time; a larger one runs alone. */
const pixelBudget = 50_000_000;

export type Decoders = ReturnType<typeof createDecoders>;

/**
 * Makes a pool of processes that decode pictures, so that a crash costs a picture, not the run. If a process crashes or
 * hangs, a new one gets its question: the picture need not have been the reason.
 */
export function createDecoders({ slots, limitMs = defaultLimitMs, signal }: DecodersOptions) {
  const budget = createBudget(slots, pixelBudget);
  const running = new Set<Decoder>();
  const idle: Decoder[] = [];

  const stop = (): void => {
    for (const { child } of running) child.kill("SIGKILL");
  };
  signal?.addEventListener("abort", stop, { once: true });

  async function askOne(decoder: Decoder, question: DecoderQuestion): Promise<DecoderAnswer> {
    running.add(decoder);
    try {
      const answer = await ask(decoder, question, limitMs);
      idle.push(decoder);
      return answer;
    } catch (error) {
      decoder.child.kill("SIGKILL");
      await decoder.ended;
      running.delete(decoder);
      // `stop` ended it: that is no crash.
      signal?.throwIfAborted();
      throw error;
    }
  }

  function askPool(pixels: number, question: DecoderQuestion): Promise<DecoderAnswer> {
    return budget.run(pixels, async () => {
      signal?.throwIfAborted();
      try {
        return await askOne(idle.pop() ?? startDecoder(), question);
      } catch (error) {
        if (!(error instanceof DecoderCrash || error instanceof StoreError)) throw error;
        return await askOne(startDecoder(), question);
      }
    });
  }

  return {
    /**
     * What a file is; see `inspectFile`.
     *
     * @param said content type of the answer, without parameters
     * @throws DecoderCrash, DecoderFailure, StoreError, the signal's reason, and the errors of the file system
     */
    async inspect(path: string, said: string | undefined): Promise<FileFacts> {
      const answer = await askPool(0, { ask: "inspect", path, said });
      return answer.answer === "facts" ? answer.facts : fail(answer);
    },
    /**
     * Writes all renditions of a picture; see `encodeRenditions`.
     *
     * @throws DecodeError, and as `inspect`
     */
    async render(task: RenderTask): Promise<Rendered> {
      const answer = await askPool(pixelsOf(task.image), { ask: "render", task });
      return answer.answer === "rendered" ? answer : fail(answer);
    },
    /** Ends the processes. Ask nothing afterwards. */
    async close(): Promise<void> {
      signal?.removeEventListener("abort", stop);
      stop();
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

const isSource = import.meta.url.endsWith(".ts");
const program = new URL(`./decoder-process${isSource ? ".ts" : ".js"}`, import.meta.url);
/** Run from its source, as tests and benchmarks do, the program needs the loader for it. */
const execArgv = isSource ? ["--import", "tsx"] : [];

/** What libvips and its fonts read. Other variables are not passed on: one can hold the access token. */
const passedOn =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|SystemRoot|XDG_\w+|FONTCONFIG_\w+|VIPS_\w+)$/;

/** Starts a decoder process, which ends when this process does. */
function startDecoder(): Decoder {
  const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const child = fork(program, [], {
    execArgv,
    // Each arena of glibc keeps memory: two take half the memory of eight, and no more time.
    env: { MALLOC_ARENA_MAX: "2", ...Object.fromEntries(passed) },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    // Without a process there is no exit.
    child.on("error", (error) => {
      if (child.pid === undefined) resolve(error.message);
    });
  });
  return { child, ready: nextMessage(child), ended };
}

/**
 * Asks an idle process one question.
 *
 * @throws DecoderCrash when the process ends, exceeds the time limit or talks nonsense
 * @throws StoreError when it ends before it is ready, which is no picture's fault
 */
async function ask(
  { child, ready, ended }: Decoder,
  question: DecoderQuestion,
  limitMs: number,
): Promise<DecoderAnswer> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, limitMs);
  let begun = false;
  const lost = ended.then((how): never => {
    const reason = late ? `no answer within ${limitMs / 1000} s` : how;
    if (begun) throw new DecoderCrash(reason);
    const message = `the image decoder cannot be started: ${reason}`;
    throw new StoreError(message, { exitCode: exitCodes.disk });
  });
  // An end after the answer does not matter.
  lost.catch(() => {});
  try {
    await Promise.race([ready, lost]);
    begun = true;
    const answered = nextMessage(child);
    child.send(question);
    const { data } = DecoderAnswer.safeParse(await Promise.race([answered, lost]));
    if (data === undefined || !answers(data, question)) throw new DecoderCrash("answered nonsense");
    return data;
  } finally {
    clearTimeout(timer);
  }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once("message", resolve));
}

function answers(answer: DecoderAnswer, question: DecoderQuestion): boolean {
  if (answer.answer === "facts") return question.ask === "inspect";
  if (answer.answer !== "rendered") return true;
  return question.ask === "render" && answer.files.length === question.task.targets.length;
}

function fail(answer: DecoderAnswer): never {
  if (answer.answer === "refused") {
    throw new DecodeError(answer.reason, { tooLarge: answer.tooLarge });
  }
  if (answer.answer !== "failed") throw new Error(`unexpected answer: ${answer.answer}`);
  const { reason, code } = answer;
  if (code === undefined) throw new DecoderFailure(reason);
  throw Object.assign(new Error(`image decoder: ${reason}`), { code });
}
