import { headersOf } from "../routes/headers.ts";
import type { EdgeRule, Parameter } from "./edge-dialect.ts";
import { siteFolders } from "./edge-requests.ts";
import { binaryRules, listRules } from "./edge-rules.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped, limitsThatHold, rulesThatFit, sizeLimits } from "./limits.ts";
import { literal } from "./patterns.ts";
import { dialectFor } from "./vercel-rules.ts";

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
  const fitting = rulesThatFit(input, routesOf, mostRoutes, (length) => {
    return `${length} routes, and Vercel takes ${grouped(mostRoutes)}`;
  });
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
    { src: `^(${siteFolders()})$`, status: 302, headers: { Location: "$1/" } },
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
  const conditions = (parameters: readonly Parameter[]) =>
    parameters.length === 0
      ? undefined
      : parameters.map(([key, value]) => ({ type: "query", key, value }));
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

function limitsFor({ totals, rules }: HostInput): string[] {
  const plan = totals.bytes > uploads.pro ? "1 GB on the plan Pro" : "100 MB on the plan Hobby";
  const uploaded = `uploads may be limited to ${plan}, and this archive has ${grouped(totals.bytes)} bytes`;
  return limitsThatHold([
    ...sizeLimits(rules.slots, "exact"),
    "vercel.json belongs into the folder above the publish root, which must be called public",
    "of several parameters with one name Vercel decides which counts",
    "the path of a filtered list that does not exist is answered with an empty list instead of 404",
    "a tag that is named twice in one request is taken for two",
    "steps out of a folder, escaped slashes and very long URLs are answered as Vercel does",
    totals.bytes > uploads.hobby && uploaded,
  ]);
}
