import type { Config, ImageFormat } from "../config.ts";
import { printable } from "../lib/secrets.ts";
import { assignPermalinks, type Named } from "../routes/permalinks.ts";
import { mediaEnding, sitePaths } from "../routes/site.ts";
import {
  type Box,
  isWholeSlot,
  nearestBoxOf,
  type Scaling,
  type Slot,
  scalingOfSlot,
  slotOf,
} from "../routes/slots.ts";
import type { MediaKind, Routes } from "../routes/table.ts";
import { type LinkedFile, locateFiles } from "./linked-files.ts";
import type { MediaEntry, MediaIndex, Rendition } from "./media.ts";
import type { SnapshotReader } from "./reader.ts";
import { type Article, type Collection, type Media, saysPrivate } from "./records.ts";
import { type ListName, type Ref, secretLists } from "./snapshots.ts";

/** Where something of the origin stands in the archive; paths are relative to the publish root. */
export type Located =
  | { type: "page"; path: string }
  | { type: "image"; id: string; scaling: Scaling; path: string }
  /** `asked`: the mirror answers the path that the URL has at the origin with it, too; see `links`. */
  | { type: "file"; path: string; asked: boolean };

/**
 * What of a snapshot is published, and where: the answer to every "may this go out" and "where does this URL
 * lead now" of both the mirror and the website.
 */
export interface Catalogue {
  readonly snapshot: SnapshotReader;
  readonly routes: Routes;
  /** False for private images, and for images that are held because nothing proves them public. */
  published(kind: MediaKind, id: string): boolean;
  /** Whether an image is private for sure: its list or a record of it says so. */
  isPrivate(id: string): boolean;
  /** Whether the archive keeps something that the origin has no more: `crawl.removals: "keep"`. */
  withdrawn(index: "articles" | "galleries" | "images", id: string): boolean;
  /** What the store holds of a published file; undefined where it is held back or could not be had. */
  media(kind: MediaKind, id: string): MediaEntry | undefined;
  /** Whether the origin itself has no file of an item, or none since its record changed. */
  absent(kind: MediaKind, ref: Ref): boolean;
  /**
   * Path of the rendition that answers a scaling: the exact one, or the nearest larger one, or the largest. Of an
   * image that has none, the original, where browsers show such files.
   */
  renditionPath(entry: MediaEntry, scaling: Scaling, format?: ImageFormat): string | undefined;
  /** Videos, documents and audio files that the path of their link tells from all others. */
  readonly links: readonly LinkedFile[];
  /** Path of an original; undefined where originals are not published. */
  originalPath(entry: MediaEntry): string | undefined;
  /** Page of an item; undefined where it has none. Tags go by slug, images by id. */
  page(kind: "articles" | "galleries" | "images", id: string): string | undefined;
  /** Id of an article's category, which its index form may name by title alone; null where it has none. */
  categoryOf(article: Article): string | null;
  /** First page of a category's or tag's articles. */
  categoryName(id: string): string | undefined;
  tagName(slug: string): string | undefined;
  /** Where a URL of the origin, with or without signature, leads in the archive. */
  locate(url: string): Located | undefined;
  /**
   * Whether a URL of the origin must not be named anywhere: the page, the object or a file of an image that is
   * not published. False for URLs of anything else, and for those that lead into the archive.
   */
  held(url: string): boolean;
}

export type CatalogueConfig = Pick<Config, "media" | "site">;

/** An SVG is none of them: it is published under a name that no browser shows. */
const shownByBrowsers = /^image\/(?:jpeg|png|gif|webp|avif)$/;
/** Media entries that are kept in memory. */
const recentEntries = 2_000;

/** Reads the snapshot's lists once; holds ids, names and URLs in memory, no bodies. */
export function openCatalogue(
  snapshot: SnapshotReader,
  mediaIndex: MediaIndex,
  routes: Routes,
  config: CatalogueConfig,
): Catalogue {
  const located = new Map<string, Located>();
  const articles = readNamed("articles");
  const galleries = readNamed("galleries");
  const articleNames = assignPermalinks(articles.named, config.site.permalinks);
  const galleryNames = assignPermalinks(galleries.named, config.site.permalinks);
  const categoryNames = assignPermalinks(readNamed("categories").named, "slug");
  const tagNames = assignPermalinks(readNamed("tags").named, "slug");
  const { publicImages, privateImages, imageViews, heldUrls } = readImages();

  let categoriesByTitle: Map<string, string> | undefined;

  function published(kind: MediaKind, id: string): boolean {
    return kind !== "images" || publicImages.has(id);
  }

  // A page asks for its images several times, and the next page often for the same.
  const recent = new Map<string, MediaEntry | undefined>();

  function media(kind: MediaKind, id: string): MediaEntry | undefined {
    if (!published(kind, id)) return undefined;
    const name = `${kind}/${id}`;
    if (recent.has(name)) return recent.get(name);
    const entry = mediaIndex.get(kind, id);
    recent.set(name, entry);
    if (recent.size > recentEntries) recent.delete(recent.keys().next().value as string);
    return entry;
  }

  function originalPath(entry: MediaEntry): string | undefined {
    if (entry.kind !== "images")
      return sitePaths.media(entry.original.blob, entry.original.extension);
    if (!config.media.publishOriginals) return undefined;
    return routes.fileOfOriginal(entry.id, mediaEnding(entry.original.extension));
  }

  function renditionPath(
    entry: MediaEntry,
    scaling: Scaling,
    format: ImageFormat = "jpeg",
  ): string | undefined {
    const slot = nearestSlot(entry, scaling, format);
    if (slot !== undefined) return routes.linkedFileOfImage(entry.id, slot, format);
    const bare = entry.renditions.length === 0 && shownByBrowsers.test(entry.original.type);
    return bare ? originalPath(entry) : undefined;
  }

  function page(kind: "articles" | "galleries" | "images", id: string): string | undefined {
    if (kind === "images") return publicImages.has(id) ? sitePaths.image(id) : undefined;
    const name = (kind === "articles" ? articleNames : galleryNames).get(id);
    if (name === undefined) return undefined;
    return kind === "articles" ? sitePaths.article(name) : sitePaths.gallery(name);
  }

  locatePages("articles", articles.views);
  locatePages("galleries", galleries.views);
  locatePages("images", imageViews);
  const files = locateFiles({ snapshot, routes, media, originalPath });
  for (const { url, path, asked } of files.urls) {
    located.set(urlKey(url), { type: "file", path, asked });
  }

  return {
    snapshot,
    routes,
    published,
    isPrivate: (id) => privateImages.has(id),
    withdrawn: (index, id) => snapshot.digestOf("withdrawn", `${index}/${id}`) !== undefined,
    media,
    absent: (kind, { id, digest }) => mediaIndex.absence(kind, id)?.record === digest,
    links: files.links,
    originalPath,
    renditionPath,
    page,
    categoryOf,
    categoryName: (id) => categoryNames.get(id),
    tagName: (slug) => tagNames.get(slug),
    locate(url) {
      const known = located.get(urlKey(url)) ?? located.get(urlKey(routes.todays(url)));
      if (known !== undefined) return known;
      const request = routes.resolve(url);
      if (request?.route !== "binary" && request?.route !== "download") return undefined;
      const entry = media("images", request.id);
      if (entry === undefined) return undefined;
      const scaling = request.route === "binary" ? request.scaling : {};
      const path =
        (request.route === "download" ? originalPath(entry) : undefined) ??
        renditionPath(entry, scaling) ??
        originalPath(entry);
      return path === undefined ? undefined : { type: "image", id: request.id, scaling, path };
    },
    held(url) {
      const request = routes.resolve(url);
      const image =
        request?.route === "binary" ||
        request?.route === "download" ||
        (request?.route === "single" && request.index === "images");
      if (image) return !publicImages.has(request.id);
      const keys = [urlKey(url), urlKey(routes.todays(url))];
      return keys.some((key) => heldUrls.has(key)) && !keys.some((key) => located.has(key));
    },
  };

  function categoryOf({ id, category }: Article): string | null {
    if (category === null || category.id !== null) return category?.id ?? null;
    const single = snapshot.find("articles.single", "articles.single", id);
    if (single?.normal.category?.id) return single.normal.category.id;
    categoriesByTitle ??= new Map(
      [...objects("categories", "categories")].map(({ normal }) => [normal.title, normal.id]),
    );
    return categoriesByTitle.get(category.title) ?? null;
  }

  function* objects<C extends Collection>(list: ListName, collection: C) {
    for (const ref of snapshot.refs(list)) yield snapshot.read(collection, ref);
  }

  /** What gives the items of a list their names, and the pages that the origin has of them: one pass. */
  function readNamed(list: "articles" | "galleries" | "categories" | "tags"): {
    named: Named[];
    views: View[];
  } {
    const named: Named[] = [];
    const views: View[] = [];
    for (const { id, normal } of objects(list, list)) {
      const createdAt = "createdAt" in normal ? normal.createdAt : null;
      named.push({ id, slug: normal.slug, createdAt });
      if ("view" in normal && normal.view !== null) views.push([id, normal.view]);
    }
    return { named, views };
  }

  /** Which images are public, the pages that the origin has of them, and the URLs of the others: one pass. */
  function readImages(): {
    publicImages: ReadonlySet<string>;
    privateImages: ReadonlySet<string>;
    imageViews: View[];
    heldUrls: ReadonlySet<string>;
  } {
    const imageViews: View[] = [];
    const heldUrls = new Set<string>();
    const hold = ({ view, web, download }: Media): void => {
      for (const url of [view, web, download]) if (url !== null) heldUrls.add(urlKey(url));
    };
    const { shown, secret } = sortImages(snapshot, config.media.unproved, (id, normal, isShown) => {
      if (!isShown) hold(normal);
      else if (normal.view !== null) imageViews.push([id, normal.view]);
    });
    for (const list of secretLists) {
      for (const { normal } of objects(list, "images")) hold(normal);
    }
    return { publicImages: shown, privateImages: secret, imageViews, heldUrls };
  }

  function locatePages(kind: "articles" | "galleries" | "images", views: readonly View[]): void {
    for (const [id, view] of views) {
      const path = page(kind, id);
      if (path !== undefined) located.set(urlKey(view), { type: "page", path });
    }
  }
}

/** Ids of a snapshot's images by what may be done with them; those in neither set are not proved public. */
export interface SortedImages {
  shown: ReadonlySet<string>;
  secret: ReadonlySet<string>;
}

/**
 * Tells the images that may be shown from the private ones. Those of the public index may be; with "publish" also
 * what nothing proves public. Private is what stands in the list of private images, what left the public index and is
 * not gone, and, wherever it stands and whatever the settings are, what a record of it says to be private: of two that
 * contradict each other, the careful one is believed.
 *
 * @param look called for each image of the public index and each unlisted one, as its record is read
 */
export function sortImages(
  snapshot: Pick<SnapshotReader, "refs" | "read" | "readRaw">,
  unproved: Config["media"]["unproved"],
  look: (id: string, normal: Media, isShown: boolean) => void = () => {},
): SortedImages {
  const shown = new Set<string>();
  const secret = new Set<string>();
  for (const list of secretLists) for (const { id } of snapshot.refs(list)) secret.add(id);
  // First, so that all is known of an image when its own record is read.
  for (const ref of otherRecords(snapshot)) {
    if (!secret.has(ref.id) && saysPrivate(snapshot.readRaw(ref))) secret.add(ref.id);
  }
  for (const list of ["images", "images.unlisted"] as const) {
    for (const ref of snapshot.refs(list)) {
      const { id } = ref;
      const { normal, raw } = snapshot.read("images", ref);
      if (secret.has(id) || saysPrivate(raw)) secret.add(id);
      else if (list === "images" || unproved === "publish") shown.add(id);
      look(id, normal, shown.has(id));
    }
  }
  return { shown, secret };
}

/**
 * Records of images beside the one by which each is known: an attachment list may say of an image what the index
 * does not. Of most images there are none, because all lists show them alike.
 */
function* otherRecords(snapshot: Pick<SnapshotReader, "refs" | "read">): Generator<Ref> {
  const known = new Map<string, string>();
  const others = new Set<string>();
  const isOther = ({ id, digest }: Ref): boolean => {
    const first = known.get(id);
    if (first === undefined) known.set(id, digest);
    if (first === undefined || first === digest || others.has(digest)) return false;
    others.add(digest);
    return true;
  };
  for (const list of ["images", "images.unlisted"] as const) {
    for (const ref of snapshot.refs(list)) if (isOther(ref)) yield ref;
  }
  for (const list of snapshot.refs("attachments")) {
    if (!list.id.endsWith("/images")) continue;
    for (const [id, digest] of snapshot.read("attachments", list).normal.items) {
      if (isOther({ id, digest })) yield { id, digest };
    }
  }
}

/** An item's id and its web page at the origin. */
type View = readonly [id: string, url: string];

/** A URL as a key: without signature, fragment and trailing slashes. */
function urlKey(url: string): string {
  const text = printable(url).replace(/#.*$/s, "");
  let end = text.length;
  while (text[end - 1] === "/") end--;
  return text.slice(0, end);
}

/**
 * Slot of the rendition that comes nearest to a scaling from above: a box of nearly the shape, or one that keeps the
 * proportions.
 */
export function nearestSlot(
  entry: MediaEntry,
  scaling: Scaling,
  format: ImageFormat,
): Slot | undefined {
  const renditions = entry.renditions.filter((rendition) => rendition.format === format);
  const slot = slotOf(scaling);
  if (renditions.some((rendition) => rendition.slot === slot)) return slot;
  const { width, height, thumb } = scaling;
  if (thumb === undefined && width !== undefined && height !== undefined) {
    const box = nearestBoxOf(boxesOf(renditions), width, height);
    if (box !== undefined) return box;
  }
  const whole = renditions
    .filter((rendition) => isWholeSlot(rendition.slot))
    .sort((a, b) => a.width - b.width);
  const wanted = wantedWidth(entry, scaling);
  return (whole.find((rendition) => rendition.width >= wanted) ?? whole.at(-1))?.slot;
}

function boxesOf(renditions: readonly Rendition[]): Box[] {
  const boxes = renditions.flatMap(({ slot }): Box[] => {
    const { width, height } = scalingOfSlot(slot);
    return width === undefined || height === undefined ? [] : [[width, height, slot]];
  });
  return boxes.sort((a, b) => a[0] * a[1] - b[0] * b[1]);
}

function wantedWidth({ original, renditions }: MediaEntry, scaling: Scaling): number {
  const width = original.width ?? 0;
  const height = original.height ?? 1;
  if (scaling.thumb !== undefined) {
    return (
      renditions.find((rendition: Rendition) => rendition.slot.startsWith("thumb/"))?.width ?? 0
    );
  }
  const sides = scaling.width !== undefined || scaling.height !== undefined;
  if (!sides && scaling.scale !== undefined) return (width * scaling.scale) / 100;
  const fromHeight = scaling.height === undefined ? 0 : (scaling.height * width) / height;
  return Math.max(scaling.width ?? 0, fromHeight) || width;
}
