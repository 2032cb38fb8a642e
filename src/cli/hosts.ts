import { type HostName, hostNames } from "../config/host-names.ts";
import { pathOf } from "../config.ts";
import { ConfigError, exitCodes } from "../errors.ts";
import { publishedArchive, writeDeployment } from "../publish/deploy.ts";
import { outputPaths } from "../publish/swap.ts";
import { takeLock } from "../store/lock.ts";
import { outputFolder, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";

/** `stillpress hosts [names…]`: writes host configurations of the published build. */
export async function runHosts(names: (HostName | "all")[], options: CommonOptions) {
  const { out, loaded } = outputFolder(options);
  const { build, description } = publishedArchive(out);
  if (pathOf(description) !== "/") {
    throw new ConfigError(`${description.url} has a path, and rules of hosts stand at the root`, {
      hint: "give the archive a host name of its own, and name that as site.url",
    });
  }
  const configured = loaded?.config.hosts ?? hostNames;
  const named = names.includes("all") ? hostNames : (names as HostName[]);
  const hosts = names.length > 0 ? named : configured;
  const lock = takeLock(outputPaths(out).lock);
  const limits = await writeDeployment(build, description, hosts, lock.disk).finally(lock);
  const folder = outputPaths(out).deploy;
  if (options.json) printJson({ folder, hosts, limits });
  else if (!options.quiet) {
    print(hosts.map((host) => `  ${host.padEnd(11)} ${shortPath(folder)}/${host}`));
    const word = (exceeded: boolean): string => (exceeded ? "exceeded" : "limit");
    print(limits.map(({ host, text, exceeded }) => `${word(exceeded)}: ${host}: ${text}`));
  }
  return limits.some(({ exceeded }) => exceeded) ? exitCodes.guard : exitCodes.complete;
}
