import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256Stream } from "../lib/digest.ts";
import { walkSorted } from "../lib/files.ts";

/**
 * Digest of the program itself: its compiled files and the versions of what it depends on. Input keys hold within
 * one version of the program only; another version makes every file anew and compares contents.
 */
export function programDigest(): string {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const hash = sha256Stream();
  for (const path of walkSorted(root)) {
    if (!/\.[jt]s$/.test(path) || path.endsWith(".d.ts")) continue;
    hash.update(path).update(readFileSync(join(root, path)));
  }
  const { version, dependencies } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { version: string; dependencies: Record<string, string> };
  return hash
    .update(JSON.stringify([version, dependencies]))
    .digest("hex")
    .slice(0, 32);
}
