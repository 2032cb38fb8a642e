import { keyOf } from "../../lib/digest.ts";
import type { OutputFile } from "../../lib/output.ts";
import { printable } from "../../lib/secrets.ts";
import { sitePaths } from "../../routes/site.ts";
import { momentOf } from "../cards.ts";
import { pageFile, type Site } from "../site.ts";
import { hostOf } from "./home.ts";
import type { ImageCounts } from "./images.ts";

/** Of more problems than this the page says only how many there are. */
const maxProblems = 500;

/** What the archive holds, how that was established, and what it lacks. */
export function snapshotPage(
  site: Site,
  { images, missing, absent, bare }: ImageCounts,
): OutputFile {
  const { catalogue, lists } = site;
  const { manifest } = catalogue.snapshot;
  const notShown = countNotShown(site);
  const counts = {
    articles: lists.articles.length,
    galleries: lists.galleries.length,
    images,
    videos: count(site, "videos"),
    documents: count(site, "documents"),
    audio: count(site, "audio"),
    categories: lists.categories.size,
    tags: lists.tags.size,
  };
  const { proof, problems } = manifest;
  const [removed, tombstones] = (["removed", "tombstones"] as const).map(
    (list) => catalogue.snapshot.list(list)?.count ?? 0,
  );
  const key = [
    keyOf(JSON.stringify([manifest.time, manifest.origin, manifest.complete, proof, problems])),
    keyOf(JSON.stringify([counts, notShown, missing, absent, bare, removed, tombstones])),
  ];
  return pageFile(site, sitePaths.snapshot, key, () => ({
    template: "snapshot",
    title: "About this archive",
    section: "snapshot",
    crumbs: [],
    data: {
      time: { iso: manifest.time, text: site.formats.dateTime(manifest.time) },
      date: momentOf(site, manifest.time),
      timezone: site.config.origin.timezone,
      host: hostOf(manifest.origin),
      complete: manifest.complete,
      root: catalogue.routes.root,
      counts,
      notShown,
      missing,
      absent,
      bare,
      removed,
      tombstones,
      proof: proof.map((one) => ({ ...one, list: listLabel(one.list) })),
      problems: problems.slice(0, maxProblems).map(({ subject, reason }) => ({
        subject: printable(subject),
        reason: printable(reason),
      })),
      problemCount: problems.length,
    },
  }));
}

function count(site: Site, kind: "videos" | "documents" | "audio"): number {
  const { snapshot } = site.catalogue;
  return (snapshot.list(kind)?.count ?? 0) + (snapshot.list(`${kind}.attached`)?.count ?? 0);
}

/** Images that the snapshot knows and the archive does not show. */
function countNotShown({ catalogue }: Site): { private: number; unproved: number } {
  const counts = { private: 0, unproved: 0 };
  for (const id of catalogue.visibility.notShown()) {
    if (catalogue.visibility.of(id).visibility === "private") counts.private++;
    else counts.unproved++;
  }
  return counts;
}

/** listLabel("articles.single") → "Articles, one by one" */
function listLabel(list: string): string {
  const text = list.replace(/\.single$/, ", one by one").replace(/^attachments: (\w)/, "$1");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The page for unknown addresses. */
export function notFoundPage(site: Site): OutputFile {
  return pageFile(site, sitePaths.notFound, [], () => ({
    template: "not-found",
    title: "Page not found",
    section: "none",
    crumbs: [],
    data: {},
  }));
}
