import { notFoundBody } from "../routes/description.ts";
import type { Endpoint } from "../routes/rules.ts";
import { encodeSegment, reservedNames } from "../routes/segments.ts";
import { boxSteps } from "../routes/slots.ts";
import { isRedirected } from "./edge-requests.ts";
import type { HostInput } from "./host.ts";
import { literal } from "./patterns.ts";

const code = String.raw`
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
function fileOf(written, query) {
  const image = /^\/images\/([^/]+?)(?:\.jpg|(\/download))$/.exec(written);
  const id = image ? decoded(image[1]) : undefined;
  if (id !== undefined) {
    const name = segment(id);
    if (image[2]) return "/images/by/download/" + name + (own(ENDINGS, name) || USUAL);
    const slot = slotOf(query);
    return slot && "/images/" + (slot === "web" ? "" : "by/" + slot + "/") + name + ".jpg";
  }
  // Names of files, which no endpoint has.
  if (/\.(?:json|webp|avif)$|^\/images\/by\/./.test(written)) return /\/$/.test(written) ? undefined : written;
  const path = decoded(written.replace(/\/$/, ""));
  if (path === undefined) return undefined;
  for (let i = 0; i < ENDPOINTS.length; i++) {
    const fixed = ENDPOINTS[i][3].map((name) => value(query, name) || "");
    const found = ENDPOINTS[i][0].exec(fixed.concat(path).join("\n"));
    if (found) return answerOf(ENDPOINTS[i], found[1] || "", query);
  }
  const ending = own(ENDINGS, path) || own(LINKED, path.split("/")[1]);
  return ending && "/by/download" + path.split("/").map((part, at) => at ? segment(part) : part).join("/") + "/index" + ending;
}

function answerOf(endpoint, id, query) {
  const place = endpoint[1].replace(/[^/]*\{id\}[^/]*/, (part) => part === "{id}.json" ? segment(id) + ".json" : segment(part.split("{id}").join(id)));
  const kind = endpoint[2];
  if (kind === "s") return place;
  if (kind === "a") return place + "/index.json";
  const page = value(query, "page") || "1";
  if (!/^[1-9]\d{0,8}$/.test(page)) return undefined;
  const list = listOf(place, endpoint[4] || [], query);
  if (list === place + "/by/none") return page === "1" ? list + ".json" : undefined;
  return list && list + (page === "1" ? "/index.json" : "/page/" + page + ".json");
}

// Folder of the list that filters ask for, "by/none" where they leave nothing.
function listOf(place, known, query) {
  const get = (name) => known.indexOf(name) === -1 ? undefined : value(query, name);
  const year = get("year");
  const month = year && get("month");
  if (/\D|\d{5}/.test(year || "") || /\D|\d{5}/.test(month || "")) return undefined;
  const names = [];
  let folder = place + "/by";
  const add = (name, key, text) => {
    names.push(name);
    folder += "/" + key + "/" + segment(text);
  };
  if (year) add("year", "year", String(Number(year)));
  if (month) add("month", "month", String(Number(month)));
  if (get("category")) add("category", "category", get("category"));
  (get("tags") || "").split(",").forEach((tag, at, tags) => {
    if (tag !== "" && tags.indexOf(tag) === at) add("tag", "tags", tag);
  });
  if (names.length === 0) return place;
  if (FILTERS.indexOf(names.join("+")) === -1) return undefined;
  const range = YEARS[place.replace(/^>?\//, "")];
  const none = year && (!range || Number(year) < range[0] || Number(year) > range[1]);
  return none || (month && (Number(month) < 1 || Number(month) > 12)) ? place + "/by/none" : folder;
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
  const found = own(query, name);
  if (!found) return undefined;
  const raw = (found.multiValue ? found.multiValue[0].value : found.value).replace(/\+/g, " ");
  const text = decoded(raw);
  return (text === undefined ? raw : text) || undefined;
}

function own(table, key) {
  return Object.prototype.hasOwnProperty.call(table, key) ? table[key] : undefined;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    return undefined;
  }
}

// As encodeSegment in routes/segments.ts.
function segment(text) {
  if (text === "") return "_";
  const uuid = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
  if (uuid.test(text) && /[A-F]/.test(text)) return text.toLowerCase() + "_u";
  let out = encodeURIComponent(text).replace(/%(..)|[^a-z0-9.-]/g, (char, hex) => hex ? "_" + hex.toLowerCase() : escaped(char));
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
  const answer = reply(404, MISSING);
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

/**
 * The function for viewer requests, behind the facts that it reads. It cannot be the route table's own modules: those
 * use modules, for-of, destructuring, Map and URL, which CloudFront's engine does not have, and take more than the
 * 10 kB of a function. It asks tables that are made from the same rules, and tests compare its answers with the route
 * table's. Comments and indentation are left out, because of the limit.
 */
export const requestCode = code.replace(/^ *(?:\/\/.*\n)?/gm, "").replace(/\bundefined\b/g, "U");

/** What the function must know of an endpoint, as an array. */
export function endpointFact(endpoint: Endpoint, input: HostInput): string {
  const { path, query, place, target, filters } = endpoint;
  const pattern = (text: string, id: string): string => text.split("{id}").map(literal).join(id);
  const fixed = query.map(([, text]) => `${pattern(text, "([\\s\\S]+)")}\\n`).join("");
  const whole = new RegExp(`^${fixed}${pattern(path, "([^/]+)")}$`);
  const kind = target.route === "all" ? "a" : target.route === "single" ? "s" : "i";
  const segments = place
    .split("/")
    .map((part) => (part === "by" || part.includes("{id}") ? part : encodeSegment(part)));
  const to = `${isRedirected(endpoint, input.redirects) ? ">" : ""}/${segments.join("/")}`;
  const more = [to, kind, query.map(([name]) => name), ...(filters.length > 0 ? [filters] : [])];
  return `[${whole},${JSON.stringify(more).slice(1)}`;
}
