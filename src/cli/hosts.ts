import { constants, existsSync, mkdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type HostName, hostNames } from "../config/host-names.ts";
import { pathOf } from "../config.ts";
import { ConfigError, exitCodes } from "../errors.ts";
import { walkSorted } from "../lib/files.ts";
import { publishedArchive, writeDeployment } from "../publish/deploy.ts";
import { outputPaths, showDeployment } from "../publish/swap.ts";
import { takeLock } from "../store/lock.ts";
import { outputFolder, shortPath } from "./folder.ts";
import type { CommonOptions } from "./options.ts";
import { print, printJson } from "./print.ts";

/** Hosts whose files belong beside the publish root. */
const besideRoot: readonly (HostName | "all" | undefined)[] = ["netlify", "vercel"];

/** `stillpress hosts [names…]`: writes host configurations of the published build. */
export async function runHosts(
  names: (HostName | "all")[],
  options: CommonOptions & { to?: string },
) {
  const { out, loaded } = outputFolder(options);
  refuseStage(names, options.to);
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
  const work = writeDeployment(build, description, hosts, lock.disk);
  const limits = await work.finally(() => showDeployment(out, build)).finally(lock);
  const folder = outputPaths(out).deploy;
  if (options.to !== undefined) await stage(build, join(folder, names[0] as HostName), options.to);
  if (options.json) printJson({ folder, hosts, limits });
  else if (!options.quiet) {
    print(hosts.map((host) => `  ${host.padEnd(11)} ${shortPath(folder)}/${host}`));
    const word = (exceeded: boolean): string => (exceeded ? "exceeded" : "limit");
    print(limits.map(({ host, text, exceeded }) => `${word(exceeded)}: ${host}: ${text}`));
  }
  return limits.some(({ exceeded }) => exceeded) ? exitCodes.guard : exitCodes.complete;
}

/** @throws ConfigError where there is nothing to lay together, or something lies there */
function refuseStage(names: readonly (HostName | "all")[], to: string | undefined): void {
  if (to === undefined) return;
  if (names.length !== 1 || !besideRoot.includes(names[0])) {
    throw new ConfigError("--to takes one host whose files belong beside the publish root", {
      hint: `name ${besideRoot.join(" or ")}`,
    });
  }
  if (existsSync(to))
    throw new ConfigError(`${shortPath(resolve(to))} exists`, { hint: "remove it first" });
}

/** Copies the publish root and the files of a host into one folder. */
async function stage(build: string, configuration: string, to: string): Promise<void> {
  const parts = [
    [configuration, to],
    [join(build, "public"), join(to, "public")],
  ] as const;
  for (const [from, into] of parts) {
    for (const path of walkSorted(from)) {
      mkdirSync(dirname(join(into, path)), { recursive: true });
      await copyFile(join(from, path), join(into, path), constants.COPYFILE_FICLONE);
    }
  }
}
