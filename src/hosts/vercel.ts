import type { FilterName } from "../routes/filters.ts";
import { headersOf } from "../routes/headers.ts";
import type { Endpoint } from "../routes/rules.ts";
import { plainSegment } from "../routes/segments.ts";
import type { Slot } from "../routes/slots.ts";
import { linkFolder } from "../routes/table.ts";
import { atMost, positiveNumber, roundedTo } from "./edge-numbers.ts";
import {
  aroundId,
  escapeRegExp,
  filterSets,
  grouped,
  hasId,
  hasTwoTags,
  indexOf,
  isRedirected,
  placeOf,
  placeWith,
  siteFolders,
  topOf,
  usualLinkEndings,
} from "./edge-requests.ts";
import { type HostConfiguration, type HostInput, type HostLimit, sizeLimits } from "./host.ts";

/** vercel.com/docs/limits: routes created per deployment, and static file uploads on the plans Hobby and Pro */
const mostRoutes = 2_048;
const uploads = { hobby: 100 * 10 ** 6, pro: 10 ** 9 };
/** Characters of an expression in vercel.json: `maxLength` in the schema of @vercel/routing-utils. */
const longestPattern = 4_096;

/** A condition on the query: the value fits the expression from its start to its end. */
interface Condition {
  type: "query";
  key: string;
  value: string;
}

/** vercel.com/docs/build-output-api/configuration, "routes", which has the syntax of vercel.json. */
interface Route {
  src: string;
  caseSensitive?: true;
  has?: Condition[];
  missing?: Condition[];
  methods?: string[];
  dest?: string;
  status?: number;
  headers?: Record<string, string>;
  continue?: true;
  /** Goes on with the next routes where `dest` is no file. */
  check?: true;
}

/** What distinguishes one request from others of its path. */
interface Query {
  has: Condition[];
  missing: Condition[];
}

/**
 * `vercel.json`, to be put beside the publish root `public`. It has `routes` and not `rewrites`, because these come
 * after the files: `images/{id}.jpg` is one, and has to be answered by its query.
 */
export function vercelConfiguration(input: HostInput): HostConfiguration {
  const all = routesOf(input);
  const fits = all.length <= mostRoutes;
  const routes = fits
    ? all
    : routesOf({ ...input, names: [], linked: { ...input.linked, files: [] } });
  const configuration = {
    $schema: "https://openapi.vercel.sh/vercel.json",
    framework: null,
    buildCommand: null,
    outputDirectory: "public",
  };
  const lines = routes.map((route) => `    ${JSON.stringify(route)}`);
  const head = JSON.stringify(configuration, null, 2).slice(0, -2);
  return {
    files: [
      { path: "vercel.json", content: `${head},\n  "routes": [\n${lines.join(",\n")}\n  ]\n}\n` },
    ],
    limits: limitsOf(input, fits ? undefined : all.length),
  };
}

function routesOf(input: HostInput): (Route | { handle: "filesystem" })[] {
  const { rules, headers, preflight, notFound } = input;
  const api = `^/${escapeRegExp(rules.root)}(?:/.*)?$`;
  const routes: (Route | { handle: "filesystem" })[] = [
    ...headers.map(
      ({ prefix, suffix, headers: fields }): Route => ({
        src: `^${escapeRegExp(prefix)}.*${escapeRegExp(suffix)}$`,
        headers: fields,
        continue: true,
      }),
    ),
    { src: api, methods: ["OPTIONS"], status: 204, headers: preflight },
    { src: "^/.*$", methods: ["POST", "PUT", "PATCH", "DELETE"], status: 405 },
    { src: `^(${siteFolders()})$`, status: 302, headers: { Location: "$1/" } },
    ...imageRoutes(input),
    ...originalRoutes(input),
    { handle: "filesystem" },
    ...rules.endpoints.flatMap((endpoint) => endpointRoutes(endpoint, input)),
    ...linkRoutes(input),
    ...emptyListRoutes(input),
    { src: api, status: 404, dest: `/${notFound.api}` },
    { src: "^/.*$", status: 404, dest: `/${notFound.site}` },
  ];
  return routes.map((route) => ("src" in route ? { ...route, caseSensitive: true } : route));
}

/** A value that is there; what is missing is absent or empty. */
const some = ".+";

function condition(key: string, value: string): Condition {
  return { type: "query", key, value };
}

/** Routes for `/images/{id}.jpg` by its query. */
function imageRoutes({ rules: { root, slots }, names }: HostInput): Route[] {
  const thumb = condition("thumb", some);
  const number = (key: string): Condition => condition(key, positiveNumber);
  const choices: [has: Condition[], missing: Condition[], slot: Slot][] = [
    [[condition("thumb", "p")], [], "thumb/portrait"],
    [[condition("thumb", "l")], [], "thumb/landscape"],
    [[thumb, condition("orientation", "p")], [], "thumb/portrait"],
    [[thumb, condition("orientation", "l")], [], "thumb/landscape"],
    [[thumb], [], "thumb/square"],
    ...slots.boxes.map(([width, height, slot]): [Condition[], Condition[], Slot] => [
      [condition("width", roundedTo(width)), condition("height", roundedTo(height))],
      [],
      slot,
    ]),
    // No image has such a slot: whatever else were sent would be another picture.
    [[number("width"), number("height")], [], "none"],
    ...(["width", "height"] as const).flatMap((side): [Condition[], Condition[], Slot][] => [
      ...slots[`${side}s`].map(([pixels, slot]): [Condition[], Condition[], Slot] => [
        [number(side), condition(side, `(?:${atMost(pixels)}|${roundedTo(pixels)})`)],
        [],
        slot,
      ]),
      [[number(side)], [], slots.largest],
    ]),
    ...slots.scales.map(([scale, slot]): [Condition[], Condition[], Slot] => [
      [number("scale"), condition("scale", atMost(scale))],
      [],
      slot,
    ]),
    [[number("scale")], [], slots.largest],
    [[], [], "web"],
  ];
  const of = (id: string, segment: string): Route[] =>
    choices.map(([has, missing, slot]) => ({
      src: `^/${escapeRegExp(root)}/images/${id}\\.jpg$`,
      ...conditions({ has, missing }),
      dest: `/${root}/images/${slot === "web" ? "" : `by/${slot}/`}${segment}.jpg`,
    }));
  const own = names.flatMap(({ value, segment }) => of(inPath(value), segment));
  return [...own, ...of(anyId, "$id")];
}

/** An id that is its own segment. */
const anyId = `(?<id>${plainSegment})`;

/** An id as it is written in a path. */
function inPath(value: string): string {
  return escapeRegExp(encodeURIComponent(value));
}

function conditions({ has, missing }: Query): Pick<Route, "has" | "missing"> {
  return { ...(has.length > 0 && { has }), ...(missing.length > 0 && { missing }) };
}

function originalRoutes({ rules: { root }, originals, names, headers }: HostInput): Route[] {
  const folder = `${root}/images/by/download`;
  const values = new Map(names.map(({ value, segment }) => [segment, value]));
  const route = (id: string, file: string): Route => ({
    src: `^/${escapeRegExp(root)}/images/${id}/download$`,
    dest: `/${folder}/${file}`,
    headers: headersOf(`${folder}/${file}`, headers),
  });
  const [usual] = originals.endings;
  if (usual === undefined) return [];
  const others = new Map<string, string[]>();
  const own: Route[] = [];
  const taken = new Set<string>();
  for (const { segment, ending } of originals.others) {
    const value = values.get(segment);
    taken.add(segment);
    if (value !== undefined) own.push(route(inPath(value), segment + ending));
    else others.set(ending, [...(others.get(ending) ?? []), escapeRegExp(segment)]);
  }
  for (const { value, segment } of names) {
    if (!taken.has(segment)) own.push(route(inPath(value), segment + usual));
  }
  const grouping = [...others].flatMap(([ending, segments]) =>
    alternatives(segments).map((text) => route(`(?<id>${text})`, `$id${ending}`)),
  );
  return [...own, ...grouping, route(anyId, `$id${usual}`)];
}

/** Routes for the paths of links to files: one for the usual ending below each first segment, others before. */
function linkRoutes(input: HostInput): Route[] {
  const { rules, linked, headers } = input;
  const to = linkFolder(rules.root).slice(0, -1);
  const route = (path: string, file: string): Route => ({
    src: `^/${escapeRegExp(rules.root)}${path}/?$`,
    dest: `/${to}${file}`,
    headers: headersOf(to + file, headers),
    check: true,
  });
  const usual = usualLinkEndings(input);
  const own: Route[] = [];
  const others = new Map<string, string[]>();
  for (const { path, written, folder, ending } of linked.files) {
    if (path !== folder) own.push(route(escapeRegExp(written), `${folder}/index${ending}`));
    else if (usual.get(topOf(path)) !== ending) {
      others.set(ending, [...(others.get(ending) ?? []), escapeRegExp(path)]);
    }
  }
  const grouping = [...others].flatMap(([ending, paths]) =>
    alternatives(paths).map((text) => route(`(?<path>${text})`, `$path/index${ending}`)),
  );
  const all = [...usual].map(([top, ending]) =>
    route(`(?<path>/${escapeRegExp(top)}(?:/(?:${plainSegment}))+)`, `$path/index${ending}`),
  );
  return [...own, ...grouping, ...all];
}

/** Expressions that fit one of the texts each, none too long for a route. */
function alternatives(texts: readonly string[]): string[] {
  const found: string[] = [];
  let text = "";
  for (const next of texts) {
    if (text !== "" && text.length + next.length > longestPattern - 200) {
      found.push(text);
      text = "";
    }
    text += `${text === "" ? "" : "|"}${next}`;
  }
  return text === "" ? found : [...found, text];
}

function endpointRoutes(endpoint: Endpoint, input: HostInput): Route[] {
  const { rules, names } = input;
  const { path, query: fixed, target } = endpoint;
  const root = escapeRegExp(rules.root);
  const of = (id: string, value: string, place: string): Route[] => {
    const around = aroundId(path).map(escapeRegExp);
    const src = `^/${root}${around.join(id === anyId ? `(?!index(?:/|$))${id}` : id)}/?$`;
    const has = fixed.map(([name, text]) =>
      condition(name, aroundId(text).map(escapeRegExp).join(value)),
    );
    // The list of all lies beside the objects, and no other object is called so.
    const index =
      target.route === "single" && value === anyId
        ? fixed.filter(([, text]) => text === "{id}").map(([name]) => condition(name, "index"))
        : [];
    return answerRoutes(endpoint, src, place, { has, missing: index }, input);
  };
  if (endpoint.filters.length > 0) return filterRoutes(endpoint, input);
  if (!hasId(endpoint)) return of("", "", placeOf(endpoint, rules.root, ""));
  const own = names.flatMap(({ value }) =>
    of(inPath(value), escapeRegExp(value), placeOf(endpoint, rules.root, value)),
  );
  return [...own, ...of(anyId, anyId, placeWith(endpoint, rules.root, "$id"))];
}

/** Routes for one answer, or the pages of a list. */
function answerRoutes(
  endpoint: Endpoint,
  src: string,
  place: string,
  { has, missing }: Query,
  input: HostInput,
): Route[] {
  const to = (file: string): Pick<Route, "dest" | "check" | "status" | "headers"> =>
    isRedirected(endpoint, input)
      ? { status: 302, headers: { Location: `/${file}` } }
      : { dest: `/${file}`, check: true };
  const { route } = endpoint.target;
  if (route === "single") return [{ src, ...conditions({ has, missing }), ...to(place) }];
  const first = to(`${place}/index.json`);
  if (route === "all") return [{ src, ...conditions({ has, missing }), ...first }];
  const page = condition("page", "(?<page>[2-9]|[1-9][0-9]{1,8})");
  return [
    { src, ...conditions({ has, missing: [...missing, otherPage] }), ...first },
    { src, ...conditions({ has: [...has, page], missing }), ...to(`${place}/page/$page.json`) },
  ];
}

/** Missing where the first page is asked for: by its number, an empty value or no parameter. */
const otherPage = condition("page", "(?:[^1].*|1.+)");

/** Routes for each set of filters that has lists. All others, and what is not well-formed, go on to the end. */
function filterRoutes(endpoint: Endpoint, input: HostInput): Route[] {
  const { rules } = input;
  const src = `^/${escapeRegExp(rules.root)}${escapeRegExp(endpoint.path)}/?$`;
  const place = placeOf(endpoint, rules.root, "");
  const fixed = endpoint.query.map(([name, value]) => condition(name, escapeRegExp(value)));
  // What a request without filters must not have; a month alone is not looked at.
  const others = (names: readonly FilterName[]): Condition[] =>
    endpoint.filters
      .filter((name) => !names.includes(name) && (name !== "month" || names.includes("year")))
      .map((name) => condition(name, name === "tags" ? ".*[^,].*" : some));
  const filtered = filterSets(endpoint.filters).flatMap(({ names, combination }) => {
    if (!rules.filters.includes(combination)) return [];
    const missing = [...others(names), ...tooLong(names)];
    const lists = choicesOf(names, input).flatMap((choices) => {
      const has = [...fixed, ...choices.map(({ name, value }) => condition(name, value))];
      const folders = choices.map(({ name, segment }) => `${name}/${segment}`);
      const folder = [place, "by", ...folders].join("/");
      return answerRoutes(endpoint, src, folder, { has, missing }, input);
    });
    const any = [...fixed, ...names.map((name) => condition(name, anyValue[name]))];
    const empty: Route = {
      src,
      ...conditions({ has: any, missing: [...missing, otherPage] }),
      ...emptyAnswer(place, input),
    };
    return [...lists, empty];
  });
  const twoTags = hasTwoTags(rules)
    ? twoTagRoutes(endpoint, src, place, others(["tags"]), input)
    : [];
  const whole = answerRoutes(endpoint, src, place, { has: fixed, missing: others([]) }, input);
  return [...filtered, ...twoTags, ...whole];
}

/** The form of any value of a filter; one tag. */
const anyValue: Record<FilterName, string> = {
  year: "[0-9]{1,4}",
  month: "[0-9]{1,4}",
  category: some,
  tags: ",*[^,]+,*",
};

/** Leading zeros must not make a number longer than four digits. */
function tooLong(names: readonly FilterName[]): Condition[] {
  return names
    .filter((name) => name === "year" || name === "month")
    .map((name) => condition(name, "[0-9]{5,}"));
}

interface Choice {
  name: FilterName;
  /** Expression with a group of the filter's name, or for one value. */
  value: string;
  segment: string;
}

function choicesOf(names: readonly FilterName[], input: HostInput): Choice[][] {
  let found: Choice[][] = [[]];
  for (const name of names) {
    const choices = valuesOf(name, input).map(([value, segment]) => ({ name, value, segment }));
    found = found.flatMap((before) => choices.map((choice) => [...before, choice]));
  }
  return found;
}

function valuesOf(name: FilterName, { names }: HostInput): [value: string, segment: string][] {
  if (name === "year" || name === "month") {
    return [[`0{0,3}(?<${name}>[1-9][0-9]{0,3}|0)`, `$${name}`]];
  }
  const [before, after] = name === "tags" ? [",*", ",*"] : ["", ""];
  const own = names
    .filter(({ value }) => name !== "tags" || !value.includes(","))
    .map(({ value, segment }): [string, string] => [before + escapeRegExp(value) + after, segment]);
  return [...own, [`${before}(?<${name}>${plainSegment})${after}`, `$${name}`]];
}

function twoTagRoutes(
  endpoint: Endpoint,
  src: string,
  place: string,
  missing: Condition[],
  input: HostInput,
): Route[] {
  if (!endpoint.filters.includes("tags") || !input.rules.filters.includes("tag+tag")) return [];
  const both = condition("tags", `,*(?<tags>${plainSegment}),+(?<second>${plainSegment}),*`);
  const folder = `${place}/by/tags/$tags/tags/$second`;
  return answerRoutes(endpoint, src, folder, { has: [both], missing }, input);
}

function emptyAnswer(
  place: string,
  { redirects }: HostInput,
): Pick<Route, "dest" | "check" | "status" | "headers"> {
  const file = `/${place}/by/none.json`;
  return redirects ? { status: 302, headers: { Location: file } } : { dest: file, check: true };
}

/** Requests that were led to a filtered list which does not exist: it lists nothing. */
function emptyListRoutes(input: HostInput): Route[] {
  const { rules } = input;
  return rules.endpoints.flatMap((endpoint) => {
    if (indexOf(endpoint) === undefined) return [];
    const place = placeOf(endpoint, rules.root, "");
    const sets = filterSets(endpoint.filters)
      .filter(({ combination }) => rules.filters.includes(combination))
      .map(({ names }) => names);
    if (endpoint.filters.includes("tags") && rules.filters.includes("tag+tag"))
      sets.push(["tags", "tags"]);
    if (sets.length === 0) return [];
    const number = /^(?:year|month)$/;
    const folders = sets.map((names) =>
      names.map((name) => `${name}/${number.test(name) ? "[0-9]+" : "[^/]+"}`).join("/"),
    );
    const src = `^/${escapeRegExp(place)}/by/(?:${folders.join("|")})/index\\.json$`;
    return [{ src, ...emptyAnswer(place, input) }];
  });
}

function limitsOf(input: HostInput, tooMany: number | undefined): HostLimit[] {
  const { totals } = input;
  const limits: HostLimit[] = [
    ...sizeLimits(input.rules.slots, "exact"),
    "vercel.json belongs into the folder above the publish root, which must be called public",
    "of several parameters with one name Vercel decides which counts",
    "the path of a filtered list that does not exist is answered with an empty list instead of 404",
    "a tag that is named twice in one request is taken for two",
    "steps out of a folder, escaped slashes and very long URLs are answered as Vercel does",
  ].map((text) => ({ text, exceeded: false }));
  if (tooMany !== undefined) {
    limits.push({
      text: `ids, categories, tags and paths of links to files that are not their own file names would need ${grouped(tooMany)} routes, and Vercel takes ${grouped(mostRoutes)}: they are left out, and requests for them answered with 404`,
      exceeded: false,
    });
  }
  if (totals.bytes > uploads.hobby) {
    const plan = totals.bytes > uploads.pro ? "1 GB on the plan Pro" : "100 MB on the plan Hobby";
    limits.push({
      text: `uploads may be limited to ${plan}, and this archive has ${grouped(totals.bytes)} bytes`,
      exceeded: false,
    });
  }
  return limits;
}
