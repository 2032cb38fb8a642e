import { type HostConfiguration, type HostInput, sizeLimits } from "./host.ts";
import { type Lookup, type LookupCase, variableIn } from "./lookup.ts";
import {
  compressibleTypes,
  contentTypes,
  type HeaderLookup,
  headerLookups,
  selectionOf,
} from "./lookups.ts";
import {
  badTarget,
  belowRoot,
  differentTags,
  firstOf,
  literal,
  lostTarget,
  mixedEscapes,
  noTags,
  pathPattern,
} from "./patterns.ts";

/** Configuration of nginx 1.18 and later, for modules that every package of it has. */
export function nginxConfiguration(input: HostInput): HostConfiguration {
  return {
    files: [
      { path: "stillpress-http.conf", content: httpPart(input) },
      { path: "stillpress-server.conf", content: serverPart(input) },
      { path: "nginx.conf.example", content: example },
    ],
    limits: limitsOf(input).map((text) => ({ text, exceeded: false })),
  };
}

const limitsOf = ({ rules }: HostInput): string[] => [
  ...sizeLimits(rules.slots, "boxes"),
  "combinations of filters that were not precomputed are answered with 404",
  "lists of tags with escapes in upper case and in lower case, such as %C3%A9,%c3%b6, are answered with 404",
  "values in a query whose plain letters or digits are escaped, such as %61 for a, are answered with 404",
  "answers with status 400, 405 and 414 have nginx's own body",
];

const notice = `# Written by stillpress for one build; write it again after the next: stillpress hosts nginx`;

const example = `# An example of a whole configuration. Put in your paths, then: nginx -t -c /path/of/this/file
events {}

http {
	include /srv/archive/deploy/nginx/stillpress-http.conf;

	server {
		listen 80;
		server_name archive.example;
		# The publish root.
		root /srv/archive/public;
		include /srv/archive/deploy/nginx/stillpress-server.conf;
	}
}
`;

/** Statuses of requests that are answered without looking at files, in the order in which they are told. */
const early = ["204", "405", "414", "400", "404"];

function httpPart(input: HostInput): string {
  const { rules, longestTarget, notFound } = input;
  const { parameters, lookups, tags } = selectionOf(input);
  const below = belowRoot(input);
  const own: Lookup[] = [
    {
      // The file at this path; that of an image's address is told by its query, and a folder is none.
      name: "own",
      source: "{kind}&{path}",
      cases: [
        { pattern: "^[iw]&", value: "/_" },
        { pattern: "&((?s:.*[^/]))\\z", value: "$1" },
      ],
      otherwise: "/_",
    },
    {
      name: "preflight",
      source: "$request_method {path}",
      cases: [{ pattern: below.replace("^", "^OPTIONS "), value: "204" }],
      otherwise: "",
    },
    {
      name: "early",
      source: "{preflight} $request_method $request_uri",
      cases: [
        { pattern: "^204", value: "204" },
        { pattern: "^ (?!GET |HEAD )", value: "405" },
        { pattern: `^ [A-Z]+ .{${longestTarget + 1}}`, value: "414" },
        { pattern: badTarget.replace("^", "^ [A-Z]+ "), value: "400" },
        { pattern: lostTarget.replace("^", "^ [A-Z]+ "), value: "404" },
      ],
      otherwise: "",
    },
    {
      name: "not_found",
      // As it was sent, and as nginx reads it: an escaped ".." may have led out of the mirror.
      source: "$request_uri {path}",
      cases: [
        { pattern: `^/${literal(rules.root)}[/? ]`, value: `/${notFound.api}` },
        { pattern: below.replace("^", "^[^ ]+ "), value: `/${notFound.api}` },
      ],
      otherwise: `/${notFound.site}`,
    },
    {
      name: "allow",
      source: "$status {path}",
      cases: [
        { pattern: below.replace("^", "^405 "), value: "GET, HEAD, OPTIONS" },
        { pattern: "^405 ", value: "GET, HEAD" },
      ],
      otherwise: "",
    },
    ...sentHeaders(input),
  ];
  const ofQuery = parameters.map(({ variable, name }) => ({
    name: variable,
    source: "{query}",
    cases: [{ pattern: firstOf(name), value: "$1" }],
    otherwise: "",
  }));
  const all = [...ofQuery, ...tagLookups(tags), ...lookups, ...own];
  return `${notice}
# Include it in the http context; a server of it includes stillpress-server.conf. Its variables begin with sp_.
${all.map(map).join("")}`;
}

function serverPart(input: HostInput): string {
  const { rules, headers, redirects } = input;
  const { originals } = selectionOf(input);
  const root = `/${rules.root}`;
  const types = [...contentTypes()].map(
    ([type, extensions]) => `\t${type.replace(/;.*/, "")} ${extensions.join(" ")};`,
  );
  const text = compressibleTypes().filter((type) => type !== "text/html");
  const untyped = originals.filter(({ type }) => type === undefined);
  const typed = originals.filter(({ type }) => type !== undefined);
  const tried = ["file", "empty", ...untyped.map(({ variable }) => variable)].map(
    (name) => `$sp_${name}`,
  );
  const lines = [
    `${notice}
# Include it in a server whose root is the publish root; stillpress-http.conf belongs in the http context.
# An add_header of yours in this server is sent as well; one in a location replaces all of these.
# What nginx cannot reproduce:
${limitsOf(input)
  .map((limit) => `# - ${limit}`)
  .join("\n")}

index index.html;
autoindex off;
absolute_redirect off;
default_type application/octet-stream;
types {
${types.join("\n")}
}
charset utf-8;
charset_types ${text.filter((type) => type.startsWith("text/")).join(" ")};
gzip on;
gzip_vary on;
gzip_min_length 1024;
gzip_types ${text.join(" ")};
`,
    ...sentHeaders(input).map(({ header, name }) => `add_header ${header} $sp_${name} always;`),
    "add_header Allow $sp_allow always;",
    `
error_page 404 @sp_not_found;
error_page 403 =404 @sp_not_found;
`,
    ...early.map((status) => `if ($sp_early = ${status}) {\n\treturn ${status};\n}`),
    `
location @sp_not_found {
	try_files $sp_not_found =404;
}

location = ${root} {
	return 404;
}

location ^~ ${root}/ {`,
    ...headers.map((rule) => {
      const type = rule.headers["Content-Type"];
      if (type === undefined) return "";
      return `	location ~ ${quoted(pathPattern(rule))} {
		types {}
		default_type ${type};
		try_files $sp_own =404;
	}`;
    }),
    `	try_files $sp_own @sp_mirror;
}

location @sp_mirror {`,
    // The only directive in these is return: others would not do here what they seem to.
    ...(redirects ? ["moved", "empty"] : []).map(
      (name) => `	if (-f $document_root$sp_${name}) {
		return 302 $sp_${name};
	}`,
    ),
    `	try_files ${tried.join(" ")} ${typed.length === 0 ? "=404" : "@sp_typed0"};
}`,
    ...typed.map(
      ({ variable, type }, at) => `
location @sp_typed${at} {
	types {}
	default_type ${type};
	try_files $sp_${variable} ${at === typed.length - 1 ? "=404" : `@sp_typed${at + 1}`};
}`,
    ),
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

/** Headers of the answers, but their types; those of the answer to OPTIONS before the others. */
function sentHeaders({ headers, preflight }: HostInput): HeaderLookup[] {
  const rules = headerLookups([...headers, { prefix: "", suffix: "", headers: preflight }], "");
  return rules
    .filter(({ header }) => header !== "Content-Type")
    .map((lookup) => ({
      ...lookup,
      source: "{preflight}{path}",
      cases: lookup.cases.map((entry) =>
        "pattern" in entry && entry.pattern === "^" ? { ...entry, pattern: "^204/" } : entry,
      ),
    }));
}

/** Tells the different tags of a query. */
function tagLookups(tags: number): Lookup[] {
  const counts = Array.from({ length: tags }, (_, at) => at + 1);
  const lookup = (name: string, valued: (count: number) => string, otherwise: string): Lookup => ({
    name,
    source: "{q_tags}",
    cases: [
      { pattern: noTags, value: "" },
      ...counts.flatMap((count) => [
        ...(count === 2 ? [{ pattern: mixedEscapes, value: otherwise }] : []),
        { pattern: differentTags(count), value: valued(count) },
      ]),
    ],
    otherwise,
  });
  return [
    ...counts.map((at) => lookup(`raw_tag${at}`, (count) => (count < at ? "" : `$${at}`), "")),
    lookup("more_tags", () => "", "more"),
  ];
}

function map({ name, source, cases, otherwise }: Lookup): string {
  const hashed = hashedCases(cases);
  if (hashed.length > 0) return mapsOfMany({ name, source, cases, otherwise }, hashed);
  const lines = cases.map((entry) => {
    // Plain strings would match without regard to case.
    const pattern = "pattern" in entry ? entry.pattern : `^${literal(entry.exact)}\\z`;
    return `\t${quoted(`~${pattern}`)} ${quoted(withVariables(entry.value))};\n`;
  });
  // Patterns are not tried on an empty source.
  const empty = cases.find((entry) => "pattern" in entry && matchesEmpty(entry.pattern));
  if (empty !== undefined) lines.unshift(`\t"" ${quoted(empty.value.replace(/\$\d/g, ""))};\n`);
  const rest = `\tdefault ${quoted(withVariables(otherwise))};\n`;
  return `\nmap ${quoted(withVariables(source))} $sp_${name} {\n${lines.join("")}${rest}}\n`;
}

interface ExactCase {
  exact: string;
  value: string;
}

/** The plain strings among many cases, which nginx finds at once; of those that differ in case alone, the first. */
function hashedCases(cases: LookupCase[]): ExactCase[] {
  const found = new Map<string, ExactCase>();
  for (const entry of cases) {
    // A longer string needs another map_hash_bucket_size than the default one.
    if (!("exact" in entry) || !/^[\w.-]{1,40}$/.test(entry.exact)) continue;
    const key = entry.exact.toLowerCase();
    if (!found.has(key)) found.set(key, entry);
  }
  return found.size > 50 ? [...found.values()] : [];
}

/** A lookup whose plain strings are found without regard to case first, and then compared. */
function mapsOfMany({ name, source, cases, otherwise }: Lookup, hashed: ExactCase[]): string {
  const lines = hashed.map(({ exact, value }) => `\t${exact} ${exact}=${value};\n`);
  const near = `\nmap ${quoted(withVariables(source))} $sp_${name}_near {\n${lines.join("")}}\n`;
  const [exact, other] = [`${name}_exact`, `${name}_other`];
  const compared = { pattern: "^((?s:.*))&\\1=(.*)$", value: "$2" };
  const others = cases.filter((entry) => !hashed.includes(entry as ExactCase));
  return [
    near,
    map({ name: exact, source: `${source}&{${name}_near}`, cases: [compared], otherwise: "" }),
    map({ name: other, source, cases: others, otherwise }),
    `\nmap $sp_${exact} $sp_${name} {\n\t"" $sp_${other};\n\tdefault $sp_${exact};\n}\n`,
  ].join("");
}

function matchesEmpty(pattern: string): boolean {
  return new RegExp(pattern.replaceAll("(?s:", "(?:").replaceAll("\\z", "$")).test("");
}

function withVariables(text: string): string {
  return text.replace(variableIn, (_, name) =>
    name === "path" ? "$uri" : name === "query" ? "$args" : `\${sp_${name}}`,
  );
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, (char) => `\\${char}`)}"`;
}
