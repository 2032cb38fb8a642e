import { filterNames } from "../routes/filters.ts";
import type { Endpoint } from "../routes/rules.ts";
import { plainSegment } from "../routes/segments.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { firstOf, literal, spelled } from "./patterns.ts";
import type { Spelling } from "./segment-lookups.ts";
import { sizeParameters } from "./slot-lookups.ts";

/** Lookups of parameters as they were sent, and of what path and query ask for: its `kind` and `id`. */
export function targetLookups({ rules, linked }: HostInput, spelling: Spelling): Lookup[] {
  // Those that belong to paths.
  const names = [...new Set(rules.endpoints.flatMap(({ query }) => query.map(([name]) => name)))];
  const all = new Set(["page", ...filterNames, ...sizeParameters, ...names]);
  const parameters = Array.from(all, (name) => {
    return lookup(variableOf(name), "{query}", { [firstOf(name)]: "$1" }, "");
  });
  const below = `/${literal(rules.root)}`;
  const any = `^${"[^&]*&".repeat(names.length)}${below}`;
  const listed = linked.files.filter(({ path, folder }) => spelling.held(path) !== folder);
  const cases: LookupCase[] = [
    [`${any}/images/([^/]+?)\\.jpg\\z`, "i=$1"],
    [`${any}/images/([^/]+)/download\\z`, "d=$1"],
    // The link to a web version whose id is no segment: what is behind by/web is one already.
    [`${any}/images/by/web/([a-z0-9_-][a-z0-9._-]*)\\.jpg\\z`, "w=$1"],
    ...rules.endpoints.flatMap((endpoint, at) => endpointCases(endpoint, names, below, `e${at}`)),
    // Any other path may be that of a link to a file; Apache takes a UUID in upper case for its segment.
    ...listed.map(({ path, folder }): LookupCase => [`${any}${literal(path)}/?\\z`, `l=${folder}`]),
    [`${any}((?:/(?:${plainSegment}|[0-9A-F-]{36}))+)/?\\z`, "l=$1"],
  ];
  const source = [...names.map((name) => `{${variableOf(name)}}`), "{path}"].join("&");
  return [
    ...parameters,
    lookup("target", source, cases, ""),
    lookup("kind", "{target}", { "^([a-z0-9]+)=": "$1" }, ""),
    lookup("id", "{target}", { "^[a-z0-9]+=((?s:.+))\\z": "$1" }, ""),
  ];
}

function variableOf(parameter: string): string {
  const escaped = (char: string): string => `_${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `q_${parameter.replace(/[^a-z0-9]/g, escaped)}`;
}

/** The requests of an endpoint, among values of parameters and a path with `&` between them. */
function endpointCases({ path, query }: Endpoint, names: string[], below: string, key: string) {
  // A parameter without a value counts as absent.
  if (query.some(([, value]) => value === "")) return [];
  const marked = (text: string, form: (part: string) => string, group: string): string =>
    text.split("{id}").map(form).join(group);
  const values = names.map((name) => {
    const value = query.find(([own]) => own === name)?.[1];
    return `${value === undefined ? "[^&]*" : marked(value, spelled, "([^&]+)")}&`;
  });
  const pattern = `^${values.join("")}${below}${marked(path, literal, "([^/]+)")}/?\\z`;
  const groups = pattern.split("([^").length - 1;
  const found: LookupCase = [pattern, `${key}=${groups === 0 ? "" : `$${groups}`}`];
  return [found];
}
