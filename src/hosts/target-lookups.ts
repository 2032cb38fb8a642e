import type { Endpoint } from "../routes/rules.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { literal, spelled } from "./patterns.ts";
import { heldPath, type Spelling } from "./segment-lookups.ts";

/** Names of parameters that belong to paths. */
export function fixedNames(endpoints: readonly Endpoint[]): string[] {
  return [...new Set(endpoints.flatMap(({ query }) => query.map(([name]) => name)))];
}

/** Variable of a parameter as it was sent. */
export function variableOf(name: string): string {
  const plain = name.replace(
    /[^a-z0-9]/g,
    (char) => `_${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `q_${plain}`;
}

/** Lookups of what a path and the parameters that belong to it mean: `kind` and `id`. */
export function targetLookups({ rules, linked }: HostInput, spelling: Spelling): Lookup[] {
  const names = fixedNames(rules.endpoints);
  const below = `/${literal(rules.root)}`;
  const any = `^${"[^&]*&".repeat(names.length)}${below}`;
  const listed = linked.files.filter(({ path, folder }) => heldPath(path, spelling) !== folder);
  const plainLink = `${any}((?:/(?:${spelling.path}))+)/?\\z`;
  const cases: LookupCase[] = [
    [`${any}/images/([^/]+?)\\.jpg\\z`, "i=$1"],
    [`${any}/images/([^/]+)/download\\z`, "d=$1"],
    // The link to a web version whose id is no segment: what is behind by/web is one already.
    [`${any}/images/by/web/([a-z0-9_-][a-z0-9._-]*)\\.jpg\\z`, "w=$1"],
    ...rules.endpoints.flatMap((endpoint, at) => endpointCases(endpoint, names, below, `e${at}`)),
    // Any other path may be that of a link to a file.
    ...listed.map(({ path, folder }): LookupCase => [`${any}${literal(path)}/?\\z`, `l=${folder}`]),
    ...(linked.files.length === 0 ? [] : [[plainLink, `${spelling.linkKind}=$1`] as LookupCase]),
  ];
  return [
    lookup(
      "target",
      [...names.map((name) => `{${variableOf(name)}}`), "{path}"].join("&"),
      cases,
      "",
    ),
    lookup("kind", "{target}", { "^([a-z0-9]+)=": "$1" }, ""),
    lookup("id", "{target}", { "^[a-z0-9]+=((?s:.+))\\z": "$1" }, ""),
  ];
}

/** The requests of an endpoint, among values of parameters and a path with `&` between them. */
function endpointCases(
  { path, query }: Endpoint,
  fixedNames: string[],
  below: string,
  key: string,
): LookupCase[] {
  // A parameter without a value counts as absent.
  if (query.some(([, value]) => value === "")) return [];
  const marked = (text: string, form: (part: string) => string, group: string): string =>
    text.split("{id}").map(form).join(group);
  const values = fixedNames.map((name) => {
    const value = query.find(([own]) => own === name)?.[1];
    return `${value === undefined ? "[^&]*" : marked(value, spelled, "([^&]+)")}&`;
  });
  const pattern = `^${values.join("")}${below}${marked(path, literal, "([^/]+)")}/?\\z`;
  const groups = pattern.split("([^").length - 1;
  return [[pattern, `${key}=${groups === 0 ? "" : `$${groups}`}`]];
}
