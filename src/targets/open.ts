import { openFolder } from "./folder.ts";
import type { Place } from "./place.ts";
import { openBucket } from "./s3.ts";
import type { Target } from "./target.ts";

/** @throws ConfigError for wrong settings of the store */
export function openTarget(place: Place, signal?: AbortSignal): Target {
  const { name } = place;
  if (place.kind === "dir") return openFolder(name, place.path);
  return openBucket(name, place.bucket, place.prefix, { signal });
}
