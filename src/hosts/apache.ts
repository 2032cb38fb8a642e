import { env, lookupRules, named, path, rule } from "./apache-rules.ts";
import { apacheSpelling, beginRules, endRules, loopRules } from "./apache-segments.ts";
import { tagLookups } from "./filter-lookups.ts";
import type { HostConfiguration, HostInput, LinkedPath, SegmentedName } from "./host.ts";
import { grouped, notice } from "./limits.ts";
import { lookup, quoted } from "./lookup.ts";
import { earlyStatuses, type Model, modelOf } from "./model.ts";
import { belowRoot, pathPattern } from "./patterns.ts";
import { heldPath } from "./segment-lookups.ts";

/** Apache reads and compiles all of the file at each request. */
const mostBytes = 256 * 1024;

/** Configuration of Apache 2.4.26 and later, as one file for the publish root. */
export function apacheConfiguration(input: HostInput): HostConfiguration {
  const model = modelOf(input, apacheSpelling);
  const whole = configuration(input, model, []);
  if (fits(whole)) return whole;
  const listed = listedOf(input, model);
  let best = withListed(input, listed, 0);
  // Each has a rule of more than 64 bytes.
  let [fitting, tooMany] = [0, Math.min(listed.length, mostBytes / 64)];
  while (tooMany - fitting > 1) {
    const middle = Math.floor((fitting + tooMany) / 2);
    const tried = withListed(input, listed, middle);
    if (fits(tried)) [fitting, best] = [middle, tried];
    else tooMany = middle;
  }
  return best;
}

function fits({ files }: HostConfiguration): boolean {
  return files.every(({ content }) => Buffer.byteLength(content) <= mostBytes);
}

type Listed = SegmentedName | LinkedPath;

/** What has rules of its own, the filters first: they are left out last. */
function listedOf({ names, linked }: HostInput, { listed }: Model): Listed[] {
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
  const text = leftOutText(leftOut.length, filters);
  return configuration(fewer, modelOf(fewer, apacheSpelling), [text]);
}

function leftOutText(leftOut: number, filters: number): string {
  const found =
    filters === 0
      ? "filters by all categories and tags are answered"
      : `filters by ${grouped(filters)} categories and tags among them find nothing`;
  return `${grouped(leftOut)} ids, categories, tags and paths of links to files are left out, because Apache reads .htaccess at every request and needs a rule for each name that no rule can turn into its file's name (one with characters other than letters, digits, spaces, ".", "_" and "-", a long one, or a reserved one such as index): records with these ids and files at these paths are answered with 404, and ${found}`;
}

function configuration(input: HostInput, model: Model, further: string[]): HostConfiguration {
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
  const lines = [
    notice("Apache", limits, usage),
    ...filesPart(input, model),
    ...headersPart(input),
    "",
    "RewriteEngine On",
    ...rewritePart(input, model),
  ];
  return { files: [{ path: ".htaccess", content: `${lines.join("\n")}\n` }], limits };
}

function filesPart({ rules, notFound }: HostInput, { types, compressible }: Model): string[] {
  const extensions = types.flatMap(([, some]) => some);
  return [
    `Options -Indexes
DirectoryIndex index.html
# A folder of the mirror is not what a URL of the API names.
DirectorySlash Off
ErrorDocument 404 /${notFound.site}
<If ${quoted(pathIs(belowRoot(rules.root)))}>
	ErrorDocument 404 /${notFound.api}
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

function headersPart({ rules, headers, preflight }: HostInput): string[] {
  const below = pathIs(belowRoot(rules.root));
  const set = (fields: Record<string, string>, condition?: string): string[] =>
    Object.entries(fields).map(([name, value]) => {
      const always = name === "Content-Type" ? "" : " always";
      const when = condition === undefined ? "" : ` ${quoted(`expr=${condition}`)}`;
      return `Header${always} set ${name} ${quoted(value)}${when}`;
    });
  return [
    ...headers.flatMap((rule) => {
      const everywhere = rule.prefix === "/" && rule.suffix === "";
      return set(rule.headers, everywhere ? undefined : pathIs(pathPattern(rule)));
    }),
    ...set(preflight, `%{REQUEST_METHOD} == 'OPTIONS' && ${below}`),
    ...set({ Allow: "GET, HEAD" }, "%{REQUEST_STATUS} == 405"),
    ...set({ Allow: "GET, HEAD, OPTIONS" }, `%{REQUEST_STATUS} == 405 && ${below}`),
  ];
}

function rewritePart({ rules: { endpoints } }: HostInput, model: Model): string[] {
  const asked = lookup("asked", "%{THE_REQUEST}", { "^[^ ]+ ([^ ]*)": "$1" }, "");
  const used = model.request.filter(({ name }) => /^(?:below|method|early)$/.test(name));
  // Variables with values of a query whose segments are made.
  const spelled = [
    "q_category",
    ...Array.from({ length: model.tags }, (_, at) => `raw_tag${at + 1}`),
  ];
  const inQuery = endpoints.flatMap(({ query }, at) =>
    query.some(([, value]) => value.includes("{id}")) ? [`e${at}`] : [],
  );
  // What is asked for, and the segments of its id and names.
  const naming = [
    ...[...model.parameters, ...tagLookups(model.tags), ...model.target].flatMap(lookupRules),
    ...beginRules(spelled, inQuery),
  ];
  const mirror = [...naming, ...endRules(spelled), ...fileRules(model)];
  const before = [
    ...[asked, ...used].flatMap(lookupRules),
    ...earlyStatuses.map((status) => rule([`R=${status}`, "END"], [[env("early"), `=${status}`]])),
    rule([`S=${mirror.length}`], [[env("below"), "!=yes"]]),
  ];
  return [
    // A second look at a request, for the file that was found for it.
    rule(["END"], [["%{ENV:REDIRECT_STATUS}", "!^$"]]),
    ...loopRules(before.length + naming.length),
    ...before,
    "# Requests to the API.",
    ...mirror,
    "# Requests to the website.",
    rule(
      ["R=404", "END"],
      [
        [named, "-d"],
        [`${named}/index.html`, "!-f"],
      ],
    ),
    rule(
      ["R=301", "END"],
      [
        [named, "-d"],
        [path, "[^/]\\z"],
      ],
      `${path}/`,
    ),
    rule(["R=404", "END"], [[path, "/\\.ht"]]),
  ];
}

/** Each of them ends a request. */
function fileRules({ files, moved, found }: Model): string[] {
  const leadTo = (variable: string, flags: string[]): string =>
    rule([...flags, "QSD", "END"], [[`%{DOCUMENT_ROOT}${env(variable)}`, "-f"]], env(variable));
  return [
    ...files.flatMap(lookupRules),
    // The image of an address is told by its query.
    rule(
      ["END"],
      [
        [env("kind"), "!=i"],
        [env("kind"), "!=w"],
        [path, "[^/]\\z"],
        [named, "-f"],
      ],
    ),
    ...moved.map((variable) => leadTo(variable, ["R=302"])),
    ...found.map(({ variable }) => leadTo(variable, [])),
    rule(["R=404", "END"]),
  ];
}

/** An expression: whether the path of the file, or of the request, matches. */
function pathIs(pattern: string): string {
  return `%{REQUEST_URI} =~ m#${pattern}#`;
}
