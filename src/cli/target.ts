import type { Config } from "../config.ts";
import { ConfigError } from "../errors.ts";
import { overlap, type Place, placeOf } from "../targets/place.ts";

/** The target that is named, or the one of the setting. @throws ConfigError where it is none */
export function targetOf(
  named: string | undefined,
  config: Config | undefined,
  out: string,
): Place {
  const name = named ?? config?.publish.target;
  if (!name) {
    throw new ConfigError("there is no target to publish to", {
      hint: 'name one, such as "stillpress publish s3://bucket/prefix", or set publish.target',
    });
  }
  const place = placeOf(name);
  const blobs = config?.engine.blobs;
  if (blobs && overlap(place, placeOf(blobs))) {
    throw new ConfigError(`${name} and engine.blobs lie in each other`, {
      hint: "publish to another place: blobs are not published",
    });
  }
  if (place.kind === "s3") return place;
  if (config?.publish.apiKeys) {
    throw new ConfigError(`${name}: a folder cannot hold "articles" beside "articles/1"`, {
      hint: "set publish.apiKeys to false, or publish to a bucket",
    });
  }
  if (overlap(place, { kind: "dir", name: "", path: out })) {
    throw new ConfigError(`${name} and the output folder lie in each other`, {
      hint: "name a folder beside it",
    });
  }
  return place;
}
