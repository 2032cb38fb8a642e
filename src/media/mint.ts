import { z } from "zod";
import type { ApiClient } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import { WireEnvelope, WireMedia } from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import { type MediaKind, mediaKinds, type Parent, type Routes } from "../routes/table.ts";
import { locateMediaLink, type MediaLinkOrigin } from "../store/media-link.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { WantedItem } from "./jobs.ts";
import { createSingles } from "./singles.ts";

/** Gets fresh signed links, by reading again what shows them. */
export interface Mint {
  /**
   * A link for an item, made just now; undefined where the origin shows it no more. All links on the pages that
   * were read on the way go into the book.
   *
   * @throws ApiError when a page cannot be had
   */
  mint(item: WantedItem): Promise<string | undefined>;
}

export interface MintOptions {
  client: Pick<ApiClient, "json">;
  origin: MediaLinkOrigin;
  routes: Routes;
  links: LinkBook;
  reader: SnapshotReader;
}

/** A page that was read for its links. */
interface LinkPage {
  /** By id, with the place on the page from 0. */
  links: Map<string, { url: string; place: number }>;
  lastPage: number;
}

interface Place {
  parent: Parent;
  parentId: string;
  position: number;
}

/** Pages to try around where an item should stand: new items push the others to later pages. */
const neighbours = [0, 1, -1, 2];
/** Pages to read for one item before it counts as gone. */
const maxTries = 5;
/** Far more than are waited for at a time. */
const maxPlaces = 5_000;

const Single = z.looseObject({ data: z.unknown() });

/** The link to an item's file by its record. An image without one is had through its web version. */
export function linkOf(
  kind: MediaKind,
  links: { download: string | null; web: string | null },
): string | undefined {
  return links.download ?? (kind === "images" ? links.web : null) ?? undefined;
}

export function createMint({ client, origin, routes, links, reader }: MintOptions): Mint {
  const underway = new Map<string, Promise<LinkPage>>();
  /** Places that the items of a list have moved by since the snapshot, as far as seen. */
  const shifts = new Map<string, number>();
  let places: Map<string, Place> | undefined;
  let privateCursor = 1;
  /** Where images of the index with private ones stood lately: links can expire before they are used. */
  const privatePages = new Map<string, number>();
  /** All pages of the index with private images have been read, from the first to the last. */
  let privateRead = false;
  /** A private image was had by its own path. */
  let singlePrivate = false;
  const single = createSingles(askSingle);

  async function read(kind: MediaKind, url: string): Promise<LinkPage> {
    let page = underway.get(url);
    if (page === undefined) {
      page = fetchPage(kind, url).finally(() => underway.delete(url));
      underway.set(url, page);
    }
    return page;
  }

  async function fetchPage(kind: MediaKind, url: string): Promise<LinkPage> {
    const page: LinkPage = { links: new Map(), lastPage: 1 };
    const value = await jsonOrNothing(url);
    const envelope = WireEnvelope.safeParse(value);
    if (!envelope.success) return page;
    page.lastPage = envelope.data.meta?.last_page ?? 1;
    for (const [place, object] of envelope.data.data.entries()) {
      const found = remember(kind, object);
      if (found !== undefined) page.links.set(found.id, { url: found.url, place });
    }
    if (kind === "images") single.shown = page.links.keys().next().value ?? single.shown;
    return page;
  }

  /** The answer, or undefined where there is no such page any more. */
  async function jsonOrNothing(url: string): Promise<unknown> {
    try {
      return (await client.json(url)).value;
    } catch (error) {
      if (error instanceof ApiError && (error.status === 404 || error.status === 410))
        return undefined;
      throw error;
    }
  }

  function remember(kind: MediaKind, object: unknown): { id: string; url: string } | undefined {
    const parsed = WireMedia.safeParse(object);
    if (!parsed.success) return undefined;
    const { id } = parsed.data;
    const { url } = locateMediaLink(kind, object, origin);
    if (url === null) return undefined;
    links.remember(kind, id, url);
    return { id, url };
  }

  /** Looks on the page where an item should stand, then on those beside it. */
  async function searchAround(
    { kind, id }: WantedItem,
    list: { name: string; perPage: number; position: number },
    urlOf: (page: number) => string | undefined,
  ): Promise<string | undefined> {
    const perPage = Math.max(1, list.perPage);
    const position = list.perPage > 0 ? list.position : 0;
    const tried = new Set<number>();
    let lastPage = Infinity;
    while (tried.size < maxTries) {
      // The answer to another item may have brought this one's link, or told how far the list has moved.
      const known = links.take(kind, id);
      if (known !== undefined) return known;
      const expected = Math.floor((position + (shifts.get(list.name) ?? 0)) / perPage) + 1;
      const page = neighbours
        .map((offset) => expected + offset)
        .find((number) => number >= 1 && number <= lastPage && !tried.has(number));
      const url = page === undefined ? undefined : urlOf(page);
      if (page === undefined || url === undefined) return undefined;
      tried.add(page);
      const answer = await read(kind, url);
      lastPage = Math.max(1, answer.lastPage);
      const found = answer.links.get(id);
      if (found === undefined) continue;
      shifts.set(list.name, (page - 1) * perPage + found.place - position);
      return found.url;
    }
    return undefined;
  }

  async function fromIndex(item: WantedItem): Promise<string | undefined> {
    const perPage = reader.list(item.list)?.perPage ?? 0;
    const list = { name: item.list, perPage, position: item.position };
    return searchAround(item, list, (page) =>
      routes.urlOf({ route: "index", index: item.kind, page }),
    );
  }

  async function fromAttachments(item: WantedItem): Promise<string | undefined> {
    places ??= findPlaces(reader);
    const place = places.get(`${item.kind}/${item.id}`);
    if (place === undefined) return undefined;
    const { parent, parentId: id, position } = place;
    const perPage = reader.attachments(parent, id, item.kind)?.perPage ?? 0;
    const list = { name: `${parent}/${id}/${item.kind}`, perPage, position };
    return searchAround(item, list, (page) =>
      routes.urlOf({ route: "attachments", parent, id, kind: item.kind, page }),
    );
  }

  async function readPrivate(page: number): Promise<LinkPage> {
    const answer = await read("images", routes.privateUrlOf(page));
    for (const id of answer.links.keys()) {
      privatePages.delete(id);
      privatePages.set(id, page);
    }
    for (const id of privatePages.keys()) {
      if (privatePages.size <= maxPlaces) break;
      privatePages.delete(id);
    }
    return answer;
  }

  /** Private images stand somewhere between the public ones: read on from where the last one was found. */
  async function fromPrivateIndex(item: WantedItem): Promise<string | undefined> {
    const known = privatePages.get(item.id);
    const again = known === undefined ? undefined : await readPrivate(known);
    const renewed = again?.links.get(item.id);
    if (renewed !== undefined) return renewed.url;
    let page = privateCursor;
    let lastPage = page;
    // Who was on none of the pages is probably gone: the whole index is read for the first of them only.
    const most = privateRead ? maxTries : Number.POSITIVE_INFINITY;
    for (let pages = 0; pages < Math.min(most, lastPage); pages++) {
      const answer = await readPrivate(page);
      lastPage = Math.max(1, answer.lastPage);
      page = page >= lastPage ? 1 : page + 1;
      // All links up to here are in the book: who comes next needs a later page.
      privateCursor = page;
      const found = answer.links.get(item.id);
      if (found !== undefined) return found.url;
    }
    privateRead = true;
    return undefined;
  }

  /** The single image, or undefined where there is none; `url` is its link. */
  async function askSingle(id: string): Promise<{ url: string | undefined } | undefined> {
    const url = routes.urlOf({ route: "single", index: "images", id });
    if (url === undefined) return undefined;
    const answer = Single.safeParse(await jsonOrNothing(url));
    return answer.success ? { url: remember("images", answer.data.data)?.url } : undefined;
  }

  async function fromSingle({ kind, id }: WantedItem): Promise<string | undefined> {
    return kind === "images" ? (await single.ask(id))?.url : undefined;
  }

  return {
    async mint(item) {
      if (item.list === "images.private") {
        const url = await fromSingle(item);
        if (url !== undefined) singlePrivate = true;
        // Where private images can be asked for one by one, the index shows no more of them.
        return url ?? (singlePrivate ? undefined : await fromPrivateIndex(item));
      }
      const listed = item.list.endsWith(".attached") ? fromAttachments : fromIndex;
      return (await listed(item)) ?? (await fromSingle(item));
    },
  };
}

/** Where each file that stands in no index is attached; read once, when the first of them needs a link. */
function findPlaces(reader: SnapshotReader): Map<string, Place> {
  const attachedOnly = new Set<string>();
  for (const kind of mediaKinds) {
    for (const { id } of reader.refs(`${kind}.attached`)) attachedOnly.add(`${kind}/${id}`);
  }
  const places = new Map<string, Place>();
  for (const ref of reader.refs("attachments")) {
    const { parent, parentId, kind, items } = reader.read("attachments", ref).normal;
    for (const [position, [id]] of items.entries()) {
      const key = `${kind}/${id}`;
      if (attachedOnly.has(key)) places.set(key, { parent, parentId, position });
    }
  }
  return places;
}
