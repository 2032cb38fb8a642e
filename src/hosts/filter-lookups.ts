import { filterNames } from "../routes/filters.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { differentTags, needlesslyEscaped, noTags, reserved, shortNumbers } from "./patterns.ts";
import { nameCase, type Spelling } from "./segment-lookups.ts";

/**
 * Lookups of the page, and of the folder below each list that filters ask for. A value that is none is "!"; one
 * that the archive does not know is "_", which is no segment of anything.
 */
export function filterLookups(
  { rules, names }: HostInput,
  tags: number,
  { heldOfQuery, plain }: Spelling,
): Lookup[] {
  const { endpoints, filters } = rules;
  const pages = { "^1?$": "/index.json", "^([1-9][0-9]{0,8})$": "/page/$1.json" };
  const numbers = (before: string): LookupCase[] =>
    shortNumbers.map((number) => [`${before}${number}$`, "$1"]);
  const segments: LookupCase[] = [
    ["^$", ""],
    ...names.flatMap(({ value, segment }) =>
      heldOfQuery(value)
        .filter((form) => form !== segment)
        .map((form) => nameCase(form, segment, true)),
    ),
    [reserved, "_"],
    [`^(${plain})$`, "$1"],
    [`^${needlesslyEscaped}$`, "!"],
  ];
  const tagNames = Array.from({ length: tags }, (_, at) => `tag${at + 1}`);
  const ofFilters = {
    year: [lookup("year", "{q_year}", [["^$", ""], ...numbers("^")], "!")],
    // A month without a year is not looked at.
    month: [lookup("month", "{year}&{q_month}", [["^&|&$", ""], ...numbers("&")], "!")],
    category: [lookup("category", "{q_category}", segments, "_")],
    tags: tagNames.map((name) => lookup(name, `{raw_${name}}`, segments, "_")),
  };
  const known = new Set(endpoints.flatMap((endpoint) => endpoint.filters));
  const folders = endpoints.flatMap((endpoint, at) => {
    if (endpoint.filters.length === 0) return [];
    const variables = endpoint.filters.flatMap((name) =>
      name === "tags" ? [...tagNames, "more_tags"] : [name],
    );
    const none: LookupCase = [`^${"&".repeat(variables.length - 1)}$`, ""];
    const cases = [none, ...filters.flatMap((name) => folderCase(name.split("+"), variables))];
    return [lookup(`by${at}`, variables.map((name) => `{${name}}`).join("&"), cases, "/_")];
  });
  return [
    lookup("page", "{q_page}", pages, "/_"),
    ...filterNames.filter((name) => known.has(name)).flatMap((name) => ofFilters[name]),
    ...folders,
  ];
}

/** The folder of a combination of filters; nothing where a list does not know all of them. */
function folderCase(parts: string[], variables: string[]): LookupCase[] {
  let tags = 0;
  const wanted = parts.map((part) => (part === "tag" ? `tag${++tags}` : part));
  if (!wanted.every((name) => variables.includes(name))) return [];
  const pattern = variables.map((name) => (wanted.includes(name) ? "([^&!]+)" : "")).join("&");
  const folders = wanted.map((name, at) => `/${name.replace(/^tag\d+$/, "tags")}/$${at + 1}`);
  return [[`^${pattern}$`, `/by${folders.join("")}`]];
}

/** Lookups of the different tags of a query, for hosts with PCRE: `raw_tag1`, `raw_tag2`, …, `more_tags`. */
export function tagLookups(tags: number): Lookup[] {
  const counts = Array.from({ length: tags }, (_, at) => at + 1);
  const ofTags = (name: string, valued: (count: number) => string, otherwise: string): Lookup => {
    const some = counts.map((count): LookupCase => [differentTags(count), valued(count)]);
    return lookup(name, "{q_tags}", [[noTags, ""], ...some], otherwise);
  };
  return [
    ...counts.map((at) => ofTags(`raw_tag${at}`, (count) => (count < at ? "" : `$${at}`), "")),
    ofTags("more_tags", () => "", "more"),
  ];
}
