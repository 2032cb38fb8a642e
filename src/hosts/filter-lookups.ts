import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import { listOfTags, needlesslyEscaped, shortNumbers } from "./patterns.ts";
import type { Segments } from "./segment-lookups.ts";

/** Lookups of the page, and of the folder below each list that filters ask for. A value that is none is "!". */
export function filterLookups({ rules }: HostInput, tags: number, segments: Segments): Lookup[] {
  const pages = { "^1?$": "/index.json", "^([1-9][0-9]{0,8})$": "/page/$1.json" };
  const numbers = (before: string): LookupCase[] =>
    shortNumbers.map((number) => [`${before}${number}$`, "$1"]);
  const ofValue: LookupCase[] = [
    ["^$", ""],
    ...segments.cases("{id}", true),
    [`^${needlesslyEscaped}$`, "!"],
  ];
  const tagNames = Array.from({ length: tags }, (_, at) => `tag${at + 1}`);
  const folders = rules.endpoints.flatMap(({ filters }, at) => {
    if (filters.length === 0) return [];
    const variables = filters.flatMap((name) =>
      name === "tags" ? [...tagNames, "more_tags"] : [name],
    );
    const none: LookupCase = [`^${"&".repeat(variables.length - 1)}$`, ""];
    const some = rules.filters.flatMap((name) => folderCase(name.split("+"), variables));
    const source = variables.map((name) => `{${name}}`).join("&");
    return [lookup(`by${at}`, source, [none, ...some], "/_")];
  });
  return [
    lookup("page", "{q_page}", pages, "/_"),
    lookup("year", "{q_year}", [["^$", ""], ...numbers("^")], "!"),
    // A month without a year is not looked at.
    lookup("month", "{year}&{q_month}", [["^&|&$", ""], ...numbers("&")], "!"),
    lookup("category", "{q_category}", ofValue, "_"),
    ...tagNames.map((name) => lookup(name, `{raw_${name}}`, ofValue, "_")),
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

/** Lookups of up to so many tags of a query: `raw_tag1`, `raw_tag2`, …; `more_tags` says whether there are more. */
export function tagLookups(tags: number): Lookup[] {
  const lists = Array.from({ length: tags + 1 }, (_, count) => listOfTags(count));
  const ofTag = lists.slice(1).map((_, at) => {
    const having = lists.slice(at + 1).map((list): LookupCase => [list, `$${at + 1}`]);
    return lookup(`raw_tag${at + 1}`, "{q_tags}", having, "");
  });
  const none = lists.map((list): LookupCase => [list, ""]);
  return [...ofTag, lookup("more_tags", "{q_tags}", none, "more")];
}
