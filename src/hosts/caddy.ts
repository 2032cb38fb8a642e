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
  const sent = headerLookups(model.headers, file);
  const headers = sent.filter(({ header }) => header !== "Content-Type");
  const type = typeLookup(model, sent.find(({ header }) => header === "Content-Type")?.cases ?? []);
  const fits = `{sp_early} == "" && {http.request.orig_uri}.size() <= ${longestTarget}`;
  const is = (name: string, expression: string): string =>
    `	@sp_${name} expression \`${expression}\``;
  const route = (name: string, expression: string, lines: readonly string[]): string => {
    const inner = lines.filter((line) => line !== "").join("\n");
    return `${is(name, expression)}\n	route @sp_${name} {\n${inner}\n	}\n`;
  };
  const lookups = [
    ...model.parameters,
    ...model.target,
    ...model.files,
    model.own,
    ...requestLookups(input, model),
    type,
    ...headers,
  ];
  const lines = [
    `route {
	encode gzip

	vars sp_answer ""
`,
    ...lookups.map(map),
    route("mirror", `${fits} && {sp_below} == "yes"`, [
      tagLines(model.tags),
      answerWith("own", ["own"]),
      model.moved.length === 0 ? "" : answerWith("moved", model.moved),
      answerWith(
        "found",
        model.found.map(({ variable }) => variable),
      ),
    ]),
    route("site", `${fits} && {sp_below} == ""`, [
      answerWith("page", ["own", "index"]),
      answerWith("folder", ["folder"]),
    ]),
    route("lost", `{vars.sp_answer} == ""`, [
      "		rewrite * {sp_not_found}",
      "		vars sp_answer missing",
    ]),
    ...headers.map(
      ({ header, name }) =>
        `${is(name, `{sp_${name}} != ""`)}\n	header @sp_${name} ${header} {sp_${name}}`,
    ),
    "",
    route("204", `{sp_early} == "204"`, [
      ...Object.entries(preflight).map(([name, value]) => `\t\theader ${name} ${quote(value)}`),
      "		respond 204",
    ]),
    route("405", `{sp_early} == "405"`, ["		header Allow {sp_allow}", "		respond 405"]),
    `${is("414", `{http.request.orig_uri}.size() > ${longestTarget}`)}
	respond @sp_414 414
${is("400", `{sp_early} == "400"`)}
	respond @sp_400 400

${is("302", `{vars.sp_answer} == "moved"`)}
	redir @sp_302 {http.request.uri.path} 302
${is("301", `{vars.sp_answer} == "folder"`)}
	redir @sp_301 {http.request.orig_uri.path}/{sp_search} 301

	header Content-Type {sp_type}
${is("404", `{vars.sp_answer} == "missing"`)}
	file_server @sp_404 {
		status 404
	}
	file_server {
		disable_canonical_uris
	}
}
`,
  ];
  return lines.join("\n");
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
  return `		@sp_${name} {
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
    if (!exact) {
      return `\t\t${quote(`~${text}`)} ${quote(value.replace(/\$(\d)/g, "$${$1}"))}\n`;
    }
    const plain = /^[\p{L}\p{N}_.-]+$/u.test(text);
    return `\t\t${quote(plain ? text : `~^${literal(text)}\\z`)} ${quote(filled(value))}\n`;
  });
  const rest = `\t\tdefault ${quote(otherwise)}\n`;
  return `\tmap ${quote(filled(source))} {sp_${name}} {\n${lines.join("")}${rest}\t}\n`;
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
function tagLines(tags: number): string {
  if (tags === 0) return "";
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
  return `${next.replace(/^(?=.)/gm, "\t")}${lines.map((line) => `\t\t${line}`).join("\n")}`;
}
