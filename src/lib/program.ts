import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keyOf, sha256 } from "./digest.ts";
import { walkSorted } from "./files.ts";
import { dependencies, version } from "./version.ts";

let known: string | undefined;

/** Digest of the program, its dependencies, and the Unicode data that formats dates. */
export function programDigest(): string {
  known ??= readDigest();
  return known;
}

function readDigest(): string {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const files = [...walkSorted(root)].filter((path) => /(?<!\.d)\.[jt]s$/.test(path));
  return keyOf(
    version,
    JSON.stringify(dependencies),
    process.versions.icu,
    files.flatMap((path) => [path, sha256(readFileSync(join(root, path)))]),
  );
}
