import {
  env,
  isUpperUuid,
  lookupRules,
  mirrorRules,
  named,
  path,
  type Rule,
  written,
} from "./apache-rules.ts";
import type { HostConfiguration, HostInput } from "./host.ts";
import { limitsOf, notice } from "./limits.ts";
import { lookup, quoted } from "./lookup.ts";
import { earlyStatuses, type Model, modelOf } from "./model.ts";
import { belowRoot, pathPattern } from "./patterns.ts";

/** Configuration of Apache 2.4.26 and later, as one file for the publish root. */
export function apacheConfiguration(input: HostInput): HostConfiguration {
  const model = modelOf(input);
  const limits = [
    ...model.limits,
    "answers with status 400, 405 and 414, and with 404 to a path with %2F, have Apache's own body",
    "redirects lead to whole addresses, which begin with http where a proxy in front of Apache speaks https",
    "paths with a name of more than 255 bytes are answered with 403, and Apache's own body",
    "TRACE is answered by Apache itself where the server's configuration has no TraceEnable Off",
  ];
  const usage = `# It belongs in the publish root, which is the document root of a host, and needs AllowOverride All. Modules:
# rewrite, headers, mime and dir; deflate and filter where answers are to be compressed.`;
  const parts = [
    notice("Apache", limits, usage),
    ...filesPart(input, model),
    ...headersPart(input),
  ];
  const lines = [...parts, "", "RewriteEngine On", ...rewritePart(model)];
  return {
    files: [{ path: ".htaccess", content: `${lines.join("\n")}\n` }],
    limits: limitsOf([...limits, ...slowness(input)]),
  };
}

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

function rewritePart(model: Model): string[] {
  const asked = { pattern: "^[^ ]+ ([^ ]*)", value: "$1" };
  const used = model.request.filter(({ name }) => /^(?:below|method|early)$/.test(name));
  const request = [lookup("asked", "%{THE_REQUEST}", [asked], ""), ...used];
  const mirror = mirrorRules(model);
  const before: Rule[] = [
    // A second look at a request, for the file that was found for it.
    { conditions: [["%{ENV:REDIRECT_STATUS}", "!^$"]], flags: ["END"] },
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
  return [
    ...before.map(written),
    "# Requests to the API.",
    ...mirror.map(written),
    "# Requests to the website.",
    ...after.map(written),
  ];
}

/** An expression that tells whether the path of the file, or of the request, matches. */
function pathIs(pattern: string): string {
  return `%{REQUEST_URI} =~ m#${pattern}#`;
}
