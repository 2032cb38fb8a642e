import { readItem, WireEnvelope, WireMedia } from "../api/schema.ts";
import { ApiError } from "../errors.ts";
import { isObject } from "../lib/objects.ts";
import type { MediaKind } from "../routes/table.ts";
import { locateMediaLink } from "../store/media-link.ts";
import type { SnapshotReader } from "../store/reader.ts";
import type { AttachmentList } from "../store/records.ts";
import type { MediaContext } from "./context.ts";
import type { WantedItem } from "./jobs.ts";

interface LinkPage {
  /** By id, with the place on the page, counted from 0. */
  links: Map<string, { url: string; place: number }>;
  /** Undefined where there is no such page. */
  lastPage: number | undefined;
}

/** A list that shows an item, and where it should stand in it. */
interface LinkList {
  perPage: number;
  position: number;
  urlOf(page: number): string | undefined;
}

type Place = Pick<AttachmentList, "parent" | "parentId"> & { position: number };

/** Pages to try around where an item should stand: new items push the others to later pages. */
const neighbours = [0, 1, -1, 2];
/** Pages to read for one item before it counts as gone. */
const maxTries = 5;

/** Gets fresh signed links by reading pages again. All links that it finds go into the book. */
export class Mint {
  readonly #context: MediaContext;
  readonly #underway = new Map<string, Promise<LinkPage>>();
  /** By how many places the items of a list have moved since the snapshot. */
  readonly #shifts = new Map<string, number>();
  #places: Map<string, Place> | undefined;
  #privatePage = 1;
  /** Whether the whole private index was read for a missing image. */
  #searched = false;
  #singlesShowPrivate = false;

  constructor(context: MediaContext) {
    this.#context = context;
  }

  /** A new link for an item; undefined if the origin no longer shows it. @throws ApiError when a page fails */
  async mint(item: WantedItem): Promise<string | undefined> {
    const isPrivate = item.list === "images.private";
    const list = isPrivate ? undefined : this.#listOf(item);
    const listed = list && (await this.#searchAround(item, list));
    if (listed !== undefined) return listed;
    const single = item.kind === "images" ? await this.#fromSingle(item.id) : undefined;
    if (isPrivate && single !== undefined) this.#singlesShowPrivate = true;
    if (single !== undefined || !isPrivate || this.#singlesShowPrivate) return single;
    return await this.#fromPrivateIndex(item);
  }

  #listOf({ kind, id, list, position }: WantedItem): LinkList | undefined {
    const { routes, reader } = this.#context;
    if (!list.endsWith(".unlisted")) {
      const urlOf = (page: number) => routes.urlOf({ route: "index", index: kind, page });
      return { perPage: reader.list(list)?.perPage ?? 0, position, urlOf };
    }
    this.#places ??= findPlaces(reader);
    const place = this.#places.get(`${kind}/${id}`);
    if (place === undefined) return undefined;
    const { parent, parentId } = place;
    return {
      perPage: reader.attachments(parent, parentId, kind)?.perPage ?? 0,
      position: place.position,
      urlOf: (page) => routes.urlOf({ route: "attachments", parent, id: parentId, kind, page }),
    };
  }

  async #searchAround({ kind, id }: WantedItem, list: LinkList): Promise<string | undefined> {
    const perPage = Math.max(1, list.perPage);
    const position = list.perPage > 0 ? list.position : 0;
    const tried = new Set<number>();
    const name = list.urlOf(1) ?? "";
    let lastPage = Infinity;
    while (tried.size < maxTries) {
      // A search for another item may have found this one's link, or how far the list has moved.
      const known = this.#context.links.take(kind, id);
      if (known !== undefined) return known;
      const expected = Math.floor((position + (this.#shifts.get(name) ?? 0)) / perPage) + 1;
      const page = neighbours
        .map((offset) => expected + offset)
        .find((number) => number >= 1 && number <= lastPage && !tried.has(number));
      const url = page === undefined ? undefined : list.urlOf(page);
      if (page === undefined || url === undefined) return undefined;
      tried.add(page);
      const answer = await this.#read(kind, url);
      lastPage = answer.lastPage ?? page - 1;
      const found = answer.links.get(id);
      if (found === undefined) continue;
      this.#shifts.set(name, (page - 1) * perPage + found.place - position);
      return found.url;
    }
    return undefined;
  }

  async #fromSingle(id: string): Promise<string | undefined> {
    const url = this.#context.routes.urlOf({ route: "single", index: "images", id });
    const answer = url && (await this.#jsonOrNothing(url));
    return isObject(answer) ? this.#remember("images", answer.data)?.url : undefined;
  }

  /** Private images stand between the public ones: read on from where the last one was found. */
  async #fromPrivateIndex({ id }: WantedItem): Promise<string | undefined> {
    const { links, routes } = this.#context;
    const seen = new Set<string>();
    let lastPage = this.#privatePage;
    // An image on none of the pages is probably gone: the whole index is read only for the first such image.
    const most = this.#searched ? maxTries : Infinity;
    for (let read = 0, vain = 0; read < Math.min(most, lastPage) && vain < maxTries; read++) {
      const page = this.#privatePage;
      const answer = await this.#read("images", routes.privateUrlOf(page));
      lastPage = answer.lastPage ?? lastPage;
      this.#privatePage = page >= lastPage ? 1 : page + 1;
      const found = answer.links.get(id)?.url ?? links.take("images", id);
      if (found !== undefined) return found;
      const ids = [...answer.links.keys()];
      // An index can claim any number of pages.
      vain = ids.every((one) => seen.has(one)) ? vain + 1 : 0;
      for (const one of ids) seen.add(one);
    }
    this.#searched = true;
    return undefined;
  }

  /** Items on the same page share a request. */
  #read(kind: MediaKind, url: string): Promise<LinkPage> {
    let page = this.#underway.get(url);
    if (page === undefined) {
      page = this.#fetchPage(kind, url).finally(() => this.#underway.delete(url));
      this.#underway.set(url, page);
    }
    return page;
  }

  async #fetchPage(kind: MediaKind, url: string): Promise<LinkPage> {
    const links: LinkPage["links"] = new Map();
    const envelope = WireEnvelope.safeParse(await this.#jsonOrNothing(url));
    if (!envelope.success) return { links, lastPage: undefined };
    for (const [place, object] of envelope.data.data.entries()) {
      const found = this.#remember(kind, object);
      if (found !== undefined) links.set(found.id, { url: found.url, place });
    }
    return { links, lastPage: Math.max(1, envelope.data.meta?.last_page ?? 1) };
  }

  /** The answer; undefined if the page is gone. */
  async #jsonOrNothing(url: string): Promise<unknown> {
    try {
      return (await this.#context.client.json(url)).value;
    } catch (error) {
      if (isAnswer(error, 404, 410)) return undefined;
      throw error;
    }
  }

  #remember(kind: MediaKind, object: unknown): { id: string; url: string } | undefined {
    const { data } = readItem(WireMedia, object);
    if (data === undefined) return undefined;
    const { url } = locateMediaLink(kind, object, this.#context.config.origin);
    if (url === null) return undefined;
    this.#context.links.remember(kind, data.id, url);
    return { id: data.id, url };
  }
}

export function isAnswer(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status);
}

/** Where each file that stands in no index is attached. */
function findPlaces(reader: SnapshotReader): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const ref of reader.refs("attachments")) {
    const { parent, parentId, kind, items } = reader.read("attachments", ref).normal;
    for (const [position, [id]] of items.entries()) {
      const isListed = reader.digestOf(`${kind}.unlisted`, id) === undefined;
      if (!isListed) places.set(`${kind}/${id}`, { parent, parentId, position });
    }
  }
  return places;
}
