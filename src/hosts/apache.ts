import { type HostConfiguration, type HostInput, sizeLimits } from "./host.ts";
import { type Lookup, type LookupCase, variableIn } from "./lookup.ts";
import { compressibleTypes, contentTypes, selectionOf } from "./lookups.ts";
import {
  badTarget,
  belowRoot,
  differentTags,
  firstOf,
  literal,
  lostTarget,
  mixedEscapes,
  needlessEscape,
  needlesslyEscaped,
  noTags,
  pathPattern,
} from "./patterns.ts";

/** Configuration of Apache 2.4.26 and later, as one file for the publish root. */
export function apacheConfiguration(input: HostInput): HostConfiguration {
  return {
    files: [{ path: ".htaccess", content: htaccess(input) }],
    limits: [...limitsOf(input), ...slowness(input)].map((text) => ({ text, exceeded: false })),
  };
}

const limitsOf = ({ rules }: HostInput): string[] => [
  ...sizeLimits(rules.slots, "boxes"),
  "combinations of filters that were not precomputed are answered with 404",
  "lists of tags with escapes in upper case and in lower case, such as %C3%A9,%c3%b6, are answered with 404",
  "answers with status 400, 405 and 414, and with 404 to a path with %2F, have Apache's own body",
  "redirects lead to whole addresses, which begin with http where a proxy in front of Apache speaks https",
  "paths with a name of more than 255 bytes are answered with 403, and Apache's own body",
  "TRACE is answered by Apache itself where the server's configuration has no TraceEnable Off",
];

/** Apache reads all of the file for each request. */
function slowness({ names, linked }: HostInput): string[] {
  const listed = names.filter(
    ({ value, segment }) => !isUpperUuid({ exact: value, value: segment }),
  );
  const paths = linked.files.filter(({ path, folder }) => path !== folder);
  const count = listed.length + paths.length;
  if (count <= 500) return [];
  return [`${count} names that are no parts of paths as they are make every answer slower`];
}

/** One RewriteRule with its conditions. */
interface Rule {
  conditions: [text: string, pattern: string][];
  substitution?: string;
  flags: string[];
}

function htaccess(input: HostInput): string {
  const { headers, longestTarget, notFound } = input;
  const below = belowRoot(input);
  const types = [...contentTypes()].map(
    ([type, extensions]) => `AddType ${quoted(type)} ${extensions.map((e) => `.${e}`).join(" ")}`,
  );
  const method: Rule["conditions"][0] = ["%{REQUEST_METHOD}", "!^(?:GET|HEAD)$"];
  const path = "%{REQUEST_URI}";
  const line = "%{THE_REQUEST}";
  const mirror = mirrorRules(input);
  const before: Rule[] = [
    // A second look at a request, for the file that was found for it.
    { conditions: [["%{ENV:REDIRECT_STATUS}", "!^$"]], flags: ["END"] },
    {
      conditions: [
        ["%{REQUEST_METHOD}", "=OPTIONS"],
        [path, below],
      ],
      flags: ["R=204", "END"],
    },
    { conditions: [method], flags: ["R=405", "END"] },
    { conditions: [[line, `^[A-Z]+ [^ ]{${longestTarget + 1}}`]], flags: ["R=414", "END"] },
    { conditions: [[line, badTarget.replace("^", "^[A-Z]+ ")]], flags: ["R=400", "END"] },
    { conditions: [[line, lostTarget.replace("^", "^[A-Z]+ ")]], flags: ["R=404", "END"] },
    { conditions: [[path, `!${below}`]], flags: [`S=${mirror.length}`] },
  ];
  const after: Rule[] = [
    {
      conditions: [
        ["%{REQUEST_FILENAME}", "-d"],
        ["%{REQUEST_FILENAME}/index.html", "!-f"],
      ],
      flags: ["R=404", "END"],
    },
    {
      conditions: [
        ["%{REQUEST_FILENAME}", "-d"],
        [path, "[^/]\\z"],
      ],
      substitution: `${path}/`,
      flags: ["R=301", "END"],
    },
    { conditions: [[path, "/\\.ht"]], flags: ["R=404", "END"] },
  ];
  const preflight = `expr=%{REQUEST_METHOD} == 'OPTIONS' && ${pathIs(below)}`;
  const allowed = (pattern: string): string => `expr=%{REQUEST_STATUS} == 405 && ${pattern}`;
  const lines = [
    `# Written by stillpress for one build; write it again after the next: stillpress hosts apache
# It belongs in the publish root, which is the document root of a host, and needs AllowOverride All. Modules:
# rewrite, headers, mime and dir; deflate and filter where answers are to be compressed.
# What Apache cannot reproduce:
${limitsOf(input)
  .map((limit) => `# - ${limit}`)
  .join("\n")}

Options -Indexes
DirectoryIndex index.html
# A folder of the mirror is not what a URL of the API names.
DirectorySlash Off
ErrorDocument 404 /${notFound.site}
<If ${quoted(pathIs(below))}>
	ErrorDocument 404 /${notFound.api}
</If>
`,
    ...types,
    `# Some servers run files by an extension in the middle of their names.
<FilesMatch ${quoted(`\\.(?:${[...contentTypes().values()].flat().join("|")})$`)}>
	SetHandler default-handler
</FilesMatch>
<IfModule mod_deflate.c>
	<IfModule mod_filter.c>
		AddOutputFilterByType DEFLATE ${compressibleTypes().join(" ")}
	</IfModule>
	# A compressed answer's ETag is not recognised otherwise.
	RequestHeader edit If-None-Match "-gzip\\"" "\\""
</IfModule>
`,
    ...headers.flatMap((rule) =>
      Object.entries(rule.headers).map(([name, value]) => {
        const set = name === "Content-Type" ? "Header set" : "Header always set";
        const condition =
          rule.prefix === "/" && rule.suffix === ""
            ? ""
            : ` ${quoted(`expr=${pathIs(pathPattern(rule))}`)}`;
        return `${set} ${name} ${quoted(value)}${condition}`;
      }),
    ),
    ...Object.entries(input.preflight).map(
      ([name, value]) => `Header always set ${name} ${quoted(value)} ${quoted(preflight)}`,
    ),
    `Header always set Allow "GET, HEAD" ${quoted(allowed("true"))}`,
    `Header always set Allow "GET, HEAD, OPTIONS" ${quoted(allowed(pathIs(below)))}`,
    "",
    "RewriteEngine On",
    ...before.map(written),
    `# Requests to the API.`,
    ...mirror.map(written),
    `# Requests to the website.`,
    ...after.map(written),
  ];
  return `${lines.join("\n")}\n`;
}

/** What is done with requests below the mirror root; each of them ends here. */
function mirrorRules(input: HostInput): Rule[] {
  const { parameters, lookups, tags, originals } = selectionOf(input);
  const rules: Rule[] = [];
  for (const { variable, name } of parameters) {
    rules.push({
      conditions: [["%{QUERY_STRING}", firstOf(name)]],
      flags: [`E=${environment(variable)}:%1`],
    });
    const list = `(?=.*${needlessEscape})(?:[\\w.,~-]|%2[cC]|${needlessEscape})*`;
    rules.push(decodingRule(variable, variable === "q_tags" ? list : needlesslyEscaped));
  }
  rules.push(...tagRules(tags));
  for (let at = 1; at <= tags; at++) rules.push(decodingRule(`raw_tag${at}`, needlesslyEscaped));
  rules.push(...lookups.flatMap(lookupRules));
  const isFile = (variable: string): Rule["conditions"][0] => [
    `%{DOCUMENT_ROOT}%{ENV:${environment(variable)}}`,
    "-f",
  ];
  const substitution = (variable: string): string => `%{ENV:${environment(variable)}}`;
  const kind = `%{ENV:${environment("kind")}}`;
  rules.push({
    // The image of an address is told by its query.
    conditions: [
      [kind, "!=i"],
      [kind, "!=w"],
      ["%{REQUEST_URI}", "[^/]\\z"],
      ["%{REQUEST_FILENAME}", "-f"],
    ],
    flags: ["END"],
  });
  for (const variable of input.redirects ? ["moved", "empty"] : []) {
    rules.push({
      conditions: [isFile(variable)],
      substitution: substitution(variable),
      flags: ["R=302", "QSD", "END"],
    });
  }
  for (const variable of ["file", "empty", ...originals.map((original) => original.variable)]) {
    rules.push({
      conditions: [isFile(variable)],
      substitution: substitution(variable),
      flags: ["QSD", "END"],
    });
  }
  rules.push({ conditions: [], flags: ["R=404", "END"] });
  return rules;
}

/** Decodes a variable that matches, and holds plain characters only when it was. */
function decodingRule(variable: string, pattern: string): Rule {
  const value = `%{ENV:${environment(variable)}}`;
  return {
    conditions: [
      [value, `^${pattern}$`],
      ["expr", `unescape(${value}) =~ /^(.*)$/`],
    ],
    flags: [`E=${environment(variable)}:%1`],
  };
}

/** Rules of which the first that fits sets the variable, and skips the others. */
function lookupRules({ name, source, cases, otherwise }: Lookup): Rule[] {
  const text = withVariables(source);
  const others = cases.filter((entry) => !isUpperUuid(entry));
  const rules = others.map((entry): Rule => {
    const pattern = "pattern" in entry ? entry.pattern : exactly(entry.exact);
    const value = withVariables(entry.value.replace(/\$(\d)/g, "%$1"));
    return { conditions: [[text, pattern]], flags: [`E=${environment(name)}:${value}`] };
  });
  if (others.length < cases.length) {
    rules.unshift({
      conditions: [
        [text, `^${upperUuid}$`],
        ["expr", `tolower(${text}) =~ /^(.*)$/`],
      ],
      flags: [`E=${environment(name)}:%1_u`],
    });
  }
  for (const [at, { flags }] of rules.entries()) flags.push(`S=${rules.length - at}`);
  rules.push({ conditions: [], flags: [`E=${environment(name)}:${otherwise}`] });
  return rules;
}

const upperUuid = "(?=.*[A-F])[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}";

/** Whether a name has the segment of every UUID in upper case: there may be too many to look for each. */
function isUpperUuid(entry: LookupCase): boolean {
  if (!("exact" in entry) || entry.value !== `${entry.exact.toLowerCase()}_u`) return false;
  return new RegExp(`^${upperUuid}$`).test(entry.exact);
}

/** A text as it is, compared without a pattern where that is sure to work. */
function exactly(text: string): string {
  return /^[\w.~-]+$/.test(text) ? `=${text}` : `^${literal(text)}\\z`;
}

/** Tells the different tags of a query. */
function tagRules(tags: number): Rule[] {
  const source = `%{ENV:${environment("q_tags")}}`;
  const rules: Rule[] = [
    { conditions: [[source, noTags]], flags: [`S=${tags + (tags > 1 ? 2 : 1)}`] },
  ];
  for (let count = 1; count <= tags; count++) {
    // To the rule for more of them.
    const last = tags - count + 1;
    if (count === 2) rules.push({ conditions: [[source, mixedEscapes]], flags: [`S=${last}`] });
    const groups = Array.from({ length: count }, (_, at) => at + 1);
    rules.push({
      conditions: [[source, differentTags(count)]],
      flags: [
        ...groups.map((at) => `E=${environment(`raw_tag${at}`)}:%${at}`),
        `S=${last + (count === 1 && tags > 1 ? 1 : 0)}`,
      ],
    });
  }
  rules.push({ conditions: [], flags: [`E=${environment("more_tags")}:more`] });
  return rules;
}

function written({ conditions, substitution = "-", flags }: Rule): string {
  // mod_rewrite takes backslashes between quotes as they are.
  const lines = conditions.map(([text, pattern]) =>
    text === "expr" ? `RewriteCond expr "${pattern}"` : `RewriteCond "${text}" "${pattern}"`,
  );
  return [...lines, `RewriteRule ^ "${substitution}" [${flags.join(",")}]`].join("\n");
}

/** An expression that tells whether the path of the file, or of the request, matches. */
function pathIs(pattern: string): string {
  return `%{REQUEST_URI} =~ m#${pattern}#`;
}

function environment(variable: string): string {
  return `SP_${variable.toUpperCase()}`;
}

function withVariables(text: string): string {
  return text.replace(variableIn, (_, name) =>
    name === "path" ? "%{REQUEST_URI}" : `%{ENV:${environment(name)}}`,
  );
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, (char) => `\\${char}`)}"`;
}
