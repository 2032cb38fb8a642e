import { existsSync, renameSync, rmSync } from "node:fs";
import type { Config } from "../config.ts";
import { GuardError } from "../errors.ts";
import { keyOf } from "../lib/digest.ts";
import { syncTree } from "../lib/files.ts";
import {
  type Deployment,
  deployFolder,
  descriptionOf,
  planDeployment,
  writeInto,
} from "./deploy.ts";
import type { LeakGuard } from "./leaks.ts";
import { writeDeployManifest } from "./manifest.ts";
import { type BuildRecord, writeRecord } from "./record.ts";

export interface DeployOptions {
  program: string;
  config: Pick<Config, "hosts">;
  /** Of the mirror. */
  root: string;
  guard: () => LeakGuard;
}

/** What a record says while nobody knows which host configurations are there. */
const noDeployment: BuildRecord["deployment"] = { key: "", limits: [] };

/** Writes the host configurations of a build that is still to be published. @throws GuardError as `planWithin` */
export function deployFirst(build: string, options: DeployOptions): BuildRecord["deployment"] {
  const plan = planWithin(build, options);
  putDeployment(build, plan);
  return { key: deploymentKey(options), limits: plan.limits };
}

/**
 * Writes the host configurations of a published build, unless its record says that they are there. Where they are
 * refused, those that are there stay.
 *
 * @throws GuardError as `planWithin`
 */
export async function deployAnew(
  build: string,
  before: BuildRecord | undefined,
  options: DeployOptions,
): Promise<BuildRecord["deployment"]> {
  const key = deploymentKey(options);
  if (before?.deployment.key === key) return before.deployment;
  const plan = planWithin(build, options);
  // Whoever is killed from here on must not be believed to have written either.
  if (before !== undefined) writeRecord(build, { ...before, deployment: noDeployment });
  await replaceDeployment(build, plan);
  return { key, limits: plan.limits };
}

function deploymentKey({ program, config }: DeployOptions): string {
  return keyOf(program, ...config.hosts);
}

/** @throws GuardError where the archive goes beyond what a configured host takes */
function planWithin(build: string, { config, root, guard }: DeployOptions): Deployment {
  const plan = planDeployment(build, descriptionOf(build, root), config.hosts, guard());
  const exceeded = plan.limits.filter((limit) => limit.exceeded);
  if (exceeded.length > 0) {
    const reasons = exceeded.map(({ host, text }) => `${host}: ${text}`).join("; ");
    throw new GuardError(`the archive exceeds a limit of a host: ${reasons}`, {
      hint: "remove the host from the setting hosts, or make the archive smaller",
    });
  }
  return plan;
}

/** Puts a planned deployment into a build that nobody sees yet, and that is made durable as a whole. */
function putDeployment(build: string, { files }: Deployment): void {
  writeDeployManifest(build, writeInto(deployFolder(build), files));
}

/**
 * Puts a planned deployment in the place of that of a published build: whoever reads it sees the last one until the
 * new one is whole and durable. The caller sees to it that the build's record vouches for neither meanwhile.
 */
async function replaceDeployment(build: string, { files }: Deployment): Promise<void> {
  const folder = deployFolder(build);
  const next = `${folder}.new`;
  const last = `${folder}.old`;
  for (const leftover of [next, last]) rmSync(leftover, { recursive: true, force: true });
  const listed = writeInto(next, files);
  await syncTree(next);
  // No folder can be renamed over another one that holds something.
  if (existsSync(folder)) renameSync(folder, last);
  renameSync(next, folder);
  writeDeployManifest(build, listed);
  rmSync(last, { recursive: true, force: true });
}
