import { z } from "zod";
import type { Config, Paths } from "../config.ts";

/** How the origin writes filters into the links of a filtered list. */
export const FilterLinks = z.object({
  /** Whether the page stands before the filters or behind them. */
  page: z.enum(["first", "last"]),
  /** How the comma between tags is written. */
  comma: z.enum([",", "%2C"]),
});
export type FilterLinks = z.infer<typeof FilterLinks>;

/** How the origin answers a page behind the last one of an index. */
export const Behind = z.object({
  /** 200 where it gives an empty page. */
  status: z.int(),
  /** The empty page's raw envelope, where it does not follow from that of page 1. */
  envelope: z.string().optional(),
});
export type Behind = z.infer<typeof Behind>;

/** What becomes of a list item in the answer to a request for it alone. */
export const SingleForm = z.object({
  /** Raw answer with `null` in the place of the object; null where the answer is the object itself. */
  around: z.object({ envelope: z.string(), member: z.string() }).nullable(),
  /** How time stamps are written; null where they are those of the list item. */
  times: z
    .object({
      /** Members that are written so: paths, of one name each. */
      paths: z.array(z.array(z.string())),
      /** Digits of the fraction of a second. */
      fraction: z.int(),
      offset: z.enum(["Z", "+00:00", "+0000", "+00"]),
      /** Name of a time zone; earlier versions wrote fixed offsets from UTC in minutes, too. */
      zone: z.union([z.string(), z.int()]),
    })
    .nullable(),
});
export type SingleForm = z.infer<typeof SingleForm>;

/** How the origin answers for a single image. */
export const SingleImages = z.object({
  /** Null where the answers do not follow from the list items. */
  form: SingleForm.nullable(),
  /** Why they do not follow. */
  reason: z.string().optional(),
});
export type SingleImages = z.infer<typeof SingleImages>;

/** The answer of an attachment endpoint for something without attachments; null where it has none to give. */
export const EmptyList = z
  .object({
    /** Whose list it is. */
    id: z.string(),
    /** Raw envelope with `data` emptied. */
    envelope: z.string(),
  })
  .nullable();
export type EmptyList = z.infer<typeof EmptyList>;

/** What a crawl has learnt of how its origin answers where the API document leaves that open. */
export const Learned = z.object({
  filterLinks: FilterLinks.optional(),
  /** By the name of the index. */
  behind: z.record(z.string(), Behind).optional(),
  /** By endpoint, as `galleries/audio`; only of those that gave no list otherwise. */
  emptyLists: z.record(z.string(), EmptyList).optional(),
  singleImages: SingleImages.optional(),
  /** Where attachment lists were found that are not at the configured path, by the name of its setting. */
  paths: z.record(z.string(), z.object({ instead: z.string(), path: z.string() })).optional(),
});
export type Learned = z.infer<typeof Learned>;

/** A configuration with the paths that were found instead of its own. */
export function withLearnedPaths<C extends Pick<Config, "origin">>(
  config: C,
  { paths: learned = {} }: Pick<Learned, "paths"> = {},
): C {
  const found = Object.entries(learned).flatMap(([name, { instead, path }]) =>
    config.origin.paths[name as keyof Paths] === instead ? [[name, path] as const] : [],
  );
  const paths = { ...config.origin.paths, ...Object.fromEntries(found) };
  return { ...config, origin: { ...config.origin, paths } };
}
