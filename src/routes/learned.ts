import { z } from "zod";

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

/** What a crawl has learnt of how its origin answers where the API document leaves that open. */
export const Learned = z.object({
  filterLinks: FilterLinks.optional(),
  /** By the name of the index. */
  behind: z.record(z.string(), Behind).optional(),
});
export type Learned = z.infer<typeof Learned>;
