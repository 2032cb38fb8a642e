import { counted } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { printable } from "../../lib/secrets.ts";
import { sitePaths } from "../../routes/site.ts";
import type { ListName } from "../../store/list-names.ts";
import { hostOf, type Site, section, smallPageFile } from "../site.ts";
import type { ImageCounts } from "./images.ts";

/** More problems are only counted. */
const maxProblems = 500;

export function snapshotPage(site: Site, { images, missing, absent, bare }: ImageCounts) {
  const { catalogue, formats, lists, config } = site;
  const { time, origin, complete, proof, problems } = catalogue.snapshot.manifest;
  const { visibility } = catalogue;
  const notShown = counted(Array.from(visibility.notShown(), (id) => visibility.of(id).visibility));
  const data = {
    time: { iso: time, text: formats.dateTime(time) },
    timezone: config.origin.timezone,
    host: hostOf(origin),
    complete,
    root: catalogue.routes.root,
    counts: {
      articles: lists.articles.length,
      galleries: lists.galleries.length,
      images,
      videos: count(site, "videos", "videos.attached"),
      documents: count(site, "documents", "documents.attached"),
      audio: count(site, "audio", "audio.attached"),
      categories: lists.categories.size,
      tags: lists.tags.size,
    },
    notShown: { private: notShown.get("private") ?? 0, unproved: notShown.get("unproved") ?? 0 },
    missing,
    absent,
    bare,
    removed: count(site, "removed"),
    tombstones: count(site, "tombstones"),
    proof: proof.map((one) => ({ ...one, list: listLabel(one.list) })),
    problems: problems.slice(0, maxProblems).map(({ subject, reason }) => ({
      subject: printable(subject),
      reason: printable(reason),
    })),
    problemCount: problems.length,
  };
  return smallPageFile(site, sitePaths.snapshot, () => ({
    template: "snapshot",
    title: section(site, "snapshot").title,
    section: "snapshot",
    data,
  }));
}

function count({ catalogue }: Site, ...lists: ListName[]): number {
  return lists.reduce((sum, list) => sum + (catalogue.snapshot.list(list)?.count ?? 0), 0);
}

/** listLabel("articles.single") → "Articles, one by one" */
function listLabel(list: string): string {
  const text = list.replace(/\.single$/, ", one by one").replace(/^attachments: (\w)/, "$1");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function notFoundPage(site: Site): OutputFile {
  return smallPageFile(site, sitePaths.notFound, () => ({
    template: "not-found",
    title: site.formats.t("lost"),
    section: "none",
    data: {},
  }));
}
