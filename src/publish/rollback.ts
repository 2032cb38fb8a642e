import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import { earlierBuilds, keptBuilds, recordPublication } from "./builds.ts";
import { type CheckOptions, requireWhole } from "./check.ts";
import { refuseNoLongerShown } from "./no-longer-shown.ts";
import { readRecord } from "./record.ts";
import { outputPaths, swapIn } from "./swap.ts";

export type ListedBuild = ReturnType<typeof listBuilds>[number];

/** The builds that are there, the last one first. What their records do not say is null. */
export function listBuilds(out: string) {
  const { builds } = outputPaths(out);
  const listed = keptBuilds(out).map(({ build, time, state }) => {
    const { snapshot = null, totals } = readRecord(join(builds, build)) ?? {};
    return { name: build, state, time, snapshot, files: totals?.files ?? null };
  });
  return listed.reverse();
}

export interface RollbackOptions extends CheckOptions {
  /** Name of the build to publish, by default the one before the published one. */
  name?: string | undefined;
  now?: () => Date;
}

/**
 * Publishes an earlier build again, after checking that it is whole. Later builds stay and can be published again by
 * name; the next new build follows this one.
 *
 * @throws ConfigError where there is no such build
 * @throws StoreError where it is damaged
 * @throws GuardError where it shows an image that may not be shown any more
 */
export async function rollBack(
  out: string,
  { name, now = () => new Date(), ...check }: RollbackOptions,
): Promise<{ from: string | null; to: string }> {
  const order = keptBuilds(out);
  const from = order.find(({ state }) => state === "published")?.build ?? null;
  const target =
    name === undefined ? earlierBuilds(order).at(-1) : order.find(({ build }) => build === name);
  if (target === undefined) {
    const message =
      name === undefined ? "there is no earlier build to go back to" : `there is no build ${name}`;
    throw new ConfigError(message, { hint: '"stillpress rollback --list" shows the builds' });
  }
  const build = join(outputPaths(out).builds, target.build);
  await requireWhole(build, check);
  refuseNoLongerShown(out, build);
  if (target.state === "withdrawn") recordPublication(out, build, now());
  swapIn(out, build);
  return { from, to: target.build };
}
