import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { totalmem } from "node:os";
import { parse, resolve } from "node:path";
import { z } from "zod";
import { imageFormats } from "../config.ts";
import { exitCodes, StoreError } from "../errors.ts";
import { createBudget } from "../lib/concurrency.ts";
import { hideEnvironment } from "../lib/environment.ts";
import { StoredFile } from "../store/media.ts";
import { DecodeError, type RenderTask } from "./encode.ts";
import { FileFacts, type Hints } from "./inspect.ts";
import type { Unwanted } from "./metadata.ts";
import { pixelsOf } from "./variants.ts";

export type DecoderQuestion =
  | ({ ask: "inspect"; path: string } & Hints)
  | { ask: "render"; task: RenderTask }
  | { ask: "strip"; task: StripTask };

/** The copy of a picture to write without metadata. */
export interface StripTask {
  path: string;
  /** Content type, from the file itself. */
  type: string;
  what: Unwanted;
  target: string;
}

export const RenderedFile = StoredFile.extend({
  plan: z.int().nonnegative(),
  format: z.enum(imageFormats),
});
export type RenderedFile = z.infer<typeof RenderedFile>;

/** What a decoder process says. It is checked: a hostile picture may control the process. */
export const DecoderAnswer = z.discriminatedUnion("answer", [
  z.object({ answer: z.literal("facts"), facts: FileFacts }),
  z.object({
    answer: z.literal("rendered"),
    files: z.array(RenderedFile),
    warnings: z.array(z.string()),
    thumbHash: z.base64().min(1).max(36).optional(),
  }),
  z.object({ answer: z.literal("stripped"), copy: StoredFile.nullable() }),
  /** The picture is no good; see DecodeError. */
  z.object({ answer: z.literal("refused"), reason: z.string(), tooLarge: z.boolean() }),
  /** Something else failed: the file system, if there is a `code`. */
  z.object({ answer: z.literal("failed"), reason: z.string(), code: z.string().optional() }),
]);
export type DecoderAnswer = z.infer<typeof DecoderAnswer>;

const answersTo = { inspect: "facts", render: "rendered", strip: "stripped" } as const;
type AnswerTo<Q extends DecoderQuestion> = Extract<
  DecoderAnswer,
  { answer: (typeof answersTo)[Q["ask"]] }
>;

export interface DecodersOptions {
  /** Processes at a time; each is started when it is needed. */
  slots: number;
  /** Pixels that a picture may have: `media.limitPixels`. Decoders may take memory for as many. */
  limitPixels?: number;
  /** Milliseconds that a picture may take at most, if the limit of its kind is not shorter. */
  limitMs?: number | undefined;
  /** Ends the processes at work; open questions are rejected with its reason. */
  signal?: AbortSignal | undefined;
}

/** The process ended without an answer; the message says how. */
export class DecoderCrash extends Error {
  /** Whether it exceeded the time limit. */
  late = false;
}

/** The decoder failed for an unknown reason; the message is its own. */
export class DecoderFailure extends Error {}

type Decoder = ReturnType<typeof startDecoder>;

/** Milliseconds for the largest pictures on slow machines, and for headers and drawings. */
const limitsMs = { pixels: 600_000, other: 60_000 };
/** Pixels of all pictures in work at a time; a larger one runs alone. */
const pixelBudget = 50_000_000;

export type Decoders = ReturnType<typeof createDecoders>;

/**
 * Makes a pool of processes that decode pictures, so that a crash costs a picture, not the run. If a process crashes, a
 * new one gets its question: the picture need not have been the reason. One that takes too long is ended, whatever code
 * it is in.
 */
export function createDecoders(options: DecodersOptions) {
  const { slots, limitPixels = 100_000_000, limitMs = limitsMs.pixels, signal } = options;
  const budget = createBudget(slots, pixelBudget);
  const running = new Set<Decoder>();
  const idle: Decoder[] = [];
  let late = 0;

  function limitOf(question: DecoderQuestion): number {
    const isLong = question.ask === "render" && !question.task.image.svg;
    const most = Math.min(limitMs, isLong ? limitsMs.pixels : limitsMs.other);
    // The more pictures take too long, the less time has each: a thousand of them must not cost the night.
    return Math.max(most / 6, most / (1 + late));
  }

  async function askOne(decoder: Decoder, question: DecoderQuestion, signals: AbortSignal[]) {
    const giveUp = (): unknown => decoder.child.kill("SIGKILL");
    for (const one of signals) one.addEventListener("abort", giveUp);
    running.add(decoder);
    try {
      const answer = await ask(decoder, question, limitOf(question));
      idle.push(decoder);
      return answer;
    } catch (error) {
      giveUp();
      await decoder.ended;
      running.delete(decoder);
      // A signal ended it: that is no crash.
      for (const one of signals) one.throwIfAborted();
      throw error;
    } finally {
      for (const one of signals) one.removeEventListener("abort", giveUp);
    }
  }

  async function askPool<Q extends DecoderQuestion>(
    pixels: number,
    question: Q,
    given?: AbortSignal,
  ) {
    const signals = [signal, given].filter((one) => one !== undefined);
    const answer = await budget.run(pixels, async () => {
      for (const one of signals) one.throwIfAborted();
      try {
        return await askOne(idle.pop() ?? startDecoder(limitPixels), question, signals);
      } catch (error) {
        if (error instanceof DecoderCrash && error.late) late++;
        else if (error instanceof DecoderCrash || error instanceof StoreError) {
          return await askOne(startDecoder(limitPixels), question, signals);
        }
        throw error;
      }
    });
    if (answer.answer === "refused") throw new DecodeError(answer.reason, answer);
    if (answer.answer !== "failed") return answer as AnswerTo<Q>;
    const { reason, code } = answer;
    if (code === undefined) throw new DecoderFailure(reason);
    throw Object.assign(new Error(`image decoder: ${reason}`), { code });
  }

  return {
    /**
     * What a file is; see `inspectFile`.
     *
     * @param given gives the question up
     * @throws DecoderCrash, DecoderFailure, StoreError, a signal's reason, and the errors of the file system
     */
    async inspect(path: string, hints: Hints = {}, given?: AbortSignal): Promise<FileFacts> {
      return (await askPool(0, { ask: "inspect", path: resolve(path), ...hints }, given)).facts;
    },
    /** Writes all renditions of a picture; see `encodeRenditions`. @throws DecodeError, and as `inspect` */
    async render(task: RenderTask, given?: AbortSignal) {
      const targets = task.targets.map((target) => resolve(target));
      const located = { ...task, path: resolve(task.path), targets };
      return await askPool(pixelsOf(task.image), { ask: "render", task: located }, given);
    },
    /** Writes a copy of a picture without metadata; null where none can be made. @throws as `inspect` */
    async strip(task: StripTask) {
      const located = { ...task, path: resolve(task.path), target: resolve(task.target) };
      return (await askPool(0, { ask: "strip", task: located })).copy;
    },
    /** Ends the processes. Ask nothing afterwards. */
    async close(): Promise<void> {
      for (const { child } of running) child.kill("SIGKILL");
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

const isSource = import.meta.url.endsWith(".ts");
const program = new URL(`./decoder-process${isSource ? ".ts" : ".js"}`, import.meta.url);
/** Run from its source, as tests and benchmarks do, the program needs the loader for it. */
const loader = isSource ? ["--import", createRequire(import.meta.url).resolve("tsx")] : [];

/** What libvips and its fonts read. Other variables are not passed on: one can hold the access token. */
const passedOn =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|SystemRoot|XDG_\w+|FONTCONFIG_\w+|VIPS_\w+)$/;
const shell = "/bin/sh";

/** Starts a decoder process in a folder where it finds nothing. It ends when this process does. */
function startDecoder(limitPixels: number) {
  // The largest pictures were measured at 18 bytes for each pixel.
  const bytes = Math.min(2 ** 30 + 16 * limitPixels, Math.max(2 ** 30, totalmem() / 2));
  // Becomes the decoder, which leaves no core dump and has a limit of memory. macOS ignores the latter.
  const limiter = `ulimit -c 0; ulimit -d ${Math.floor(bytes / 1024)} 2>/dev/null; exec "$0" "$@"`;
  // A decoder that a picture controls can read the environment of its parent, too.
  hideEnvironment((name) => passedOn.test(name));
  const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  const limited = existsSync(shell)
    ? { execPath: shell, execArgv: ["-c", limiter, process.execPath, ...loader] }
    : { execArgv: loader };
  const child = fork(program, [], {
    ...limited,
    cwd: parse(process.execPath).root,
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
  // Its first message says that it is ready for questions.
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
    const reason = late ? `no answer within ${Math.round(limitMs / 1000)} s` : how;
    if (begun) throw Object.assign(new DecoderCrash(reason), { late });
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
  if (answer.answer === "refused" || answer.answer === "failed") return true;
  if (answer.answer !== answersTo[question.ask]) return false;
  if (answer.answer !== "rendered" || question.ask !== "render") return true;
  // An animation of which only the first frame can be read has no moving rendition.
  const { targets, plans } = question.task;
  const stills = targets.length - plans.filter(({ frames }) => frames !== undefined).length;
  return answer.files.length >= stills && answer.files.length <= targets.length;
}
