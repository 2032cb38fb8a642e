import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DecoderAnswer, type DecoderQuestion } from "./decoder-messages.ts";

/** A process that decodes pictures, so that one that makes the decoder crash ends it and not the run. */
export interface Decoder {
  /** False as soon as the process has ended. */
  readonly running: boolean;
  /**
   * Asks one question; the next one must wait for its answer.
   *
   * @throws DecoderCrash when the process ends, exceeds the time limit or talks nonsense; it is of no more use then
   * @throws DecoderNotStarted when it ended before it had begun
   */
  ask(question: DecoderQuestion, limitMs: number): Promise<DecoderAnswer>;
  /** Ends the process, whatever it does. */
  end(): Promise<void>;
}

/** The process ended without an answer; the message says how. */
export class DecoderCrash extends Error {}

/** The process could not be started, which is no picture's fault. */
export class DecoderNotStarted extends Error {}

const source = import.meta.url.endsWith(".ts");
const program = fileURLToPath(
  new URL(`./decoder-process${source ? ".ts" : ".js"}`, import.meta.url),
);
/** Run from its source, as tests and benchmarks do, the program needs the loader for it. */
const execArgv = source ? ["--import", "tsx"] : [];

/** What libvips and its fonts look at. Everything else stays here: the environment can hold the access token. */
const passedOn =
  /^(?:PATH|HOME|TMPDIR|TEMP|TMP|LANG|LC_\w+|TZ|LD_LIBRARY_PATH|SystemRoot|XDG_\w+|FONTCONFIG_\w+|VIPS_\w+)$/;

function environment(): NodeJS.ProcessEnv {
  const passed = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  // Each arena of glibc keeps what pictures leave behind: two take half the memory of eight, and no more time.
  return { MALLOC_ARENA_MAX: "2", ...Object.fromEntries(passed) };
}

/** Starts a decoder process; it ends by itself when this process does, however that comes. */
export function startDecoder(): Decoder {
  const child = fork(program, [], {
    execArgv,
    env: environment(),
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  let fault: Error | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    // Without a process there is no exit.
    child.on("error", (error) => {
      fault = error;
      if (child.pid === undefined) resolve();
    });
  });
  const ready = firstAnswer(child);

  return {
    get running() {
      return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    },
    async ask(question, limitMs) {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, limitMs);
      const how = (): string => {
        if (late) return `no answer within ${limitMs / 1000} s`;
        return child.pid === undefined ? (fault?.message ?? "no process") : endOf(child);
      };
      try {
        const started = await Promise.race([ready.then(() => true), ended]);
        if (started === undefined) throw new DecoderNotStarted(how());
        const answered = firstAnswer(child);
        child.send(question);
        const answer = await Promise.race([answered, ended]);
        if (answer === undefined) throw new DecoderCrash(how());
        const { data, error } = DecoderAnswer.safeParse(answer);
        if (data === undefined || !answers(data, question)) {
          throw new DecoderCrash("answered nonsense", { cause: error });
        }
        return data;
      } finally {
        clearTimeout(timer);
      }
    },
    async end() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Whether it is what was asked for, or says why not. */
function answers(answer: DecoderAnswer, question: DecoderQuestion): boolean {
  switch (answer.answer) {
    case "ready":
      return false;
    case "facts":
      return question.ask === "inspect";
    case "rendered":
      return question.ask === "render" && answer.files.length === question.task.targets.length;
    default:
      return true;
  }
}

function firstAnswer(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once("message", resolve));
}

function endOf({ signalCode, exitCode }: ChildProcess): string {
  return signalCode ?? `exit code ${exitCode}`;
}
