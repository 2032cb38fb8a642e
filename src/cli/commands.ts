import { Argument, type Command, Option } from "commander";
import { hostNames } from "../config/host-names.ts";
import type { ExitCode } from "../errors.ts";
import { addCommonOptions, duration, type StageName, stageNames, wholeNumber } from "./options.ts";

export function addCommands(program: Command): void {
  program.commandsGroup("First steps:");
  addFirstSteps(program);
  program.commandsGroup("The job and its stages:");
  addStages(program, "snapshot", "the main job: crawl, media, build, publish, report", stageNames);
  addStages(program, "crawl", "read everything the token can see into the store", ["crawl"]);
  addStages(program, "media", "download originals and make every configured rendition", ["media"]);
  addStages(program, "build", "render website and mirror from the store, offline", ["build"]);
  program.commandsGroup("Show and check the archive:");
  addUses(program);
  program.commandsGroup("Look back and mend:");
  addUpkeep(program);
  for (const command of program.commands) addCommonOptions(command);
}

/** Loads the code of a command when it runs: loading all of it takes longer than many commands do. */
function lazily<A extends unknown[]>(load: () => Promise<(...args: A) => Promise<ExitCode>>) {
  return async (...args: A): Promise<void> => {
    const run = await load();
    process.exitCode = await run(...args);
  };
}

const movedText = "the service is the same as before but has a new address";
const count = wholeNumber(0);
const port = wholeNumber(0, 65_535);

function add(program: Command, nameAndArguments: string, description: string): Command {
  return program.command(nameAndArguments).description(description);
}

function addStages(program: Command, name: string, about: string, stages: readonly StageName[]) {
  const command = add(program, name, about);
  if (stages.includes("build")) {
    command.option("--allow-incomplete", "publish even with known gaps", false);
    if (name === "snapshot")
      command.option("--publish [target]", "then publish as the command publish does");
  }
  if (stages.includes("crawl") || stages.includes("media")) {
    const refresh = new Option("--refresh <what>", "read everything in full this once");
    command.option("--moved", movedText, false).addOption(refresh.choices(["all"]));
  }
  if (name === "build") {
    command
      .option("--snapshot <id>", "render this older snapshot, with --to; named as for diff")
      .option("--to <dir>", "output folder for it; what is published stays");
  }
  command.action(
    lazily(async () => {
      const { runStageCommand } = await import("./run.ts");
      return (options) => runStageCommand(stages, options);
    }),
  );
}

/** Fixed, because the archive keeps the origin's URLs; below the ports that systems hand out (from 32768). */
const defaultDemoPort = 14178;

function addFirstSteps(program: Command): void {
  add(program, "init", "ask an origin how it answers, and write a configuration for it")
    .option("--base-url <url>", "address of the API, such as https://media.example.org/api/v1")
    .option("--token-env <name>", "environment variable with the token, if not STILLPRESS_TOKEN")
    .option("--token-file <file>", "file that holds the token, instead of the variable")
    .option("--force", "replace a configuration that is there", false)
    .action(lazily(async () => (await import("./probe.ts")).runInit));

  add(program, "doctor", "ask the origin as init does, and compare with the configuration").action(
    lazily(async () => (await import("./probe.ts")).runDoctor),
  );

  add(program, "plan", "forecast requests, time, bytes and files from a few pages").action(
    lazily(async () => (await import("./plan.ts")).runPlan),
  );

  add(program, "demo", "run the main job on the embedded demo origin, or only serve that origin")
    .option("--origin-only", "only serve the demo origin, until interrupted", false)
    .option("--port <n>", "port on 127.0.0.1; 0 for any free port", port, defaultDemoPort)
    .option("--articles <n>", "number of generated articles", count, 120)
    .option("--galleries <n>", "number of generated galleries", count, 15)
    .option("--images <n>", "number of generated images", count, 200)
    .option("--seed <n>", "the same seed gives the same content", count, 1)
    .option("--content <dir>", "your own material: articles.ndjson, media files, galleries.json")
    .addOption(
      new Option("--personality <name>", "how the origin behaves where the API document is silent")
        .choices(["plain", "odd", "strict"])
        .default("plain"),
    )
    .action(lazily(async () => (await import("./demo.ts")).runDemo));
}

const packHelp = `
Kinds:
  zip    the published archive, with a page to start from
  bagit  the store with all originals and renditions, private ones too (RFC 8493, in a zip)
  wacz   the published archive for viewers of web archives, such as replayweb.page`;

function addUses(program: Command): void {
  add(program, "serve", "serve the published archive: the website and the mirror of the API")
    .option("--port <n>", "port on 127.0.0.1; 0 for any free port", port, 8080)
    .option(
      "--host <names...>",
      "address to listen on, then further names to answer to, such as a proxy's",
      ["127.0.0.1"],
    )
    .option("--auth", "demand the access token for API requests, as the origin does", false)
    .option(
      "--watch",
      "render pages with the theme as it is now, and reload them as it changes",
      false,
    )
    .action(lazily(async () => (await import("./serve.ts")).runServe));

  add(program, "worker", "make renditions for runs on other machines, until it is interrupted")
    .option("--concurrency <n>", "pictures at once, else one a processor", wholeNumber(1, 512))
    .action(lazily(async () => (await import("./worker.ts")).runWorkerCommand));

  const places = "dir:PATH or s3://BUCKET/PREFIX, instead of publish.target";
  add(program, "publish", "send the published archive to another place: only what differs")
    .argument("[target]", places)
    .option("--dry-run", "tell what would be sent, and send nothing", false)
    .option("--check", "compare what lies there with its manifest, and mend it", false)
    .option("--allow-deletions", "let more files leave than publish.maxDeleted allows", false)
    .option("--force", "publish although the target has a later build", false)
    .action(lazily(async () => (await import("./publish.ts")).runPublish));

  add(program, "pack", "write one file to hand over")
    .addHelpText("after", packHelp)
    .addArgument(new Argument("<kind>", "what to write").choices(["zip", "bagit", "wacz"]))
    .argument("[file]", "where to; by default in this folder, named after the snapshot")
    .option("--force", "replace a file that is there", false)
    .action(lazily(async () => (await import("./pack.ts")).runPack));

  const names = "hosts to write for, instead of the configured ones; all for every host";
  add(program, "hosts", "write host configurations for the published archive, and urlmap.json")
    .addArgument(new Argument("[names...]", names).choices(["all", ...hostNames]))
    .option("--to <folder>", "lay the publish root and the files of netlify or vercel together")
    .action(lazily(async () => (await import("./hosts.ts")).runHosts));

  add(program, "eject", "copy built-in templates into your own folder, to change them")
    .addArgument(new Argument("[templates...]", "such as home, or partials/card; none lists them"))
    .option("--force", "replace files that are there", false)
    .action(lazily(async () => (await import("./eject.ts")).runEject));

  add(program, "compare", "send origin and mirror the same random requests and compare the answers")
    .option("--mirror <url>", "base address of the mirror, such as http://127.0.0.1:8080/api/v1")
    .option("--origin <url>", "base address of the API, instead of the configured one")
    .option("--sample <n>", "number of requests", wholeNumber(1, 10_000_000), 500)
    .option("--seed <n>", "the same seed draws the same requests", count, 1)
    .option("--max-differences <n>", "stop after this many differences", wholeNumber(1), 100)
    .option(
      "--mirror-token-env <name>",
      "environment variable that holds a token for the mirror; without it, none is sent",
    )
    .action(lazily(async () => (await import("./compare.ts")).runCompare));

  add(program, "verify", "check that store and archive are whole, or that a host serves all of it")
    .option("--quick", "check that every file exists and has its size; the default", false)
    .option("--full", "read and check every byte", false)
    .option("--base-url <url>", "check a live host: the address of the folder with index.html")
    .option("--files", "ask that host for files only, not for the API's own URLs", false)
    .option("--sample <n>", "number of URLs to request, instead of all", wholeNumber(1))
    .option("--seed <n>", "the same seed draws the same URLs", count, 1)
    .option("--token-env <name>", "environment variable with a token, if the host demands one")
    .action(lazily(async () => (await import("./verify.ts")).runVerify));
}

function addUpkeep(program: Command): void {
  add(program, "status", "tell what is published since when, and how the last runs went")
    .option(
      "--max-age <time>",
      "exit with 3 if no run succeeded for so long, such as 36h",
      duration,
    )
    .action(lazily(async () => (await import("./status.ts")).runStatus));

  add(program, "state", "keep the store elsewhere, for machines that keep nothing between runs")
    .addArgument(new Argument("<what>", "what to do").choices(["save", "restore"]))
    .argument("<target>", "dir:PATH or s3://BUCKET/PREFIX, not the one that the archive goes to")
    .option("--without-blobs", "leave originals and renditions out", false)
    .option("--force", "replace a state, or a store, that is not the one this comes from", false)
    .action(lazily(async () => (await import("./state.ts")).runState));

  add(program, "snapshots", "list the snapshots, the newest first").action(
    lazily(async () => (await import("./snapshots.ts")).runSnapshots),
  );

  add(program, "repair", "repair what verify --full finds; asks the origin only for what is lost")
    .option("--moved", movedText, false)
    .action(lazily(async () => (await import("./repair.ts")).runRepair));

  add(program, "rollback", "publish the previous build again")
    .argument("[build]", "name of the build to publish, instead of the previous one")
    .option("--list", "list the builds and change nothing", false)
    .option("--full", "check the SHA-256 of every file of the build first", false)
    .action(lazily(async () => (await import("./rollback.ts")).runRollback));

  add(program, "diff", "tell what changed between two snapshots; exit 0 even if nothing did")
    .argument(
      "[a]",
      "id of a snapshot, its start such as a date, latest, published or latest~1 (default: the one before the latest)",
    )
    .argument("[b]", "the other snapshot", "latest")
    .option("--markdown", "print Markdown", false)
    .action(lazily(async () => (await import("./diff.ts")).runDiff));

  const keep = "newest snapshots to keep (default: 30, or none with another --keep)";
  const newestOf = (unit: string): string => `the newest snapshot of each of the last n ${unit}`;
  add(program, "prune", "free what no kept snapshot and no kept build needs")
    .option("--keep-snapshots <n>", keep, count)
    .option("--keep-days <n>", "keep snapshots of so many days", wholeNumber(0, 36_500))
    .option("--keep-daily <n>", newestOf("days that have one"), count, 0)
    .option("--keep-weekly <n>", newestOf("weeks that have one"), count, 0)
    .option("--keep-monthly <n>", newestOf("months that have one"), count, 0)
    .option("--excluded", "take what site.exclude names out of the store, for good", false)
    .option("--dry-run", "tell what would be freed, and change nothing", false)
    .action(lazily(async () => (await import("./prune.ts")).runPrune));
}
