import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import type { HostFile, HostInput, LinkedPath, SegmentedName } from "../hosts/host.ts";
import type { MirrorDescription } from "../routes/description.ts";
import { headerRules, preflightHeaders } from "../routes/headers.ts";
import type { Redirects } from "../routes/redirects.ts";
import { encodeSegment } from "../routes/segments.ts";
import { sitePaths } from "../routes/site.ts";
import { type ApiRequest, createTable, linkFolder, segmentsOf } from "../routes/table.ts";
import type { BuiltFile } from "./manifest.ts";

/** What configurations of hosts are made from: a build's manifest, and what its mirror says of itself. */
export function hostInput(
  files: Iterable<BuiltFile>,
  { rules, links, url, tagMatch, originals, linked: linkedEndings = [] }: MirrorDescription,
  oldAddresses: Redirects = new Map(),
): HostInput {
  const table = createTable(rules);
  const names = new Map<string, SegmentedName>();
  const totals = { files: 0, bytes: 0, largest: { path: "", bytes: 0 } };
  const below = `/${rules.root}`;
  const linked: LinkedPath[] = [];

  for (const file of files) {
    totals.files++;
    totals.bytes += file.bytes;
    if (file.bytes > totals.largest.bytes) {
      totals.largest = { path: file.path, bytes: file.bytes };
    }
    if (file.url === undefined) continue;
    if (file.path.startsWith(linkFolder(rules.root))) {
      linked.push(linkedPath(file.path.slice(linkFolder(rules.root).length - 1), file.url, below));
      continue;
    }
    // Where a value is not its own segment, the path has one.
    if (!file.path.includes("_")) continue;
    const [path = "", query = ""] = file.url.slice(below.length).split("?");
    const request = table.match(path, query);
    if (request === undefined) continue;
    for (const value of valuesOf(request)) {
      const segment = encodeSegment(value);
      if (segment === value) continue;
      const isFilter = request.route === "index" || names.get(value)?.isFilter === true;
      names.set(value, { value, segment, isFilter });
    }
  }
  return {
    rules,
    tagMatch,
    redirects: links === "file" && url === null,
    names: [...names.values()],
    originalEndings: originals,
    linked: { endings: linkedEndings, files: linked },
    totals,
    headers: headerRules(rules),
    preflight: preflightHeaders,
    oldAddresses,
    url,
    notFound: { site: sitePaths.notFound, api: `${rules.root}/404.json` },
    modules: modulesFrom("serve/functions.js"),
  };
}

function linkedPath(file: string, url: string, below: string): LinkedPath {
  const [, folder = "", ending = ""] = /^(.*)\/index([^/]*)$/.exec(file) ?? [];
  const segments = segmentsOf(url.slice(below.length)) ?? [];
  const written = url.slice(below.length).replace(/\/$/, "");
  return { path: `/${segments.join("/")}`, written, folder, ending };
}

function* valuesOf(request: ApiRequest): Generator<string> {
  if ("id" in request) yield request.id;
  if (request.route !== "index") return;
  if (request.filters?.category !== undefined) yield request.filters.category;
  yield* request.filters?.tags ?? [];
}

/** The compiled program, also where this runs from its sources. */
const compiled = new URL("../../dist/", import.meta.url);

const relativeImport = /^(?:import|export)\b[^"]*"(\.[^"]+)";?$/gm;

/** A compiled module and all that it imports, with their paths in the program's folder. None if nothing is compiled. */
export function modulesFrom(entry: string): HostFile[] {
  const found = new Map<string, string>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path) || !existsSync(new URL(path, compiled))) continue;
    const content = readFileSync(new URL(path, compiled), "utf8").replace(/^\/\/# source.*$/gm, "");
    found.set(path, content);
    for (const [, specifier = ""] of content.matchAll(relativeImport)) {
      open.push(posix.join(posix.dirname(path), specifier));
    }
  }
  return [...found]
    .map(([path, content]) => ({ path, content }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
