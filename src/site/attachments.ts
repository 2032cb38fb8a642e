import { opensInBrowsers, savedNameOf } from "../catalogue/saved-names.ts";
import { addTo } from "../lib/frequency.ts";
import { plainExtension } from "../routes/site.ts";
import { type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { Ref } from "../store/snapshots.ts";
import { tileOf } from "./cards.ts";
import { entryKey, type Link } from "./pictures.ts";
import { readable } from "./plain-text.ts";
import { posterOf } from "./posters.ts";
import type { Site } from "./site.ts";
import type { SizesOf } from "./sizes.ts";
import { type Summary, titleOf } from "./summaries.ts";
import type { AttachedFile, Attachments } from "./views.ts";

type FileKind = Exclude<MediaKind, "images">;

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
export function attachedKey({ catalogue }: Site, attached: Attached): string {
  const keys = mediaKinds.flatMap((kind) =>
    attached[kind].map(({ id, digest }) => [kind, digest, entryKey(catalogue.media(kind, id))]),
  );
  const posters = attached.videos.map((video) => entryKey(posterOf(catalogue, video)));
  return [...keys, ...posters].join("\n");
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

function fileOf(site: Site, kind: FileKind, ref: Ref, link: Link): AttachedFile {
  const { normal, raw } = site.catalogue.snapshot.read(kind, ref);
  const entry = site.catalogue.media(kind, ref.id);
  const path = entry && site.catalogue.originalPath(entry);
  const still = kind === "videos" ? posterOf(site.catalogue, ref) : undefined;
  const poster = still && site.catalogue.renditionPath(still, { width: 1280 });
  return {
    title: titleOf(normal.title, site.formats),
    caption: readable(normal.caption),
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
