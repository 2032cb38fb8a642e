import { mediaFilesIn } from "../catalogue/linked-files.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import type { Uses } from "./attachments.ts";
import { snapshotDateFile } from "./citation.ts";
import { createFormats } from "./formats.ts";
import { archivePages } from "./pages/archive.ts";
import { feedFiles } from "./pages/feeds.ts";
import { filePages } from "./pages/files.ts";
import { homePage } from "./pages/home.ts";
import { type ImageCounts, imagePages } from "./pages/images.ts";
import { articleIndexPages, categoryPages, tagPages } from "./pages/lists.ts";
import { openSearchFile } from "./pages/open-search.ts";
import { articlePages, galleryPages } from "./pages/parents.ts";
import { robotsFile } from "./pages/robots.ts";
import { searchFiles } from "./pages/search.ts";
import { notFoundPage, snapshotPage } from "./pages/single.ts";
import { sitemapFiles } from "./pages/sitemaps.ts";
import { webManifestFile } from "./pages/web-manifest.ts";
import { stillPath } from "./posters.ts";
import type { Findable } from "./search/segments.ts";
import { type Site, settingsKey } from "./site.ts";
import { readSummaries } from "./summaries.ts";
import { loadTemplates, type Templates } from "./templates.ts";

/** A website as far as its pages have it in common. Only summaries are held, never a body. */
export function openSite(
  { catalogue, config }: Pick<Site, "catalogue" | "config">,
  templates: Templates = loadTemplates(),
): Site {
  const formats = createFormats(config.site.language, config.origin.timezone, templates.words);
  return {
    catalogue,
    config,
    templates,
    formats,
    lists: readSummaries(catalogue, formats),
    key: keyOf(templates.digest, settingsKey(config, catalogue)),
  };
}

/**
 * All files of the website in a fixed order, made only when asked for: pages, assets, videos, audio files and documents.
 * The images are the mirror's.
 *
 * @throws ConfigError when a template fails
 */
export function* renderSite(site: Site): Generator<OutputFile> {
  for (const file of filesOf(site)) {
    yield file;
    if (file.share !== undefined) yield file.share;
  }
}

function* filesOf(site: Site): Generator<OutputFile> {
  const { catalogue } = site;
  const uses: Uses = { articles: new Map(), galleries: new Map(), files: new Map() };
  const counts: ImageCounts = { images: 0, missing: 0, absent: 0, bare: 0 };
  const findable: Findable[] = [];
  yield* assetFiles(site.templates);
  yield* articleIndexPages(site);
  yield* articlePages(site, uses);
  yield* galleryPages(site, uses);
  yield* imagePages(site, uses, counts, findable);
  yield* filePages(site, uses, findable);
  yield* categoryPages(site);
  yield* tagPages(site);
  yield* archivePages(site);
  yield* searchFiles(site, findable);
  yield homePage(site, counts);
  yield snapshotPage(site, counts);
  yield snapshotDateFile(site);
  yield notFoundPage(site);
  yield* feedFiles(site);
  yield* sitemapFiles(site, uses, counts);
  yield robotsFile(site);
  yield webManifestFile(site);
  yield* openSearchFile(site);
  // Videos, audio files and documents with equal content are one file.
  const files = new Map<string, OutputFile>();
  for (const { path, entry } of mediaFilesIn(catalogue.snapshot, catalogue)) {
    files.set(path, { path, blob: entry.original.blob });
    const still = stillPath(entry);
    if (still !== undefined)
      files.set(still, { path: still, blob: entry.renditions[0]?.blob ?? "" });
  }
  yield* files.values();
}

export function* assetFiles({ assets }: Templates): Generator<OutputFile> {
  for (const { path, digest, bytes } of assets.values()) {
    yield { path, key: () => keyOf(digest), content: () => bytes };
  }
}
