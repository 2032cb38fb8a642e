import { WireArticle } from "../api/schema.ts";
import { isObject, memberAt } from "../lib/objects.ts";

/** Where the body of a single article is. */
export interface BodyFinding {
  /** Names on the way to it in the raw object; null where there is no such text. */
  path: string[] | null;
  /** "empty" where the body's member is there and holds no text; "missing" where no member is known as the body. */
  state: "found" | "empty" | "missing";
}

const bodyNames = [
  "body",
  "body_html",
  "bodyHtml",
  "content",
  "content_html",
  "contentHtml",
  "html",
  "article_body",
  "text",
];
/** Usual names of the text in an object that has one of the names above. */
const innerNames = ["html", "rendered", "content", "value", "body", "body_html", "text"];
/** Names that say enough in any object; a `text` can be anything's. */
const strongNames = new Set(bodyNames.filter((name) => name !== "text"));
const documented = new Set([...Object.keys(WireArticle.shape), "organisation_id"]);
const markup = /<(?:p|div|h[1-6]|ul|ol|figure|section|table|blockquote|br)\b/i;
/** Members on the way to a body, its own included. */
const maxDepth = 3;
/** Length from which a text without markup, in characters, can be taken for a body. */
const minPlainLength = 200;

interface Text {
  path: string[];
  value: string;
}

/**
 * Finds the body of a single article, for which the API document shows no name: the member of that name or path with
 * dots. "auto" takes a member with a usual name, then one in an object of any name, then the longest text with HTML
 * blocks, then the longest text of 200 characters. Empty texts come last. A body made of blocks counts as missing.
 *
 * locateBody({ content: { rendered: "<p>…" } }, "auto") → { path: ["content", "rendered"], state: "found" }
 */
export function locateBody(object: unknown, bodyField: string): BodyFinding {
  if (!isObject(object)) return missing;
  return bodyField === "auto" ? locateAny(object) : locateNamed(object, bodyField);
}

/**
 * Members of a single article that the API document does not name: the body may be one of them.
 *
 * unknownMembers({ id: "1", lead: "…", blocks: [] }) → ["lead", "blocks (array)"]
 */
export function unknownMembers(object: unknown): string[] {
  if (!isObject(object)) return [];
  return Object.entries(object)
    .filter(([name]) => !documented.has(name))
    .map(([name, value]) => {
      if (Array.isArray(value)) return `${name} (array)`;
      return isObject(value) ? `${name} (object)` : name;
    });
}

const missing: BodyFinding = { path: null, state: "missing" };
const empty: BodyFinding = { path: null, state: "empty" };

function locateNamed(object: Record<string, unknown>, field: string): BodyFinding {
  const value = memberAt(object, field);
  if (value === undefined) return missing;
  return ofMember(Object.hasOwn(object, field) ? [field] : field.split("."), value) ?? missing;
}

function locateAny(object: Record<string, unknown>): BodyFinding {
  let without: BodyFinding | undefined;
  let inBlocks = false;
  for (const name of bodyNames) {
    if (!Object.hasOwn(object, name)) continue;
    const finding = ofMember([name], object[name]);
    if (finding?.state === "found") return finding;
    if (without === undefined || without.path === null) without = finding ?? without;
    if (hasBlocks(object[name])) inBlocks = true;
  }
  // Where the body is made of blocks, a text elsewhere is something else.
  const roots = Object.entries(object).filter(
    ([name]) => !documented.has(name) && (!inBlocks || bodyNames.includes(name)),
  );
  const texts = roots.flatMap(([name, value]) => [...textsOf([name], value)]).filter(hasText);
  const named = texts.filter(({ path }) => strongNames.has(path.at(-1) as string));
  const withMarkup = (list: Text[]): Text[] => list.filter(({ value }) => markup.test(value));
  const found = longest(withMarkup(named)) ?? longest(named) ?? longest(withMarkup(texts));
  if (found !== undefined) return { path: found.path, state: "found" };
  if (without !== undefined && !inBlocks) return without;
  const plain = longest(texts.filter(isProse));
  return plain === undefined ? missing : { path: plain.path, state: "found" };
}

/** A member known as the body; undefined where it is of a form that is not understood. */
function ofMember(path: string[], value: unknown): BodyFinding | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return empty;
  if (typeof value === "string") return ofText({ path, value });
  const inner = [...textsOf(path, value, path.length + maxDepth - 1)]
    .filter((text) => innerNames.includes(text.path.at(-1) as string))
    .sort((a, b) => a.path.length - b.path.length || rankOf(a) - rankOf(b));
  const best = inner.find(hasText) ?? inner[0];
  return best === undefined ? undefined : ofText(best);
}

function ofText(text: Text): BodyFinding {
  return { path: text.path, state: hasText(text) ? "found" : "empty" };
}

/** Texts in a member and in the objects below it, as far as their paths have no more than `depth` names. */
function* textsOf(path: string[], value: unknown, depth = maxDepth): Generator<Text> {
  if (typeof value === "string") yield { path, value };
  if (!isObject(value) || path.length >= depth) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!documented.has(name)) yield* textsOf([...path, name], inner, depth);
  }
}

function rankOf({ path }: Text): number {
  return innerNames.indexOf(path.at(-1) as string);
}

function hasText({ value }: Text): boolean {
  return value.trim() !== "";
}

/** Whether a text can be a body without markup: long, and neither one word, such as a URL, nor JSON. */
function isProse({ value }: Text): boolean {
  return value.length >= minPlainLength && !/^(?:[\x21-\x7e]*$|\s*[{[])/.test(value);
}

/** Whether a member is a list of parts, or an object with a list of objects. */
function hasBlocks(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isObject(value)) return false;
  return Object.values(value).some((inner) =>
    Array.isArray(inner) ? inner.some(isObject) : hasBlocks(inner),
  );
}

function longest(texts: Text[]): Text | undefined {
  return texts.toSorted((a, b) => b.value.length - a.value.length)[0];
}
