import { typeOfPath } from "../lib/content-type.ts";
import type { HeaderRule } from "../routes/headers.ts";
import { atRest } from "../routes/site.ts";
import type { HostInput } from "./host.ts";
import { lookup } from "./lookup.ts";
import { pathPattern } from "./patterns.ts";

/** Headers of answers but for their types, by `{preflight}` and the file that is `{served}`; "" where one is not sent. */
export function headerLookups({ headers, preflight }: HostInput) {
  const rules = [...headers, { prefix: "204/", suffix: "", headers: preflight }];
  const names = new Set(rules.flatMap((rule) => Object.keys(rule.headers)));
  names.delete("Content-Type");
  const lookups = Array.from(names, (header) => {
    const name = `header_${header.toLowerCase().replaceAll("-", "_")}`;
    return { header, ...lookup(name, "{preflight}{served}", valuesOf(header, rules), "") };
  });
  const allow = { "^405&yes$": "GET, HEAD, OPTIONS", "^405&": "GET, HEAD" };
  return [...lookups, { header: "Allow", ...lookup("allow", "{early}&{below}", allow, "") }];
}

/** Values of a header, by patterns of the paths of files. */
export function valuesOf(header: string, rules: readonly HeaderRule[]) {
  const values = rules.map((rule) => [pathPattern(rule), rule.headers[header]]);
  // A later rule wins.
  return values.filter((one): one is [string, string] => one[1] !== undefined).reverse();
}

/** Extensions of the files that an archive may have. All others are `application/octet-stream`. */
const extensions = [
  ...new Set([..."html css js mjs json xml svg ico map webmanifest".split(" "), ...atRest]),
];

/** Content types, with their parameters, and the extensions of each. */
export const contentTypes = [...new Set(extensions.map(typeOfExtension))].map(
  (type): [type: string, extensions: string[]] => {
    return [type, extensions.filter((extension) => typeOfExtension(extension) === type)];
  },
);

/** Content types that are worth compressing, without parameters. */
export const compressibleTypes = contentTypes
  .map(([type]) => type.replace(/;.*/, ""))
  .filter((type) => /^text\/|json$|xml$|javascript$|manifest/.test(type))
  .sort();

function typeOfExtension(extension: string): string {
  return typeOfPath(`x.${extension}`);
}
