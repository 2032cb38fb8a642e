import { type HostConfiguration, type HostInput, sizeLimits } from "./host.ts";
import { type Lookup, variableIn } from "./lookup.ts";
import { contentTypes, headerLookups, selectionOf } from "./lookups.ts";
import {
  badTarget,
  belowRoot,
  firstOf,
  literal,
  lostTarget,
  mixedEscapes,
  needlessEscape,
  needlesslyEscaped,
  unreserved,
} from "./patterns.ts";

/** Configuration of Caddy 2.6 and later. */
export function caddyConfiguration(input: HostInput): HostConfiguration {
  return {
    files: [
      { path: "stillpress.caddy", content: snippet(input) },
      { path: "Caddyfile.example", content: example },
    ],
    limits: limitsOf(input).map((text) => ({ text, exceeded: false })),
  };
}

const limitsOf = ({ rules }: HostInput): string[] => [
  ...sizeLimits(rules.slots, "boxes"),
  "combinations of filters that were not precomputed are answered with 404",
  "lists of tags with escapes in upper case and in lower case, such as %C3%A9,%c3%b6, are answered with 404",
  "queries with a percent sign that begins no escape are answered with 404",
  "answers with status 400, 405 and 414 have no body",
];

const example = `# An example of a whole configuration. Put in your paths, then: caddy run --config /path/of/this/file
archive.example {
	# The publish root.
	root * /srv/archive/public
	import /srv/archive/deploy/caddy/stillpress.caddy
}
`;

/** The path of the file that answers, once it was found. */
const file = "{http.request.uri.path}";
const query = "{http.request.orig_uri.query}";

function snippet(input: HostInput): string {
  const { headers, longestTarget, redirects } = input;
  const { parameters, lookups, tags, originals } = selectionOf(input);
  const added = headerLookups(headers, file).filter(({ header }) => header !== "Content-Type");
  const fits = `{sp_early} == "" && {http.request.orig_uri}.size() <= ${longestTarget}`;
  const found = ["file", "empty", ...originals.map(({ variable }) => variable)];
  const lines = [
    `# Written by stillpress for one build; write it again after the next: stillpress hosts caddy
# Import it in a site whose root is the publish root. Its variables begin with sp_.
# What Caddy cannot reproduce:
${limitsOf(input)
  .map((limit) => `# - ${limit}`)
  .join("\n")}

route {
	encode gzip
`,
    `	vars sp_answer ""
`,
    ...parameters.map(({ variable, name }) => parameterLines(variable, name)),
    ...[...lookups, ...requestLookups(input), ...added].map(map),
    `	@sp_mirror expression \`${fits} && {sp_below} == "yes"\`
	route @sp_mirror {`,
    ...(tags === 0 ? [] : [tagLines(tags)]),
    answerWith("own", ["own"]),
    ...(redirects ? [answerWith("moved", ["moved", "empty"])] : []),
    answerWith("found", found),
    `	}

	@sp_site expression \`${fits} && {sp_below} == ""\`
	route @sp_site {`,
    answerWith("page", ["own", "index"]),
    answerWith("folder", ["folder"]),
    `	}

	@sp_lost expression \`{vars.sp_answer} == ""\`
	route @sp_lost {
		rewrite * {sp_not_found}
		vars sp_answer missing
	}
`,
    ...added.map(
      ({ header, name }) => `	@sp_${name} expression \`{sp_${name}} != ""\`
	header @sp_${name} ${header} {sp_${name}}`,
    ),
    `
	@sp_204 expression \`{sp_early} == "204"\`
	route @sp_204 {
${Object.entries(input.preflight)
  .map(([name, value]) => `\t\theader ${name} ${quoted(value)}\n`)
  .join("")}		respond 204
	}
	@sp_405 expression \`{sp_early} == "405"\`
	route @sp_405 {
		header Allow {sp_allow}
		respond 405
	}
	@sp_414 expression \`{http.request.orig_uri}.size() > ${longestTarget}\`
	respond @sp_414 414
	@sp_400 expression \`{sp_early} == "400"\`
	respond @sp_400 400

	@sp_302 expression \`{vars.sp_answer} == "moved"\`
	redir @sp_302 {http.request.uri.path} 302
	@sp_301 expression \`{vars.sp_answer} == "folder"\`
	redir @sp_301 {http.request.orig_uri.path}/{sp_search} 301

	header Content-Type {sp_type}
	@sp_404 expression \`{vars.sp_answer} == "missing"\`
	file_server @sp_404 {
		status 404
	}
	file_server {
		disable_canonical_uris
	}
}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Matches a percent sign that no escape begins with. */
const brokenEscape = "%(?:[^0-9a-fA-F]|[0-9a-fA-F][^0-9a-fA-F]|[0-9a-fA-F]?$)";

/** Lookups in the request that are not about the API's parameters. */
function requestLookups({ rules, headers, notFound }: HostInput): Lookup[] {
  const typed = headerLookups(headers, file).find(({ header }) => header === "Content-Type");
  const fixed = (name: string, source: string, cases: [string, string][], otherwise: string) => ({
    name,
    source,
    cases: cases.map(([pattern, value]) => ({ pattern, value })),
    otherwise,
  });
  const types = [...contentTypes()].map(([type, extensions]): [string, string] => [
    `\\.(?:${extensions.join("|")})$`,
    type,
  ]);
  return [
    fixed("below", "{path}", [[belowRoot({ rules }), "yes"]], ""),
    fixed(
      "method",
      "{http.request.method}&{below}",
      [
        ["^(?:GET|HEAD)&", ""],
        ["^OPTIONS&yes$", "204"],
      ],
      "405",
    ),
    fixed(
      "early",
      "{method}&{http.request.orig_uri}",
      [
        ["^([0-9]+)&", "$1"],
        [badTarget.replace("^", "^&"), "400"],
        [lostTarget.replace("^", "^&"), "404"],
        // Caddy leaves such a parameter out, and would answer with a list that it does not narrow down.
        [`^&/${literal(rules.root)}/[^?]*\\?.*${brokenEscape}`, "404"],
      ],
      "",
    ),
    fixed("allow", "{below}", [["^yes$", "GET, HEAD, OPTIONS"]], "GET, HEAD"),
    // The file at this path; that of an image's address is told by its query, and a folder is none.
    fixed(
      "own",
      "{kind}&{path}",
      [
        ["^[iw]&", "/_"],
        ["&((?s:.*[^/]))\\z", "$1"],
      ],
      "/_",
    ),
    fixed("index", "{path}", [["^((?s:.*)/)\\z", "$1index.html"]], "/_"),
    fixed("folder", "{path}", [["^((?s:.*[^/]))\\z", "$1/index.html"]], "/_"),
    fixed("search", "{query}", [["^(.+)$", "?$1"]], ""),
    fixed("not_found", "{below}", [["^yes$", `/${notFound.api}`]], `/${notFound.site}`),
    {
      name: "type",
      source: file,
      cases: [...(typed?.cases ?? []), ...fixed("", "", types, "").cases],
      otherwise: "application/octet-stream",
    },
  ];
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

/** Takes a parameter from the query, without escapes that its value does not need. */
function parameterLines(variable: string, name: string): string {
  const raw: Lookup = {
    name: variable,
    source: "{query}",
    cases: [{ pattern: firstOf(name), value: "$1" }],
    otherwise: "",
  };
  // Escapes in tags are dealt with below, and Caddy has no variable for a parameter of any name.
  if (variable === "q_tags" || !/^[\w-]+$/.test(name)) return map(raw);
  const decoded: Lookup = {
    name: variable,
    // Of several parameters with one name Caddy joins the values with commas, which plain ones have not.
    source: `{raw_${variable}}&{vars.sp_decoded_${variable}}`,
    cases: [
      { pattern: `^${needlesslyEscaped}&([\\w.~-]+)(?:,|$)`, value: "$1" },
      { pattern: "^([^&]*)&", value: "$1" },
    ],
    otherwise: "",
  };
  return `${map({ ...raw, name: `raw_${variable}` })}	vars sp_decoded_${variable} {http.request.uri.query.${name}}
${map(decoded)}`;
}

/**
 * Tells the different tags of a query. As no pattern can, the list is made the query for a while, with two commas
 * between tags, and every tag that was told is taken out of it.
 */
function tagLines(tags: number): string {
  const lines = [
    "rewrite * /?{sp_q_tags}",
    // It is escaped by that: a plus stands for a space, an escape for itself.
    "uri replace %2B %2520",
    "uri replace %25 %",
    "uri replace %2c %2C",
    '@sp_escaped expression `{sp_escaped} != ""`',
    "route @sp_escaped {",
    ...[...unreserved].flatMap((char) => {
      const hex = char.charCodeAt(0).toString(16);
      return [...new Set([hex, hex.toUpperCase()])].map((form) => `\turi replace %${form} ${char}`);
    }),
    "}",
    "vars sp_tags {http.request.uri.query}",
    "uri replace %2C %2C%2C",
    "rewrite * ?%2C{http.request.uri.query}%2C",
  ];
  for (let at = 1; at <= tags; at++) {
    lines.push(`vars sp_raw_tag${at} {sp_next_tag}`);
    lines.push(`uri replace %2C{vars.sp_raw_tag${at}}%2C %2C%2C`);
  }
  lines.push(`vars sp_more_tags "{sp_next_tag}${tags > 1 ? "{sp_mixed}" : ""}"`);
  const lookups: Lookup[] = [
    {
      name: "next_tag",
      source: "{http.request.uri.query}",
      cases: [{ pattern: "^(?:%2C)+((?:[^%]|%(?:[^2]|2[^C]))+?)%2C", value: "$1" }],
      otherwise: "",
    },
    {
      name: "escaped",
      source: "{q_tags}",
      cases: [{ pattern: needlessEscape, value: "yes" }],
      otherwise: "",
    },
    {
      name: "mixed",
      source: "{vars.sp_raw_tag2}&{vars.sp_tags}",
      cases: [{ pattern: `^[^&]+&.*(?:${mixedEscapes})`, value: "yes" }],
      otherwise: "",
    },
  ];
  return `${lookups
    .map(map)
    .join("")
    .replace(/^(?=.)/gm, "\t")}${lines.map((line) => `\t\t${line}`).join("\n")}`;
}

function map({ name, source, cases, otherwise }: Lookup): string {
  const lines = cases.map((entry) => {
    if ("pattern" in entry) {
      const value = entry.value.replace(/\$(\d)/g, (_, group) => `\${${group}}`);
      return `\t\t${quoted(`~${entry.pattern}`)} ${quoted(value)}\n`;
    }
    const plain = /^[\p{L}\p{N}_.-]+$/u.test(entry.exact);
    const input = plain ? entry.exact : `~^${literal(entry.exact)}\\z`;
    return `\t\t${quoted(input)} ${quoted(withVariables(entry.value))}\n`;
  });
  const target = `{sp_${name}}`;
  return `\tmap ${quoted(withVariables(source))} ${target} {\n${lines.join("")}\t\tdefault ${quoted(otherwise)}\n\t}\n`;
}

function withVariables(text: string): string {
  return text.replace(variableIn, (all, name) => {
    if (name === "path") return "{http.request.orig_uri.path}";
    if (name === "query") return query;
    return /^(?:raw_tag\d|more_tags)$/.test(name) ? `{vars.sp_${name}}` : all.replace("{", "{sp_");
  });
}

function quoted(text: string): string {
  return `"${text.replace(/"/g, '\\"')}"`;
}
