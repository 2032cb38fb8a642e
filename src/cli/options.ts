import { type Command, InvalidArgumentError, Option } from "commander";
import {
  createReporter,
  defaultFormat,
  type LogFormat,
  logFormats,
  type Pace,
} from "./progress.ts";

/** In their order. */
export const stageNames = ["crawl", "media", "build"] as const;
export type StageName = (typeof stageNames)[number];

export interface CommonOptions {
  config: string;
  out?: string;
  json: boolean;
  logFormat?: LogFormat | undefined;
  quiet: boolean;
  /** False after --no-color. */
  color: boolean;
}

export const defaultConfigFile = "config/stillpress.json";

export function addCommonOptions(command: Command): void {
  command
    .optionsGroup("Options of every command:")
    .option("--config <file>", "configuration file, JSON with comments", defaultConfigFile)
    .option("--out <dir>", "output folder, instead of the configured one")
    .option("--json", "print the report as one JSON object on stdout, and nothing else", false)
    .addOption(
      new Option("--log-format <format>", "format of the progress on stderr").choices(logFormats),
    )
    .option("--quiet", "print problems and errors only", false)
    .option("--no-color", "no colours, even in a terminal");
}

export function reporterOf(
  options: Pick<CommonOptions, "logFormat" | "quiet" | "color">,
  pace?: () => Pace | undefined,
) {
  return createReporter({
    format: options.logFormat ?? defaultFormat(process.stderr, process.env),
    color: options.color && process.stderr.isTTY === true && !process.env.NO_COLOR,
    quiet: options.quiet,
    stream: process.stderr,
    pace,
  });
}

export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || number > maximum) {
      throw new InvalidArgumentError(`expected a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a time such as "36h" as seconds. */
export function duration(text: string): number {
  const [, number, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  if (number === undefined || seconds === undefined) {
    throw new InvalidArgumentError("expected a number and s, m, h or d, such as 36h");
  }
  return Number(number) * seconds;
}

/** The time in written files, which SOURCE_DATE_EPOCH (seconds since 1970) replaces. Ages and order need a real clock. */
export function clock(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch !== undefined && /^\d+$/.test(epoch) ? new Date(Number(epoch) * 1000) : new Date();
}
