import { join } from "node:path";
import { typeOfPath } from "../lib/content-type.ts";
import type { FileList } from "../lib/file-list.ts";
import { percentDecoded } from "../lib/urls.ts";
import type { BuiltFile } from "../publish/manifest.ts";
import { type HeaderRule, headersOf } from "../routes/headers.ts";
import type { TargetObject } from "../targets/target.ts";

/** Headers that stores keep with an object; all others belong into the configuration of the CDN. */
const keptNames = new Set(["Content-Type", "Cache-Control", "Content-Disposition"]);

export interface ObjectsInput {
  /** Folder of the build. */
  build: string;
  files: FileList<BuiltFile>;
  headers: readonly HeaderRule[];
  /** Whether each answer of the API gets its own path as a key, too. */
  apiKeys: boolean;
}

/** A file of an archive as an object. */
export interface ArchiveObject extends TargetObject {
  /** Path and query of the request that it answers, where that is not its key. */
  url?: string | undefined;
}

/** The objects that a target is to hold of a build, in the order of its manifest. */
export function* objectsOf(input: ObjectsInput): Generator<ArchiveObject> {
  const { build, files, headers, apiKeys } = input;
  for (const file of files.values()) {
    const { path, bytes, sha256, time, url } = file;
    const content = join(build, "public", path);
    const kept = keptHeaders(path, headers);
    yield { key: path, bytes, sha256, headers: kept, content, time, url };
    const key = apiKeys ? apiKeyOf(file) : undefined;
    if (key === undefined || key === path || files.has(key)) continue;
    yield { key, bytes, sha256, headers: kept, content, time };
  }
}

function keptHeaders(path: string, rules: readonly HeaderRule[]): Record<string, string> {
  const all = { "Content-Type": typeOfPath(path), ...headersOf(path, rules) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => keptNames.has(name)));
}

/** The path of the request that a file answers; undefined where that has a query. */
function apiKeyOf({ url }: BuiltFile): string | undefined {
  if (url === undefined || url.includes("?")) return undefined;
  return percentDecoded(url.slice(1));
}
