import { type Condition, env, filled, lookupRules, path, rule } from "./apache-rules.ts";
import { apacheSpelling, beginRules, endRules, loopRules } from "./apache-segments.ts";
import type { HostConfiguration, HostInput, LinkedPath, SegmentedName } from "./host.ts";
import { grouped, notice } from "./limits.ts";
import { lookup, quoted } from "./lookup.ts";
import { earlyStatuses, type Model, modelOf } from "./model.ts";
import { belowRoot } from "./patterns.ts";
import { heldPath } from "./segment-lookups.ts";

/** Apache reads and compiles all of the file at each request. */
const mostBytes = 256 * 1024;

/** Configuration of Apache 2.4.26 and later, as one file for the publish root: with all names, or as many as fit. */
export function apacheConfiguration(input: HostInput): HostConfiguration {
  const listed = listedOf(input);
  let best = withListed(input, listed, 0);
  // Each has a rule of more than 64 bytes.
  let [fitting, tooMany] = [0, Math.min(listed.length, mostBytes / 64) + 1];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    const tried = withListed(input, listed, middle);
    const fits = tried.files.every(({ content }) => Buffer.byteLength(content) <= mostBytes);
    if (fits) [fitting, best] = [middle, tried];
    else tooMany = middle;
  }
  return best;
}

type Listed = SegmentedName | LinkedPath;

/** What has rules of its own, the filters first: they are left out last. */
function listedOf(input: HostInput): Listed[] {
  const { names, linked } = input;
  const { listed } = modelOf(input, apacheSpelling);
  const ofNames = names.filter(({ value }) => listed.has(value));
  return [
    ...ofNames.filter(({ isFilter }) => isFilter),
    ...ofNames.filter(({ isFilter }) => !isFilter),
    ...linked.files.filter(({ path, folder }) => heldPath(path, apacheSpelling) !== folder),
  ];
}

/** The configuration with only the first of what is listed, and the limit that this means. */
function withListed(input: HostInput, listed: readonly Listed[], count: number): HostConfiguration {
  const leftOut = listed.slice(count);
  const without = new Set(leftOut);
  const fewer = {
    ...input,
    names: input.names.filter((name) => !without.has(name)),
    linked: { ...input.linked, files: input.linked.files.filter((link) => !without.has(link)) },
  };
  const filters = leftOut.filter((one) => "isFilter" in one && one.isFilter).length;
  const further = leftOut.length === 0 ? [] : [leftOutText(leftOut.length, filters)];
  return configuration(fewer, further);
}

function leftOutText(leftOut: number, filters: number): string {
  const found =
    filters === 0
      ? "filters by all categories and tags are answered"
      : `filters by ${grouped(filters)} categories and tags among them find nothing`;
  return `${grouped(leftOut)} ids, categories, tags and paths of links to files are left out, because Apache reads .htaccess at every request and needs a rule for each name that no rule can turn into its file's name (one with characters other than letters, digits, spaces, ".", "_" and "-", a long one, or a reserved one such as index): records with these ids and files at these paths are answered with 404, and ${found}`;
}

function configuration(input: HostInput, further: string[]): HostConfiguration {
  const model = modelOf(input, apacheSpelling);
  const limits = [
    ...model.limits,
    "answers with status 400, 405 and 414, and with 404 to a path with %2F, have Apache's own body",
    "redirects lead to whole addresses, which begin with http where a proxy in front of Apache speaks https",
    "paths with a name of more than 255 bytes are answered with 403, and Apache's own body",
    "TRACE is answered by Apache itself where the server's configuration has no TraceEnable Off",
    ...further,
  ];
  const usage = `# It belongs in the publish root, which is the document root of a host, and needs AllowOverride All. Modules:
# rewrite, headers, mime and dir; deflate and filter where answers are to be compressed.`;
  const parts = [
    notice("Apache", limits, usage),
    filesPart(input, model),
    headersPart(model),
    rewritePart(input, model),
  ];
  return { files: [{ path: ".htaccess", content: parts.join("\n") }], limits };
}

function filesPart({ rules, notFound }: HostInput, { types, compressible }: Model): string {
  const extensions = types.flatMap(([, some]) => some);
  const added = types.map(([type, some]) => `AddType "${type}" .${some.join(" .")}`);
  return `Options -Indexes
DirectoryIndex index.html
# A folder of the mirror is not what a URL of the API names.
DirectorySlash Off
ErrorDocument 404 /${notFound.site}
<If ${quoted(`${path} =~ m#${belowRoot(rules.root)}#`)}>
	ErrorDocument 404 /${notFound.api}
</If>

${added.join("\n")}
# Some servers run files by an extension in the middle of their names.
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
`;
}

function headersPart({ headers, typesByPath }: Model): string {
  const set = (header: string, value: string, source: string, pattern: string): string => {
    const matches = quoted(`expr='${filled(source)}' =~ m#${pattern}#`);
    return `set ${header} ${quoted(value)} ${matches}\n`;
  };
  const lines = headers.flatMap(({ header, source, cases }) => {
    const all = cases.map(([pattern, value]) => set(header, value, source, pattern));
    // The last one that matches counts.
    return all.reverse().map((line) => `Header always ${line}`);
  });
  const types = typesByPath.map(([pattern, type]) => {
    return `Header ${set("Content-Type", type, "{served}", pattern)}`;
  });
  return [...lines, ...types].join("");
}

function rewritePart({ rules }: HostInput, model: Model): string {
  const asked = lookup("asked", "%{THE_REQUEST}", { "^[^ ]+ ([^ ]*)": "$1" }, "");
  // What is asked for, and the segments of its id and names.
  const naming = [
    ...[...model.asked, ...model.tags].flatMap(lookupRules),
    ...beginRules(rules, model.tags),
  ];
  const mirror = [...naming, ...endRules(model.tags), ...fileRules(model)];
  const before = [
    ...[asked, ...model.request].flatMap(lookupRules),
    ...earlyStatuses.map((status) => rule([`R=${status}`, "END"], [[env("early"), `=${status}`]])),
    rule([`S=${mirror.length}`], [[env("below"), "!=yes"]]),
  ];
  const loop = loopRules(before.length + naming.length);
  return `RewriteEngine On
# A second look at a request, for the file that was found for it.
RewriteCond "%{ENV:REDIRECT_STATUS}" "!^$"
RewriteRule ^ "-" [END]
${[...loop, ...before].join("\n")}
# Requests to the API.
${mirror.join("\n")}
# Requests to the website.
RewriteCond "%{REQUEST_FILENAME}" "-d"
RewriteCond "%{REQUEST_FILENAME}/index.html" "!-f"
RewriteRule ^ "-" [R=404,END]
RewriteCond "%{REQUEST_FILENAME}" "-d"
RewriteCond "%{REQUEST_URI}" "[^/]\\z"
RewriteRule ^ "%{REQUEST_URI}/" [R=301,END]
RewriteCond "%{REQUEST_URI}" "/\\.ht"
RewriteRule ^ "-" [R=404,END]
`;
}

/** Each of them ends a request. */
function fileRules({ files, moved, found }: Model): string[] {
  const exists = (variable: string): Condition => [`%{DOCUMENT_ROOT}${env(variable)}`, "-f"];
  return [
    ...files.flatMap(lookupRules),
    rule(["END"], [exists("own")]),
    ...moved.map((name) => rule(["R=302", "QSD", "END"], [exists(name)], env(name))),
    ...found.map(({ variable: name }) => rule(["QSD", "END"], [exists(name)], env(name))),
    rule(["R=404", "END"]),
  ];
}
