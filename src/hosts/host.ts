import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { HeaderRule } from "../routes/headers.ts";
import type { Redirects } from "../routes/redirects.ts";
import type { Rules } from "../routes/rules.ts";

/** What an archive must tell a host of itself; all of it follows from one build. */
export interface HostInput {
  rules: Rules;
  /** What several tags in one request mean. */
  tagMatch: "any" | "all";
  /** Whether links in lists are relative to the list's file, so that a redirect must lead there. */
  redirects: boolean;
  /** Ids, categories and tags that are not their own path segment. */
  names: SegmentedName[];
  /** Of the originals of images, such as ".jpg", the most frequent first. */
  originalEndings: string[];
  /** Videos, documents and audio files at the paths of their links; see `fileOfLink`. */
  linked: {
    /** Such as ".mp4", the most frequent first. */
    endings: string[];
    files: LinkedPath[];
  };
  totals: {
    files: number;
    bytes: number;
    /** Paths are relative to the publish root. */
    largest: { path: string; bytes: number };
  };
  headers: HeaderRule[];
  /** Sent with 204 as the answer to OPTIONS below the mirror root. */
  preflight: Record<string, string>;
  /** Where the former addresses of pages lead now, at the origin's website and in the archive. */
  oldAddresses: Redirects;
  /** Where the archive will be, as `site.url`. */
  url: string | null;
  /** Paths of the bodies of 404 answers, from the publish root: "404.html", "api/v1/404.json". */
  notFound: { site: string; api: string };
  /** `serve/functions.js` and all modules that it imports, by relative paths. Of Node, they use `node:crypto` alone. */
  modules: HostFile[];
}

export interface SegmentedName {
  value: string;
  segment: string;
  /** Whether it is a category or a tag that a list was made for; it may be an id, too. */
  isFilter?: boolean;
}

export interface LinkedPath {
  /** Path below the mirror root, without escapes. */
  path: string;
  /** The path as the origin writes it. */
  written: string;
  /** Folder of the file below `by/download`, with "/" in front: the path, where all of it is plain. */
  folder: string;
  ending: string;
}

/** One file of a host's configuration, its path relative to `deploy/{host}/`. */
export interface HostFile {
  path: string;
  content: string;
}

export interface HostConfiguration {
  files: HostFile[];
  /** What this host cannot reproduce: whole sentences, lower case, no full stop. */
  limits: string[];
  /** Limits that this archive exceeds, so that it cannot be put there as it is. */
  exceeded?: string[];
  /** Whether it runs the archive's handler, which makes pages and writes the address that was asked into links. */
  runsHandler?: true;
}

/** A file that is the same for every archive, by its path in `templates/hosts`. */
export function constantFile(path: string): HostFile {
  const file = new URL(`../../templates/hosts/${path}`, import.meta.url);
  return { path: basename(path), content: readFileSync(file, "utf8") };
}
