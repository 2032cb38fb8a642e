import { envelopeForPage, withData } from "../api/envelope.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile, RenderedFile } from "../lib/output.ts";
import { type IndexName, type MediaKind, mediaKinds, type Parent } from "../routes/table.ts";
import type { Catalogue } from "../store/catalogue.ts";
import type { ListManifest, Ref } from "../store/snapshots.ts";
import { cached } from "./cached.ts";
import { createLinker } from "./links.ts";

export type MirrorConfig = Pick<Config, "origin" | "site" | "mirror">;

export interface MirrorOptions {
  catalogue: Catalogue;
  config: MirrorConfig;
}

/** A list whose items are pages of a file each. */
interface PagedList extends Pick<ListManifest, "perPage" | "envelope" | "overrides"> {
  refs: () => Iterable<Ref>;
  /** Items that are published. */
  count: number;
  /** Whether unpublished items were left out, so that the origin's envelopes no longer hold. */
  filtered: boolean;
}

/**
 * Files of the API mirror: every stored answer of the origin as the origin wrote it, with its URLs leading into
 * the archive; the renditions and originals of images; `.nojekyll` for hosts that would hide files otherwise.
 *
 * Images that are not published appear nowhere: neither in lists (whose totals are then counted anew) nor by a
 * URL. Objects are read one page at a time; beside the catalogue, memory holds caches of limited size.
 *
 * A file's key covers its objects by digest, its envelope, and for each URL in them where it leads (or that it
 * leads nowhere), because that alone is what other objects, media and settings can change about it.
 */
export function* mirrorFiles({ catalogue, config }: MirrorOptions): Generator<OutputFile> {
  const { routes, snapshot } = catalogue;
  const settings = keyOf("mirror", config.mirror.links, config.site.url, routes.root);

  const extentOf = cached(256, (key: string) => {
    const [parent = "", id = "", kind = ""] = key.split("\n");
    const list = attachmentList(parent as Parent, id, kind as MediaKind);
    return list === undefined ? 0 : lastPageOf(list);
  });
  const indexes = new Map<IndexName, PagedList>();
  for (const name of ["articles", "galleries", ...mediaKinds, "categories", "tags"] as const) {
    const list = indexList(name);
    if (list !== undefined) indexes.set(name, list);
  }
  const linker = createLinker(catalogue, config, {
    index(name) {
      const list = indexes.get(name);
      return list === undefined ? 0 : lastPageOf(list);
    },
    attachments: (parent, id, kind) => extentOf(`${parent}\n${id}\n${kind}`),
  });
  const objectKey = cached(100_000, (digest: string) =>
    keyOf(digest, linker.destinations(snapshot.readRaw({ id: "", digest }))),
  );

  function indexList(name: IndexName): PagedList | undefined {
    const list = snapshot.list(name);
    if (list === undefined) return undefined;
    const refs = (): Iterable<Ref> => publishedOf(name, snapshot.refs(name));
    const count = name === "images" ? countOf(refs()) : list.count;
    const { perPage, envelope, overrides } = list;
    return { refs, count, filtered: count !== list.count, perPage, envelope, overrides };
  }

  function attachmentList(parent: Parent, id: string, kind: MediaKind): PagedList | undefined {
    const list = snapshot.attachments(parent, id, kind);
    if (list === undefined) return undefined;
    const items = [...publishedOf(kind, list.items)];
    const filtered = items.length !== list.items.length;
    return { ...list, refs: () => items, count: items.length, filtered };
  }

  function* publishedOf(name: IndexName, refs: Iterable<Ref>): Generator<Ref> {
    for (const ref of refs) {
      if (name !== "images" || catalogue.published(name, ref.id)) yield ref;
    }
  }

  function answer(path: string, envelope: string, refs: Ref[], form: Form): RenderedFile {
    const keys = refs.map((ref) => objectKey(ref.digest));
    return {
      path,
      key: keyOf(settings, form, envelope, linker.destinations(envelope), ...keys),
      content() {
        const items = refs.map((ref) => linker.rewrite(snapshot.readRaw(ref), path));
        const around = linker.rewrite(envelope, path);
        return form === "single" ? `{"data":${items[0]}}` : withData(around, items);
      },
    };
  }

  function* listFiles(
    list: PagedList,
    fileOf: (page: number) => string | undefined,
  ): Generator<RenderedFile> {
    for (const { page, envelope, refs } of pagesOf(list)) {
      const path = fileOf(page);
      if (path !== undefined) yield answer(path, envelope, refs, "list");
    }
  }

  function* imageFiles(ref: Ref): Generator<OutputFile> {
    const { id } = ref;
    const request = { route: "single", index: "images", id } as const;
    const path = routes.urlOf(request) && routes.fileOf(request);
    if (path !== undefined) yield answer(path, "{}", [ref], "single");
    const entry = catalogue.media("images", id);
    if (entry === undefined) return;
    for (const { slot, format, blob } of entry.renditions) {
      yield { path: routes.fileOfImage(id, slot, format), blob };
    }
    const original = catalogue.originalPath(entry);
    if (original !== undefined) yield { path: original, blob: entry.original.blob };
  }

  yield { path: ".nojekyll", key: keyOf(settings, "empty"), content: () => "" };
  yield {
    path: `${routes.root}/404.json`,
    key: keyOf(settings, "not found"),
    content: () => '{"message":"Not found in this archive."}',
  };
  for (const [index, list] of indexes) {
    if (index === "categories" || index === "tags") {
      yield* listFiles(list, () => routes.fileOf({ route: "all", index }));
    } else yield* listFiles(list, (page) => routes.fileOf({ route: "index", index, page }));
  }
  for (const index of ["articles", "galleries"] as const) {
    for (const ref of snapshot.refs(`${index}.single`)) {
      const path = routes.fileOf({ route: "single", index, id: ref.id });
      if (path !== undefined) yield answer(path, "{}", [ref], "single");
    }
  }
  for (const ref of publishedOf("images", snapshot.refs("images"))) yield* imageFiles(ref);
  for (const ref of publishedOf("images", snapshot.refs("images.unlisted"))) {
    if (snapshot.find("images", "images", ref.id) === undefined) yield* imageFiles(ref);
  }
  for (const { id: listId } of snapshot.refs("attachments")) {
    const { parent, id, kind } = parseAttachmentsId(listId);
    const list = attachmentList(parent, id, kind);
    if (list === undefined) continue;
    yield* listFiles(list, (page) =>
      routes.fileOf({ route: "attachments", parent, id, kind, page }),
    );
  }
}

type Form = "list" | "single";

function* pagesOf(list: PagedList): Generator<{ page: number; envelope: string; refs: Ref[] }> {
  const model = list.envelope ?? '{"data":[]}';
  // The origin's own count is right also where an item could not be had.
  const total = list.filtered ? list.count : (totalOf(model) ?? list.count);
  const { perPage, overrides } = list;
  const envelopeOf = (page: number, count: number): string => {
    if (!list.filtered && page === 1) return model;
    const override = list.filtered ? undefined : overrides[page];
    return override ?? envelopeForPage(model, { page, perPage, total, count });
  };
  let page = 1;
  let refs: Ref[] = [];
  for (const ref of list.refs()) {
    if (perPage > 0 && refs.length === perPage) {
      yield { page, envelope: envelopeOf(page, refs.length), refs };
      page++;
      refs = [];
    }
    refs.push(ref);
  }
  yield { page, envelope: envelopeOf(page, refs.length), refs };
}

function lastPageOf({ count, perPage }: PagedList): number {
  return perPage > 0 ? Math.max(1, Math.ceil(count / perPage)) : 1;
}

function totalOf(envelope: string): number | undefined {
  const { meta } = JSON.parse(envelope) as { meta?: { total?: unknown } | null };
  const total = Number(meta?.total ?? Number.NaN);
  return Number.isInteger(total) && total >= 0 ? total : undefined;
}

function countOf(refs: Iterable<Ref>): number {
  let count = 0;
  for (const _ of refs) count++;
  return count;
}

function parseAttachmentsId(text: string): { parent: Parent; id: string; kind: MediaKind } {
  const first = text.indexOf("/");
  const last = text.lastIndexOf("/");
  return {
    parent: text.slice(0, first) as Parent,
    id: text.slice(first + 1, last),
    kind: text.slice(last + 1) as MediaKind,
  };
}
