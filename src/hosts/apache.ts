import type { Rules } from "../routes/rules.ts";
import { env, lookupRules, named, path, type Rule, written } from "./apache-rules.ts";
import { apacheSpelling, beginRules, endRules, loopRules } from "./apache-segments.ts";
import { grouped } from "./edge-requests.ts";
import { tagLookups } from "./filter-lookups.ts";
import type { HostConfiguration, HostInput, LinkedPath, SegmentedName } from "./host.ts";
import { limitsOf, notice } from "./limits.ts";
import { lookup, quoted } from "./lookup.ts";
import { earlyStatuses, type Model, modelOf } from "./model.ts";
import { belowRoot, pathPattern } from "./patterns.ts";
import { heldPath } from "./segment-lookups.ts";

/** Apache reads and compiles all of the file at each request. */
const mostBytes = 256 * 1024;

/** Something that a configuration lists. */
interface Listed {
  name?: SegmentedName;
  link?: LinkedPath;
}

/** Configuration of Apache 2.4.26 and later, as one file for the publish root. */
export function apacheConfiguration(input: HostInput): HostConfiguration {
  const model = modelOf(input, apacheSpelling);
  const limits = [
    ...model.limits,
    "answers with status 400, 405 and 414, and with 404 to a path with %2F, have Apache's own body",
    "redirects lead to whole addresses, which begin with http where a proxy in front of Apache speaks https",
    "paths with a name of more than 255 bytes are answered with 403, and Apache's own body",
    "TRACE is answered by Apache itself where the server's configuration has no TraceEnable Off",
  ];
  const whole = htaccess(input, model, limits);
  if (Buffer.byteLength(whole) <= mostBytes) return configuration(whole, limits);
  const listed = listedOf(input, model);
  // Each has a rule of more than 64 bytes.
  let best = withListed(input, limits, listed, 0);
  let [fits, tooMany] = [0, Math.min(listed.length, mostBytes / 64)];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    const tried = withListed(input, limits, listed, middle);
    if (Buffer.byteLength(tried.content) <= mostBytes) [fits, best] = [middle, tried];
    else tooMany = middle;
  }
  return configuration(best.content, best.limits);
}

/** What has rules of its own in a configuration, what must not be left out first. */
function listedOf({ names, linked }: HostInput, { listed }: Model): Listed[] {
  const ofNames = names.filter(({ value }) => listed.has(value)).map((name) => ({ name }));
  return [
    ...ofNames.filter(({ name }) => name.isFilter),
    ...ofNames.filter(({ name }) => !name.isFilter),
    ...linked.files
      .filter(({ path, folder }) => heldPath(path, apacheSpelling) !== folder)
      .map((link) => ({ link })),
  ];
}

/** The configuration with only the first of what is listed, and the limits that this means. */
function withListed(input: HostInput, limits: string[], listed: Listed[], count: number) {
  const leftOut = listed.slice(count);
  const without = new Set(leftOut.map(({ name, link }) => name ?? link));
  const fewer = {
    ...input,
    names: input.names.filter((name) => !without.has(name)),
    linked: { ...input.linked, files: input.linked.files.filter((link) => !without.has(link)) },
  };
  const filters = leftOut.filter(({ name }) => name?.isFilter).length;
  const all = [...limits, leftOutText(leftOut.length, filters)];
  return { content: htaccess(fewer, modelOf(fewer, apacheSpelling), all), limits: all };
}

function leftOutText(leftOut: number, filters: number): string {
  const found =
    filters === 0
      ? "filters by all categories and tags are answered"
      : `filters by ${grouped(filters)} categories and tags among them find nothing`;
  return `${grouped(leftOut)} ids, categories, tags and paths of links to files are left out, because Apache reads .htaccess at every request and needs a rule for each name that no rule can turn into its file's name (one with characters other than letters, digits, spaces, ".", "_" and "-", a long one, or a reserved one such as index): records with these ids and files at these paths are answered with 404, and ${found}`;
}

function configuration(content: string, limits: readonly string[]): HostConfiguration {
  return { files: [{ path: ".htaccess", content }], limits: limitsOf(limits) };
}

function htaccess(input: HostInput, model: Model, limits: readonly string[]): string {
  const usage = `# It belongs in the publish root, which is the document root of a host, and needs AllowOverride All. Modules:
# rewrite, headers, mime and dir; deflate and filter where answers are to be compressed.`;
  const lines = [
    notice("Apache", limits, usage),
    ...filesPart(input, model),
    ...headersPart(input),
    "",
    "RewriteEngine On",
    ...rewritePart(input, model),
  ];
  return `${lines.join("\n")}\n`;
}

/** Which files are sent, and as what. */
function filesPart(input: HostInput, { types, compressible }: Model): string[] {
  const extensions = types.flatMap(([, some]) => some);
  return [
    `Options -Indexes
DirectoryIndex index.html
# A folder of the mirror is not what a URL of the API names.
DirectorySlash Off
ErrorDocument 404 /${input.notFound.site}
<If ${quoted(pathIs(belowRoot(input)))}>
	ErrorDocument 404 /${input.notFound.api}
</If>
`,
    ...types.map(([type, some]) => `AddType ${quoted(type)} ${some.map((e) => `.${e}`).join(" ")}`),
    `# Some servers run files by an extension in the middle of their names.
<FilesMatch ${quoted(`\\.(?:${extensions.join("|")})$`)}>
	SetHandler default-handler
</FilesMatch>
<IfModule mod_deflate.c>
	<IfModule mod_filter.c>
		AddOutputFilterByType DEFLATE ${compressible.join(" ")}
	</IfModule>
	# A compressed answer's ETag is not recognised otherwise.
	RequestHeader edit If-None-Match "-gzip\\"" "\\""
</IfModule>
`,
  ];
}

function headersPart(input: HostInput): string[] {
  const below = pathIs(belowRoot(input));
  const set = (name: string, value: string, condition = "true"): string => {
    const always = name === "Content-Type" ? "" : " always";
    const when = condition === "true" ? "" : ` ${quoted(`expr=${condition}`)}`;
    return `Header${always} set ${name} ${quoted(value)}${when}`;
  };
  const of = (headers: Record<string, string>, condition: string): string[] =>
    Object.entries(headers).map(([name, value]) => set(name, value, condition));
  return [
    ...input.headers.flatMap((rule) => {
      const everywhere = rule.prefix === "/" && rule.suffix === "";
      return of(rule.headers, everywhere ? "true" : pathIs(pathPattern(rule)));
    }),
    ...of(input.preflight, `%{REQUEST_METHOD} == 'OPTIONS' && ${below}`),
    set("Allow", "GET, HEAD", "%{REQUEST_STATUS} == 405"),
    set("Allow", "GET, HEAD, OPTIONS", `%{REQUEST_STATUS} == 405 && ${below}`),
  ];
}

function rewritePart(input: HostInput, model: Model): string[] {
  const asked = { pattern: "^[^ ]+ ([^ ]*)", value: "$1" };
  const used = model.request.filter(({ name }) => /^(?:below|method|early)$/.test(name));
  const request = [lookup("asked", "%{THE_REQUEST}", [asked], ""), ...used];
  const naming = namingRules(model, input.rules);
  const mirror = [...naming, ...fileRules(model)];
  const before: Rule[] = [
    ...request.flatMap(lookupRules),
    ...earlyStatuses.map((status) => ({
      conditions: [[env("early"), `=${status}`] as [string, string]],
      flags: [`R=${status}`, "END"],
    })),
    { conditions: [[env("below"), "!=yes"]], flags: [`S=${mirror.length}`] },
  ];
  const isFolder: [string, string] = [named, "-d"];
  const after: Rule[] = [
    { conditions: [isFolder, [`${named}/index.html`, "!-f"]], flags: ["R=404", "END"] },
    {
      conditions: [isFolder, [path, "[^/]\\z"]],
      substitution: `${path}/`,
      flags: ["R=301", "END"],
    },
    { conditions: [[path, "/\\.ht"]], flags: ["R=404", "END"] },
  ];
  // A second look at a request, for the file that was found for it.
  const second: Rule = { conditions: [["%{ENV:REDIRECT_STATUS}", "!^$"]], flags: ["END"] };
  const behind = before.length + naming.length;
  return [
    ...[second, ...loopRules(behind), ...before].map(written),
    "# Requests to the API.",
    ...mirror.map(written),
    "# Requests to the website.",
    ...after.map(written),
  ];
}

/** What is asked for, and the segments of its id and names. */
function namingRules({ parameters, tags, target }: Model, { endpoints }: Rules): Rule[] {
  const lookups = [...parameters, ...tagLookups(tags), ...target];
  const inQuery = endpoints.flatMap(({ query }, at) =>
    query.some(([, value]) => value.includes("{id}")) ? [`e${at}`] : [],
  );
  return [...lookups.flatMap(lookupRules), ...beginRules(spelledValues(tags), inQuery)];
}

/** Variables with values of a query whose segments are made. */
function spelledValues(tags: number): string[] {
  return ["q_category", ...Array.from({ length: tags }, (_, at) => `raw_tag${at + 1}`)];
}

/** Each of them ends a request. */
function fileRules({ tags, files, moved, found }: Model): Rule[] {
  const kind = env("kind");
  const leadTo = (variable: string, flags: string[]): Rule => ({
    conditions: [[`%{DOCUMENT_ROOT}${env(variable)}`, "-f"]],
    substitution: env(variable),
    flags: [...flags, "QSD", "END"],
  });
  return [
    ...endRules(spelledValues(tags)),
    ...files.flatMap(lookupRules),
    {
      // The image of an address is told by its query.
      conditions: [
        [kind, "!=i"],
        [kind, "!=w"],
        [path, "[^/]\\z"],
        [named, "-f"],
      ],
      flags: ["END"],
    },
    ...moved.map((variable) => leadTo(variable, ["R=302"])),
    ...found.map(({ variable }) => leadTo(variable, [])),
    { conditions: [], flags: ["R=404", "END"] },
  ];
}

/** An expression that tells whether the path of the file, or of the request, matches. */
function pathIs(pattern: string): string {
  return `%{REQUEST_URI} =~ m#${pattern}#`;
}
