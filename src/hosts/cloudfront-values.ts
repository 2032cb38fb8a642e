import { notFoundBody } from "../routes/description.ts";
import { reservedNames } from "../routes/segments.ts";
import { boxSteps } from "../routes/slots.ts";

/** What the function for viewer requests makes of parameters, segments and answers. */
export const valueCode = String.raw`
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
