import { opensInBrowsers, savedNameOf } from "../catalogue/saved-names.ts";
import { addTo } from "../lib/frequency.ts";
import { anchors, plainExtension } from "../routes/site.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import { tileOf } from "./cards.ts";
import { entryKey, type Link } from "./pictures.ts";
import { readable } from "./plain-text.ts";
import { posterOf, stillPath } from "./posters.ts";
import type { Site } from "./site.ts";
import type { SizesOf } from "./sizes.ts";
import { type Summary, titleOf } from "./summaries.ts";
import type { AttachedFile, Attachments } from "./views.ts";

export const fileKinds = ["videos", "audio", "documents"] as const;
export type FileKind = (typeof fileKinds)[number];

/** What is attached to one article or gallery and may be shown, in its order. */
export type Attached = Record<MediaKind, Ref[]>;

/** What is attached twice stands where it is first. */
export function attachedTo({ catalogue }: Site, parent: Parent, id: string): Attached {
  const of = (kind: MediaKind): Ref[] => {
    const items = catalogue.snapshot.attachments(parent, id, kind)?.items ?? [];
    const first = new Map(items.map((ref) => [ref.id, ref]));
    return [...first.values()];
  };
  return Object.fromEntries(mediaKinds.map((kind) => [kind, of(kind)])) as Attached;
}

/** Key of attached files: their records and what the store holds of them. */
export function attachedKey(site: Site, attached: Attached): string {
  const { catalogue } = site;
  const images = attached.images.map(({ id, digest }) => [
    digest,
    entryKey(catalogue.media("images", id)),
  ]);
  const files = fileKinds.flatMap((kind) => attached[kind].map((ref) => fileKey(site, kind, ref)));
  return [...images, ...files].join("\n");
}

/** Key of what a page shows of a file. */
export function fileKey({ catalogue }: Site, kind: FileKind, ref: Ref): string {
  const poster = kind === "videos" ? entryKey(posterOf(catalogue, ref)) : "";
  return `${kind} ${ref.digest} ${entryKey(catalogue.media(kind, ref.id))} ${poster}`;
}

/** How a page shows its attachments. */
interface Shown {
  /** Of the tiles. */
  sizes: SizesOf;
  /** What stands above them already: ids of images, and paths of files. */
  pictures?: ReadonlySet<string>;
  played?: ReadonlySet<string>;
  /** The gallery that the page is about, by its id. */
  gallery?: string;
}

/** The attachments for their templates, without the pictures and players that stand above them. */
export function attachedViews(site: Site, refs: Attached, link: Link, shown: Shown): Attachments {
  const files = (kind: FileKind) => refs[kind].map((ref) => fileOf(site, kind, ref, link));
  const again = new Set([...(shown.played ?? [])].map(link));
  const players = (kind: "videos" | "audio") =>
    files(kind).filter(({ href }) => href === null || !again.has(href));
  const tiles = refs.images.filter(({ id }) => shown.pictures?.has(id) !== true);
  return {
    tiles: tiles.map((ref) => tileOf(site, ref, link, shown)),
    videos: players("videos"),
    audio: players("audio"),
    documents: files("documents"),
  };
}

/** A file without the places where it is attached. */
export function fileOf(site: Site, kind: FileKind, ref: Ref, link: Link): AttachedFile {
  const { normal, raw } = site.catalogue.snapshot.read(kind, ref);
  const entry = site.catalogue.media(kind, ref.id);
  const path = entry && site.catalogue.originalPath(entry);
  const still = kind === "videos" ? posterOf(site.catalogue, ref) : undefined;
  const poster =
    (still && site.catalogue.renditionPath(still, { width: 1280 })) ?? (entry && stillPath(entry));
  const { width = normal.width, height = normal.height, seconds } = entry?.original ?? {};
  return {
    anchor: anchors.file(ref.id),
    title: titleOf(normal.title, site.formats),
    caption: readable(normal.caption),
    width: width || null,
    height: height || null,
    length: seconds === undefined ? "" : site.formats.duration(seconds),
    places: [],
    href: path === undefined ? null : link(path),
    form: entry ? plainExtension(entry.original.extension).toUpperCase() : "",
    bytes: entry?.original.bytes ?? normal.bytes,
    poster: poster === undefined ? null : link(poster),
    opens: path !== undefined && opensInBrowsers(path),
    fileName: entry === undefined ? "" : savedNameOf(entry, raw),
  };
}

/** A gallery that shows an image, and where in its order. */
export interface Position {
  gallery: Summary;
  /** The ids of all images that the gallery shows. */
  members: readonly string[];
  /** Counted from 0. */
  at: number;
}

/** What shows an image, by the id of the image. */
export interface Uses {
  articles: Map<string, Summary[]>;
  galleries: Map<string, Position[]>;
  /** Of other files, by kind and id: `videos/7f3c`. */
  files: Map<string, Summary[]>;
}

export function noteFiles({ files }: Uses, parent: Summary, attached: Attached): void {
  for (const kind of fileKinds)
    for (const { id } of attached[kind]) addTo(files, `${kind}/${id}`, parent);
}

export function noteArticle(uses: Uses, article: Summary, imageIds: Iterable<string>): void {
  for (const id of imageIds) {
    // An attached image that also stands in the body comes twice in a row.
    if (uses.articles.get(id)?.at(-1) !== article) addTo(uses.articles, id, article);
  }
}

export function noteGallery(uses: Uses, gallery: Summary, members: readonly string[]): void {
  for (const [at, id] of members.entries()) addTo(uses.galleries, id, { gallery, members, at });
}
