import { z } from "zod";
import { isObject, rowsOf } from "../lib/objects.ts";
import { jsonPath } from "../lib/words.ts";
import { timeOf } from "./times.ts";

/*
 * The service's objects, as far as stillpress uses them; the raw record keeps every other field. Only an id (a tag's
 * slug) is required. A missing value becomes an empty one; a value of another type is an error with its JSON path,
 * except for numbers that nothing depends on (ratings, sizes, the order of categories). `readItem` leaves out what is an
 * error, so that it costs no item.
 */

/** Half of a character: no URL can hold it, and in a file name it would be the same as any other half. */
const halfCharacter = /\p{Surrogate}/u;
const halfCharacters = /\p{Surrogate}/gu;

/** The ids of all items are held in memory. */
const maxIdLength = 2_000;
const id = z
  .union([z.string().min(1, "expected a non-empty id"), z.int()], "expected an id")
  .transform(String)
  .refine(
    (text) => text.length <= maxIdLength,
    `expected an id of at most ${maxIdLength} characters`,
  )
  // In a path, these two would lead to another address, even if they were encoded.
  .refine((text) => text !== "." && text !== "..", "expected an id that can stand in an address")
  .refine((text) => !halfCharacter.test(text), "expected an id of whole characters");
/** PHP's JSON_NUMERIC_CHECK writes a text of digits as a number. */
const string = z.preprocess(
  (value) => (typeof value === "number" ? String(value) : value),
  z.string(),
);
const text = orElse(string, "");
/** A slug that is no key: what no URL can hold is replaced, as browsers do. */
const slugText = string.transform((value) => value.replace(halfCharacters, "\uFFFD"));
const optionalText = orElse(z.string(), null);
const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const decimal = z
  .string()
  .regex(/^\d{1,9}(?:\.\d{1,15})?$/)
  .transform(Number);
const number = z.union([z.int().nonnegative("expected a count"), digits], "expected a count");
const counter = orElse(number, 0);

function orElse<S extends z.ZodType, F>(schema: S, fallback: F) {
  return schema.nullish().transform((value) => value ?? fallback);
}

const isEmptyArray = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** An object, for which an empty array may stand: PHP writes an empty map so. */
function object<S extends z.ZodRawShape>(shape: S) {
  return z
    .preprocess((value) => (isEmptyArray(value) ? null : value), z.looseObject(shape).nullish())
    .transform((value) => value ?? null);
}

/** These members of an object; of none, their empty values. */
function members<S extends z.ZodRawShape>(shape: S) {
  return z.preprocess((value) => (isEmptyArray(value) ? {} : (value ?? {})), z.object(shape));
}

const timestamp = z
  .unknown()
  .optional()
  .transform((value, context) => {
    if (!value) return null;
    const time = timeOf(value);
    if (time !== undefined) return time;
    context.addIssue({ code: "custom", message: "expected an ISO 8601 time" });
    return null;
  });

const thumbnail = orElse(
  z.union(
    [
      z.string().transform((square) => ({ square })),
      z.looseObject({ square: optionalText, portrait: optionalText, landscape: optionalText }),
    ],
    "expected a URL or an object of URLs",
  ),
  null,
);

const links = members({ view: optionalText, thumbnail });

// What is not counted may be there all the same: it becomes null, which is not 0.
const attached = orElse(number, null);
const attachments = members({
  images: attached,
  videos: attached,
  documents: attached,
  audio: attached,
});

/** What articles and galleries share. */
const published = {
  id,
  title: text,
  slug: text,
  published_at: timestamp,
  created_at: timestamp,
  links,
  attachments,
};

/** Article in index or single form; the body's field has no known name and is found in the raw object. */
export const WireArticle = z.looseObject({
  ...published,
  synopsis: text,
  category: object({ id: orElse(id, null), title: text }),
  // PHP writes a list from which something was taken as an object: `{"1":"sea"}`.
  tags: orElse(
    z.preprocess((value) => (isObject(value) ? Object.values(value) : value), z.array(slugText)),
    [],
  ),
  rating: object({ average: orElse(z.number().or(decimal), null), count: counter }).catch(null),
});

export const WireGallery = z.looseObject(published);

const side = orElse(z.int().nonnegative().or(digits), 0);

/** Image, video, document or audio file; the document shows the fields of images only. */
export const WireMedia = z.looseObject({
  id,
  title: text,
  caption: text,
  dimensions: object({ width: side, height: side }).catch(null),
  filesize: counter.catch(0),
  meta: z.unknown().optional().transform(stringPairs),
  links: members({ view: optionalText, web: optionalText, download: optionalText }),
  created_at: timestamp,
});

/** Category; global, with its display order. */
export const WireCategory = z.looseObject({
  id,
  title: text,
  slug: orElse(slugText, ""),
  order: orElse(z.number().or(digits), 0).catch(0),
  articles_count: counter,
});

/** Tag of one organisation, as listed by GET /tags. The slug is the key; tags have no id. */
export const WireTag = z.looseObject({
  slug: string
    .refine((text) => text !== "", "expected a non-empty slug")
    .refine((text) => !halfCharacter.test(text), "expected a slug of whole characters"),
  title: text,
  created_at: timestamp,
  articles_count: counter,
  galleries_count: counter,
});

/** Envelope of a paginated index, as far as the crawl relies on it. Numbers may come as strings. */
export const WireEnvelope = z.looseObject({
  data: z.preprocess(rowsOf, z.array(z.unknown())),
  links: object({ next: z.string().nullish().catch(undefined) }).catch(null),
  meta: object({
    current_page: counter,
    last_page: counter,
    per_page: counter,
    // A paginator that does not count says null or nothing, which is not a total of 0.
    total: orElse(number, undefined),
  }),
});

/** The pairs of an image's `meta` that have a plain value; an empty PHP array stands for no pairs. */
function stringPairs(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const plain = Object.entries(value).filter(
    ([, entry]) => typeof entry === "string" || typeof entry === "number",
  );
  // From entries, because assigning a pair named "__proto__" would lose it.
  return Object.fromEntries(plain.map(([name, entry]) => [name, String(entry)]));
}

/**
 * Reads an object as far as it can be read: a member that is not what it should be counts as empty, unless it is the key.
 *
 * @returns `unread` describes such members
 */
export function readItem<S extends z.ZodType>(schema: S, object: unknown) {
  const parsed = schema.safeParse(object);
  if (parsed.success) return { data: parsed.data };
  const described = describeIssues(parsed.error);
  const paths = parsed.error.issues.map(({ path }) => path);
  // A list that came as an object has other paths than it is read with.
  for (const tried of [paths, paths.map((path) => path.slice(0, 1))]) {
    const { data } = schema.safeParse(without(object, tried));
    if (data !== undefined) return { data, unread: described };
  }
  return { error: described };
}

function without(value: unknown, paths: readonly PropertyKey[][]): unknown {
  const inner = new Map<string, PropertyKey[][]>();
  for (const [name, ...rest] of paths) {
    if (name === undefined) return undefined;
    const below = inner.get(String(name)) ?? [];
    below.push(rest);
    inner.set(String(name), below);
  }
  if (typeof value !== "object" || value === null) return value;
  const left = Object.entries(value).flatMap(([name, member]) => {
    const below = inner.get(name);
    if (below?.some((rest) => rest.length === 0)) return [];
    return [[name, below ? without(member, below) : member] as const];
  });
  return Array.isArray(value) ? left.map(([, member]) => member) : Object.fromEntries(left);
}

const maxIssues = 10;

/** Issues of a failed parse, each with its JSON path: `links.view: expected string, received number`. */
export function describeIssues(error: z.ZodError): string {
  const described = error.issues.slice(0, maxIssues).map(({ path, message }) => {
    const [first = "", ...others] = message.replace(/^Invalid input: /, "");
    return `${jsonPath(path) || "(object)"}: ${first.toLowerCase()}${others.join("")}`;
  });
  const more = error.issues.length - described.length;
  return [...described, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
