import type { LoadedConfig } from "../config/load.ts";
import type { Engine } from "../engine/engine.ts";
import { ConfigError } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import type { JobCounts } from "../media/renderer.ts";
import { outputPaths } from "../publish/swap.ts";
import type { Blobs } from "../store/blobs.ts";
import { overlap, type Place, placeOf } from "../targets/place.ts";
import { keptSecret } from "./masked.ts";

/** The shared place of the configuration; undefined with the local engine. @throws ConfigError for a wrong one */
export function sharedPlace({ config, out }: LoadedConfig): Place | undefined {
  const { kind, blobs, redis } = config.engine;
  if (kind === "local" || blobs === null) return undefined;
  const { password } = URL.canParse(redis) ? new URL(redis) : { password: "" };
  for (const secret of new Set([password, decodeURIComponent(password)]))
    if (secret !== "") keptSecret(secret);
  const place = placeOf(blobs);
  if (overlap(place, { kind: "dir", name: "", path: out })) {
    throw new ConfigError("engine.blobs and the output folder lie in each other", {
      hint: "name a place beside it",
    });
  }
  return place;
}

/** Makes the place of the configuration the one of the store. @throws as `joinPlace` */
export async function joinEngine(loaded: LoadedConfig) {
  const place = sharedPlace(loaded);
  if (place === undefined) return undefined;
  const { joinPlace } = await import("../store/shared-place.ts");
  const { encoderVersions } = await import("../media/encode.ts");
  const encoder = loaded.config.engine.encoder ?? encoderVersions();
  return { place, record: await joinPlace(outputPaths(loaded.out).store, place, encoder) };
}

/** What gives work on a store's blobs to workers; undefined with the local engine. @throws as `startEngine` */
export async function engineFor(
  loaded: LoadedConfig,
  blobs: Blobs,
  shared: { reporter: Reporter; signal: AbortSignal },
): Promise<Engine | undefined> {
  const joined = await joinEngine(loaded);
  if (joined === undefined) return undefined;
  const { startEngine } = await import("../engine/engine.ts");
  return await startEngine({ ...shared, ...joined, config: loaded.config, blobs });
}

export function jobsText({ done, known, again }: JobCounts): string {
  const before = known > 0 ? `, ${known} done before` : "";
  const repeated = again > 0 ? `, ${again} sent again` : "";
  return `${plural(done, "job")} by workers${before}${repeated}`;
}
