import type { Problem, Progress, Reporter } from "../lib/reporter.ts";

export const logFormats = ["pretty", "plain", "ndjson"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface ReporterOptions {
  format: LogFormat;
  quiet: boolean;
  color: boolean;
  /** Gets lines and, when pretty, the live status line. */
  stream: NodeJS.WritableStream & { columns?: number };
  /** What is worth knowing beside the stage's own numbers, such as waits. */
  status?: () => string;
  now?: () => number;
}

/** How the format `auto` is chosen: a live line in a terminal, plain lines in CI and in files. */
export function defaultFormat(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): LogFormat {
  return stream.isTTY && !env.CI && env.TERM !== "dumb" ? "pretty" : "plain";
}

/** A reporter that also must be told when the run is over, so that no live line stays behind. */
export interface CommandReporter extends Reporter {
  close(): void;
}

export function createReporter(options: ReporterOptions): CommandReporter {
  if (options.format === "ndjson") return ndjsonReporter(options);
  return options.format === "pretty" ? prettyReporter(options) : plainReporter(options);
}

interface StageState {
  name: string;
  done: number;
  total: number | undefined;
  startedAt: number;
  note: string;
}

/** Counting that is the same for every format. */
function track(
  state: StageState,
  changed: (state: StageState) => void,
  ended: (state: StageState, summary?: string) => void,
): Progress {
  return {
    advance(items = 1) {
      state.done += items;
      changed(state);
    },
    expect(total) {
      state.total = total;
      changed(state);
    },
    note(text) {
      state.note = oneLine(text);
      changed(state);
    },
    end: (summary) => ended(state, summary),
  };
}

function newStage(name: string, total: number | undefined, startedAt: number): StageState {
  return { name, done: 0, total, startedAt, note: "" };
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const redrawMs = 80;

function prettyReporter(options: ReporterOptions): CommandReporter {
  const { stream, quiet, status = () => "", now = Date.now } = options;
  const paint = painter(options.color);
  let stage: StageState | undefined;
  let drawn = false;
  let frame = 0;
  const timer = setInterval(draw, redrawMs);
  timer.unref();

  function clear(): void {
    if (drawn) stream.write("\r\x1b[2K");
    drawn = false;
  }

  function draw(): void {
    if (stage === undefined || quiet) return;
    const width = Math.max((stream.columns ?? 80) - 1, 20);
    const extra = [stage.note, status()].filter((part) => part !== "");
    const mark = spinner[frame++ % spinner.length] as string;
    const line = [`${stage.name.padEnd(20)} ${meter(stage, now())}`, ...extra].join(" · ");
    clear();
    stream.write(`${paint.accent(mark)} ${line.slice(0, width - 2)}`);
    drawn = true;
  }

  function print(line: string): void {
    clear();
    stream.write(`${line}\n`);
  }

  return {
    stage(name, total) {
      const state = newStage(name, total, now());
      stage = state;
      return track(
        state,
        () => {},
        (ended, summary) => {
          if (stage === ended) stage = undefined;
          if (!quiet) print(`${paint.good("✓")} ${endLine(ended, now(), summary)}`);
        },
      );
    },
    info(text) {
      if (!quiet) print(paint.dim(`  ${oneLine(text)}`));
    },
    warn(text, hint) {
      print(`${paint.warn("!")} ${oneLine(text)}${hintLine(hint)}`);
    },
    problem(problem) {
      print(`${paint.bad("✗")} ${problemText(problem)}`);
    },
    close() {
      clearInterval(timer);
      clear();
    },
  };
}

const plainEveryMs = 10_000;

function plainReporter(options: ReporterOptions): CommandReporter {
  const { stream, quiet, status = () => "", now = Date.now } = options;
  const print = (line: string): void => {
    stream.write(`${line}\n`);
  };
  return {
    stage(name, total) {
      let printedAt = now();
      return track(
        newStage(name, total, now()),
        (state) => {
          if (quiet || now() - printedAt < plainEveryMs) return;
          printedAt = now();
          const extra = [state.note, status()].filter((part) => part !== "");
          print([`${state.name}: ${meter(state, now())}`, ...extra].join(", "));
        },
        (state, summary) => {
          if (!quiet) print(endLine(state, now(), summary));
        },
      );
    },
    info(text) {
      if (!quiet) print(oneLine(text));
    },
    warn: (text, hint) => print(`warning: ${oneLine(text)}${hintLine(hint)}`),
    problem: (problem) => print(`problem: ${problemText(problem)}`),
    close() {},
  };
}

function ndjsonReporter({ stream, quiet, now = Date.now }: ReporterOptions): CommandReporter {
  const emit = (event: string, fields: object): void => {
    const text = JSON.stringify({ time: new Date(now()).toISOString(), event, ...fields });
    stream.write(`${text.replace(/\p{Cc}/gu, escaped)}\n`);
  };
  return {
    stage(name, total) {
      if (!quiet) emit("stage", { stage: name, ...(total === undefined ? {} : { total }) });
      let emittedAt = now();
      return track(
        newStage(name, total, now()),
        ({ done, total: expected }) => {
          if (quiet || now() - emittedAt < 1000) return;
          emittedAt = now();
          emit("progress", { stage: name, done, total: expected ?? null });
        },
        ({ done, startedAt }, summary) => {
          if (quiet) return;
          emit("end", {
            stage: name,
            done,
            ms: now() - startedAt,
            ...(summary ? { summary } : {}),
          });
        },
      );
    },
    info(text) {
      if (!quiet) emit("info", { text });
    },
    warn: (text, hint) => emit("warning", { text, ...(hint === undefined ? {} : { hint }) }),
    problem: (problem) => emit("problem", problem),
    close() {},
  };
}

function meter({ done, total, startedAt }: StageState, now: number): string {
  const seconds = Math.max((now - startedAt) / 1000, 0.001);
  const rate = done / seconds;
  const counted = total === undefined ? String(done) : `${done}/${total}`;
  const parts = [counted, `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`];
  if (total !== undefined && done > 0 && done < total) {
    parts.push(`${clock((total - done) / rate)} left`);
  }
  return parts.join(", ");
}

function endLine({ name, done, startedAt }: StageState, now: number, summary?: string): string {
  const seconds = (now - startedAt) / 1000;
  return `${name}: ${summary ?? done} in ${seconds < 60 ? `${seconds.toFixed(1)} s` : clock(seconds)}`;
}

/** Seconds as m:ss or h:mm:ss. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const pad = (n: number): string => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}:${pad(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(whole % 60)}`;
}

function problemText({ subject, reason, hint }: Problem): string {
  return `${oneLine(`${subject}: ${reason}`)}${hintLine(hint)}`;
}

function hintLine(hint: string | undefined): string {
  return hint === undefined ? "" : `\nhint: ${oneLine(hint)}`;
}

/** A control character as JSON may write it, which leaves those from U+007F on as they are. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** What comes from the origin may hold line breaks, or codes that a terminal obeys. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

function painter(color: boolean) {
  const wrap =
    (code: number) =>
    (text: string): string =>
      color ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { good: wrap(32), bad: wrap(31), warn: wrap(33), accent: wrap(36), dim: wrap(2) };
}
