#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { loadConfig, readToken } from "../config/load.ts";
import { exitCodes, exitMeanings, StillpressError } from "../errors.ts";
import { isErrno } from "../lib/files.ts";
import { publishedSettings } from "../publish/record.ts";
import { failedReport } from "../publish/report.ts";
import { outputPaths } from "../publish/swap.ts";
import { rulesOf } from "../routes/rules.ts";
import { startServer } from "../serve/server.ts";
import { addCompare } from "./compare.ts";
import { type DemoOptions, defaultDemoPort, demoLoaded, startDemo } from "./demo.ts";
import { addHosts } from "./hosts.ts";
import { addCommonOptions, type CommonOptions, outputStyle, wholeNumber } from "./options.ts";
import { createReporter } from "./progress.ts";
import { abortOnSignals, runStages, type StageName, stageNames } from "./run.ts";
import { printError } from "./summary.ts";
import { addVerify } from "./verify.ts";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

function createProgram(): Command {
  const program = new Command("stillpress")
    .description("Turn a media publishing service's read-only API into a static archive.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(see --help)")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", exitCodeHelp());
  addStages(program, "snapshot", "the main job: crawl, media, build, publish, report", stageNames);
  addStages(program, "crawl", "read everything the token can see into the store", ["crawl"]);
  addStages(program, "media", "download originals and make every configured variant", ["media"]);
  addStages(program, "build", "render site and mirror from the store, without any request", [
    "build",
  ]);
  addDemo(program);
  addServe(program);
  addHosts(program);
  addCompare(program);
  addVerify(program);
  return program;
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
  command.action(async (options: CommonOptions & { allowIncomplete?: boolean }) => {
    const loaded = loadConfig({ file: options.config, flags: { out: options.out } });
    process.exitCode = await runStages({
      loaded,
      stages,
      common: options,
      token: () => readToken(loaded.config.origin),
      allowIncomplete: options.allowIncomplete ?? false,
      signal: abortOnSignals(),
    });
  });
}

function addDemo(program: Command): void {
  const count = wholeNumber(0);
  addCommonOptions(
    program
      .command("demo")
      .description("run the main job on the embedded demo origin, or serve that alone"),
  )
    .option("--origin-only", "only serve the demo origin, until interrupted", false)
    .option(
      "--port <n>",
      "port of the demo origin on 127.0.0.1; 0 for a free one",
      wholeNumber(0, 65_535),
      defaultDemoPort,
    )
    .option("--articles <n>", "number of generated articles", count, 120)
    .option("--galleries <n>", "number of generated galleries", count, 15)
    .option("--images <n>", "number of generated images", count, 200)
    .option("--seed <n>", "the same seed gives the same content", count, 1)
    .option(
      "--content <dir>",
      "serve this folder instead: articles.ndjson, image files, galleries.json",
    )
    .addOption(
      new Option("--personality <name>", "how the origin fills what the API document leaves open")
        .choices(["plain", "odd"])
        .default("plain"),
    )
    .action(async (options: CommonOptions & DemoOptions & { originOnly: boolean }) => {
      const signal = abortOnSignals();
      const reporter = createReporter({
        ...outputStyle(options),
        quiet: options.quiet,
        stream: process.stderr,
      });
      const origin = await startDemo(options, reporter).finally(() => reporter.close());
      try {
        if (options.originOnly) {
          process.stdout.write(
            `${options.json ? JSON.stringify({ baseUrl: origin.baseUrl, tokens: origin.tokens }) : originText(origin)}\n`,
          );
          await untilAborted(signal);
          return;
        }
        process.exitCode = await runStages({
          loaded: demoLoaded(origin, options, options.out),
          stages: stageNames,
          common: options,
          token: () => origin.tokens.organisation,
          allowIncomplete: false,
          signal,
        });
      } finally {
        await origin.close();
      }
    });
}

function originText({
  baseUrl,
  tokens,
}: {
  baseUrl: string;
  tokens: Record<string, string>;
}): string {
  return [baseUrl, `organisation token: ${tokens.organisation}`, `user token: ${tokens.user}`].join(
    "\n",
  );
}

function addServe(program: Command): void {
  addCommonOptions(
    program
      .command("serve")
      .description("serve the published archive: the site, and the API mirror"),
  )
    .option("--port <n>", "port on 127.0.0.1; 0 for a free one", wholeNumber(0, 65_535), 8080)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--auth", "demand the access token of requests to the API, as the origin does", false)
    .action(async (options: CommonOptions & { port: number; host: string; auth: boolean }) => {
      const out = servedFolder(options);
      const settings = publishedSettings(out);
      const server = await startServer({
        publicRoot: outputPaths(out).public,
        root: rulesOf(settings).root,
        token: options.auth ? readToken(settings.origin) : undefined,
        port: options.port,
        host: options.host,
      });
      process.stdout.write(`${options.json ? JSON.stringify({ url: server.url }) : server.url}\n`);
      await untilAborted(abortOnSignals());
      await server.close();
    });
}

/** The output folder to serve: serving needs no configuration, so a missing file is no error here. */
function servedFolder({ config, out }: CommonOptions): string {
  if (out !== undefined || !existsSync(config)) return resolve(out ?? "out");
  return loadConfig({ file: config }).out;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

function exitCodeHelp(): string {
  const lines = (Object.keys(exitCodes) as (keyof typeof exitCodes)[]).map(
    (name) => `  ${String(exitCodes[name]).padStart(3)}  ${exitMeanings[name]}`,
  );
  return `\nExit codes:\n${lines.join("\n")}`;
}

async function main(): Promise<void> {
  process.stdout.on("error", (error) => {
    if (!isErrno(error, "EPIPE")) throw error;
    // Whoever read the output has seen enough, as "head" does.
    process.exit();
  });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
    else if (error instanceof StillpressError) {
      if (process.argv.includes("--json")) {
        process.stdout.write(`${JSON.stringify(failedReport(error))}\n`);
      }
      printError(error.hint === undefined ? error : { message: error.message, hint: error.hint });
      process.exitCode = error.exitCode;
    } else {
      process.stderr.write(
        `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
      process.exitCode = exitCodes.bug;
    }
  }
}

await main();
