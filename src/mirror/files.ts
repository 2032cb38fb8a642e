import { envelopeElsewhere, envelopeForPage, withData, withFilters } from "../api/envelope.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Config } from "../config.ts";
import { keyOf } from "../lib/digest.ts";
import type { OutputFile } from "../lib/output.ts";
import { descriptionFile, type MirrorDescription, notFoundBody } from "../routes/description.ts";
import { folderOf, parametersOf } from "../routes/filters.ts";
import type { SingleForm } from "../routes/learned.ts";
import { mediaEnding } from "../routes/site.ts";
import { scalingOfSlot } from "../routes/slots.ts";
import {
  type IndexName,
  type JsonRequest,
  type MediaKind,
  mediaKinds,
  type Parent,
} from "../routes/table.ts";
import { attachmentsId } from "../store/records.ts";
import { singleWriter } from "../store/single-form.ts";
import type { ListManifest, Ref } from "../store/snapshots.ts";
import { cached } from "./cached.ts";
import { type EmptyModel, emptyModels } from "./empty-lists.ts";
import { type FilteredIndex, type FilteredList, filterIndex } from "./filtered.ts";
import { linkedFiles } from "./linked.ts";
import { createLinker } from "./links.ts";

export type MirrorConfig = Pick<Config, "origin" | "site" | "mirror" | "media">;

export interface MirrorOptions {
  catalogue: Catalogue;
  config: MirrorConfig;
}

/** A list whose items are pages of a file each. */
interface PagedList extends Pick<ListManifest, "perPage" | "envelope" | "overrides"> {
  refs: () => Iterable<Ref>;
  /** Items that are shown. */
  count: number;
  /** Whether items that may not be shown were left out, so that the origin's envelopes no longer hold. */
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
  const description = describeMirror(catalogue, config);
  const { tagMatch, filterLinks } = description;
  const imageForm = formOf(snapshot.manifest.learned?.singleImages?.form ?? wrapped);
  const wholeForm = formOf(wrapped);
  const endings = new Map<string, number>();

  let empties: ReadonlyMap<string, EmptyModel> = new Map();
  const extentOf = cached(256, (key: string) => {
    const [parent = "", id = "", kind = ""] = key.split("\n");
    const list = attachmentList(parent as Parent, id, kind as MediaKind);
    if (list !== undefined) return lastPageOf(list);
    const parentOf = snapshot.find(parent as Parent, parent as Parent, id);
    const model = empties.get(`${parent}/${kind}`);
    return parentOf?.normal.attachments[kind as MediaKind] === 0 && model !== undefined ? 1 : 0;
  });
  const indexes = new Map<IndexName, PagedList>();
  for (const name of ["articles", "galleries", ...mediaKinds, "categories", "tags"] as const) {
    const list = indexList(name);
    if (list !== undefined) indexes.set(name, list);
  }
  const filterings = {
    articles: filterIndex("articles", catalogue, config, tagMatch),
    galleries: filterIndex("galleries", catalogue, config, tagMatch),
  };
  const linker = createLinker(catalogue, config, {
    index(name, filters) {
      const list = indexes.get(name);
      if (list === undefined) return 0;
      if (filters === undefined) return lastPageOf(list);
      if (name !== "articles" && name !== "galleries") return 0;
      const filtered = filterings[name].lists.get(folderOf(filters));
      return filtered === undefined
        ? 0
        : lastPageOf({ perPage: list.perPage, count: filtered.count });
    },
    attachments: (parent, id, kind) => extentOf(`${parent}\n${id}\n${kind}`),
  });
  // The linker looks at them, and they are made with it.
  if (config.mirror.emptyLists) empties = emptyModels(catalogue, linker);
  const objectKey = cached(100_000, (digest: string) =>
    keyOf(digest, linker.destinations(snapshot.readRaw({ id: "", digest }))),
  );

  function indexList(name: IndexName): PagedList | undefined {
    const list = snapshot.list(name);
    if (list === undefined) return undefined;
    const refs = (): Iterable<Ref> => shownOf(name, snapshot.refs(name));
    const count = name === "images" ? countOf(refs()) : list.count;
    const { perPage, envelope, overrides } = list;
    return { refs, count, filtered: count !== list.count, perPage, envelope, overrides };
  }

  function attachmentList(parent: Parent, id: string, kind: MediaKind): PagedList | undefined {
    const list = snapshot.attachments(parent, id, kind);
    if (list === undefined) return undefined;
    const items = [...shownOf(kind, list.items)];
    const filtered = items.length !== list.items.length;
    return { ...list, refs: () => items, count: items.length, filtered };
  }

  function* shownOf(name: IndexName, refs: Iterable<Ref>): Generator<Ref> {
    for (const ref of refs) {
      if (name !== "images" || catalogue.shows(name, ref.id)) yield ref;
    }
  }

  function answer(
    place: { path: string; url?: string | undefined },
    envelope: string,
    refs: Ref[],
    form: Form,
  ): OutputFile {
    const keys = refs.map((ref) => objectKey(ref.digest));
    const { path } = place;
    return {
      ...place,
      key: keyOf(
        settings,
        form === "list" ? form : form.key,
        envelope,
        linker.destinations(envelope),
        ...keys,
      ),
      content() {
        const raws = refs.map((ref) => snapshot.readRaw(ref));
        if (form !== "list") return linker.rewrite(form.write(raws[0] ?? "{}"), path);
        const items = raws.map((raw) => linker.rewrite(raw, path));
        return withData(linker.rewrite(envelope, path), items);
      },
    };
  }

  /** File of a request's answer, and the URL that asks for it; undefined where the mirror has neither. */
  function placeOf(request: JsonRequest): { path: string; url: string } | undefined {
    const [path, url] = [routes.fileOf(request), routes.pathOf(request)];
    return path === undefined || url === undefined ? undefined : { path, url: mirrorUrl(url) };
  }

  function mirrorUrl(below: string): string {
    return `/${routes.root}${below}`;
  }

  function* listFiles(
    list: PagedList,
    requestOf: (page: number) => JsonRequest,
  ): Generator<OutputFile> {
    for (const { page, envelope, refs } of pagesOf(list)) {
      const place = placeOf(requestOf(page));
      if (place !== undefined) yield answer(place, envelope, refs, "list");
    }
  }

  /** Pages of a filtered list, cut from those of its index. */
  function filteredList(
    name: FilteredIndex,
    { filters, count, positions }: FilteredList,
  ): PagedList {
    const list = indexes.get(name) as PagedList;
    const { refs } = filterings[name];
    const parameters = parametersOf(filters);
    return {
      refs: () => positions().map((at) => refs[at] as Ref),
      count,
      filtered: true,
      perPage: list.perPage,
      envelope:
        list.envelope &&
        envelopeElsewhere(list.envelope, (url, of) =>
          of === "path" ? url : withFilters(url, parameters, filterLinks),
        ),
      overrides: {},
    };
  }

  function* filterFiles(name: FilteredIndex): Generator<OutputFile> {
    const { index, lists } = filterings[name];
    for (const list of lists.values()) {
      yield* listFiles(filteredList(name, list), (page) => ({
        route: "index",
        index: name,
        page,
        filters: list.filters,
      }));
    }
    yield emptyList(name);
    const text = JSON.stringify(index);
    yield { path: routes.filterIndexOf(name), key: keyOf(text), content: () => text };
  }

  /** The list for filters that leave nothing: its links lead to itself, as nothing tells which filters they are. */
  function emptyList(name: FilteredIndex): OutputFile {
    const path = routes.emptyFileOf(name);
    const self = keyOf("itself", path);
    const none = filteredList(name, { filters: {}, count: 0, positions: () => [] });
    const [{ envelope } = { envelope: "{}" }] = pagesOf(none);
    const marked = envelopeElsewhere(envelope, (url, of) => (of === "path" ? url : self));
    return {
      path,
      key: keyOf(settings, "empty", marked, linker.destinations(marked)),
      content: () => linker.rewrite(marked, path).replaceAll(self, linker.hrefOf(path, path)),
    };
  }

  /** Lists of what has no attachments of a kind: the origin answers with an empty one. */
  function* emptyAttachments(parent: Parent): Generator<OutputFile> {
    for (const { id, digest } of snapshot.refs(parent)) {
      const { normal } = snapshot.read(parent, { id, digest });
      for (const kind of mediaKinds) {
        const model = empties.get(`${parent}/${kind}`);
        if (model === undefined || normal.attachments[kind] !== 0) continue;
        if (snapshot.digestOf("attachments", attachmentsId(parent, id, kind))) continue;
        const place = placeOf({ route: "attachments", parent, id, kind, page: 1 });
        if (place === undefined) continue;
        const { path } = place;
        const envelope = model.envelopeOf(id);
        yield {
          ...place,
          // All URLs but those of the model lead to the file itself.
          key: keyOf(settings, "none", path, envelope, model.destinations),
          content: () => linker.rewrite(envelope, path),
        };
      }
    }
  }

  function* imageFiles(ref: Ref): Generator<OutputFile> {
    const { id } = ref;
    const place = placeOf({ route: "single", index: "images", id });
    if (place !== undefined) yield answer(place, "{}", [ref], imageForm);
    const entry = catalogue.media("images", id);
    if (entry === undefined) return;
    for (const { slot, format, blob } of entry.renditions) {
      const request = { route: "binary", id, scaling: scalingOfSlot(slot) } as const;
      const url = format === "jpeg" ? routes.pathOf(request) : undefined;
      const path = routes.fileOfImage(id, slot, format);
      const linked = routes.linkedFileOfImage(id, slot, format);
      yield { path, blob, url: url === undefined ? undefined : mirrorUrl(url) };
      if (linked !== path) yield { path: linked, blob };
    }
    const original = catalogue.originalPath(entry);
    const download = routes.pathOf({ route: "download", id });
    if (original !== undefined && download !== undefined) {
      const ending = mediaEnding(entry.original.extension);
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
      yield { path: original, blob: entry.original.blob, url: mirrorUrl(download) };
    }
  }

  yield { path: ".nojekyll", key: keyOf(settings, "empty"), content: () => "" };
  yield {
    path: `${routes.root}/404.json`,
    key: keyOf(settings, "not found"),
    content: () => notFoundBody,
  };
  for (const [index, list] of indexes) {
    if (index === "categories" || index === "tags") {
      yield* listFiles(list, () => ({ route: "all", index }));
    } else yield* listFiles(list, (page) => ({ route: "index", index, page }));
    // At once, while what its objects say of their keys is in memory.
    if (index === "articles" || index === "galleries") yield* filterFiles(index);
  }
  for (const index of ["articles", "galleries"] as const) {
    for (const ref of snapshot.refs(`${index}.single`)) {
      const place = placeOf({ route: "single", index, id: ref.id });
      if (place !== undefined) yield answer(place, "{}", [ref], wholeForm);
    }
  }
  for (const ref of shownOf("images", snapshot.refs("images"))) yield* imageFiles(ref);
  for (const ref of shownOf("images", snapshot.refs("images.attached"))) {
    if (snapshot.find("images", "images", ref.id) === undefined) yield* imageFiles(ref);
  }
  for (const { id: listId } of snapshot.refs("attachments")) {
    const { parent, id, kind } = parseAttachmentsId(listId);
    const list = attachmentList(parent, id, kind);
    if (list === undefined) continue;
    yield* listFiles(list, (page) => ({ route: "attachments", parent, id, kind, page }));
  }
  yield* emptyAttachments("articles");
  yield* emptyAttachments("galleries");
  const descriptionPath = `${routes.root}/${descriptionFile}`;
  for (const [index, { envelope, ...rest }] of Object.entries(
    snapshot.manifest.learned?.behind ?? {},
  )) {
    description.behind ??= {};
    description.behind[index] =
      envelope === undefined
        ? rest
        : { ...rest, envelope: linker.rewrite(envelope, descriptionPath) };
  }
  description.linked = yield* linkedFiles(catalogue);
  description.originals = [...endings].sort(([, a], [, b]) => b - a).map(([ending]) => ending);
  const described = `${JSON.stringify(description, null, 1)}\n`;
  yield {
    path: descriptionPath,
    key: keyOf(described),
    content: () => described,
  };
}

/** What the mirror says of itself, but for its originals. */
function describeMirror(
  { routes, snapshot }: Pick<Catalogue, "routes" | "snapshot">,
  { origin, mirror, site, media }: MirrorConfig,
): MirrorDescription {
  const { web, thumbs, quality, limitPixels } = media;
  return {
    stillpress: 1,
    rules: routes.rules,
    links: mirror.links,
    url: site.url,
    filterLinks: snapshot.manifest.learned?.filterLinks,
    tagMatch: origin.tagMatch === "auto" ? (snapshot.manifest.tagMatch ?? "any") : origin.tagMatch,
    media: { web, thumbs, quality, limitPixels },
    originals: [],
    answers: "files",
  };
}

/** A list, or how the answer for one object is made of what is stored. */
type Form = "list" | { key: string; write: (raw: string) => string };

/** The object as it is stored, wrapped as the API document says. */
const wrapped: SingleForm = { around: { envelope: '{"data":null}', member: "data" }, times: null };

function formOf(single: SingleForm): Form {
  return { key: JSON.stringify(single), write: singleWriter(single) };
}

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

function lastPageOf({ count, perPage }: Pick<PagedList, "count" | "perPage">): number {
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
