import type { z } from "zod";
import type { WireArticle, WireGallery } from "../api/schema.ts";
import type { Config } from "../config.ts";
import type { MediaKind } from "../routes/table.ts";
import type { Finding } from "./finding.ts";
import type { Page, Prober } from "./prober.ts";

export type ArticleItem = z.infer<typeof WireArticle>;
export type GalleryItem = z.infer<typeof WireGallery>;

/** What is known of an origin while it is being surveyed. */
export interface Survey {
  prober: Prober;
  /** The settings that are looked at: the present ones, or the defaults. */
  origin: Config["origin"];
  findings: Finding[];
  /** Articles and galleries of the pages that were read. */
  articles: ArticleItem[];
  galleries: GalleryItem[];
  /** First pages, by the name of the index; undefined where there is none. */
  pages: Map<string, Page | undefined>;
  /** Raw images, videos, documents and audio files that lists have shown. */
  files: { kind: MediaKind; object: unknown }[];
  /** How the origin names each kind of attachment in its paths. */
  nouns: Map<string, string>;
}
