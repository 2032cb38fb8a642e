import type { FilterName } from "../routes/filters.ts";
import { headersOf } from "../routes/headers.ts";
import { plainSegment } from "../routes/segments.ts";
import { atMost, positiveNumber, roundedTo } from "./edge-numbers.ts";
import { escapeRegExp, grouped, siteFolders } from "./edge-requests.ts";
import {
  binaryRules,
  type Choice,
  type Dialect,
  type EdgeRule,
  listRules,
  type Parameter,
} from "./edge-rules.ts";
import {
  type HostConfiguration,
  type HostInput,
  type HostLimit,
  limitsOf,
  namesLeftOut,
  sizeLimits,
} from "./host.ts";

/** vercel.com/docs/limits: routes created per deployment, and static file uploads on the plans Hobby and Pro */
const mostRoutes = 2_048;
const uploads = { hobby: 100 * 10 ** 6, pro: 10 ** 9 };
/** Characters of an expression in vercel.json: `maxLength` in the schema of @vercel/routing-utils. */
const longestPattern = 4_096;

/**
 * vercel.com/docs/build-output-api/configuration, "routes", which has the syntax of vercel.json: `has` and `missing`
 * are expressions for the whole value of a parameter; `check` goes on with the next routes where `dest` is no file.
 */
type Route = Record<string, unknown>;

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
    limits: limitsFor(input, fits ? undefined : all.length),
  };
}

function routesOf(input: HostInput): Route[] {
  const { headers, preflight, notFound } = input;
  const api = `^/${escapeRegExp(input.rules.root)}(?:/.*)?$`;
  const route = (rule: EdgeRule): Route => routeOf(rule, input);
  const routes: Route[] = [
    ...headers.map(({ prefix, suffix, headers: fields }) => ({
      src: `^${escapeRegExp(prefix)}.*${escapeRegExp(suffix)}$`,
      headers: fields,
      continue: true,
    })),
    { src: api, methods: ["OPTIONS"], status: 204, headers: preflight },
    { src: "^/.*$", methods: ["POST", "PUT", "PATCH", "DELETE"], status: 405 },
    { src: `^(${siteFolders()})$`, status: 302, headers: { Location: "$1/" } },
    ...binaryRules(input, dialectFor(input)).map(route),
    { handle: "filesystem" },
    ...listRules(input, dialectFor(input)).map(route),
    { src: api, status: 404, dest: `/${notFound.api}` },
    { src: "^/.*$", status: 404, dest: `/${notFound.site}` },
  ];
  return routes.map((one) => ("src" in one ? { ...one, caseSensitive: true } : one));
}

function routeOf({ path, query, absent, to, answer }: EdgeRule, { headers }: HostInput): Route {
  const conditions = (name: string, parameters: readonly Parameter[]): Route =>
    parameters.length === 0
      ? {}
      : { [name]: parameters.map(([key, value]) => ({ type: "query", key, value })) };
  // What is to be saved has the headers of its file, which go by the file's path.
  const saved = /\/by\/download\b/.test(to);
  const own = saved ? { headers: headersOf(to.replace("$id", "/0"), headers) } : {};
  const answers = {
    file: { dest: `/${to}`, ...own, check: true },
    image: { dest: `/${to}`, ...own },
    redirect: { status: 302, headers: { Location: `/${to}` } },
    missing: { status: 404, dest: `/${to}` },
  };
  return {
    src: `^${path}$`,
    ...conditions("has", query),
    ...conditions("missing", absent),
    ...answers[answer],
  };
}

/** Absent where the first page is asked for: by its number, an empty value or no parameter. */
const otherPage: Parameter = ["page", "(?:[^1].*|1.+)"];
const anyPage: Parameter = ["page", "(?<page>[2-9]|[1-9][0-9]{1,8})"];
const anyId = `(?<id>${plainSegment})`;
/** A value that is there; what is missing is absent or empty. */
const some = ".+";
/** The form of any value of a filter; one tag. */
const anyValue: Record<FilterName, string> = {
  year: "[0-9]{1,4}",
  month: "[0-9]{1,4}",
  category: some,
  tags: ",*[^,]+,*",
};

function dialectFor({ names }: HostInput): Dialect {
  return {
    is: escapeRegExp,
    text: escapeRegExp,
    slash: "/?",
    some: () => some,
    number: () => positiveNumber,
    roundedTo,
    upTo(number, name) {
      const fits = name === "scale" ? atMost(number) : `(?:${atMost(number)}|${roundedTo(number)})`;
      return [positiveNumber, fits];
    },
    anyId: [`(?!index(?:/|$))${anyId}`, "$id"],
    anyImage: [`${anyId}\\.jpg`, "$id.jpg"],
    idIn: () => anyId,
    idAs: escapeRegExp,
    oneOf: (texts) => alternatives(texts.map(escapeRegExp)).map((one) => [`(?<id>${one})`, "$id"]),
    below: (top) => [`(?<id>${escapeRegExp(top)}(?:/(?:${plainSegment}))+)`, "$id"],
    pages: (first, other) => [onFirstPage(first), { ...other, query: [...other.query, anyPage] }],
    page: "$page",
    valuesOf: (name) => valuesOf(name, names),
    anyOf: (name) => anyValue[name],
    absent(wanted, { filters }) {
      // What a request without filters must not have; a month alone is not looked at.
      const others = filters.filter(
        (name) => !wanted.includes(name) && (name !== "month" || wanted.includes("year")),
      );
      // Leading zeros must not make a number longer than four digits.
      const numbers = wanted.filter((name) => name === "year" || name === "month");
      return [
        ...others.map((name): Parameter => [name, name === "tags" ? ".*[^,].*" : some]),
        ...numbers.map((name): Parameter => [name, "[0-9]{5,}"]),
      ];
    },
    twoTags: [
      `,*(?<tags>${plainSegment}),+(?<second>${plainSegment}),*`,
      "tags/$tags/tags/$second",
    ],
    nothing: (empty) => [onFirstPage(empty)],
    inList: (name) => (name === "year" || name === "month" ? "[0-9]+" : "[^/]+"),
  };
}

function onFirstPage(rule: EdgeRule): EdgeRule {
  return { ...rule, absent: [...rule.absent, otherPage] };
}

function valuesOf(name: FilterName, names: HostInput["names"]): Choice[] {
  // As many names as there are may stand together: what is too much is told for all routes.
  const choice = (value: string, segment: string): Choice => ({ value, segment, plain: true });
  if (name === "year" || name === "month") {
    return [choice(`0{0,3}(?<${name}>[1-9][0-9]{0,3}|0)`, `$${name}`)];
  }
  const commas = name === "tags" ? ",*" : "";
  const around = (value: string): string => commas + value + commas;
  const own = names
    .filter(({ value }) => name !== "tags" || !value.includes(","))
    .map(({ value, segment }) => choice(around(escapeRegExp(value)), segment));
  return [...own, choice(around(`(?<${name}>${plainSegment})`), `$${name}`)];
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

/** @param tooMany routes that would be needed, if that is more than Vercel takes */
function limitsFor({ totals, rules }: HostInput, tooMany: number | undefined): HostLimit[] {
  const plan = totals.bytes > uploads.pro ? "1 GB on the plan Pro" : "100 MB on the plan Hobby";
  const uploaded = `uploads may be limited to ${plan}, and this archive has ${grouped(totals.bytes)} bytes`;
  const most = `Vercel takes ${grouped(mostRoutes)}`;
  return limitsOf([
    ...sizeLimits(rules.slots, "exact"),
    "vercel.json belongs into the folder above the publish root, which must be called public",
    "of several parameters with one name Vercel decides which counts",
    "the path of a filtered list that does not exist is answered with an empty list instead of 404",
    "a tag that is named twice in one request is taken for two",
    "steps out of a folder, escaped slashes and very long URLs are answered as Vercel does",
    ...(tooMany === undefined ? [] : [namesLeftOut(tooMany, "routes", most)]),
    ...(totals.bytes > uploads.hobby ? [uploaded] : []),
  ]);
}
