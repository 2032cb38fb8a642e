import { typeOfPath } from "../lib/content-type.ts";
import type { HeaderRule } from "../routes/headers.ts";
import { atRest } from "../routes/site.ts";
import type { Lookup } from "./lookup.ts";
import { pathPattern } from "./patterns.ts";

/** A lookup of what one header says. */
export interface HeaderLookup extends Lookup {
  header: string;
}

/** Headers of the answers, as lookups in the path of the file that answers; "" where there is none. */
export function headerLookups(rules: readonly HeaderRule[], source: string): HeaderLookup[] {
  const lookups = new Map<string, HeaderLookup>();
  for (const rule of rules) {
    for (const [header, value] of Object.entries(rule.headers)) {
      const name = `header_${header.toLowerCase().replaceAll("-", "_")}`;
      const lookup = lookups.get(name) ?? { header, name, source, cases: [], otherwise: "" };
      lookups.set(name, lookup);
      // A later rule wins.
      lookup.cases.unshift([pathPattern(rule), value]);
    }
  }
  return [...lookups.values()];
}

/** Extensions of the files that an archive may have. All others are `application/octet-stream`. */
const extensions = new Set([
  ..."html css js mjs json xml svg ico map webmanifest".split(" "),
  ...atRest,
]);

/** Content types, with their parameters, and the extensions of each. */
export function contentTypes(): [type: string, extensions: string[]][] {
  const types = new Map<string, string[]>();
  for (const extension of extensions) {
    const type = typeOfPath(`x.${extension}`);
    types.set(type, [...(types.get(type) ?? []), extension]);
  }
  return [...types];
}

/** Content types that are worth compressing, without parameters. */
export function compressibleTypes(): string[] {
  const types = contentTypes().map(([type]) => type.replace(/;.*/, ""));
  const compressible = /^text\/|json$|xml$|javascript$|manifest/;
  return [...new Set(types.filter((type) => compressible.test(type)))].sort();
}
