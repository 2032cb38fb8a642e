import type { z } from "zod";
import type { WireArticle, WireGallery } from "../api/schema.ts";
import type { Config } from "../config.ts";
import type { MediaKind, Parent } from "../routes/table.ts";
import type { Page, Prober } from "./prober.ts";

export type ArticleItem = z.infer<typeof WireArticle>;

/** The settings that an origin's answers may lead to: never where the token is. */
type FoundSetting =
  | `origin.${"baseUrl" | "bodyField" | "timezone" | "tagMatch" | "allowHosts" | "mediaLink"}`
  | `origin.paths.${string}`;

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
  /** Whether it costs so much that it is told first. */
  isLoud?: true;
  /** The setting that it decides, and the value that this origin needs; undefined where that could not be found. */
  setting?: { path: FoundSetting; value: unknown };
}

/** What is known of an origin while it is being surveyed. */
export type Survey = ReturnType<typeof beginSurvey>;

/** @param origin the settings that are looked at: the present ones, or the defaults */
export function beginSurvey(prober: Prober, origin: Config["origin"]) {
  return {
    prober,
    origin,
    findings: [] as Finding[],
    /** Articles and galleries of the pages that were read. */
    articles: [] as ArticleItem[],
    galleries: [] as z.infer<typeof WireGallery>[],
    /** First pages, by the name of the index or the setting of its path; undefined where there is none. */
    pages: new Map<string, Page | undefined>(),
    /** Raw images, videos, documents and audio files that lists have shown. */
    files: [] as { kind: MediaKind; object: unknown }[],
    /** How the origin names each kind of attachment in its paths. */
    nouns: new Map<MediaKind, string>(),
    /** The shapes of the paths of attachments that were found. */
    shapes: new Map<Parent, string>(),
  };
}
