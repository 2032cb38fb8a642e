import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keyOf, sha256 } from "./digest.ts";
import { walkSorted } from "./files.ts";

/**
 * Digest of the program itself: its files, the versions of what it depends on, and of the Unicode data that
 * formats dates. What one version made counts as unknown to another.
 */
export function programDigest(): string {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const files = [...walkSorted(root)].filter((path) => /(?<!\.d)\.[jt]s$/.test(path));
  const { version, dependencies } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { version: string; dependencies: Record<string, string> };
  return keyOf(
    version,
    JSON.stringify(dependencies),
    process.versions.icu,
    ...files.flatMap((path) => [path, sha256(readFileSync(join(root, path)))]),
  );
}
