import { constantFile, type HostConfiguration, type HostInput } from "./host.ts";
import { notice, rulesThatFit } from "./limits.ts";
import { type Lookup, type LookupCase, lookup, quoted, withVariables } from "./lookup.ts";
import { commonLimits, earlyStatuses, type Model, modelOf } from "./model.ts";
import { literal } from "./patterns.ts";
import { contentTypes } from "./responses.ts";

/** Characters of rules for some 12,000 names; Caddy takes a second or more to read each million. */
const mostRules = 8_000_000;

/** Configuration of Caddy 2.6 and later. */
export function caddyConfiguration(input: HostInput): HostConfiguration {
  const { redirect } = modelOf({ ...input, names: [] });
  const rulesOf = (part: HostInput): string => snippet(modelOf(part));
  // Old addresses do not count: Caddy compares them as they are.
  const most = mostRules + map(redirect).length;
  const need = "characters of rules, and Caddy goes through them for a request";
  const fitting = rulesThatFit(input, rulesOf, most, need);
  const limits = [
    ...commonLimits(input),
    "queries with a percent sign that begins no escape are answered with 404",
    "answers with status 400, 405 and 414 have no body",
    ...fitting.limits,
  ];
  const usage = `# Import it in a site whose root is the publish root. Its variables begin with sp_.`;
  const content = `${notice("Caddy", limits, usage)}\n${fitting.rules}`;
  const example = constantFile("caddy/Caddyfile.example");
  return { files: [{ path: "stillpress.caddy", content }, example], limits };
}

function snippet(model: Model): string {
  const { request, asked, tags, files, notFound, headers, old, redirect } = model;
  const redirectsOld = redirect.cases.length > 0;
  const ofRequest = [...request, ...asked, ...tags, ...files];
  const lookups = [...ofRequest, notFound, ...headers, ...ownLookups(model)];
  if (redirectsOld) lookups.push(old, redirect);
  const refused = earlyStatuses.filter((status) => status !== "404");
  const parts = [
    'encode gzip\nvars sp_answer ""',
    ...lookups.map(map),
    when("mirror", '{sp_early} == "" && {sp_below} == "yes" && {sp_broken} == ""', [
      answerWith("own", ["own"]),
      ...(model.moved.length === 0 ? [] : [answerWith("moved", model.moved)]),
      answerWith("found", model.found),
    ]),
    when("site", '{sp_early} == "" && {sp_below} == ""', [
      answerWith("page", ["own", "index"]),
      answerWith("folder", ["folder"]),
    ]),
    ...(redirectsOld ? [redirectOld] : []),
    when("lost", '{vars.sp_answer} == ""', ["rewrite * {sp_not_found}", "vars sp_answer missing"]),
    ...headers.map(({ header, name }) => {
      return when(name, `{sp_${name}} != ""`, [`header ${header} {sp_${name}}`]);
    }),
    ...refused.map((status) => when(status, `{sp_early} == "${status}"`, [`respond ${status}`])),
    when("302", '{vars.sp_answer} == "moved"', ["redir {http.request.uri.path} 302"]),
    ...(redirectsOld ? [sendOld] : []),
    when("301", '{vars.sp_answer} == "folder"', ["redir {sp_written}/{sp_search} 301"]),
    "header Content-Type {sp_type}",
    when("404", '{vars.sp_answer} == "missing"', [block("file_server", ["status 404"])]),
    block("file_server", ["disable_canonical_uris"]),
  ];
  return `${block("route", [parts.join("\n\n")])}\n`;
}

/** Before the answer 404. */
const redirectOld = when(
  "before",
  '{vars.sp_answer} == "" && {sp_early} == "" && {sp_redirect} != ""',
  ["vars sp_answer old"],
);

const sendOld = when("old", '{vars.sp_answer} == "old"', ["redir {sp_redirect} 301"]);

/** Directives for requests that an expression holds for. */
function when(name: string, expression: string, directives: readonly string[]): string {
  return `@sp_${name} expression \`${expression}\`\n${block(`route @sp_${name}`, directives)}`;
}

function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.join("\n").replace(/^(?=.)/gm, "\t")}\n}`;
}

/** Lookups of what Caddy's own directives do not do. */
function ownLookups({ typesByPath }: Model): Lookup[] {
  // A percent sign that begins no escape: Caddy would leave the parameter out, and list too much.
  const broken = "%(?:[^0-9a-fA-F]|[0-9a-fA-F][^0-9a-fA-F]|[0-9a-fA-F]?$)";
  const byName = contentTypes.map(
    ([type, some]): LookupCase => [`\\.(?:${some.join("|")})$`, type],
  );
  return [
    lookup("broken", "{query}", { [broken]: "yes" }, ""),
    lookup("index", "{path}", { "^((?s:.*)/)\\z": "$1index.html" }, "/_"),
    lookup("folder", "{path}", { "^((?s:.*[^/]))\\z": "$1/index.html" }, "/_"),
    // A location with letters that are not escaped is no URL.
    lookup("written", "{asked}", { "^([^?]*)": "$1" }, ""),
    lookup("search", "{query}", { "^(.+)$": "?$1" }, ""),
    lookup("type", "{served}", [...typesByPath, ...byName], "application/octet-stream"),
  ];
}

/** Goes on with the first of these files that exists, unless one was found; the name tells how. */
function answerWith(name: string, variables: string[]): string {
  return `@sp_${name} {
	expression \`{vars.sp_answer} == ""\`
	file ${variables.map((variable) => `{sp_${variable}}`).join(" ")}
}
route @sp_${name} {
	rewrite * {http.matchers.file.relative}
	vars sp_answer ${name}
}`;
}

function map({ name, source, cases, otherwise }: Lookup): string {
  const lines = cases.map(([text, value, exact]) => {
    if (!exact) return `${quote(`~${text}`)} ${quote(value.replace(/\$(\d)/g, "$${$1}"))}`;
    const plain = /^[\p{L}\p{N}_./-]+$/u.test(text);
    return `${quote(plain ? text : `~^${literal(text)}\\z`)} ${quote(filled(value))}`;
  });
  const head = `map ${quote(filled(source))} {sp_${name}}`;
  return block(head, [...lines, `default ${quote(otherwise)}`]);
}

function filled(text: string): string {
  const own = {
    path: "{http.request.orig_uri.path}",
    served: "{http.request.uri.path}",
    query: "{http.request.orig_uri.query}",
    asked: "{http.request.orig_uri}",
    request_method: "{http.request.method}",
  };
  return withVariables(text, own, (name) => `{sp_${name}}`);
}

function quote(text: string): string {
  return quoted(text, /"/g);
}
