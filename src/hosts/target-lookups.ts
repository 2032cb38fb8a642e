import type { Endpoint } from "../routes/rules.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, lookup } from "./lookup.ts";
import { literal, spelled } from "./patterns.ts";
import { heldPath, type Spelling } from "./segment-lookups.ts";

/** Names of parameters that belong to paths. */
export function fixedNames(endpoints: readonly Endpoint[]): string[] {
  return [...new Set(endpoints.flatMap(({ query }) => query.map(([name]) => name)))];
}

/** Lookups of what a path and the parameters that belong to it mean: `kind` and `id`. */
export function targetLookups(
  input: HostInput,
  variableOf: (name: string) => string,
  spelling: Spelling,
): Lookup[] {
  const { root, endpoints } = input.rules;
  const names = fixedNames(endpoints);
  const anyFixed = "[^&]*&".repeat(names.length);
  const cases = [
    { pattern: `^${anyFixed}/${literal(root)}/images/([^/]+?)\\.jpg\\z`, value: "i=$1" },
    { pattern: `^${anyFixed}/${literal(root)}/images/([^/]+)/download\\z`, value: "d=$1" },
    // The link to a web version whose id is no segment: what is behind by/web is one already.
    {
      pattern: `^${anyFixed}/${literal(root)}/images/by/web/([a-z0-9_-][a-z0-9._-]*)\\.jpg\\z`,
      value: "w=$1",
    },
  ];
  for (const [at, endpoint] of endpoints.entries()) {
    // A parameter without a value counts as absent.
    if (endpoint.query.some(([, value]) => value === "")) continue;
    cases.push(targetCase(endpoint, names, root, `e${at}`));
  }
  // Any other path may be that of a link to a file.
  for (const { path, folder } of input.linked.files) {
    if (heldPath(path, spelling) === folder) continue;
    cases.push({
      pattern: `^${anyFixed}/${literal(root)}${literal(path)}/?\\z`,
      value: `l=${folder}`,
    });
  }
  if (input.linked.files.length > 0) {
    const plain = `((?:/(?:${spelling.path}))+)`;
    cases.push({
      pattern: `^${anyFixed}/${literal(root)}${plain}/?\\z`,
      value: `${spelling.linkKind}=$1`,
    });
  }
  return [
    lookup("target", [...names.map(variableOf), "{path}"].join("&"), cases, ""),
    lookup("kind", "{target}", [{ pattern: "^([a-z0-9]+)=", value: "$1" }], ""),
    lookup("id", "{target}", [{ pattern: "^[a-z0-9]+=((?s:.+))\\z", value: "$1" }], ""),
  ];
}

/** The requests of an endpoint, among values of parameters and a path with `&` between them. */
function targetCase(
  { path, query }: Endpoint,
  fixedNames: string[],
  root: string,
  key: string,
): { pattern: string; value: string } {
  const marked = (text: string, form: (part: string) => string, group: string): string =>
    text.split("{id}").map(form).join(group);
  const values = fixedNames.map((name) => {
    const value = query.find(([own]) => own === name)?.[1];
    return `${value === undefined ? "[^&]*" : marked(value, spelled, "([^&]+)")}&`;
  });
  const pattern = `^${values.join("")}/${literal(root)}${marked(path, literal, "([^/]+)")}/?\\z`;
  const groups = pattern.split("([^").length - 1;
  return { pattern, value: `${key}=${groups === 0 ? "" : `$${groups}`}` };
}
