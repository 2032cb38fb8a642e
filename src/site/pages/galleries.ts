import type { OutputFile } from "../../lib/output.ts";
import { sitePaths } from "../../routes/site.ts";
import { attachedKey, attachedTo, attachedViews, noteUses, type Uses } from "../attachments.ts";
import {
  galleryCard,
  momentOf,
  type Neighbours,
  neighbourLinks,
  neighboursKey,
  withNeighbours,
} from "../cards.ts";
import { listPages } from "../pagination.ts";
import type { Link } from "../pictures.ts";
import { type PageView, pageFile, type Site, sections } from "../site.ts";
import type { Summary } from "../summaries.ts";
import { httpUrl } from "./articles.ts";

/** Notes in `uses` which images they show. */
export function* galleryPages(site: Site, uses: Uses): Generator<OutputFile> {
  const { galleries } = site.lists;
  yield* listPages(site, galleries, {
    template: "galleries",
    title: sections.galleries.title,
    section: "galleries",
    path: sitePaths.galleries,
    itemKey: ({ card }) => card,
    data: (items, link) => ({ cards: items.map((item) => galleryCard(site, item, link)) }),
  });
  for (const [gallery, near] of withNeighbours(galleries)) {
    const attached = attachedTo(site, "galleries", gallery.id);
    const shown = attached.images.map(({ id }) => id);
    noteUses(uses, gallery, shown);
    const removed = site.catalogue.isRemoved("galleries", gallery.id);
    const key = [gallery.card, attachedKey(site, attached), removed, ...neighboursKey(near)];
    yield pageFile(site, gallery.path, key, (link) => galleryView(site, gallery, near, link));
  }
}

function galleryView(site: Site, gallery: Summary, near: Neighbours, link: Link): PageView {
  const { normal } = site.catalogue.snapshot.read("galleries", gallery);
  return {
    template: "gallery",
    title: gallery.title,
    section: "galleries",
    crumbs: [sections.galleries],
    previous: near.newer?.path,
    next: near.older?.path,
    data: {
      date: momentOf(site, gallery.publishedAt),
      ...attachedViews(site, attachedTo(site, "galleries", gallery.id), link),
      ...neighbourLinks(near, link),
      origin: httpUrl(normal.view),
      removed: site.catalogue.isRemoved("galleries", gallery.id),
    },
  };
}
