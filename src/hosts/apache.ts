import { apacheSpelling, env, filled, lookupRules, path, rule, uuidRules } from "./apache-rules.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { grouped, notice, rulesThatFit } from "./limits.ts";
import { lookup, quoted } from "./lookup.ts";
import { commonLimits, earlyStatuses, type Model, modelOf } from "./model.ts";
import { belowRoot } from "./patterns.ts";
import { compressibleTypes, contentTypes } from "./responses.ts";

/** Apache reads and compiles all of the file at each request. */
const mostCharacters = 256 * 1024;

/** Configuration of Apache 2.4.26 and later, as one file for the publish root. */
export function apacheConfiguration(input: HostInput): HostConfiguration {
  const need = "characters of directives, and Apache reads them at every request";
  const fitting = rulesThatFit(input, directives, mostCharacters, need);
  const { oldAddresses } = input;
  const lost = `${grouped(oldAddresses.size)} former addresses of pages, which redirects.json lists, are answered with 404`;
  const limits = [
    ...commonLimits(input),
    "answers with status 400, 405 and 414, and with 404 to a path with %2F, have Apache's own body",
    "redirects lead to whole addresses, which begin with http where a proxy in front of Apache speaks https",
    "paths with a name of more than 255 bytes are answered with 403, and Apache's own body",
    "TRACE is answered by Apache itself where the server's configuration has no TraceEnable Off",
    ...(oldAddresses.size > 0 ? [lost] : []),
    ...fitting.limits,
  ];
  const usage = `# It belongs in the publish root, which is the document root of a host, and needs AllowOverride All. Modules:
# rewrite, headers, mime and dir; deflate and filter where answers are to be compressed.`;
  const content = `${notice("Apache", limits, usage)}\n${fitting.rules}`;
  return { files: [{ path: ".htaccess", content }], limits };
}

function directives(input: HostInput): string {
  const model = modelOf(input, apacheSpelling);
  return [filesPart(input), headersPart(model), rewritePart(model)].join("\n");
}

function filesPart({ rules, notFound }: HostInput): string {
  const extensions = contentTypes.flatMap(([, some]) => some);
  const added = contentTypes.map(([type, some]) => `AddType "${type}" .${some.join(" .")}`);
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
		AddOutputFilterByType DEFLATE ${compressibleTypes.join(" ")}
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

function rewritePart(model: Model): string {
  const asked = lookup("asked", "%{THE_REQUEST}", { "^[^ ]+ ([^ ]*)": "$1" }, "");
  const mirror = [
    ...[...model.asked, ...model.tags].flatMap(lookupRules),
    ...["id", "q_category", ...model.tags.map(({ name }) => name)].flatMap(uuidRules),
    ...fileRules(model),
  ];
  const before = [
    ...[asked, ...model.request].flatMap(lookupRules),
    ...earlyStatuses.map((status) =>
      rule([`R=${status}`, "END"], { [env("early")]: `=${status}` }),
    ),
    rule([`S=${mirror.length}`], { [env("below")]: "!=yes" }),
  ];
  return `RewriteEngine On
# A second look at a request, for the file that was found for it.
RewriteCond "%{ENV:REDIRECT_STATUS}" "!^$"
RewriteRule ^ "-" [END]
${before.join("\n")}
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
  const exists = (variable: string) => ({ [`%{DOCUMENT_ROOT}${env(variable)}`]: "-f" });
  return [
    ...files.flatMap(lookupRules),
    rule(["END"], exists("own")),
    ...moved.map((name) => rule(["R=302", "QSD", "END"], exists(name), env(name))),
    ...found.map((name) => rule(["QSD", "END"], exists(name), env(name))),
    rule(["R=404", "END"]),
  ];
}
