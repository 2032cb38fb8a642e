import { z } from "zod";
import type { ApiClient } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import { WireEnvelope, WireMedia } from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import { type MediaKind, mediaKinds, type Parent, type Routes } from "../routes/table.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { WantedItem } from "./jobs.ts";

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
  routes: Routes;
  links: LinkBook;
  reader: SnapshotReader;
}

/** A page that was read for its links. */
interface LinkPage {
  links: Map<string, string>;
  lastPage: number;
}

interface Place {
  parent: Parent;
  parentId: string;
  position: number;
}

/** Pages to try around where an item should stand: new items push the others to later pages. */
const neighbours = [0, 1, -1, 2];

const Single = z.looseObject({ data: z.unknown() });

/**
 * The download link of an item as the API shows it, with its signature. An image without one is had through its
 * web version; for other kinds the document shows no such link.
 */
export function linkOf(
  kind: MediaKind,
  links: { download: string | null; web: string | null },
): string | undefined {
  return links.download ?? (kind === "images" ? links.web : null) ?? undefined;
}

export function createMint({ client, routes, links, reader }: MintOptions): Mint {
  const underway = new Map<string, Promise<LinkPage>>();
  /** Pages that a list has moved by since the snapshot, as far as seen. */
  const shifts = new Map<string, number>();
  let places: Map<string, Place> | undefined;
  let privateCursor = 1;

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
    for (const object of envelope.data.data) remember(kind, object, page.links);
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

  function remember(kind: MediaKind, object: unknown, found: Map<string, string>): void {
    const parsed = WireMedia.safeParse(object);
    if (!parsed.success) return;
    const url = linkOf(kind, parsed.data.links);
    if (url === undefined) return;
    links.remember(kind, parsed.data.id, url);
    found.set(parsed.data.id, url);
  }

  /** Looks on the page where an item should stand, then on those beside it. */
  async function searchAround(
    item: WantedItem,
    expected: number,
    shiftKey: string,
    urlOf: (page: number) => string | undefined,
  ): Promise<string | undefined> {
    const shift = shifts.get(shiftKey) ?? 0;
    let lastPage = Infinity;
    for (const offset of neighbours) {
      const page = expected + shift + offset;
      if (page < 1 || page > lastPage) continue;
      const url = urlOf(page);
      if (url === undefined) return undefined;
      const answer = await read(item.kind, url);
      lastPage = Math.max(1, answer.lastPage);
      const link = answer.links.get(item.id);
      if (link === undefined) continue;
      shifts.set(shiftKey, shift + offset);
      return link;
    }
    return undefined;
  }

  async function fromIndex(item: WantedItem): Promise<string | undefined> {
    const perPage = reader.list(item.list)?.perPage ?? 0;
    const expected = perPage > 0 ? Math.floor(item.position / perPage) + 1 : 1;
    return searchAround(item, expected, item.list, (page) =>
      routes.urlOf({ route: "index", index: item.kind, page }),
    );
  }

  async function fromAttachments(item: WantedItem): Promise<string | undefined> {
    places ??= findPlaces(reader);
    const place = places.get(`${item.kind}/${item.id}`);
    if (place === undefined) return undefined;
    const { parent, parentId: id, position } = place;
    const perPage = reader.attachments(parent, id, item.kind)?.perPage ?? 0;
    const expected = perPage > 0 ? Math.floor(position / perPage) + 1 : 1;
    return searchAround(item, expected, `${parent}/${id}`, (page) =>
      routes.urlOf({ route: "attachments", parent, id, kind: item.kind, page }),
    );
  }

  /** Private images stand somewhere between the public ones: read on from where the last one was found. */
  async function fromPrivateIndex(item: WantedItem): Promise<string | undefined> {
    let lastPage = privateCursor;
    for (let read_ = 0, page = privateCursor; read_ < lastPage; read_++) {
      const url = routes.urlOf({ route: "index", index: "images", page });
      if (url === undefined) return undefined;
      const answer = await read("images", `${url}${url.includes("?") ? "&" : "?"}private=1`);
      lastPage = Math.max(1, answer.lastPage);
      const link = answer.links.get(item.id);
      privateCursor = page;
      if (link !== undefined) return link;
      page = page >= lastPage ? 1 : page + 1;
    }
    return undefined;
  }

  async function fromSingle(item: WantedItem): Promise<string | undefined> {
    if (item.kind !== "images") return undefined;
    const url = routes.urlOf({ route: "single", index: "images", id: item.id });
    if (url === undefined) return undefined;
    const answer = Single.safeParse(await jsonOrNothing(url));
    const found = new Map<string, string>();
    if (answer.success) remember(item.kind, answer.data.data, found);
    return found.get(item.id);
  }

  return {
    async mint(item) {
      if (item.list === "images.private") {
        return (await fromSingle(item)) ?? (await fromPrivateIndex(item));
      }
      const listed = item.list.endsWith(".unlisted") ? fromAttachments : fromIndex;
      return (await listed(item)) ?? (await fromSingle(item));
    },
  };
}

/** Where each file that stands in no index is attached; read once, when the first of them needs a link. */
function findPlaces(reader: SnapshotReader): Map<string, Place> {
  const unlisted = new Set<string>();
  for (const kind of mediaKinds) {
    for (const { id } of reader.refs(`${kind}.unlisted`)) unlisted.add(`${kind}/${id}`);
  }
  const places = new Map<string, Place>();
  for (const ref of reader.refs("attachments")) {
    const { parent, parentId, kind, items } = reader.read("attachments", ref).normal;
    for (const [position, [id]] of items.entries()) {
      const key = `${kind}/${id}`;
      if (unlisted.has(key)) places.set(key, { parent, parentId, position });
    }
  }
  return places;
}
