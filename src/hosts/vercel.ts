import type { FilterName } from "../routes/filters.ts";
import { headersOf } from "../routes/headers.ts";
import { plainSegment } from "../routes/segments.ts";
import { siteFolders } from "./edge-requests.ts";
import {
  binaryRules,
  type Choice,
  type Dialect,
  type EdgeRule,
  listRules,
  type Parameter,
} from "./edge-rules.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped, oldAddressLimits, rulesThatFit, sizeLimits } from "./limits.ts";
import { atMost, literal, positiveNumber, roundedTo, roundedUpTo } from "./patterns.ts";

/** vercel.com/docs/limits: routes created per deployment, and static file uploads on the plans Hobby and Pro */
const mostRoutes = 2_048;
const uploads = { hobby: 100 * 10 ** 6, pro: 10 ** 9 };

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
  const need = `routes, and Vercel takes ${grouped(mostRoutes)}`;
  const fitting = rulesThatFit(input, routesOf, mostRoutes, need);
  const content = `{
  "$schema": "https://openapi.vercel.sh/vercel.json",
  "framework": null,
  "buildCommand": null,
  "outputDirectory": "public",
  "routes": [
${fitting.rules.map((route) => `    ${JSON.stringify(route)}`).join(",\n")}
  ]
}
`;
  const limits = [...limitsFor(input), ...fitting.limits];
  return { files: [{ path: "vercel.json", content }], limits };
}

function routesOf(input: HostInput): Route[] {
  const { headers, preflight, notFound } = input;
  const api = `^/${literal(input.rules.root)}(?:/.*)?$`;
  const dialect = dialectFor(input);
  const route = (rule: EdgeRule): Route => routeOf(rule, input);
  const routes: Route[] = [
    ...headers.map(({ prefix, suffix, headers: fields }) => ({
      src: `^${literal(prefix)}.*${literal(suffix)}$`,
      headers: fields,
      continue: true,
    })),
    { src: api, methods: ["OPTIONS"], status: 204, headers: preflight },
    { src: "^/.*$", methods: ["POST", "PUT", "PATCH", "DELETE"], status: 405 },
    { src: `^(${siteFolders(input)})$`, status: 302, headers: { Location: "$1/" } },
    ...binaryRules(dialect).map(route),
    { handle: "filesystem" },
    ...listRules(dialect).map(route),
    { src: api, status: 404, dest: `/${notFound.api}` },
    { src: "^/.*$", status: 404, dest: `/${notFound.site}` },
  ];
  return routes.map((one) => ("src" in one ? { ...one, caseSensitive: true } : one));
}

function routeOf(rule: EdgeRule, { headers }: HostInput): Route {
  const { path, query = [], absent = [], to, answer } = rule;
  const conditions = (parameters: readonly Parameter[]) => {
    const all = parameters.map(([key, value]) => ({ type: "query", key, value }));
    return all.length === 0 ? undefined : all;
  };
  // What is to be saved has the headers of its file, which go by the file's path.
  const saved = /\/by\/download\b/.test(to);
  const own = saved ? { headers: headersOf(to.replace("$id", "/0"), headers) } : {};
  const answers = {
    file: { dest: `/${to}`, ...own, check: true },
    image: { dest: `/${to}`, ...own },
    redirect: { status: 302, headers: { Location: `/${to}` } },
    missing: { status: 404, dest: `/${to}` },
  };
  const [has, missing] = [conditions(query), conditions(absent)];
  return { src: `^${path}$`, has, missing, ...answers[answer] };
}

/** Characters of an expression in vercel.json: `maxLength` in the schema of @vercel/routing-utils. */
const longestPattern = 4_096;

/** Absent where the first page is asked for: by its number, an empty value or no parameter. */
const otherPage: Parameter = ["page", "(?:[^1].*|1.+)"];
const anyPage: Parameter = ["page", "(?<page>[2-9]|[1-9][0-9]{1,8})"];
const anyId = `(?<id>${plainSegment})`;
/** A value that is there; what is missing is absent or empty. */
const some = ".+";
/** The form of any value of a filter; one tag. Those of sides and scales are numbers. */
const anyValue: Record<string, string> = {
  thumb: some,
  year: "[0-9]{1,4}",
  month: "[0-9]{1,4}",
  category: some,
  tags: ",*[^,]+,*",
};

/** Rules with regular expressions, as the routes of `vercel.json` have them. */
function dialectFor(input: HostInput): Dialect {
  return {
    input,
    text: literal,
    slash: "/?",
    any: (name) => anyValue[name] ?? positiveNumber,
    roundedTo,
    upTo(number, name) {
      const fits = name === "scale" ? atMost(number) : roundedUpTo(number);
      return [positiveNumber, fits];
    },
    anyId: [`(?!index(?:/|$))${anyId}`, "$id"],
    anyImage: [`${anyId}\\.jpg`, "$id.jpg"],
    idIn: () => anyId,
    idAs: literal,
    oneOf: (texts) => alternatives(texts.map(literal)).map((one) => [`(?<id>${one})`, "$id"]),
    below: (top) => [`(?<id>${literal(top)}(?:/(?:${plainSegment}))+)`, "$id"],
    pages: (first, other) => [
      onFirstPage(first),
      { ...other, query: [...(other.query ?? []), anyPage] },
    ],
    page: "$page",
    valuesOf: (name) => valuesOf(name, input.names),
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
  return { ...rule, absent: [...(rule.absent ?? []), otherPage] };
}

function valuesOf(name: FilterName, names: HostInput["names"]): Choice[] {
  const choice = (value: string, segment: string): Choice => ({ value, segment });
  if (name === "year" || name === "month") {
    return [choice(`0{0,3}(?<${name}>[1-9][0-9]{0,3}|0)`, `$${name}`)];
  }
  const commas = name === "tags" ? ",*" : "";
  const around = (value: string): string => commas + value + commas;
  const own = names
    .filter(({ value, isFilter }) => isFilter && (name !== "tags" || !value.includes(",")))
    .map(({ value, segment }) => choice(around(literal(value)), segment));
  return [...own, choice(around(`(?<${name}>${plainSegment})`), `$${name}`)];
}

/** Expressions that fit one of the texts each, none too long for a route. */
function alternatives(texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const text of texts) {
    const joined = `${found.at(-1)}|${text}`;
    if (found.length > 0 && joined.length < longestPattern - 200) found[found.length - 1] = joined;
    else found.push(text);
  }
  return found;
}

function limitsFor({ totals, rules, oldAddresses }: HostInput): string[] {
  const plan = totals.bytes > uploads.pro ? "1 GB on the plan Pro" : "100 MB on the plan Hobby";
  const uploaded = `uploads may be limited to ${plan}, and this archive has ${grouped(totals.bytes)} bytes`;
  return [
    ...sizeLimits(rules.slots, "exact"),
    "vercel.json belongs into the folder above the publish root, which must be called public",
    "of several parameters with one name Vercel decides which counts",
    "the path of a filtered list that does not exist is answered with an empty list instead of 404",
    "a tag that is named twice in one request is taken for two",
    "steps out of a folder, escaped slashes and very long URLs are answered as Vercel does",
    totals.bytes > uploads.hobby && uploaded,
    ...oldAddressLimits(oldAddresses.size),
  ].filter((limit) => limit !== false);
}
