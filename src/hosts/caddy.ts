import type { HostConfiguration, HostInput } from "./host.ts";
import { notice } from "./limits.ts";
import { type Lookup, type LookupCase, lookup, quoted, withVariables } from "./lookup.ts";
import { type Model, modelOf } from "./model.ts";
import { literal } from "./patterns.ts";
import { headerLookups } from "./responses.ts";

/** Configuration of Caddy 2.6 and later. */
export function caddyConfiguration(input: HostInput): HostConfiguration {
  const model = modelOf(input);
  const limits = [
    ...model.limits,
    "queries with a percent sign that begins no escape are answered with 404",
    "answers with status 400, 405 and 414 have no body",
  ];
  const usage = `# Import it in a site whose root is the publish root. Its variables begin with sp_.`;
  const content = `${notice("Caddy", limits, usage)}\n${snippet(input, model)}`;
  return {
    files: [
      { path: "stillpress.caddy", content },
      { path: "Caddyfile.example", content: example },
    ],
    limits,
  };
}

const example = `# An example of a whole configuration. Put in your paths, then: caddy run --config /path/of/this/file
archive.example {
	# The publish root.
	root * /srv/archive/public
	import /srv/archive/deploy/caddy/stillpress.caddy
}
`;

/** The path of the file that answers, once it was found. */
const file = "{http.request.uri.path}";

function snippet(input: HostInput, model: Model): string {
  const { longestTarget, preflight } = input;
  const uri = "{http.request.orig_uri}";
  const sent = headerLookups(model.headers, file);
  const headers = sent.filter(({ header }) => header !== "Content-Type");
  const type = typeLookup(model, sent.find(({ header }) => header === "Content-Type")?.cases ?? []);
  const lookups = [
    ...model.parameters,
    ...model.target,
    ...model.files,
    model.own,
    ...requestLookups(input, model),
    type,
    ...headers,
  ];
  const fits = `{sp_early} == "" && ${uri}.size() <= ${longestTarget}`;
  const found = model.found.map(({ variable }) => variable);
  const parts = [
    'encode gzip\nvars sp_answer ""\n',
    ...lookups.map(map),
    when("mirror", `${fits} && {sp_below} == "yes"`, [
      ...tagLines(model.tags),
      answerWith("own", ["own"]),
      ...(model.moved.length === 0 ? [] : [answerWith("moved", model.moved)]),
      answerWith("found", found),
    ]),
    when("site", `${fits} && {sp_below} == ""`, [
      answerWith("page", ["own", "index"]),
      answerWith("folder", ["folder"]),
    ]),
    when("lost", '{vars.sp_answer} == ""', [
      "rewrite * {sp_not_found}\n",
      "vars sp_answer missing\n",
    ]),
    ...headers.map(({ header, name }) =>
      when(name, `{sp_${name}} != ""`, [`header ${header} {sp_${name}}\n`]),
    ),
    when("204", '{sp_early} == "204"', [
      ...Object.entries(preflight).map(([name, value]) => `header ${name} ${quote(value)}\n`),
      "respond 204\n",
    ]),
    when("405", '{sp_early} == "405"', ["header Allow {sp_allow}\n", "respond 405\n"]),
    when("414", `${uri}.size() > ${longestTarget}`, ["respond 414\n"]),
    when("400", '{sp_early} == "400"', ["respond 400\n"]),
    when("302", '{vars.sp_answer} == "moved"', [`redir ${file} 302\n`]),
    when("301", '{vars.sp_answer} == "folder"', [
      "redir {http.request.orig_uri.path}/{sp_search} 301\n",
    ]),
    "header Content-Type {sp_type}\n",
    when("404", '{vars.sp_answer} == "missing"', ["file_server {\n\tstatus 404\n}\n"]),
    "file_server {\n\tdisable_canonical_uris\n}\n",
  ];
  return `route {\n${indented([parts.join("\n")])}}\n`;
}

/** Directives for requests that an expression holds for. */
function when(name: string, expression: string, directives: readonly string[]): string {
  return `@sp_${name} expression \`${expression}\`\nroute @sp_${name} {\n${indented(directives)}}\n`;
}

function indented(parts: readonly string[]): string {
  return parts.join("").replace(/^(?=.)/gm, "\t");
}

/** Lookups in the request that are not about the API's parameters, and the files of the website. */
function requestLookups({ rules }: HostInput, { request }: Model): Lookup[] {
  // A percent sign that begins no escape. Caddy leaves such a parameter out, and would answer with a list that it
  // does not narrow down.
  const broken = "%(?:[^0-9a-fA-F]|[0-9a-fA-F][^0-9a-fA-F]|[0-9a-fA-F]?$)";
  const lost: LookupCase = [`^&/${literal(rules.root)}/[^?]*\\?.*${broken}`, "404"];
  return [
    ...request.map((one): Lookup => {
      if (one.name !== "early") return one;
      // RE2 cannot count so far: an expression does it.
      return { ...one, cases: [...one.cases.filter(([, value]) => value !== "414"), lost] };
    }),
    lookup("index", "{path}", { "^((?s:.*)/)\\z": "$1index.html" }, "/_"),
    lookup("folder", "{path}", { "^((?s:.*[^/]))\\z": "$1/index.html" }, "/_"),
    lookup("search", "{query}", { "^(.+)$": "?$1" }, ""),
  ];
}

/** The content type of the file that answers. */
function typeLookup({ types }: Model, own: LookupCase[]): Lookup {
  const cases = types.map(([type, extensions]): LookupCase => {
    return [`\\.(?:${extensions.join("|")})$`, type];
  });
  return lookup("type", file, [...own, ...cases], "application/octet-stream");
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
}
`;
}

function map({ name, source, cases, otherwise }: Lookup): string {
  const lines = cases.map(([text, value, exact]) => {
    if (!exact) {
      return `${quote(`~${text}`)} ${quote(value.replace(/\$(\d)/g, "$${$1}"))}\n`;
    }
    const plain = /^[\p{L}\p{N}_.-]+$/u.test(text);
    return `${quote(plain ? text : `~^${literal(text)}\\z`)} ${quote(filled(value))}\n`;
  });
  const rest = `default ${quote(otherwise)}\n`;
  return `map ${quote(filled(source))} {sp_${name}} {\n${indented([...lines, rest])}}\n`;
}

function filled(text: string): string {
  const own = {
    path: "{http.request.orig_uri.path}",
    query: "{http.request.orig_uri.query}",
    asked: "{http.request.orig_uri}",
    request_method: "{http.request.method}",
  };
  return withVariables(text, own, (name) =>
    /^(?:raw_tag\d|more_tags)$/.test(name) ? `{vars.sp_${name}}` : `{sp_${name}}`,
  );
}

function quote(text: string): string {
  return quoted(text, /"/g);
}

/**
 * Tells the different tags of a query. As no pattern can, the list is made the query for a while, with two commas
 * between tags, and every tag that was told is taken out of it.
 */
function tagLines(tags: number): string[] {
  if (tags === 0) return [];
  const numbers = Array.from({ length: tags }, (_, at) => at + 1);
  const lines = [
    "rewrite * /?{sp_q_tags}",
    // It is escaped by that: a plus stands for a space, an escape for itself.
    "uri replace %2B %2520",
    "uri replace %25 %",
    "uri replace %2c %2C",
    "uri replace %2C %2C%2C",
    "rewrite * ?%2C{http.request.uri.query}%2C",
    ...numbers.flatMap((number) => [
      `vars sp_raw_tag${number} {sp_next_tag}`,
      `uri replace %2C{vars.sp_raw_tag${number}}%2C %2C%2C`,
    ]),
    "vars sp_more_tags {sp_next_tag}",
  ];
  const tag = { "^(?:%2C)+((?:[^%]|%(?:[^2]|2[^C]))+?)%2C": "$1" };
  const next = map(lookup("next_tag", "{http.request.uri.query}", tag, ""));
  return [next, ...lines.map((line) => `${line}\n`)];
}
