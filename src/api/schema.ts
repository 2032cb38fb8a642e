import { z } from "zod";

/*
 * The service's objects, as far as stillpress uses them; every other field is kept in the raw record. Only an
 * id (a tag's slug) is demanded: what the document promises but an origin leaves out or sets to null becomes an
 * empty value here, a value of another type is an error with its JSON path.
 */

const id = z
  .union([z.string().min(1, "expected a non-empty id"), z.int()], "expected an id")
  .transform(String);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const counter = z
  .union(
    [
      z.int().nonnegative(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ],
    "expected a count",
  )
  .nullish()
  .transform((value) => value ?? 0);

/**
 * A timestamp as the API writes it: with a numeric offset (`+13:00`, `+1300`) or with fractions and `Z`.
 * Becomes ISO 8601 in UTC with milliseconds; undefined where the text is no time.
 */
export function utcTime(written: string): string | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(\.\d+)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i.exec(
      written.trim(),
    );
  if (match === null) return undefined;
  const [, day, clock = "00:00:00", fraction = "", zone = "Z"] = match;
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  const milliseconds = fraction.slice(0, 4).padEnd(4, "0").replace(/^0/, ".");
  const offset = /^z$/i.test(zone)
    ? "Z"
    : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
  const time = new Date(`${day}T${seconds}${milliseconds}${offset}`);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const timestamp = z
  .string()
  .nullish()
  .transform((value, context) => {
    if (value === null || value === undefined || value === "") return null;
    const time = utcTime(value);
    if (time === undefined)
      context.addIssue({ code: "custom", message: "expected an ISO 8601 time" });
    return time ?? null;
  });

const thumbnail = z
  .union([
    z.string().transform((square) => ({ square })),
    z.looseObject({ square: optionalText, portrait: optionalText, landscape: optionalText }),
  ])
  .nullish()
  .transform((value) => value ?? null);

const links = z
  .looseObject({ view: optionalText, thumbnail })
  .nullish()
  .transform((value) => ({ view: value?.view ?? null, thumbnail: value?.thumbnail ?? null }));

const attachments = z
  .looseObject({ images: counter, videos: counter, documents: counter, audio: counter })
  .nullish()
  .transform((value) => ({
    images: value?.images ?? 0,
    videos: value?.videos ?? 0,
    documents: value?.documents ?? 0,
    audio: value?.audio ?? 0,
  }));

/** Article in index or single form; the body's field has no known name and is found in the raw object. */
export const WireArticle = z.looseObject({
  id,
  title: text,
  slug: text,
  synopsis: text,
  published_at: timestamp,
  created_at: timestamp,
  category: z
    .looseObject({ id: id.nullish().transform((value) => value ?? null), title: text })
    .nullish()
    .transform((value) => value ?? null),
  tags: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? []),
  links,
  attachments,
  rating: z
    .looseObject({ average: z.number().nullish(), count: counter })
    .nullish()
    .transform((value) => value ?? null),
});

export const WireGallery = z.looseObject({
  id,
  title: text,
  slug: text,
  published_at: timestamp,
  created_at: timestamp,
  links,
  attachments,
});

const side = z
  .int()
  .nonnegative()
  .nullish()
  .transform((value) => value ?? 0);

/**
 * Image, video, document or audio file. The document shows the fields of images only; of the others no more is
 * asked than that they have an id.
 */
export const WireMedia = z.looseObject({
  id,
  title: text,
  caption: text,
  dimensions: z
    .looseObject({ width: side, height: side })
    .nullish()
    .transform((value) => value ?? null),
  filesize: counter,
  meta: z
    .unknown()
    .optional()
    .transform((value) => stringPairs(value)),
  links: z
    .looseObject({ view: optionalText, web: optionalText, download: optionalText })
    .nullish()
    .transform((value) => ({
      view: value?.view ?? null,
      web: value?.web ?? null,
      download: value?.download ?? null,
    })),
  created_at: timestamp,
});

/** Category; global, with its display order. */
export const WireCategory = z.looseObject({
  id,
  title: text,
  slug: text,
  order: z
    .number()
    .nullish()
    .transform((value) => value ?? 0),
  articles_count: counter,
});

/** Tag of one organisation, as listed by GET /tags. The slug is the key; tags have no id. */
export const WireTag = z.looseObject({
  slug: z.string().min(1, "expected a non-empty slug"),
  title: text,
  created_at: timestamp,
  articles_count: counter,
  galleries_count: counter,
});

/** Envelope of a paginated index, as far as the crawl relies on it. Numbers may come as strings. */
export const WireEnvelope = z.looseObject({
  data: z.array(z.unknown()),
  links: z
    .looseObject({ next: optionalText })
    .nullish()
    .transform((value) => value ?? null),
  meta: z
    .looseObject({
      current_page: counter,
      last_page: counter,
      per_page: counter,
      total: counter.optional(),
    })
    .nullish()
    .transform((value) => value ?? null),
});

/** The pairs of an image's `meta` that have a plain value; an empty PHP array stands for no pairs. */
function stringPairs(value: unknown): Record<string, string> {
  const pairs: Record<string, string> = {};
  if (typeof value !== "object" || value === null || Array.isArray(value)) return pairs;
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === "string" || typeof entry === "number") pairs[name] = String(entry);
  }
  return pairs;
}

/** Issues of a failed parse, each with its JSON path: `links.view: expected string, received number`. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const path = issue.path.map((part) =>
        typeof part === "number" ? `[${part}]` : `.${String(part)}`,
      );
      return `${path.join("").replace(/^\./, "") || "(object)"}: ${issue.message}`;
    })
    .join("; ");
}
