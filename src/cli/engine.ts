import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { ConfigError } from "../errors.ts";
import type { Reporter } from "../lib/reporter.ts";
import { plural } from "../lib/words.ts";
import type { JobCounts } from "../media/renderer.ts";
import { outputPaths } from "../publish/swap.ts";
import type { PlaceRecord } from "../store/shared-place.ts";
import { overlap, type Place, placeOf } from "../targets/place.ts";
import { keptSecret } from "./masked.ts";
import { abortOnSignals } from "./signals.ts";

/** A place that machines share, and what it says of itself. */
export interface JoinedPlace {
  place: Place;
  record: PlaceRecord;
}

/** The shared place of the configuration; undefined with the local engine. @throws ConfigError for a wrong one */
export async function sharedPlace({ config, out }: LoadedConfig): Promise<Place | undefined> {
  const { kind, blobs, redis } = config.engine;
  if (kind === "local" || blobs === null) return undefined;
  const { password } = URL.canParse(redis) ? new URL(redis) : { password: "" };
  for (const secret of new Set([password, decodeURIComponent(password)]))
    if (secret !== "") keptSecret(secret);
  const { absolute } = await import("../store/shared-place.ts");
  const place = absolute(placeOf(blobs));
  const others = [config.publish.target, `dir:${out}`].filter((name) => name !== null);
  for (const other of others.map((name) => absolute(placeOf(name)))) {
    if (!overlap(place, other)) continue;
    throw new ConfigError(`engine.blobs and ${other.name} lie in each other`, {
      hint: "name a place beside it: blobs are not published",
    });
  }
  return place;
}

/** Makes the place of the configuration the one of the store. @throws as `joinPlace` */
export async function joinEngine(loaded: LoadedConfig): Promise<JoinedPlace | undefined> {
  const place = await sharedPlace(loaded);
  if (place === undefined) return undefined;
  const { joinPlace } = await import("../store/shared-place.ts");
  const { encoderVersions } = await import("../media/encode.ts");
  const encoder = loaded.config.engine.encoder ?? encoderVersions();
  return { place, record: await joinPlace(outputPaths(resolve(loaded.out)).store, place, encoder) };
}

/** Lets workers read shared blobs while `act` works, where a store has any and the engine is not local. */
export async function withEngine<T>(
  loaded: LoadedConfig,
  reporter: Reporter,
  act: (digestOf?: (digest: string) => Promise<string>) => Promise<T>,
): Promise<T> {
  const folder = outputPaths(loaded.out).store;
  const joined = existsSync(join(folder, "shared.json")) ? await joinEngine(loaded) : undefined;
  if (joined === undefined) return await act();
  const { startEngine } = await import("../engine/engine.ts");
  const { openStore } = await import("../store/store.ts");
  const { config } = loaded;
  const { blobs, close } = openStore(folder, { readOnly: true });
  const signal = abortOnSignals();
  const engine = await startEngine({ ...joined, config, blobs, reporter, signal });
  try {
    return await act(engine.digestOf);
  } finally {
    await engine.renderer.close();
    close();
  }
}

export function jobsText({ done, known, again }: JobCounts): string {
  const before = known > 0 ? `, ${known} done before` : "";
  const repeated = again > 0 ? `, ${again} sent again` : "";
  return `${plural(done, "job")} by workers${before}${repeated}`;
}
