import { counted } from "../../lib/frequency.ts";
import { anonymousProblem } from "../../lib/groups.ts";
import type { OutputFile } from "../../lib/output.ts";
import { printable } from "../../lib/secrets.ts";
import { sitePaths } from "../../routes/site.ts";
import type { ListName } from "../../store/list-names.ts";
import type { Formats } from "../formats.ts";
import { hostOf, type Site, sectionPage, smallPageFile } from "../site.ts";
import type { WordKey } from "../wording.ts";
import type { ImageCounts } from "./images.ts";

/** More problems are only counted. */
const maxProblems = 500;

export function snapshotPage(site: Site, { images, missing, absent, bare }: ImageCounts) {
  const { catalogue, formats, lists, config } = site;
  const { time, origin, complete, proof, problems } = catalogue.snapshot.manifest;
  const { visibility } = catalogue;
  const notShown = counted(Array.from(visibility.notShown(), (id) => visibility.of(id).visibility));
  return sectionPage(site, "snapshot", () => ({
    time: { iso: time, text: formats.dateTime(time) },
    timezone: config.origin.timezone,
    host: hostOf(origin),
    complete,
    root: catalogue.routes.root,
    counts: {
      articles: lists.articles.length,
      galleries: lists.galleries.length,
      images,
      videos: count(site, "videos", "videos.unlisted"),
      documents: count(site, "documents", "documents.unlisted"),
      audio: count(site, "audio", "audio.unlisted"),
      categories: lists.categories.size,
      tags: lists.tags.size,
    },
    notShown: { private: notShown.get("private") ?? 0, unproved: notShown.get("unproved") ?? 0 },
    withheld: catalogue.withheld.size,
    missing,
    absent,
    bare,
    removed: count(site, "withdrawn"),
    tombstones: count(site, "tombstones"),
    proof: proof.map(({ unstable: _, list, confirmedBy, ...one }) => ({
      ...one,
      list: listTitle(formats, list),
      confirmedBy: confirmedBy && formats.t(confirmations[confirmedBy]),
    })),
    problems: problems
      .slice(0, maxProblems)
      .map(anonymousProblem)
      .map(({ subject, reason }) => ({
        subject: printable(subject),
        reason: printable(reason),
      })),
    problemCount: problems.length,
  }));
}

function count({ catalogue }: Site, ...lists: ListName[]): number {
  return lists.reduce((sum, list) => sum + (catalogue.snapshot.list(list)?.count ?? 0), 0);
}

/** Of the lists of a snapshot. */
const titles: Partial<Record<string, WordKey>> = {
  articles: "section.articles",
  galleries: "section.galleries",
  images: "section.images",
  videos: "about.videos",
  documents: "documents",
  audio: "audio",
  categories: "section.categories",
  tags: "section.tags",
};
const confirmations = {
  "another pass": "about.anotherReading",
  "the last snapshot": "about.lastSnapshot",
  "all passes together": "about.allReadings",
} as const;

/** In an English site: "articles.single" → "Articles, one by one"; "attachments: images of articles" → "Articles: Images" */
function listTitle(formats: Formats, list: string): string {
  const [, kind, parent] = /^attachments: (\w+) of (\w+)$/.exec(list) ?? [];
  if (kind !== undefined && parent !== undefined) {
    return `${listTitle(formats, parent)}: ${listTitle(formats, kind)}`;
  }
  const [, whole] = /^(\w+)\.single$/.exec(list) ?? [];
  if (whole !== undefined) return formats.t("about.single", { list: listTitle(formats, whole) });
  const key = titles[list];
  return key === undefined ? list : formats.t(key);
}

export function notFoundPage(site: Site): OutputFile {
  const title = site.formats.t("lost");
  return smallPageFile(site, sitePaths.notFound, () => {
    return { template: "not-found", title, section: "none", data: {} };
  });
}
