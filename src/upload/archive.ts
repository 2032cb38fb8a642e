import { basename, join } from "node:path";
import { GuardError } from "../errors.ts";
import { typeOfPath } from "../lib/content-type.ts";
import type { FileList } from "../lib/file-list.ts";
import { namedFile } from "../lib/foreign.ts";
import { percentDecoded } from "../lib/urls.ts";
import type { BuiltFile } from "../publish/manifest.ts";
import { type HeaderRule, headerRules, headersOf } from "../routes/headers.ts";
import type { Rules } from "../routes/rules.ts";
import type { ArchiveObject, UploadContent } from "./content.ts";
import type { Deployed } from "./deployed.ts";

/** Headers that stores keep with an object; all others belong into the configuration of the CDN. */
const keptNames = new Set(["Content-Type", "Cache-Control", "Content-Disposition"]);

interface ArchiveInput {
  build: string;
  files: FileList<BuiltFile>;
  rules: Rules;
  /** Whether each answer of the API gets its own path as a key, too. */
  apiKeys: boolean;
}

/** The files of a build, for a target that shows them. */
export function archiveContent({ build, files, rules, apiKeys }: ArchiveInput): UploadContent {
  const newest = newestOf(files);
  const headers = headerRules(rules);
  return {
    kind: "archive",
    name: basename(build),
    newest,
    objects: () => objectsOf({ build, files, headers, apiKeys }),
    rankOf: (key) => rankOf(key, rules.root),
    refuse: (target, deployed) => refuseOlder(target, deployed, newest),
  };
}

interface ObjectsInput extends Omit<ArchiveInput, "rules"> {
  headers: readonly HeaderRule[];
}

/** In the order of the build's manifest. */
function* objectsOf(input: ObjectsInput): Generator<ArchiveObject> {
  const { build, files, headers, apiKeys } = input;
  for (const file of files.values()) {
    const { path, bytes, sha256, time, url } = file;
    const content = join(build, "public", path);
    const kept = keptHeaders(file, headers);
    yield { key: path, bytes, sha256, headers: kept, content, time, url };
    const key = apiKeys ? apiKeyOf(file) : undefined;
    if (key === undefined || key === path || files.has(key)) continue;
    yield { key, bytes, sha256, headers: kept, content, time };
  }
}

function keptHeaders({ path, name }: BuiltFile, rules: readonly HeaderRule[]) {
  const all = Object.entries({ "Content-Type": typeOfPath(path), ...headersOf(path, rules) });
  const kept = Object.fromEntries(all.filter(([header]) => keptNames.has(header)));
  const disposition = kept["Content-Disposition"];
  if (disposition !== undefined && name !== undefined)
    kept["Content-Disposition"] = `${disposition}; ${namedFile(name)}`;
  return kept;
}

/** The path of the request that a file answers; undefined where that has a query. */
function apiKeyOf({ url }: BuiltFile): string | undefined {
  if (url === undefined || url.includes("?")) return undefined;
  return percentDecoded(url.slice(1));
}

/** The order of objects, by what links to what: media, JSON, pages, lists of pages, what leads from outside. */
function rankOf(key: string, root: string): number {
  if (/(?:^|\/)(?:feed|sitemap|robots|redirects)[^/]*$/.test(key)) return 4;
  if (/(?:^|\/)index\.html$|^search\//.test(key)) return 3;
  if (key.endsWith(".html")) return 2;
  return key.startsWith(`${root}/`) && /(?:\.json|\/[^./]+)$/.test(key) ? 1 : 0;
}

/** A file's time moves with its content only, and always forwards. */
function newestOf(files: FileList<BuiltFile>): number {
  let newest = 0;
  for (const { time = 0 } of files.values()) newest = Math.max(newest, time);
  return newest;
}

/** @throws GuardError where the target has a build that was made from later content */
function refuseOlder(target: string, deployed: Deployed, newest: number): void {
  if (newest >= deployed.newest) return;
  const time = new Date(deployed.newest * 1000).toISOString();
  throw new GuardError(`${target} has files of a later build, of ${time}`, {
    hint: "nothing was sent; another machine publishes there. If this build is the right one, run again with --force",
  });
}
