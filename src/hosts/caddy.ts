import { map, quote, tagLines } from "./caddy-maps.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { limitsOf, notice } from "./limits.ts";
import { type Lookup, type LookupCase, lookup } from "./lookup.ts";
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
  return {
    files: [
      {
        path: "stillpress.caddy",
        content: `${notice("Caddy", limits, usage)}\n${snippet(input, model)}`,
      },
      { path: "Caddyfile.example", content: example },
    ],
    limits: limitsOf(limits),
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
  const route = (name: string, lines: readonly string[]): string =>
    `	route @sp_${name} {\n${lines.filter((line) => line !== "").join("\n")}\n	}\n`;
  const lines = [
    `route {
	encode gzip

	vars sp_answer ""
`,
    ...model.parameters.map(map),
    ...[
      ...model.target,
      ...model.files,
      model.own,
      ...requestLookups(input, model),
      type,
      ...headers,
    ].map(map),
    is("mirror", `${fits} && {sp_below} == "yes"`),
    route("mirror", [
      tagLines(model.tags),
      answerWith("own", ["own"]),
      model.moved.length === 0 ? "" : answerWith("moved", model.moved),
      answerWith(
        "found",
        model.found.map(({ variable }) => variable),
      ),
    ]),
    is("site", `${fits} && {sp_below} == ""`),
    route("site", [answerWith("page", ["own", "index"]), answerWith("folder", ["folder"])]),
    is("lost", `{vars.sp_answer} == ""`),
    route("lost", ["		rewrite * {sp_not_found}", "		vars sp_answer missing"]),
    ...headers.map(
      ({ header, name }) =>
        `${is(name, `{sp_${name}} != ""`)}\n	header @sp_${name} ${header} {sp_${name}}`,
    ),
    "",
    is("204", `{sp_early} == "204"`),
    route("204", [
      ...Object.entries(preflight).map(([name, value]) => `\t\theader ${name} ${quote(value)}`),
      "		respond 204",
    ]),
    is("405", `{sp_early} == "405"`),
    route("405", ["		header Allow {sp_allow}", "		respond 405"]),
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

/** Matches a percent sign that no escape begins with. */
const brokenEscape = "%(?:[^0-9a-fA-F]|[0-9a-fA-F][^0-9a-fA-F]|[0-9a-fA-F]?$)";

/** Lookups in the request that are not about the API's parameters, and the files of the website. */
function requestLookups({ rules }: HostInput, { request }: Model): Lookup[] {
  // Caddy leaves such a parameter out, and would answer with a list that it does not narrow down.
  const broken = { pattern: `^&/${literal(rules.root)}/[^?]*\\?.*${brokenEscape}`, value: "404" };
  return [
    ...request.map((one): Lookup => {
      if (one.name !== "early") return one;
      // RE2 cannot count so far: an expression does it.
      return { ...one, cases: [...one.cases.filter(({ value }) => value !== "414"), broken] };
    }),
    lookup("index", "{path}", [{ pattern: "^((?s:.*)/)\\z", value: "$1index.html" }], "/_"),
    lookup("folder", "{path}", [{ pattern: "^((?s:.*[^/]))\\z", value: "$1/index.html" }], "/_"),
    lookup("search", "{query}", [{ pattern: "^(.+)$", value: "?$1" }], ""),
  ];
}

/** The content type of the file that answers. */
function typeLookup({ types }: Model, own: LookupCase[]): Lookup {
  const cases = types.map(([type, extensions]) => ({
    pattern: `\\.(?:${extensions.join("|")})$`,
    value: type,
  }));
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
