import { type HostName, hostNames } from "../config/host-names.ts";
import { exitCodes } from "../errors.ts";
import { publishedArchive, writeDeployment } from "../publish/deploy.ts";
import { outputPaths } from "../publish/swap.ts";
import { outputFolder, shortPath } from "./folder.ts";
import { type CommonOptions, printJson } from "./options.ts";

/** `stillpress hosts [names…]`: writes host configurations of the published build. */
export async function runHosts(names: (HostName | "all")[], options: CommonOptions) {
  const { out, loaded } = outputFolder(options);
  const { build, description } = publishedArchive(out);
  const configured = loaded?.config.hosts ?? hostNames;
  const named = names.includes("all") ? hostNames : (names as HostName[]);
  const hosts = names.length > 0 ? named : configured;
  const limits = await writeDeployment(build, description, hosts);
  const folder = outputPaths(out).deploy;
  if (options.json) {
    printJson({ folder, hosts, limits });
  } else if (!options.quiet) {
    const lines = hosts.map((host) => `  ${host.padEnd(11)} ${shortPath(folder)}/${host}`);
    process.stdout.write(`${lines.join("\n")}\n`);
    for (const { host, text, exceeded } of limits) {
      process.stdout.write(`${exceeded ? "exceeded" : "limit"}: ${host}: ${text}\n`);
    }
  }
  return limits.some(({ exceeded }) => exceeded) ? exitCodes.guard : exitCodes.complete;
}
