import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every byte below a folder, links not followed: what a thief of the folder would have. */
export function* contents(folder: string): Generator<{ path: string; bytes: Buffer }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* contents(path);
    else if (entry.isFile()) yield { path, bytes: readFileSync(path) };
  }
}
