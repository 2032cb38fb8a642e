import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Target } from "./target.ts";

/** SHA-256 of what a target has under a key; undefined where there is no such key. */
export async function digestAt(target: Target, key: string): Promise<string | undefined> {
  return await target.read(key, async ({ body }) => {
    const sum = createHash("sha256");
    for await (const piece of body) sum.update(piece);
    return sum.digest("hex");
  });
}

/** Writes what a target has under a key into a file. Returns its SHA-256; undefined where there is no such key. */
export async function fetchTo(
  target: Target,
  key: string,
  path: string,
): Promise<string | undefined> {
  return await target.read(key, async ({ body }) => {
    const sum = createHash("sha256");
    const summing = async function* () {
      for await (const piece of body) {
        sum.update(piece);
        yield piece;
      }
    };
    await pipeline(summing, createWriteStream(path));
    return sum.digest("hex");
  });
}
