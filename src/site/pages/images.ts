import type { OutputFile } from "../../lib/output.ts";
import { encodeSegment } from "../../routes/segments.ts";
import { sitePaths } from "../../routes/site.ts";
import { thumbShapes } from "../../routes/slots.ts";
import type { MediaEntry, Rendition } from "../../store/media.ts";
import type { Ref } from "../../store/snapshots.ts";
import { altOf, momentOf, tileOf } from "../cards.ts";
import { pageCount, paginationOf } from "../pagination.ts";
import { type Link, pictureOf } from "../pictures.ts";
import { type PageView, pageFile, type Site, titleOf } from "../site.ts";
import type { User, Uses } from "../uses.ts";
import { referenceOf } from "./articles.ts";

/** Of this many users of an image its page names each; of more, how many there are. */
const maxUses = 50;

/** An image while its page is planned. */
interface Planned extends Ref {
  title: string;
  path: string;
  entry: string;
  absent: boolean;
}

/** Counts that the page about the snapshot shows. */
export interface ImageCounts {
  images: number;
  /** Published ones whose file the store does not hold, though the origin may have it. */
  missing: number;
  /** Published ones of which the origin has no file. */
  absent: number;
  /** Published ones whose original is all there is, because it could not be decoded. */
  bare: number;
}

/**
 * Each image's page and the index of images. Only three images are held at a time, and the refs of one index page.
 */
export function* imagePages(site: Site, uses: Uses, counts: ImageCounts): Generator<OutputFile> {
  const total = countImages(site);
  const { perPage } = site.config.site;
  const last = pageCount(total, perPage);
  let members: Planned[] = [];
  let page = 1;
  let before: Planned | undefined;
  let current: Planned | undefined;
  for (const ref of shownImages(site)) {
    const after = plan(site, ref, counts);
    if (current !== undefined) yield imagePage(site, before, current, after, uses);
    before = current;
    current = after;
    members.push(after);
    if (members.length === perPage) {
      yield indexPage(site, members, page++, last, total);
      members = [];
    }
  }
  if (current !== undefined) yield imagePage(site, before, current, undefined, uses);
  if (members.length > 0 || total === 0) yield indexPage(site, members, page, last, total);
}

function* shownImages({ catalogue }: Site): Generator<Ref> {
  for (const list of ["images", "images.attached"] as const) {
    for (const ref of catalogue.snapshot.refs(list)) {
      if (catalogue.shows("images", ref.id)) yield ref;
    }
  }
}

function countImages(site: Site): number {
  let count = 0;
  for (const _ of shownImages(site)) count++;
  return count;
}

function plan({ catalogue, entryKey }: Site, ref: Ref, counts: ImageCounts): Planned {
  const entry = catalogue.media("images", ref.id);
  const absent = entry === undefined && catalogue.absent("images", ref);
  counts.images++;
  if (absent) counts.absent++;
  else if (entry === undefined) counts.missing++;
  else if (entry.renditions.length === 0) counts.bare++;
  const { title } = catalogue.snapshot.read("images", ref).normal;
  return { ...ref, title, path: sitePaths.image(ref.id), entry: entryKey(entry), absent };
}

function indexPage(
  site: Site,
  members: readonly Planned[],
  page: number,
  last: number,
  total: number,
): OutputFile {
  const refs = members.map(({ id, digest }) => ({ id, digest }));
  const key = [page, last, total, ...members.flatMap(({ digest, entry }) => [digest, entry])];
  return pageFile(site, sitePaths.images(page), key, (link) => {
    const pagination = paginationOf(page, last, (to) => link(sitePaths.images(to)));
    return {
      template: "images",
      title: page === 1 ? "Images" : `Images, page ${page}`,
      section: "images",
      crumbs: [],
      previous: pagination?.previous ?? null,
      next: pagination?.next ?? null,
      data: { total, tiles: refs.map((ref) => tileOf(site, ref, link)), pagination },
    };
  });
}

function imagePage(
  site: Site,
  before: Planned | undefined,
  image: Planned,
  after: Planned | undefined,
  uses: Uses,
): OutputFile {
  const users = uses.of(image.id);
  const key = [
    image.digest,
    image.entry,
    image.absent,
    site.catalogue.isRemoved("images", image.id),
    before?.title,
    before?.path,
    after?.title,
    after?.path,
    users.length,
    ...users.slice(0, maxUses).flatMap(({ title, path }) => [title, path]),
  ];
  return pageFile(site, image.path, key, (link) =>
    imageView(site, before, image, after, users, link),
  );
}

function imageView(
  site: Site,
  before: Planned | undefined,
  image: Planned,
  after: Planned | undefined,
  users: readonly User[],
  link: Link,
): PageView {
  const { catalogue } = site;
  const { normal } = catalogue.snapshot.read("images", image);
  const entry = catalogue.media("images", image.id);
  const wish = { sizes: "(min-width: 84rem) 80rem, 100vw" };
  const picture = (entry && pictureOf(catalogue, entry, link, wish)) ?? null;
  const originalPath = entry && catalogue.originalPath(entry);
  const title = titleOf(normal.title);
  return {
    template: "image",
    title,
    section: "images",
    description: normal.caption,
    image: entry && catalogue.renditionPath(entry, { width: 1280 }),
    crumbs: [{ title: "Images", href: link(sitePaths.images(1)) }],
    previous: before === undefined ? null : link(before.path),
    next: after === undefined ? null : link(after.path),
    data: {
      title,
      alt: altOf(normal),
      caption: normal.caption.trim() === title ? "" : normal.caption.trim(),
      date: momentOf(site, normal.createdAt),
      picture,
      absent: image.absent,
      width: entry?.original.width ?? (normal.width || null),
      height: entry?.original.height ?? (normal.height || null),
      bytes: entry?.original.bytes ?? (normal.bytes || null),
      type: entry?.original.type ?? null,
      meta: Object.entries(normal.meta).map(([name, value]) => ({ name, value })),
      remark: entry?.remark ?? null,
      sizes: entry === undefined ? [] : sizesOf(site, entry, link),
      original:
        entry === undefined || originalPath === undefined
          ? null
          : {
              href: link(originalPath),
              fileName: `${encodeSegment(image.id)}.${entry.original.extension}`,
            },
      uses: users.slice(0, maxUses).map((user) => ({
        ...referenceOf(user, link),
        gallery: !("tags" in user),
      })),
      moreUses: Math.max(0, users.length - maxUses),
      before: referenceOf(before, link),
      after: referenceOf(after, link),
      removed: catalogue.isRemoved("images", image.id),
    },
  };
}

/** One row for each slot: what it is, its size, a link for each format. */
function sizesOf({ catalogue }: Site, entry: MediaEntry, link: Link) {
  const slots = new Map<string, Rendition[]>();
  for (const rendition of entry.renditions) {
    const known = slots.get(rendition.slot);
    if (known === undefined) slots.set(rendition.slot, [rendition]);
    else known.push(rendition);
  }
  return [...slots]
    .sort(([a, [x]], [b, [y]]) => rank(a) - rank(b) || (x?.width ?? 0) - (y?.width ?? 0))
    .map(([slot, renditions]) => ({
      label: labelOf(slot),
      width: renditions[0]?.width ?? 0,
      height: renditions[0]?.height ?? 0,
      files: renditions.map(({ format, bytes }) => ({
        format: format === "jpeg" ? "JPEG" : format === "webp" ? "WebP" : "AVIF",
        bytes,
        href: link(catalogue.routes.linkedFileOfImage(entry.id, slot, format)),
      })),
    }));
}

function rank(slot: string): number {
  if (slot === "web") return 0;
  return slot.startsWith("thumb/") ? 2 : 1;
}

/** labelOf("width/600/height/400") → "600 × 400, cropped" */
function labelOf(slot: string): string {
  if (slot === "web") return "Web version";
  const shape = thumbShapes.find((name) => slot === `thumb/${name}`);
  if (shape !== undefined) return `Thumbnail, ${shape}`;
  const box = /^width\/(\d+)\/height\/(\d+)$/.exec(slot);
  if (box !== null) return `${box[1]} × ${box[2]}, cropped`;
  const [side, value] = slot.split("/");
  if (side === "scale") return `${value} %`;
  return `${value} px ${side === "width" ? "wide" : "high"}`;
}
