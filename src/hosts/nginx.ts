import { constantFile, type HostConfiguration, type HostInput } from "./host.ts";
import { notice, rulesThatFit } from "./limits.ts";
import { type Lookup, quoted, withVariables } from "./lookup.ts";
import { commonLimits, earlyStatuses, type Model, modelOf } from "./model.ts";
import { literal } from "./patterns.ts";
import { compressibleTypes, contentTypes } from "./responses.ts";

/** Characters of rules for some 50,000 names, which nginx reads in seconds and goes through in milliseconds. */
const most = 32_000_000;

/** Configuration of nginx 1.18 and later, for modules that every package of it has. */
export function nginxConfiguration(input: HostInput): HostConfiguration {
  const model = modelOf({ ...input, names: [] });
  const rulesOf = (part: HostInput): string => httpPart(modelOf(part));
  const need = "characters of rules, and nginx goes through them for a request";
  const fitting = rulesThatFit(input, rulesOf, most, need);
  const limits = [
    ...commonLimits(input),
    "answers with status 400, 405 and 414 have nginx's own body",
    ...fitting.limits,
  ];
  const usage = `# Include it in a server whose root is the publish root; stillpress-http.conf belongs in the http context.
# An add_header of yours in this server is sent as well; one in a location replaces all of these.`;
  const server = serverPart(model, input.rules.root);
  return {
    files: [
      { path: "stillpress-http.conf", content: fitting.rules },
      { path: "stillpress-server.conf", content: `${notice("nginx", limits, usage)}\n${server}` },
      { path: "stillpress-redirects-http.conf", content: redirectsPart(model) },
      constantFile("nginx/stillpress-redirects-server.conf"),
      constantFile("nginx/nginx.conf.example"),
    ],
    limits,
  };
}

function httpPart({ asked, tags, files, request, notFound, headers }: Model): string {
  const all = [...asked, ...tags, ...files, ...request, notFound, ...headers];
  return `# Written by stillpress for one build; write it again after the next: stillpress hosts nginx
# Include it in the http context; a server of it includes stillpress-server.conf. Its variables begin with sp_.
${all.map(map).join("")}`;
}

/** Old addresses are many and long: nginx finds plain keys by their hash, and takes `A` for `a` in them. */
function redirectsPart({ old, redirect }: Model): string {
  const lines = redirect.cases.map(([path, page]) => `\t${quoted(path)} ${quoted(page)};\n`);
  return `# Written by stillpress for one build. Include it in the http context before every map, also those of yours:
# nginx takes these two directives nowhere else.
map_hash_bucket_size 1024;
map_hash_max_size ${Math.max(2_048, 2 * lines.length)};
${map(old)}
map ${filled(redirect.source)} $sp_redirect {
${lines.join("")}\tdefault "";
}
`;
}

function map({ name, source, cases, otherwise }: Lookup): string {
  const lines = cases.map(([text, value, exact]) => {
    // Plain strings would match without regard to case.
    const pattern = exact ? `^${literal(text)}\\z` : text;
    return `\t${quoted(`~${pattern}`)} ${quoted(filled(value))};\n`;
  });
  // Patterns are not tried on an empty source.
  const empty = cases.find(([pattern, , exact]) => {
    const spelled = pattern.replaceAll("(?s:", "(?:").replaceAll("\\z", "$");
    return !exact && new RegExp(spelled).test("");
  });
  if (empty !== undefined) lines.unshift(`\t"" ${quoted(empty[1].replace(/\$\d/g, ""))};\n`);
  const rest = `\tdefault ${quoted(filled(otherwise))};\n`;
  return `\nmap ${quoted(filled(source))} $sp_${name} {\n${lines.join("")}${rest}}\n`;
}

function filled(text: string): string {
  const own = {
    path: "$uri",
    served: "$uri",
    query: "$args",
    asked: "$request_uri",
    request_method: "$request_method",
  };
  return withVariables(text, own, (name) => `\${sp_${name}}`);
}

function serverPart(model: Model, root: string): string {
  const types = contentTypes.map(
    ([type, extensions]) => `\t${type.replace(/;.*/, "")} ${extensions.join(" ")};`,
  );
  const text = compressibleTypes.filter((type) => type !== "text/html");
  const parts = [
    `index index.html;
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
    ...model.headers.map(({ header, name }) => `add_header ${header} $sp_${name} always;`),
    `
error_page 404 @sp_not_found;
error_page 403 =404 @sp_not_found;
`,
    ...earlyStatuses.map((status) => `if ($sp_early = ${status}) {\n\treturn ${status};\n}`),
    `
location @sp_not_found {
	try_files $sp_not_found =404;
}

location = /${root} {
	return 404;
}

location ^~ /${root}/ {`,
    ...model.typesByPath.map(([pattern, type]) => {
      const inner = answersWith(type, "$sp_own =404").replace(/^/gm, "\t");
      return `	location ~ ${quoted(pattern)} {\n${inner}\n	}`;
    }),
    `	try_files $sp_own @sp_mirror;
}`,
    ...mirrorLocations(model),
  ];
  return `${parts.join("\n")}\n`;
}

/** Locations for requests to the API that no file has the path of. A type needs a location of its own. */
function mirrorLocations({ moved, found, typed }: Model): string[] {
  // The only directive in an `if` is return: others would not do here what they seem to.
  const redirects = moved.map(
    (name) => `	if (-f $document_root$sp_${name}) {\n		return 302 $sp_${name};\n	}`,
  );
  const typedNames = typed.map(([name]) => name);
  const tried = found.filter((name) => !typedNames.includes(name)).map((name) => `$sp_${name}`);
  const next = (at: number): string => (at < typed.length ? `@sp_typed${at}` : "=404");
  const mirror = [...redirects, `	try_files ${tried.join(" ")} ${next(0)};`].join("\n");
  return [
    `\nlocation @sp_mirror {\n${mirror}\n}`,
    ...typed.map(([name, type], at) => {
      const inner = answersWith(type, `$sp_${name} ${next(at + 1)}`);
      return `\nlocation @sp_typed${at} {\n${inner}\n}`;
    }),
  ];
}

/** Directives that answer with a file and another type than that of its name. */
function answersWith(type: string, files: string): string {
  return `	types {}\n	default_type ${type};\n	try_files ${files};`;
}
