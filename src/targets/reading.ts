import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { orUndefined } from "../lib/or-undefined.ts";
import type { Target } from "./target.ts";

/** SHA-256 of what a target has under a key, which is written to a file if one is named; undefined without such a key. */
export async function digestAt(target: Target, key: string, path?: string) {
  return await target.read(key, async ({ body }) => {
    const sum = createHash("sha256");
    const file = path === undefined ? undefined : await open(path, "w");
    try {
      for await (const piece of body) {
        sum.update(piece);
        await file?.writeFile(piece);
      }
    } finally {
      await file?.close();
    }
    return sum.digest("hex");
  });
}

/** A short JSON document; undefined where there is no such key, null where it is no JSON. */
export async function readJson(target: Target, key: string): Promise<unknown> {
  const found = await target.read(key, ({ body }) => text(body));
  return found && (orUndefined(() => JSON.parse(found)) ?? null);
}
