import type { Link, SharedPicture } from "./pictures.ts";
import {
  linkFrom,
  type PageFrame,
  type PageView,
  pageFile,
  type Site,
  type TemplateView,
} from "./site.ts";
import type { ListSubject, PagedView, Pagination } from "./views.ts";

export interface PagedList<T> extends Pick<PageFrame, "title" | "section" | "crumbs" | "feed"> {
  /** Counted from 1. */
  path: (page: number) => string;
  /** What the pages are about, where their paths can change; see `OutputFile`. */
  about?: string | undefined;
  /** Items on all pages. */
  total: number;
  /** Items on one page, by default `site.perPage`. */
  perPage?: number;
  /** Key of what a page shows of an item. */
  itemKey: (item: T) => string;
  /** For sharing a page. */
  image: (items: readonly T[]) => SharedPicture | undefined;
  /** The template and its data; `shared` is what does not depend on the items. */
  view: (items: readonly T[], link: Link, shared: PagedView & ListSubject) => TemplateView;
  /** More that does not depend on the items: little, for it is part of the key. */
  extra?: (link: Link) => ListSubject;
}

export function listPage<T>(site: Site, list: PagedList<T>, page: number, items: readonly T[]) {
  const { title, section, crumbs, feed, path, total } = list;
  const { perPage = site.config.site.perPage } = list;
  const last = pageCount(total, perPage);
  const shared = (link: Link): PagedView & ListSubject => ({
    title,
    total,
    page,
    pagination: paginationOf(page, last, (to) => link(path(to))),
    ...list.extra?.(link),
  });
  const key = () => [
    JSON.stringify(shared(linkFrom(site, path(page)))),
    ...items.map(list.itemKey),
  ];
  const face = () => ({
    title: page === 1 ? title : site.formats.t("page.title", { title, page }),
    image: list.image(items),
  });
  const view = (link: Link): PageView => ({
    ...face(),
    section,
    crumbs,
    feed,
    previous: page > 1 ? path(page - 1) : undefined,
    next: page < last ? path(page + 1) : undefined,
    ...list.view(items, link, shared(link)),
  });
  const file = pageFile(site, path(page), key, view, face);
  return { ...file, about: list.about && `${list.about}/${page}` };
}

export function* listPages<T>(site: Site, items: readonly T[], list: Omit<PagedList<T>, "total">) {
  const { perPage = site.config.site.perPage } = list;
  const total = items.length;
  for (let page = 1; page <= pageCount(total, perPage); page++) {
    const members = items.slice((page - 1) * perPage, page * perPage);
    yield listPage(site, { ...list, total }, page, members);
  }
}

/** An empty list still has its first page. */
export function pageCount(items: number, perPage: number): number {
  return Math.max(1, Math.ceil(items / perPage));
}

/**
 * The first page, the last, and those near; `null` stands for a gap of more than one page.
 *
 * pageWindow(6, 20) → [1, null, 5, 6, 7, null, 20]
 */
export function pageWindow(current: number, last: number): (number | null)[] {
  const near = [1, current - 1, current, current + 1, last];
  const pages = [...new Set(near)].filter((page) => page >= 1 && page <= last);
  pages.sort((a, b) => a - b);
  return pages.flatMap((page, at) => {
    const step = page - (pages[at - 1] ?? 0);
    if (step === 1) return [page];
    return [step === 2 ? page - 1 : null, page];
  });
}

/** Undefined where one page holds it all. */
export function paginationOf(
  current: number,
  last: number,
  hrefOfPage: (page: number) => string,
): Pagination | undefined {
  if (last === 1) return undefined;
  return {
    current,
    last,
    previous: current > 1 ? hrefOfPage(current - 1) : null,
    next: current < last ? hrefOfPage(current + 1) : null,
    entries: pageWindow(current, last).map((page) =>
      page === null ? null : { page, href: hrefOfPage(page), current: page === current },
    ),
  };
}
