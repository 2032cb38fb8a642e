import { type ChildProcess, spawn } from "node:child_process";
import { type Press, type PressOptions, type Run, startPress } from "../../support/archive.ts";
import { createWatch, type Watch } from "./watch.ts";

/** An origin that is watched, and the command to be run on it again and again. */
export interface Ground {
  press: Press;
  watch: Watch;
  /** Starts the command with an output folder of its own. */
  start(command: string, out: string, settings?: StartSettings): Started;
  close(): Promise<void>;
}

export interface StartSettings {
  /** Seconds since 1970 that stand for the clock wherever a time would reach the output. */
  epoch?: number;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** A run of the command under way. */
export interface Started {
  child: ChildProcess;
  /** Its pid, which also is the name of the session that all its processes belong to; 0 where it did not start. */
  session: number;
  ended: Promise<Ended>;
}

export interface Ended extends Run {
  /** Milliseconds from the start to the end of the process. */
  ms: number;
}

const command = new URL("../../../dist/cli/main.js", import.meta.url).pathname;

/** Little work per image and page, so that a run of hundreds of requests takes seconds. */
const smallMedia = {
  formats: ["jpeg"],
  web: { width: 160 },
  thumbs: { square: [32, 32], portrait: [32, 48], landscape: [48, 32] },
  variants: [],
};

/** Starts an origin with the interceptor of a watch and a configuration that makes little of each item. */
export async function startGround(options: PressOptions): Promise<Ground> {
  const watch = createWatch();
  const press = await startPress({
    ...options,
    origin: { intercept: watch.intercept, ...options.origin },
    config: {
      media: smallMedia,
      mirror: { filters: [], emptyLists: false },
      ...options.config,
      origin: { rate: { requests: 1_000_000, perSeconds: 1 }, ...options.config?.origin },
    },
  });
  const { PATH = "", HOME = "" } = process.env;
  return {
    press,
    watch,
    start(name, out, { epoch, args = [], env = {} } = {}) {
      const begun = performance.now();
      const child = spawn(
        process.execPath,
        [command, name, "--config", press.configFile, "--out", out, "--json", ...args],
        {
          env: {
            PATH,
            HOME,
            STILLPRESS_TOKEN: press.origin.tokens.organisation,
            ...(epoch === undefined ? {} : { SOURCE_DATE_EPOCH: String(epoch) }),
            ...env,
          },
          // A session of its own.
          detached: true,
        },
      );
      const texts = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const) {
        child[name].setEncoding("utf8").on("data", (text: string) => {
          texts[name] += text;
        });
      }
      let ms = 0;
      child.once("exit", () => {
        ms = performance.now() - begun;
      });
      const ended = new Promise<Ended>((resolve) => {
        child.once("close", (code) => resolve({ code, ...texts, ms }));
      });
      return { child, session: child.pid ?? 0, ended };
    },
    close: () => press.close(),
  };
}

/** What a run that should have ended otherwise said, in one line. */
export function lastWordsOf({ code, stdout, stderr }: Ended): string {
  const message = /"error":\{"message":"([^"]*)"/.exec(stdout)?.[1];
  const words = message ?? stderr.trim().split("\n").slice(-3).join(" | ");
  return `exit ${code}: ${words === "" ? "without a word" : words}`;
}
