#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { exitCodes, exitMeanings } from "../errors.ts";
import { version } from "../lib/version.ts";
import { addCommands } from "./commands.ts";

const about = `Turn a media publishing service's read-only API into a static archive.

Begin with these, in this order:
  init --base-url URL  writes a configuration; the token is in STILLPRESS_TOKEN
  plan                 says what a snapshot will cost
  snapshot             makes the archive, and later brings it up to date
  serve                shows it
"demo" does all of it at an embedded origin.`;

function createProgram(): Command {
  const codes = Object.entries(exitMeanings).map(
    ([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`,
  );
  const program = new Command("stillpress")
    .description(about)
    .version(version)
    .exitOverride()
    .showHelpAfterError("(see --help)")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", `\nExit codes:\n${codes.join("\n")}`);
  addCommands(program);
  return program;
}

async function main(): Promise<void> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader such as "head" may close the pipe early; the command still ends with its own exit code.
    if (error.code !== "EPIPE") throw error;
  });
  try {
    await createProgram().parseAsync();
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      process.exitCode = thrown.exitCode === 0 ? exitCodes.complete : exitCodes.usage;
      return;
    }
    const { reportThrown } = await import("./failures.ts");
    process.exitCode = reportThrown(thrown);
  }
}

await main();
