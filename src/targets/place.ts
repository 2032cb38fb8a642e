import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";

/** A target as it is written: another folder, or the prefix of keys in a bucket, "" or with a slash at its end. */
export type Place =
  | { kind: "dir"; name: string; path: string }
  | { kind: "s3"; name: string; bucket: string; prefix: string };

/**
 * placeOf("s3://bucket/archive") → { kind: "s3", name: "s3://bucket/archive", bucket: "bucket", prefix: "archive/" }
 *
 * @throws ConfigError where it is neither; what stands in front of "@" is not repeated
 */
export function placeOf(name: string): Place {
  const [, path] = /^dir:(.+)$/s.exec(name) ?? [];
  if (path !== undefined) return { kind: "dir", name, path };
  const [, bucket, below = ""] = /^s3:\/\/([\w.-]+)(?:\/(.*))?$/s.exec(name) ?? [];
  const folders = below.split("/").filter((one) => one !== "");
  if (bucket !== undefined && !folders.some((one) => /^\.{1,2}$/.test(one))) {
    return { kind: "s3", name, bucket, prefix: folders.map((one) => `${one}/`).join("") };
  }
  throw new ConfigError(`"${name.replace(/^.*@/s, "…@")}" is no place to publish to`, {
    hint: "expected dir:PATH or s3://BUCKET/PREFIX; credentials belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  });
}

/** Whether one of two places lies in the other. */
export function overlap(one: Place, other: Place): boolean {
  const spelled = (place: Place): string =>
    place.kind === "dir" ? `${resolve(place.path)}/` : `s3://${place.bucket}/${place.prefix}`;
  const [a, b] = [spelled(one), spelled(other)];
  return a.startsWith(b) || b.startsWith(a);
}
