import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import type { HostFile } from "../hosts/host.ts";

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
