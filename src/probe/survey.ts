import type { z } from "zod";
import type { WireArticle, WireGallery } from "../api/schema.ts";
import type { Config } from "../config.ts";
import type { MediaKind } from "../routes/table.ts";
import type { Page, Prober } from "./prober.ts";

export type ArticleItem = z.infer<typeof WireArticle>;
export type GalleryItem = z.infer<typeof WireGallery>;

/** What one question to an origin brought to light. */
export interface Finding {
  /** What it is about: `images of articles`. */
  subject: string;
  /** The request: `GET /articles/7f3c/images`. */
  asked: string;
  /** The answer in a few words: `404`, `20 of 120 items`. */
  came: string;
  means: string;
  /** "unknown" where the origin shows nothing that would tell; "missing" where a setting has to be filled in. */
  certainty: "sure" | "likely" | "unknown" | "missing";
  /** The setting that it decides, and the value that this origin needs; undefined where that could not be found. */
  setting?: { path: string; value: unknown };
}

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
  nouns: Map<MediaKind, string>;
}
