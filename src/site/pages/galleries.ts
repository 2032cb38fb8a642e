import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { attachmentOf, galleryCard, momentOf, tileOf } from "../cards.ts";
import { pageCount, pageItems, paginationOf } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type PageView, pageFile, type Site, titleOf } from "../site.ts";
import type { GallerySummary } from "../summaries.ts";
import type { Uses } from "../uses.ts";
import { attachedKey, attachedTo, httpUrl, referenceOf } from "./articles.ts";

/** The index of galleries and each gallery; notes in `uses` which images they show. */
export function* galleryPages(site: Site, uses: Uses): Generator<OutputFile> {
  const { galleries } = site.lists;
  const last = pageCount(galleries.length, site.config.site.perPage);
  for (let page = 1; page <= last; page++) yield indexPage(site, page, last);
  for (const [at, gallery] of galleries.entries()) {
    yield galleryPage(site, gallery, galleries[at - 1], galleries[at + 1], uses);
  }
}

function indexPage(site: Site, page: number, last: number): OutputFile {
  const { galleries } = site.lists;
  const items = pageItems(galleries, page, site.config.site.perPage);
  const key = [page, last, galleries.length, ...items.map(({ card }) => card)];
  return pageFile(site, sitePaths.galleries(page), key, (link) => {
    const pagination = paginationOf(page, last, (to) => link(sitePaths.galleries(to)));
    return {
      template: "galleries",
      title: page === 1 ? "Galleries" : `Galleries, page ${page}`,
      section: "galleries",
      crumbs: [],
      previous: pagination?.previous ?? null,
      next: pagination?.next ?? null,
      data: {
        total: galleries.length,
        cards: items.map((gallery) => galleryCard(site, gallery, link)),
        pagination,
      },
    };
  });
}

function galleryPage(
  site: Site,
  gallery: GallerySummary,
  newer: GallerySummary | undefined,
  older: GallerySummary | undefined,
  uses: Uses,
): OutputFile {
  const attached = attachedTo(site, "galleries", gallery.id);
  for (const { id } of attached.images) uses.add(id, gallery);
  const neighbours = [newer?.title, newer?.path, older?.title, older?.path];
  const removed = site.catalogue.isRemoved("galleries", gallery.id);
  const key = [gallery.card, attachedKey(site, attached), removed, ...neighbours];
  return pageFile(site, gallery.path, key, (link) =>
    galleryView(site, gallery, newer, older, link),
  );
}

function galleryView(
  site: Site,
  gallery: GallerySummary,
  newer: GallerySummary | undefined,
  older: GallerySummary | undefined,
  link: Link,
): PageView {
  const { normal } = site.catalogue.snapshot.read("galleries", gallery);
  const attached = attachedTo(site, "galleries", gallery.id);
  const title = titleOf(gallery.title);
  return {
    template: "gallery",
    title,
    section: "galleries",
    crumbs: [{ title: "Galleries", href: link(sitePaths.galleries(1)) }],
    previous: newer === undefined ? null : link(newer.path),
    next: older === undefined ? null : link(older.path),
    data: {
      title,
      date: momentOf(site, gallery.publishedAt),
      tiles: attached.images.map((ref) => tileOf(site, ref, link)),
      videos: attached.videos.map((ref) => attachmentOf(site, "videos", ref, link)),
      audio: attached.audio.map((ref) => attachmentOf(site, "audio", ref, link)),
      newer: referenceOf(newer, link),
      older: referenceOf(older, link),
      origin: httpUrl(normal.view),
      removed: site.catalogue.isRemoved("galleries", gallery.id),
    },
  };
}
