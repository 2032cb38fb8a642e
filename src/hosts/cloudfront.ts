import { notFoundBody } from "../routes/description.ts";
import type { Endpoint } from "../routes/rules.ts";
import { reservedNames } from "../routes/segments.ts";
import { boxSteps } from "../routes/slots.ts";
import { grouped, isRedirected, siteFolders, topOf, usualLinkEndings } from "./edge-requests.ts";
import { type HostConfiguration, type HostInput, type HostLimit, sizeLimits } from "./host.ts";

/** docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits, "Maximum size of a function", bytes */
const largestFunction = 10_240;

/**
 * Two CloudFront Functions (runtime 2.0) in front of an S3 bucket with the publish root's files, and a part of the
 * distribution's configuration. A function cannot look whether an object exists.
 */
export function cloudfrontConfiguration(input: HostInput): HostConfiguration {
  const whole = requestFunction(input);
  const fits = Buffer.byteLength(whole) < largestFunction;
  const request = fits ? whole : requestFunction(withoutOthers(input));
  return {
    files: [
      { path: "request.js", content: request },
      { path: "response.js", content: responseFunction(input) },
      { path: "distribution.json", content: distribution(input) },
    ],
    limits: limitsOf(input, fits, Buffer.byteLength(request)),
  };
}

/** The input without the files whose endings are not the usual ones of their kind. */
function withoutOthers(input: HostInput): HostInput {
  const { originals, linked } = input;
  const usual = usualLinkEndings(input);
  const files = linked.files.filter(({ path, ending }) => usual.get(topOf(path)) === ending);
  return {
    ...input,
    originals: { ...originals, others: [] },
    linked: { ...linked, files },
  };
}

const kinds = { index: "i", attachments: "i", all: "a", single: "s" } satisfies Record<
  string,
  string
>;

/** Where the answers of an endpoint lie unless the rules say otherwise. */
function usualPlace({ path, target }: Endpoint): string {
  return path.slice(1) + (target.route === "single" ? ".json" : "");
}

/** What the function must know of the archive, under names that leave it room. */
function factsFor(input: HostInput): string[] {
  const { rules, originals, linked, years, preflight } = input;
  const endpoints = rules.endpoints.map((endpoint) => {
    const { path, query, place, target, filters } = endpoint;
    const facts = [path, kinds[target.route], isRedirected(endpoint, input) ? 1 : 0];
    const more = [filters, query, place === usualPlace(endpoint) ? [] : place];
    while (more.at(-1)?.length === 0) more.pop();
    return [...facts, ...more];
  });
  const others: Record<string, string> = {};
  for (const { segment, ending } of originals.others) others[segment] = ending;
  const of = (name: string, value: unknown): string => `const ${name} = ${JSON.stringify(value)};`;
  return [
    of("ROOT", `/${rules.root}`),
    "// Path, kind, whether to redirect, filters, query, place of the answers where it is not the path.",
    of("ENDPOINTS", endpoints),
    of("FILTERS", rules.filters),
    of("YEARS", years),
    of("SLOTS", rules.slots),
    of("USUAL", originals.endings[0] ?? ".jpg"),
    of("OTHERS", others),
    ...(linked.files.length === 0 ? [] : linkFacts(input, of)),
    of("PREFLIGHT", preflight),
  ];
}

/** Endings of the files behind links, by the first segment of their paths, and those that end otherwise. */
function linkFacts({ linked }: HostInput, of: (name: string, value: unknown) => string): string[] {
  const usual = usualLinkEndings({ linked });
  const others = linked.files.filter(({ path, ending }) => usual.get(topOf(path)) !== ending);
  return [
    of("LINKED", Object.fromEntries(usual)),
    of("LINKS", Object.fromEntries(others.map(({ path, ending }) => [path, ending]))),
  ];
}

function requestFunction(input: HostInput): string {
  return `${requestComment}
const crypto = require("crypto");
${factsFor(input).join("\n")}
const FOLDERS = /^${siteFolders().replaceAll("/", "\\/")}$/;
const U = undefined;
${requestCode
  .replace("LINK_OF", input.linked.files.length > 0 ? linkCode : "undefined")
  .replace(/^ *(?:\/\/.*\n)?/gm, "")
  .replace(/\bundefined\b/g, "U")}`;
}

const requestComment = `// Written by stillpress. CloudFront Function, runtime 2.0, for viewer requests: leads requests for the API to files.
// Behaviour: allow GET, HEAD, OPTIONS; no query strings in the cache key.`;

/** What a path is answered with that no endpoint has: the file that a link at the origin leads to. */
const linkCode = `parts.indexOf(undefined) !== -1 ? undefined : linkOf(parts);
}

function linkOf(parts) {
  const ending = LINKS[parts.join("/")] || LINKED[parts[1]];
  return ending && "/by/download" + parts.map(function (part, at) { return at ? segment(part) : part; }).join("/") + "/index" + ending`;

/** The route table once more, in the JavaScript that CloudFront Functions have: no for-of, no destructuring. */
const requestCode = String.raw`
function handler(event) {
  const request = event.request;
  const uri = request.uri;
  const api = uri === ROOT || uri.indexOf(ROOT + "/") === 0;
  if (request.method === "OPTIONS" && api) return reply(204, PREFLIGHT);
  if (request.method !== "GET" && request.method !== "HEAD") return reply(405, { Allow: "GET, HEAD, OPTIONS" });
  if (/\/(?:\.|%2e){1,2}(?:\/|$)|\\|%5c|%00|%(?![\da-f]{2})/i.test(uri)) return reply(400);
  const slashes = /%2f|\/\//i.test(uri);
  if (api) {
    const file = slashes ? undefined : fileOf(uri.slice(ROOT.length), request.querystring || {});
    if (file === undefined) return missing();
    if (file.charAt(0) === ">") return reply(302, { Location: ROOT + file.slice(1) });
    request.uri = ROOT + file;
  } else if (slashes) request.uri = "/404";
  else if (/\/$/.test(uri)) request.uri = uri + "index.html";
  else if (FOLDERS.test(uri)) return reply(302, { Location: uri + "/" });
  request.querystring = {};
  return request;
}

// Path below the mirror root, ">" in front of one to redirect to; undefined for what is not found.
function fileOf(path, query) {
  const image = /^\/images\/([^/]+?)(?:\.jpg|(\/download))$/.exec(path);
  const id = image ? decoded(image[1]) : undefined;
  if (id !== undefined) {
    const name = segment(id);
    if (image[2]) return "/images/by/download/" + name + (OTHERS[name] || USUAL);
    const slot = slotOf(query);
    if (slot === undefined) return undefined;
    return "/images/" + (slot === "web" ? "" : "by/" + slot + "/") + name + ".jpg";
  }
  // Names of files, which no endpoint has.
  if (/\.(?:json|webp|avif)$|^\/images\/by\/./.test(path)) return /\/$/.test(path) ? undefined : path;
  const parts = path.replace(/\/$/, "").split("/").map(decoded);
  for (let i = 0; i < ENDPOINTS.length; i++) {
    const endpoint = ENDPOINTS[i];
    const found = idOf(endpoint, parts, query);
    if (found !== undefined) return answerOf(endpoint, found, query);
  }
  return LINK_OF;
}

function idOf(endpoint, parts, query) {
  const wanted = endpoint[0].split("/");
  if (wanted.length !== parts.length) return undefined;
  let id = "";
  const pairs = wanted.map(function (text, at) { return [text, parts[at]]; });
  (endpoint[4] || []).forEach(function (pair) { pairs.push([pair[1], value(query, pair[0])]); });
  for (let i = 0; i < pairs.length; i++) {
    const pattern = pairs[i][0];
    const text = pairs[i][1];
    if (text === undefined) return undefined;
    const mark = pattern.indexOf("{id}");
    if (mark === -1) {
      if (text !== pattern) return undefined;
    } else {
      const before = pattern.slice(0, mark);
      const after = pattern.slice(mark + 4);
      const end = text.length - after.length;
      if (end <= mark || text.slice(0, mark) !== before || text.slice(end) !== after) return undefined;
      id = text.slice(mark, end);
    }
  }
  return id;
}

function answerOf(endpoint, id, query) {
  const mark = endpoint[2] ? ">/" : "/";
  const kind = endpoint[1];
  const template = endpoint[5] || endpoint[0].slice(1) + (kind === "s" ? ".json" : "");
  let place = template.split("/").map(function (part) {
    if (part === "by") return part;
    if (part === "{id}.json") return segment(id) + ".json";
    return segment(part.split("{id}").join(id));
  }).join("/");
  if (kind === "s") return mark + place;
  if (kind === "a") return mark + place + "/index.json";
  const page = value(query, "page") || "1";
  if (!/^[1-9]\d{0,8}$/.test(page)) return undefined;
  const filters = {};
  (endpoint[3] || []).forEach(function (name) {
    const text = value(query, name);
    if (text !== undefined && (name !== "month" || filters.year !== undefined)) filters[name] = text;
  });
  const year = filters.year;
  const month = filters.month;
  if ((year && !/^\d{1,4}$/.test(year)) || (month && !/^\d{1,4}$/.test(month))) return undefined;
  const names = [];
  const folders = [];
  const add = function (name, folder, text) {
    names.push(name);
    folders.push(folder, segment(text));
  };
  if (year) add("year", "year", String(Number(year)));
  if (month) add("month", "month", String(Number(month)));
  if (filters.category) add("category", "category", filters.category);
  const seen = [];
  (filters.tags || "").split(",").forEach(function (tag) {
    if (tag === "" || seen.indexOf(tag) !== -1) return;
    seen.push(tag);
    add("tag", "tags", tag);
  });
  if (names.length > 0) {
    if (FILTERS.indexOf(names.join("+")) === -1) return undefined;
    const range = YEARS[place];
    const none = year && (!range || Number(year) < range[0] || Number(year) > range[1]);
    if (none || (month && (Number(month) < 1 || Number(month) > 12))) {
      return page === "1" ? mark + place + "/by/none.json" : undefined;
    }
    place += "/by/" + folders.join("/");
  }
  return mark + place + (page === "1" ? "/index.json" : "/page/" + page + ".json");
}

function slotOf(query) {
  const thumb = value(query, "thumb");
  if (thumb !== undefined) {
    const shape = thumb === "p" || thumb === "l" ? thumb : value(query, "orientation");
    return "thumb/" + (shape === "p" ? "portrait" : shape === "l" ? "landscape" : "square");
  }
  const width = side(value(query, "width"));
  const height = side(value(query, "height"));
  if (width && height) return boxOf(width, height);
  const scale = number(value(query, "scale"));
  const wanted = width || height || scale;
  if (!wanted) return "web";
  const choices = width ? SLOTS.widths : height ? SLOTS.heights : SLOTS.scales;
  for (let i = 0; i < choices.length; i++) if (choices[i][0] >= wanted) return choices[i][1];
  return SLOTS.largest;
}

// The nearest larger box of nearly the shape, by steps of a twentieth; undefined where there is none.
function boxOf(width, height) {
  for (let i = 0; i < SLOTS.boxes.length; i++) {
    const across = stepOf(width, SLOTS.boxes[i][0]);
    const down = stepOf(height, SLOTS.boxes[i][1]);
    if (across >= 0 && down >= 0 && Math.abs(across - down) <= 1) return SLOTS.boxes[i][2];
  }
  return undefined;
}

function stepOf(wanted, box) {
  let step = ${boxSteps};
  while (step >= 0 && wanted > Math.floor(box * Math.pow(0.95, step))) step--;
  return step === ${boxSteps} ? -1 : step;
}

function number(text) {
  return text !== undefined && /^\d{1,6}(?:\.\d{1,4})?$/.test(text) ? Number(text) : 0;
}

function side(text) {
  const pixels = number(text);
  return pixels > 0 ? Math.max(1, Math.round(pixels)) : 0;
}

// The first value of a parameter; undefined where it is empty or absent.
function value(query, name) {
  const found = Object.prototype.hasOwnProperty.call(query, name) ? query[name] : undefined;
  if (!found) return undefined;
  const raw = (found.multiValue ? found.multiValue[0].value : found.value).replace(/\+/g, " ");
  const text = decoded(raw);
  return (text === undefined ? raw : text) || undefined;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return undefined;
  }
}

// A value as a segment of a path: plain characters, all others as _ and two hexadecimal digits.
function segment(text) {
  if (text === "") return "_";
  const uuid = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
  if (uuid.test(text) && /[A-F]/.test(text)) return text.toLowerCase() + "_u";
  const written = encodeURIComponent(text);
  let out = "";
  for (let i = 0; i < written.length; i++) {
    const char = written.charAt(i);
    if (char === "%") {
      out += "_" + written.slice(i + 1, i + 3).toLowerCase();
      i += 2;
    } else out += /[a-z0-9.-]/.test(char) ? char : escaped(char);
  }
  if (/^(?:\.|(?:${reservedNames})(?:\.|$))/.test(out)) {
    out = escaped(out.charAt(0)) + out.slice(1);
  }
  if (/\.(?:json)?$/.test(out)) out = out.replace(/\.(json)?$/, "_2e$1");
  if (out.length <= 120) return out;
  return out.slice(0, 80) + "_-" + crypto.createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function escaped(char) {
  return "_" + char.charCodeAt(0).toString(16);
}

function missing() {
  const answer = reply(404, {
    "Content-Type": "application/json",
    "Access-Control-Allow-Origin": "*",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "public, max-age=300",
  });
  answer.body = { encoding: "text", data: '${notFoundBody}' };
  return answer;
}

function reply(status, fields) {
  const headers = {};
  Object.keys(fields || {}).forEach(function (name) {
    headers[name.toLowerCase()] = { value: fields[name] };
  });
  return { statusCode: status, statusDescription: STATUS[status], headers: headers };
}

const STATUS = { 204: "No Content", 302: "Found", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed" };
`;

/** Headers by the path of the file, or by that of the request: which of them this event has does not matter. */
function responseFunction({ headers }: HostInput): string {
  return `// Written by stillpress. CloudFront Function, runtime 2.0, for viewer responses: headers of the archive's files.
const RULES = ${JSON.stringify(headers.map(({ prefix, suffix, headers: fields }) => [prefix, suffix, fields]))};

function handler(event) {
  const response = event.response;
  const uri = event.request.uri;
  RULES.forEach(function (rule) {
    if (uri.indexOf(rule[0]) !== 0 || uri.slice(uri.length - rule[1].length) !== rule[1]) return;
    Object.keys(rule[2]).forEach(function (name) {
      response.headers[name.toLowerCase()] = { value: rule[2][name] };
    });
  });
  return response;
}
`;
}

/** The parts of a DistributionConfig that belong to the archive; CloudFront has one set of error pages for all paths. */
function distribution({ notFound }: HostInput): string {
  const page = {
    ResponsePagePath: `/${notFound.site}`,
    ResponseCode: "404",
    ErrorCachingMinTTL: 300,
  };
  const items = [403, 404].map((code) => ({ ErrorCode: code, ...page }));
  return `${JSON.stringify(
    {
      Comment: "stillpress: S3 origin with the publish root, functions request.js and response.js",
      DefaultCacheBehavior: {
        AllowedMethods: { Quantity: 3, Items: ["GET", "HEAD", "OPTIONS"] },
        Compress: true,
      },
      CustomErrorResponses: { Quantity: items.length, Items: items },
    },
    null,
    2,
  )}\n`;
}

function limitsOf(input: HostInput, fits: boolean, bytes: number): HostLimit[] {
  const texts = [
    ...sizeLimits(input.rules.slots, "boxes"),
    "the function cannot look whether an object exists: a list of an unknown category or tag is answered with 404, as is one of a year or month without articles between the first and the last",
    "CloudFront has one error page for all paths, so that the body of a 404 for an object that does not exist is the website's, without the API's headers",
    "methods other than GET, HEAD and OPTIONS are answered with 403, and only URLs above 8,192 bytes are refused for their length",
    "content types are those that were given to the objects when they were uploaded",
  ];
  const limits: HostLimit[] = texts.map((text) => ({ text, exceeded: false }));
  const least = withoutOthers(input);
  const others =
    input.originals.others.length + input.linked.files.length - least.linked.files.length;
  if (!fits && others > 0) {
    limits.push({
      text: `the endings of ${grouped(others)} originals do not fit into a function of ${grouped(largestFunction)} bytes, so that these downloads are answered with 404`,
      exceeded: false,
    });
  }
  if (bytes >= largestFunction) {
    limits.push({
      text: `the function has ${grouped(bytes)} bytes, and CloudFront takes ${grouped(largestFunction)}`,
      exceeded: true,
    });
  }
  return limits;
}
