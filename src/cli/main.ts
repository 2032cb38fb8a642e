#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { loadConfig, readToken } from "../config/load.ts";
import { exitCodes, exitMeanings, StillpressError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { failedReport } from "../publish/report.ts";
import { expected } from "./failures.ts";
import { masked } from "./masked.ts";
import { addCommonOptions, type CommonOptions } from "./options.ts";
import { runStages, type StageName, stageNames } from "./run.ts";
import { abortOnSignals } from "./signals.ts";
import { printError } from "./summary.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

const stageCommands: Record<string, { description: string; stages: readonly StageName[] }> = {
  snapshot: {
    description: "the main job: crawl, media, build, publish, report",
    stages: stageNames,
  },
  crawl: { description: "read everything the token can see into the store", stages: ["crawl"] },
  media: {
    description: "download originals and make every configured variant",
    stages: ["media"],
  },
  build: {
    description: "render site and mirror from the store, without any request",
    stages: ["build"],
  },
};

/** @param wanted name of the command that will run, as far as it is known */
async function createProgram(wanted: string | undefined): Promise<Command> {
  const program = new Command("stillpress")
    .description("Turn a media publishing service's read-only API into a static archive.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(see --help)")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", exitCodeHelp());
  for (const [name, { description, stages }] of Object.entries(stageCommands)) {
    addStages(program, name, description, stages);
  }
  // The others take a while to load, in which a run that finds the folder locked could have said so.
  if (wanted === undefined || stageCommands[wanted] === undefined) await addOthers(program);
  return program;
}

async function addOthers(program: Command): Promise<void> {
  const { addDemo } = await import("./demo.ts");
  const { addServe } = await import("./serve.ts");
  const { addHosts } = await import("./hosts.ts");
  const { addCompare } = await import("./compare.ts");
  const { addVerify } = await import("./verify.ts");
  const { addRepair } = await import("./repair.ts");
  const { addRollback } = await import("./rollback.ts");
  addDemo(program);
  addServe(program);
  addHosts(program);
  addCompare(program);
  addVerify(program);
  addRepair(program);
  addRollback(program);
}

function addStages(
  program: Command,
  name: string,
  description: string,
  stages: readonly StageName[],
): void {
  const command = addCommonOptions(program.command(name).description(description));
  if (stages.includes("build")) {
    command.option("--allow-incomplete", "publish also what is known to have gaps", false);
  }
  if (stages.includes("crawl") || stages.includes("media")) {
    command.option("--moved", "the origin is the same service as before, at a new address", false);
  }
  type StageOptions = CommonOptions & { allowIncomplete?: boolean; moved?: boolean };
  command.action(async (options: StageOptions) => {
    const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
    process.exitCode = await runStages({
      loaded,
      stages,
      common: options,
      token: () => readToken(loaded.config.origin),
      allowIncomplete: options.allowIncomplete ?? false,
      moved: options.moved ?? false,
      signal: abortOnSignals(),
    });
  });
}

function exitCodeHelp(): string {
  const lines = (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map(
    (name) => `  ${String(exitCodes[name]).padStart(3)}  ${exitMeanings[name]}`,
  );
  return `\nExit codes:\n${lines.join("\n")}`;
}

async function main(): Promise<void> {
  process.stdout.on("error", (error) => {
    // Whoever read the output has seen enough, as "head" does; the command still ends with its own exit code.
    if (!isErrno(error, "EPIPE")) throw error;
  });
  try {
    const program = await createProgram(process.argv[2]);
    await program.parseAsync();
  } catch (thrown) {
    const error = expected(thrown);
    process.exitCode = exitCodeOf(error);
    if (error instanceof StillpressError) {
      if (process.argv.includes("--json")) {
        process.stdout.write(`${masked(JSON.stringify(failedReport(error)))}\n`);
      }
      printError(error.hint === undefined ? error : { message: error.message, hint: error.hint });
    } else if (!(error instanceof CommanderError)) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      process.stderr.write(`${masked(text)}\n`);
    }
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  return error instanceof StillpressError ? error.exitCode : exitCodes.bug;
}

await main();
