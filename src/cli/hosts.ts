import { relative } from "node:path";
import { Argument, type Command } from "commander";
import { type HostName, hostNames } from "../config.ts";
import { exitCodes } from "../errors.ts";
import { publishedArchive, writeDeployment } from "../publish/deploy.ts";
import { outputPaths } from "../publish/swap.ts";
import { outputFolder } from "./folder.ts";
import { addCommonOptions, type CommonOptions } from "./options.ts";

/** `stillpress hosts [names…]`: writes host configurations of the published build. */
export function addHosts(program: Command): void {
  addCommonOptions(
    program
      .command("hosts")
      .description("write host configurations of the published archive, and urlmap.json")
      .addArgument(
        new Argument(
          "[names...]",
          "hosts, instead of the configured ones; all for every one",
        ).choices(["all", ...hostNames]),
      ),
  ).action((names: (HostName | "all")[], options: CommonOptions) => {
    const { out, loaded } = outputFolder(options);
    const { build, description } = publishedArchive(out);
    const hosts = names.includes("all")
      ? hostNames
      : names.length > 0
        ? (names as HostName[])
        : (loaded?.config.hosts ?? hostNames);
    const limits = writeDeployment(build, description, hosts);
    const folder = outputPaths(out).deploy;
    const below = relative("", folder);
    const shown = below.startsWith("..") ? folder : below;
    if (options.json) {
      process.stdout.write(`${JSON.stringify({ folder, hosts, limits })}\n`);
    } else if (!options.quiet) {
      const lines = hosts.map((host) => `  ${host.padEnd(11)} ${shown}/${host}`);
      process.stdout.write(`${lines.join("\n")}\n`);
      for (const { host, text, exceeded } of limits) {
        process.stdout.write(`${exceeded ? "exceeded" : "limit"}: ${host}: ${text}\n`);
      }
    }
    if (limits.some(({ exceeded }) => exceeded)) process.exitCode = exitCodes.guard;
  });
}
