import { z } from "zod";

/** How the origin writes filters into the links of a filtered list. */
export const FilterLinks = z.object({
  /** Whether the page stands before the filters or behind them. */
  page: z.enum(["first", "last"]),
  /** How the comma between tags is written. */
  comma: z.enum([",", "%2C"]),
});
export type FilterLinks = z.infer<typeof FilterLinks>;

/** What a crawl has learnt of how its origin answers where the API document leaves that open. */
export const Learned = z.object({
  filterLinks: FilterLinks.optional(),
});
export type Learned = z.infer<typeof Learned>;
