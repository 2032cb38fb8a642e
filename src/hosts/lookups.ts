import { typeOfPath } from "../lib/content-type.ts";
import { type HeaderRule, headersOf } from "../routes/headers.ts";
import type { Endpoint, Rules } from "../routes/rules.ts";
import { plainSegment } from "../routes/segments.ts";
import { atRest } from "../routes/site.ts";
import { createTable, type JsonRequest, linkFolder, type MirrorTable } from "../routes/table.ts";
import type { HostInput } from "./host.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
import {
  literal,
  needlesslyEscaped,
  pathPattern,
  reserved,
  shortNumbers,
  spelled,
} from "./patterns.ts";
import { slotLookups } from "./slot-lookups.ts";

/** The lookups of an archive. What they fill is safe to be put behind the publish root. */
export interface Selection {
  /** Parameters as they were sent: variable and name. */
  parameters: { variable: string; name: string }[];
  /** In an order in which each needs those before it only, besides the parameters and tags. */
  lookups: Lookup[];
  /**
   * How many different tags one list can be asked for by. The variables `raw_tag1`, `raw_tag2`, … must be filled
   * with so many of `q_tags`, and `more_tags` with anything where there are more.
   */
  tags: number;
  /** Variables with the files of an original, or of a link to another file, one for each ending, of which at most one exists. */
  originals: { variable: string; type: string | undefined }[];
}

/** The lookups that find the file of a request. */
export function selectionOf(input: HostInput): Selection {
  const { rules, originals } = input;
  const { root, endpoints, filters } = rules;
  const table = createTable(rules);
  const parameters = parametersOf(rules);
  const variableOf = (name: string): string =>
    `{${parameters.find((parameter) => parameter.name === name)?.variable}}`;
  const known = new Set(endpoints.flatMap((endpoint) => endpoint.filters));
  const tags = known.has("tags")
    ? Math.max(0, ...filters.map((name) => name.match(/tag/g)?.length ?? 0))
    : 0;
  const segments = createSegments(input, table);
  const image = segments.variable("{id}", false, (id) => {
    const name = table.fileOfImage(id, "web", "jpeg").split("/").at(-1) ?? "";
    return name.slice(0, -".jpg".length);
  });
  const ofOriginals = originals.endings.map((ending, at) => {
    const path = table.fileOfOriginal(probe, ending);
    const file = `/${path.replace(probe, () => `{${image}}`)}`;
    const type = headersOf(path, input.headers)["Content-Type"];
    return { lookup: lookup(`original${at}`, "{kind}", [{ exact: "d", value: file }], "/_"), type };
  });
  const ofLinks = input.linked.endings.map((ending, at) => {
    // The id begins with a slash.
    const value = `/${linkFolder(root).slice(0, -1)}{id}/index${ending}`;
    const type = headersOf(value.slice(1), input.headers)["Content-Type"];
    return { lookup: lookup(`linked${at}`, "{kind}", [{ exact: "l", value }], "/_"), type };
  });
  const others = [...ofOriginals, ...ofLinks];
  const files: LookupCase[] = [
    { exact: "i", value: `/${root}/images{slot}/{${image}}.jpg` },
    { exact: "w", value: `/${root}/images{slot}/{id}.jpg` },
  ];
  const none: Lookup[] = [];
  const empty: LookupCase[] = [];
  const moved: LookupCase[] = [];
  for (const [at, endpoint] of endpoints.entries()) {
    const { target, place, path, query } = endpoint;
    const key = `e${at}`;
    const folder = `/${root}/${segments.place(endpoint)}`;
    const own =
      target.route === "single" && query.length === 0 && parent(path) === parent(`/${place}`);
    moved.push({ pattern: own ? `^${key}&(?s:.*)/\\z` : `^${key}&`, value: "moved" });
    if (target.route === "single") files.push({ exact: key, value: folder });
    else if (target.route === "all") files.push({ exact: key, value: `${folder}/index.json` });
    else if (endpoint.filters.length === 0) files.push({ exact: key, value: `${folder}{page}` });
    else {
      files.push({ exact: key, value: `${folder}{by${at}}{page}` });
      if (target.route !== "index") continue;
      // What no filter leaves anything of; a page behind its first one is not there.
      const file = `/${table.emptyFileOf(target.index as "articles" | "galleries")}`;
      const first = { pattern: "^/by/[^=]*=/index\\.json$", value: file };
      // Of two tags, of which any counts, one that nobody knows leaves what the other one lists.
      const known = { pattern: "^/by/tags/[^/=]+/tags/", value: "/_" };
      const cases = input.tagMatch === "any" ? [known, first] : [first];
      none.push(lookup(`none${at}`, `{by${at}}={page}`, cases, "/_"));
      empty.push({ exact: key, value: `{none${at}}` });
    }
  }
  return {
    parameters,
    tags,
    originals: others.map(({ lookup: { name: variable }, type }) => ({ variable, type })),
    // In an order in which each needs those before it only.
    lookups: [
      ...filterLookups(input, tags),
      ...slotLookups(rules.slots),
      ...targetLookups(input, variableOf),
      ...segments.lookups,
      ...none,
      lookup("file", "{kind}", files, "/_"),
      lookup("empty", "{kind}", empty, "/_"),
      ...others.map((original) => original.lookup),
      // Relative links lead nowhere from another folder than the file's.
      lookup("place", "{kind}&{path}", input.redirects ? moved : [], ""),
      lookup("moved", "{place}", [{ exact: "moved", value: "{file}" }], "/_"),
    ],
  };
}

/** An id that is its own segment, and stands nowhere in a path by chance. */
const probe = "0-id-0";

/** The parameters that any endpoint knows. */
function parametersOf({ endpoints }: Rules): Selection["parameters"] {
  const names = new Set([
    "page",
    ...endpoints.flatMap((endpoint) => endpoint.filters),
    ...["thumb", "orientation", "scale", "width", "height"],
    ...fixedNames(endpoints),
  ]);
  return [...names].map((name, at) => ({
    name,
    variable: /^[a-z]+$/.test(name) ? `q_${name}` : `q_${at}`,
  }));
}

/** Names of parameters that belong to paths. */
function fixedNames(endpoints: readonly Endpoint[]): string[] {
  return [...new Set(endpoints.flatMap(({ query }) => query.map(([name]) => name)))];
}

/**
 * Lookups of the page, and of the folder below each list that filters ask for. A value that is none is "!"; one
 * that the archive does not know is "_", which is no segment of anything.
 */
function filterLookups({ rules, names }: HostInput, tags: number): Lookup[] {
  const { endpoints, filters } = rules;
  const firstPage = { pattern: "^1?$", value: "/index.json" };
  const otherPage = { pattern: "^([1-9][0-9]{0,8})$", value: "/page/$1.json" };
  const nothing = { pattern: "^$", value: "" };
  const years = shortNumbers.map((number) => ({ pattern: `^${number}$`, value: "$1" }));
  const months = shortNumbers.map((number) => ({ pattern: `&${number}$`, value: "$1" }));
  const segments = [
    nothing,
    ...names.map(({ value, segment }) => nameCase(value, segment, true)),
    { pattern: reserved, value: "_" },
    { pattern: `^(${plainSegment})$`, value: "$1" },
    { pattern: `^${needlesslyEscaped}$`, value: "!" },
  ];
  const tagNames = Array.from({ length: tags }, (_, at) => `tag${at + 1}`);
  const ofFilters = {
    year: [lookup("year", "{q_year}", [nothing, ...years], "!")],
    // A month without a year is not looked at.
    month: [lookup("month", "{year}&{q_month}", [{ pattern: "^&|&$", value: "" }, ...months], "!")],
    category: [lookup("category", "{q_category}", segments, "_")],
    tags: tagNames.map((name) => lookup(name, `{raw_${name}}`, segments, "_")),
  };
  const known = new Set(endpoints.flatMap((endpoint) => endpoint.filters));
  const lookups = [
    lookup("page", "{q_page}", [firstPage, otherPage], "/_"),
    ...(["year", "month", "category", "tags"] as const)
      .filter((name) => known.has(name))
      .flatMap((name) => ofFilters[name]),
  ];
  for (const [at, endpoint] of endpoints.entries()) {
    if (endpoint.filters.length === 0) continue;
    const variables = endpoint.filters.flatMap((name) =>
      name === "tags" ? [...tagNames, "more_tags"] : [name],
    );
    const cases = filters.flatMap((name) => folderCase(name.split("+"), variables));
    cases.unshift({ pattern: `^${"&".repeat(variables.length - 1)}$`, value: "" });
    lookups.push(lookup(`by${at}`, variables.map((name) => `{${name}}`).join("&"), cases, "/_"));
  }
  return lookups;
}

/** The segment of a value that is not its own one; in a query, it may have to be escaped. */
function nameCase(name: string, segment: string, inQuery: boolean): LookupCase {
  const asItIs = !inQuery || /^[\w.~-]+$/.test(name);
  return asItIs
    ? { exact: name, value: segment }
    : { pattern: `^${spelled(name)}$`, value: segment };
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** The folder of a combination of filters; nothing where a list does not know all of them. */
function folderCase(parts: string[], variables: string[]): LookupCase[] {
  let tags = 0;
  const wanted = parts.map((part) => (part === "tag" ? `tag${++tags}` : part));
  if (!wanted.every((name) => variables.includes(name))) return [];
  const pattern = variables.map((name) => (wanted.includes(name) ? "([^&!]+)" : "")).join("&");
  const folders = wanted.map((name, at) => `/${name.replace(/^tag\d+$/, "tags")}/$${at + 1}`);
  return [{ pattern: `^${pattern}$`, value: `/by${folders.join("")}` }];
}

/** Lookups of what a path and the parameters that belong to it mean: `kind` and `id`. */
function targetLookups(input: HostInput, variableOf: (name: string) => string): Lookup[] {
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
    if (path === folder) continue;
    cases.push({
      pattern: `^${anyFixed}/${literal(root)}${literal(path)}/?\\z`,
      value: `l=${folder}`,
    });
  }
  if (input.linked.files.length > 0) {
    const plain = `((?:/(?:${plainSegment}))+)`;
    cases.push({ pattern: `^${anyFixed}/${literal(root)}${plain}/?\\z`, value: "l=$1" });
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

/** Lookups of the segments of ids, one for each form of a segment that has an id in it. */
function createSegments({ rules, names }: HostInput, table: MirrorTable) {
  const lookups: Lookup[] = [];
  const groups = new Map<string, string>();
  return {
    lookups,
    variable,
    /** Path of an endpoint's answers below the mirror root, with variables. */
    place(endpoint: Endpoint): string {
      const forms = endpoint.place.split("/");
      const parts = partsOf(endpoint, probe).map((part, at) => {
        const form = forms[at] ?? "";
        if (!form.includes("{id}")) return part;
        const ending = form === "{id}.json" ? ".json" : "";
        const without = (text: string): string => text.slice(0, text.length - ending.length);
        const inQuery = !endpoint.path.includes("{id}");
        const name = variable(without(form), inQuery, (id) =>
          without(partsOf(endpoint, id)[at] ?? ""),
        );
        return `{${name}}${ending}`;
      });
      return parts.join("/");
    },
  };

  /** Variable of the segment that a form gives to ids; those of a query are undecoded. */
  function variable(form: string, inQuery: boolean, segmentOf: (id: string) => string): string {
    const key = `${form} ${inQuery}`;
    const name = groups.get(key) ?? `seg${groups.size}`;
    if (groups.has(key)) return name;
    groups.set(key, name);
    const cases = [
      ...names.map(({ value }) => nameCase(value, segmentOf(value), inQuery)),
      { pattern: reserved, value: "_" },
      { pattern: `^(${plainSegment})\\z`, value: segmentOf(probe).replace(probe, "$1") },
    ];
    lookups.push(lookup(name, "{id}", cases, "_"));
    return name;
  }

  /** Path of an endpoint's answers below the mirror root; of a list, its folder. */
  function partsOf({ target }: Endpoint, id: string): string[] {
    const path = table.fileOf({ ...target, id, page: 1 } as JsonRequest) ?? "";
    const parts = path.slice(rules.root.length + 1).split("/");
    return target.route === "single" ? parts : parts.slice(0, -1);
  }
}

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
      lookup.cases.unshift({ pattern: pathPattern(rule), value });
    }
  }
  return [...lookups.values()];
}

/** Extensions of the files that an archive may have: what is not among them is `application/octet-stream`. */
const extensions = new Set([
  ..."html css js mjs json xml svg ico map webmanifest".split(" "),
  ...atRest,
]);

/** Content types, with their parameters, and the extensions of each. */
export function contentTypes(): Map<string, string[]> {
  const types = new Map<string, string[]>();
  for (const extension of extensions) {
    const type = typeOfPath(`x.${extension}`);
    types.set(type, [...(types.get(type) ?? []), extension]);
  }
  return types;
}

/** Content types that are worth compressing, without parameters. */
export function compressibleTypes(): string[] {
  const types = [...contentTypes().keys()].map((type) => type.replace(/;.*/, ""));
  return [
    ...new Set(types.filter((type) => /^text\/|json$|xml$|javascript$|manifest/.test(type))),
  ].sort();
}
