import type { ApiClient } from "../api/client.ts";
import { jsonText, terminal, type Written } from "../lib/foreign.ts";
import { kindOf } from "../lib/groups.ts";
import type { Problem, Reporter } from "../lib/reporter.ts";
import { masked } from "./masked.ts";

export const logFormats = ["pretty", "plain", "ndjson"] as const;
export type LogFormat = (typeof logFormats)[number];

/** The requests of a run, and what they cost in time, so far. */
export type Pace = Pick<ApiClient["stats"], "requests" | "retries"> & ApiClient["waits"];

export interface ReporterOptions {
  format: LogFormat;
  quiet: boolean;
  color: boolean;
  /** Gets lines and the live status line. */
  stream: NodeJS.WritableStream & { columns?: number };
  /** Undefined in a run without requests. */
  pace?: (() => Pace | undefined) | undefined;
  now?: () => number;
}

/** A live line in a terminal, plain lines in CI and in files. */
export function defaultFormat(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): LogFormat {
  return stream.isTTY && !env.CI && env.TERM !== "dumb" ? "pretty" : "plain";
}

/** Close it when the run is over, so that no live line stays. */
export interface CommandReporter extends Reporter {
  /** All that it was told, so far. */
  warnings: { text: string; hint?: string | undefined }[];
  /** What ended the run. */
  error(error: { message: string; hint?: string | undefined }): void;
  close(): void;
}

export function createReporter(options: ReporterOptions): CommandReporter {
  const { format, quiet, now = Date.now, pace } = options;
  const voice = format === "ndjson" ? ndjsonVoice(options) : textVoice(options);
  const warnings: CommandReporter["warnings"] = [];
  const kinds = new Map<string, { told: number; subject: string }>();
  const tellRest = (): void => {
    for (const { told, subject } of kinds.values()) {
      const reason = `${told - maxAlike} more like this one`;
      if (format !== "ndjson" && told > maxAlike) voice.problem({ subject, reason });
    }
    kinds.clear();
  };
  return {
    stage(name, total) {
      const startedAt = now();
      const state: StageState = { name, done: 0, total, startedAt, before: pace?.(), note: "" };
      let toldAt = startedAt;
      const change = (changed: Partial<StageState>): void => {
        Object.assign(state, changed);
        if (quiet || now() - toldAt < voice.everyMs) return;
        toldAt = now();
        voice.progress(state);
      };
      if (!quiet) voice.begin(state);
      return {
        advance: (items = 1) => change({ done: state.done + items }),
        expect: (total) => change({ total }),
        note: (note) => change({ note }),
        end(summary) {
          if (!quiet) voice.end(state, summary);
        },
      };
    },
    info(text) {
      if (!quiet) voice.info(text);
    },
    warnings,
    warn(text, hint) {
      warnings.push({ text, hint });
      voice.warn(text, hint);
    },
    problem(problem) {
      const kind = kinds.get(kindOf(problem)) ?? { told: 0, subject: problem.subject };
      kinds.set(kindOf(problem), kind);
      kind.told++;
      if (format === "ndjson" || kind.told <= maxAlike) voice.problem(problem);
    },
    error({ message, hint }) {
      tellRest();
      voice.error({ message: masked(message), hint: hint && masked(hint) });
    },
    close() {
      tellRest();
      voice.close();
    },
  };
}

/** Problems that only the item tells apart, of which the log has a line each; the others are counted. */
const maxAlike = 3;

interface StageState {
  name: string;
  done: number;
  total: number | undefined;
  startedAt: number;
  /** What the run had spent before; undefined if it makes no requests. */
  before: Pace | undefined;
  note: string;
}

type Voice = ReturnType<typeof textVoice>;

/** Plain lines, or marked ones that replace a live line. */
function textVoice(options: ReporterOptions) {
  const { format, color, stream, now = Date.now, pace } = options;
  const live = format === "pretty";
  const mark = (sign: string, code: number, plain: string): Written =>
    live ? terminal`${color ? terminal.colored(sign, code) : sign} ` : terminal`${plain}`;
  let drawn = false;
  const clear = (): void => {
    if (drawn) stream.write(terminal.erase);
    drawn = false;
  };
  const print = (lines: readonly (string | Written)[]): void => {
    clear();
    stream.write(lines.map((line) => `${terminal.line(line)}\n`).join(""));
  };
  const hintLines = (hint: string | undefined) => (hint === undefined ? [] : [`hint: ${hint}`]);
  return {
    /** Milliseconds between two lines of progress. */
    everyMs: live ? 80 : 10_000,
    begin(_: StageState) {},
    progress(state: StageState) {
      const line = `${state.name}: ${meter(state, now(), pace?.())}`;
      if (!live) return print([line]);
      clear();
      stream.write(terminal.line(line).slice(0, Math.max((stream.columns ?? 80) - 1, 20)));
      drawn = true;
    },
    end({ name, done, startedAt }: StageState, summary?: string) {
      const seconds = (now() - startedAt) / 1000;
      const time = seconds < 60 ? `${seconds.toFixed(1)} s` : clock(seconds);
      print([terminal`${mark("✓", 32, "")}${name}: ${summary ?? done} in ${time}`]);
    },
    info: (text: string) => print([terminal`${mark(" ", 2, "")}${text}`]),
    warn(text: string, hint?: string) {
      print([terminal`${mark("!", 33, "warning: ")}${text}`, ...hintLines(hint)]);
    },
    problem({ subject, reason, hint }: Problem) {
      print([terminal`${mark("✗", 31, "problem: ")}${subject}: ${reason}`, ...hintLines(hint)]);
    },
    error({ message, hint }: { message: string; hint?: string | undefined }) {
      const [first = "", ...others] = message.split("\n");
      // What may be no line of ours must not look like one.
      const further = others.map((line) => `  ${line}`);
      print([`error: ${first}`, ...further, ...hintLines(hint)]);
    },
    close: clear,
  };
}

function ndjsonVoice({ stream, now = Date.now }: ReporterOptions): Voice {
  const emit = (event: string, fields: object): void => {
    stream.write(`${jsonText({ time: new Date(now()), event, ...fields })}\n`);
  };
  return {
    everyMs: 1_000,
    begin: ({ name, total }) => emit("stage", { stage: name, total }),
    progress: ({ name, done, total = null }) => emit("progress", { stage: name, done, total }),
    end({ name, done, startedAt }, summary) {
      emit("end", { stage: name, done, ms: now() - startedAt, summary });
    },
    info: (text) => emit("info", { text }),
    warn: (text, hint) => emit("warning", { text, hint }),
    problem: (problem) => emit("problem", problem),
    error: (error) => emit("error", error),
    close() {},
  };
}

/** How far a stage is, how fast, how long it still takes, and what it has cost. */
function meter(state: StageState, now: number, pace: Pace | undefined): string {
  const { done, total, startedAt, note } = state;
  const elapsedMs = Math.max(now - startedAt, 1);
  const rate = done / (elapsedMs / 1000);
  const leftMs = timeLeft(state, elapsedMs, pace);
  const waited = Math.round((pace?.waitedMs ?? 0) / 1000);
  const parts = [
    // An origin may have more than it says.
    total === undefined || done > total ? `${done}` : `${done}/${total}`,
    `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`,
    leftMs !== undefined && `${clock(leftMs / 1000)} left`,
    note,
    pace && `${pace.requests} requests`,
    pace && pace.retries > 0 && `${pace.retries} repeated`,
    waited > 0 && `waited ${waited} s for the rate`,
  ];
  return parts.filter(Boolean).join(", ");
}

/**
 * Milliseconds that a stage has still to go; undefined if too little is known to tell. It goes on at the speed of its
 * own work, or of its requests at the rate, whichever is slower. A wait is not taken for slow work, because a burst and
 * a long wait may have come before it; pauses are what they were for each request of the whole run.
 */
export function timeLeft(
  { done, total, before }: Pick<StageState, "done" | "total" | "before">,
  elapsedMs: number,
  now: Pace | undefined,
): number | undefined {
  // The first items seem slow, because those underway beside them are not done.
  if (total === undefined || done < Math.min(20, total / 10) || done >= total) return undefined;
  if (before === undefined || now === undefined) return ((total - done) * elapsedMs) / done;
  const requests = (now.requests - before.requests) / done;
  const work = (elapsedMs - (now.waitedMs - before.waitedMs)) / done;
  const paused = (requests * now.pausedMs) / Math.max(now.requests, 1);
  return (total - done) * Math.max(work + paused, requests * now.msPerRequest) + now.pauseMs;
}

/** Seconds as m:ss or h:mm:ss. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  const pad = (n: number): string => String(n).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${pad(whole % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(whole % 60)}`;
}
