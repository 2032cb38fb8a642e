import { savedNameOf } from "../../catalogue/saved-names.ts";
import { groupedBy } from "../../lib/frequency.ts";
import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { animationSlot, type Slot, scalingOfSlot } from "../../routes/slots.ts";
import type { MediaEntry } from "../../store/media.ts";
import type { Ref } from "../../store/snapshots.ts";
import type { Position, Uses } from "../attachments.ts";
import { altOf } from "../captions.ts";
import {
  firstPicture,
  momentOf,
  type Neighbours,
  neighbourLinks,
  neighboursKey,
  referenceOf,
  sharedPicture,
  tileOf,
  withNeighbours,
} from "../cards.ts";
import { citationOf } from "../citation.ts";
import type { Formats } from "../formats.ts";
import { listPage, type PagedList } from "../pagination.ts";
import { entryKey, type Link, pictureOf } from "../pictures.ts";
import { readable } from "../plain-text.ts";
import { pathsBesides, positionKey, positionView } from "../positions.ts";
import { findableOf } from "../search/documents.ts";
import type { Findable } from "../search/segments.ts";
import { type PageView, pageFile, type Site, section, type TemplateView } from "../site.ts";
import { stageSizes, tileSizes } from "../sizes.ts";
import { type Named, type Summary, titleOf } from "../summaries.ts";

/** More articles, or more galleries, with an image are only counted. */
const maxUses = 50;

interface Planned extends Ref, Named {
  /** Its own id: an image stands for itself. */
  thumb: string;
  entry: string;
  absent: boolean;
}

/** Counts that the page about the snapshot shows. */
export interface ImageCounts {
  images: number;
  /** Published, but missing in the store. */
  missing: number;
  /** Published, but missing at the origin. */
  absent: number;
  /** Published originals that could not be decoded. */
  bare: number;
}

/**
 * Notes in `findable` what the search may find. Holds the ids of all images, but no more than three of them and those of
 * one index page.
 */
export function* imagePages(
  site: Site,
  uses: Uses,
  counts: ImageCounts,
  findable: Findable[],
): Generator<OutputFile> {
  const { snapshot } = site.catalogue;
  const refs = latestFirst(snapshot);
  const index: PagedList<Planned> = {
    title: section(site, "images").title,
    section: "images",
    path: sitePaths.images,
    total: refs.length,
    image: (items) => firstPicture(site, items),
    itemKey: ({ digest, entry }) => `${digest} ${entry}`,
    view: (items, link, shared): TemplateView => ({
      template: "images",
      data: {
        ...shared,
        tiles: items.map((image) => tileOf(site, image, link, { sizes: tileSizes })),
      },
    }),
  };
  let members: Planned[] = [];
  let page = 1;
  for (const [image, near] of withNeighbours(planned(site, refs, counts, findable))) {
    yield imagePage(site, image, near, uses);
    members.push(image);
    if (members.length < site.config.site.perPage) continue;
    yield listPage(site, index, page++, members);
    members = [];
  }
  if (members.length > 0 || index.total === 0) yield listPage(site, index, page, members);
}

/** All images; those without a date last. */
function latestFirst({ normals }: Site["catalogue"]["snapshot"]): Ref[] {
  const dated = [...normals("images"), ...normals("images.unlisted")].map(
    ({ id, digest, value: { createdAt } }) => ({ id, digest, time: createdAt ?? "" }),
  );
  return dated.sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

function* planned(site: Site, refs: readonly Ref[], counts: ImageCounts, findable: Findable[]) {
  const { catalogue } = site;
  for (const ref of refs) {
    const entry = catalogue.media("images", ref.id);
    const absent = entry === undefined && catalogue.absent("images", ref);
    counts.images++;
    if (absent) counts.absent++;
    else if (entry === undefined) counts.missing++;
    else if (entry.renditions.length === 0) counts.bare++;
    const { normal } = catalogue.snapshot.read("images", ref);
    const title = titleOf(normal.title, site.formats);
    const named = { ...ref, title, path: sitePaths.image(ref.id), thumb: ref.id };
    // The search finds those that say something.
    if (altOf(normal) !== "" && site.config.site.search !== "off") {
      findable.push(findableOf(site, "image", named, normal.createdAt));
    }
    yield { ...named, entry: entryKey(entry), absent };
  }
}

interface Ways {
  articles: readonly Summary[];
  positions: readonly Position[];
  /** In the index of all images; none for an image that stands in a gallery, because readers page through that. */
  near: Neighbours;
}

function imagePage(site: Site, image: Planned, near: Neighbours, uses: Uses): OutputFile {
  const articles = uses.articles.get(image.id) ?? [];
  const positions = uses.galleries.get(image.id) ?? [];
  const ways: Ways = { articles, positions, near: positions.length === 0 ? near : {} };
  const key = () => [
    image.digest,
    image.entry,
    image.absent,
    site.catalogue.isRemoved("images", image.id),
    ...neighboursKey(ways.near),
    articles.length,
    ...articles.slice(0, maxUses).flatMap(({ title, path }) => [title, path]),
    positions.length,
    ...positions.slice(0, maxUses).flatMap(positionKey),
  ];
  return pageFile(
    site,
    image.path,
    key,
    (link) => imageView(site, image, ways, link),
    () => ({ title: image.title, image: sharedPicture(site, image.id) }),
  );
}

function imageView(site: Site, image: Planned, ways: Ways, link: Link): PageView {
  const { catalogue } = site;
  const { normal, raw } = catalogue.snapshot.read("images", image);
  const entry = catalogue.media("images", image.id);
  const caption = readable(normal.caption);
  const { articles, positions, near } = ways;
  const { newer: before, older: after } = neighbourLinks(near, link);
  const [position] = positions;
  const picture = sharedPicture(site, image.id);
  return {
    template: "image",
    title: image.title,
    section: "images",
    description: caption,
    image: picture,
    subject: picture && {
      "@type": "ImageObject",
      name: image.title,
      caption: caption || undefined,
      uploadDate: normal.createdAt ?? undefined,
    },
    crumbs: [section(site, "images")],
    ...(position === undefined
      ? { previous: near.newer?.path, next: near.older?.path }
      : pathsBesides(position)),
    data: {
      alt: altOf(normal),
      caption: caption === image.title ? "" : caption,
      date: momentOf(site, normal.createdAt),
      absent: image.absent,
      width: entry?.original.width ?? (normal.width || null),
      height: entry?.original.height ?? (normal.height || null),
      bytes: entry?.original.bytes ?? (normal.bytes || null),
      type: entry?.original.type ?? null,
      meta: Object.entries(normal.meta).map(([name, value]) => ({ name, value: readable(value) })),
      ...filesOf(site, entry, raw, link),
      articles: articles.slice(0, maxUses).map((article) => referenceOf(article, link)),
      positions: positions.slice(0, maxUses).map((one) => positionView(image.id, one, link)),
      moreUses: Math.max(0, articles.length - maxUses) + Math.max(0, positions.length - maxUses),
      before,
      after,
      removed: catalogue.isRemoved("images", image.id),
      citation: citationOf(site, { ...image, authors: [], publishedAt: null, view: null }, link),
    },
  };
}

/** Preview, original and sizes; null and none without a file. */
function filesOf(site: Site, entry: MediaEntry | undefined, raw: string, link: Link) {
  if (entry === undefined) return { picture: null, original: null, sizes: [] };
  const { catalogue } = site;
  const path = catalogue.originalPath(entry);
  return {
    picture: pictureOf(catalogue, entry, link, { sizes: stageSizes }) ?? null,
    original: path === undefined ? null : { href: link(path), fileName: savedNameOf(entry, raw) },
    sizes: sizesOf(site, entry, link),
  };
}

/** A row for each slot, with a link for each format. */
function sizesOf({ catalogue, formats }: Site, { id, renditions }: MediaEntry, link: Link) {
  const rankOf = (slot: Slot) => (slot === "web" ? 0 : slot.startsWith("thumb/") ? 2 : 1);
  const rows = Array.from(
    groupedBy(renditions, ({ slot }) => slot),
    ([slot, files]) => ({
      slot,
      files,
      width: files[0]?.width ?? 0,
      height: files[0]?.height ?? 0,
    }),
  );
  rows.sort((a, b) => rankOf(a.slot) - rankOf(b.slot) || a.width - b.width);
  return rows.map(({ slot, files, width, height }) => ({
    label: labelOf(slot, formats),
    width,
    height,
    files: files.map(({ format, bytes }) => ({
      format: format === "jpeg" ? "JPEG" : format === "webp" ? "WebP" : "AVIF",
      bytes,
      href: link(catalogue.routes.linkedFileOfImage(id, slot, format)),
    })),
  }));
}

/** labelOf("width/600/height/400", formats) → "600 × 400, cropped" */
function labelOf(slot: Slot, { t }: Formats): string {
  if (slot === animationSlot) return t("size.animation");
  const { width, height, scale, thumb } = scalingOfSlot(slot);
  if (thumb !== undefined) return t("size.thumb", { shape: thumb });
  if (width !== undefined && height !== undefined) return t("size.cropped", { width, height });
  if (width !== undefined) return t("size.wide", { n: width });
  if (height !== undefined) return t("size.high", { n: height });
  return scale === undefined ? t("size.web") : t("size.scale", { n: scale });
}
