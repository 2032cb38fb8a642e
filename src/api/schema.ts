import { z } from "zod";
import { jsonPath } from "../lib/words.ts";

/*
 * The service's objects, as far as stillpress uses them; the raw record keeps every other field. Only an id (a tag's
 * slug) is required. A missing value becomes an empty one; a value of another type is an error with its JSON path,
 * except for numbers that nothing depends on (ratings, sizes, the order of categories).
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
const text = orElse(z.string(), "");
/** A slug that is no key: what no URL can hold is replaced, as browsers do. */
const slugText = z.string().transform((value) => value.replace(halfCharacters, "\uFFFD"));
const optionalText = orElse(z.string(), null);
const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const number = z.union([z.int().nonnegative("expected a count"), digits], "expected a count");
const counter = orElse(number, 0);

/** A value in the place of null and of nothing. */
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

const written =
  /^(?<date>\d{4}-\d\d-(?<day>\d\d))(?:[T ](?<clock>\d\d:\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?(?: ?(?:Z|UTC|(?<hours>[+-]\d\d)(?::?(?<minutes>\d\d))?))?)?$/i;

/**
 * A timestamp in ISO 8601, UTC, cut to milliseconds; undefined where the text is no time. Takes what the API writes, a
 * numeric offset (`+13:00`, `+1300`, `+13`) or fractions and `Z`, and the other forms of ISO 8601 and of SQL: without
 * seconds, with a comma or a space, and without a zone or a clock, which mean UTC and midnight.
 */
export function utcTime(text: string): string | undefined {
  const match = written.exec(text)?.groups;
  if (match === undefined) return undefined;
  const { date, day, clock = "00:00", second = "00", fraction = "" } = match;
  const { hours = "+00", minutes = "00" } = match;
  // JavaScript takes 30 February for 1 March.
  if (new Date(`${date}`).getUTCDate() !== Number(day)) return undefined;
  // A leap second is the start of what follows.
  const [known, leapMs] = second === "60" ? ["59", 1000] : [second, 0];
  const ms = fraction.slice(0, 3).padEnd(3, "0");
  const time = Date.parse(`${date}T${clock}:${known}.${ms}${hours}:${minutes}`) + leapMs;
  // Beyond the years 0 to 9999 there is no common form.
  const utc = Number.isNaN(time) ? "" : new Date(time).toISOString();
  return utc.length === "0000-00-00T00:00:00.000Z".length ? utc : undefined;
}

const timestamp = z
  .string()
  .nullish()
  .transform((value, context) => {
    if (!value) return null;
    const time = utcTime(value);
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
  tags: orElse(z.array(slugText), []),
  rating: object({ average: z.number().nullish(), count: counter }).catch(null),
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
  slug: z
    .string()
    .min(1, "expected a non-empty slug")
    .refine((text) => !halfCharacter.test(text), "expected a slug of whole characters"),
  title: text,
  created_at: timestamp,
  articles_count: counter,
  galleries_count: counter,
});

/** Envelope of a paginated index, as far as the crawl relies on it. Numbers may come as strings. */
export const WireEnvelope = z.looseObject({
  data: z.array(z.unknown()),
  links: object({ next: z.string().nullish() }),
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

/** So many are described. */
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
