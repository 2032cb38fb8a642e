import type { Catalogue } from "../catalogue/catalogue.ts";
import { itemKinds } from "../catalogue/visibility.ts";
import type { Config } from "../config.ts";
import { cached } from "../lib/cached.ts";
import { keyOf } from "../lib/digest.ts";
import { mostFrequentFirst } from "../lib/frequency.ts";
import type { OutputFile } from "../lib/output.ts";
import { descriptionFile, type MirrorDescription, notFoundBody } from "../routes/description.ts";
import { folderOf } from "../routes/filters.ts";
import type { Behind } from "../routes/learned.ts";
import { mediaEnding } from "../routes/site.ts";
import { scalingOfSlot } from "../routes/slots.ts";
import { type IndexName, mediaKinds, parents } from "../routes/table.ts";
import { attachmentsId, parseAttachmentsId } from "../store/records.ts";
import type { Ref } from "../store/snapshots.ts";
import { type Answers, createAnswers } from "./answers.ts";
import type { PagesOf } from "./destinations.ts";
import { type EmptyModel, emptyAttachments, emptyModels } from "./empty-attachments.ts";
import { filterFiles, filterIndex } from "./filtered.ts";
import { createLinker } from "./links.ts";
import { openApiFiles } from "./openapi.ts";
import { attachmentList, lastPageOf, type PagedList } from "./paged-lists.ts";

type MirrorConfig = Pick<Config, "origin" | "site" | "mirror" | "media">;

type MirrorLists = ReturnType<typeof openLists>;

/**
 * Files of the API mirror: every stored answer as the origin wrote it, with its URLs leading into the archive; the
 * renditions and originals of images; `.nojekyll` for hosts that would hide files otherwise.
 *
 * What may not be shown appears nowhere: neither in lists, whose totals are then counted anew, nor by a URL.
 * Objects are read one page at a time; beside the catalogue, memory holds caches of limited size.
 *
 * A file's key covers its objects by digest, its envelope, and where each URL in them leads: other objects, media and
 * settings can change nothing else about it.
 */
export function* mirrorFiles(catalogue: Catalogue, config: MirrorConfig): Generator<OutputFile> {
  const { snapshot } = catalogue;
  const { root } = catalogue.routes;
  const description = describeMirror(catalogue, config);
  const lists = openLists(catalogue, config, description.tagMatch);
  const linker = createLinker(catalogue, config, pageCounter(lists));
  // The linker reads this map, and the models need the linker.
  if (config.mirror.emptyLists) {
    for (const [name, model] of emptyModels(catalogue, linker)) lists.empties.set(name, model);
  }
  const settings = keyOf("mirror", config.mirror.links, config.site.url, root);
  const answers = createAnswers(catalogue, linker, settings);

  yield { path: ".nojekyll", key: () => keyOf(settings, "empty"), content: () => "" };
  const notFound = () => keyOf(settings, "not found");
  yield { path: `${root}/404.json`, key: notFound, content: () => notFoundBody };
  yield* indexFiles(lists, answers);
  for (const parent of parents) {
    answers.know([`${parent}.single`]);
    for (const ref of snapshot.refs(`${parent}.single`)) yield* answers.single(parent, ref);
  }
  answers.know(mediaKinds.flatMap((kind) => [kind, `${kind}.unlisted`] as const));
  description.originals = yield* imageFiles(catalogue, answers);
  for (const { id: listId } of snapshot.refs("attachments")) {
    const { parent, id, kind } = parseAttachmentsId(listId);
    const list = attachmentList(catalogue, listId);
    const requestOf = (page: number) => ({ route: "attachments", parent, id, kind, page }) as const;
    if (list !== undefined) yield* answers.pages(list, requestOf);
  }
  for (const parent of parents) {
    yield* emptyAttachments(catalogue, parent, lists.empties, answers);
  }
  yield* openApiFiles(catalogue, answers, config);
  const path = `${root}/${descriptionFile}`;
  description.behind = behindOf(catalogue, answers, path);
  description.linked = yield* linkedFiles(catalogue);
  const text = `${JSON.stringify(description, null, 1)}\n`;
  yield { path, key: () => keyOf(text), content: () => text };
}

function openLists(catalogue: Catalogue, config: MirrorConfig, tagMatch: "any" | "all") {
  const indexes = new Map<IndexName, PagedList>();
  for (const name of itemKinds) {
    const list = catalogue.snapshot.list(name);
    if (list) indexes.set(name, { ...list, refs: () => catalogue.snapshot.refs(name) });
  }
  const filterings = {
    articles: filterIndex("articles", catalogue, config, tagMatch),
    galleries: filterIndex("galleries", catalogue, config, tagMatch),
  };
  /** How attachment endpoints answer without items, by `parent/kind`. */
  const empties = new Map<string, EmptyModel>();
  return { catalogue, indexes, filterings, empties };
}

function pageCounter({ catalogue, indexes, filterings, empties }: MirrorLists): PagesOf {
  // The lists of all kinds of an item come in a row.
  const countsOf = cached(16, (key: string) => {
    const { parent, id } = parseAttachmentsId(key);
    return catalogue.snapshot.find(parent, parent, id)?.normal.attachments;
  });
  const pagesOfAttachments = cached(256, (key: string) => {
    const list = attachmentList(catalogue, key);
    if (list !== undefined) return lastPageOf(list);
    const { parent, id, kind } = parseAttachmentsId(key);
    const counts = countsOf(attachmentsId(parent, id, "images"));
    return counts?.[kind] === 0 && empties.has(`${parent}/${kind}`) ? 1 : 0;
  });
  return (request) => {
    if (request.route === "attachments") {
      return pagesOfAttachments(attachmentsId(request.parent, request.id, request.kind));
    }
    const { index, filters } = request;
    const list = indexes.get(index);
    if (list === undefined) return 0;
    if (filters === undefined) return lastPageOf(list);
    if (index !== "articles" && index !== "galleries") return 0;
    const filtered = filterings[index].lists.get(folderOf(filters));
    return filtered === undefined ? 0 : lastPageOf({ ...filtered, perPage: list.perPage });
  };
}

function* indexFiles(
  { catalogue, indexes, filterings }: MirrorLists,
  answers: Answers,
): Generator<OutputFile> {
  for (const [index, list] of indexes) {
    answers.know([index]);
    if (index === "categories" || index === "tags") {
      yield* answers.pages(list, () => ({ route: "all", index }));
    } else yield* answers.pages(list, (page) => ({ route: "index", index, page }));
    // Now, while the keys of its objects are known.
    if (index === "articles" || index === "galleries") {
      yield* filterFiles(filterings[index], list, catalogue, answers);
    }
  }
}

/**
 * Objects, renditions and originals of the images that may be shown. Returns the endings of the originals' names,
 * the most frequent first.
 */
function* imageFiles(catalogue: Catalogue, answers: Answers): Generator<OutputFile, string[]> {
  const { routes } = catalogue;
  const endings: string[] = [];
  for (const ref of shownImages(catalogue)) {
    yield* answers.single("images", ref);
    const { id } = ref;
    const entry = catalogue.media("images", id);
    if (entry === undefined) continue;
    for (const { slot, format, blob } of entry.renditions) {
      const path = routes.fileOfImage(id, slot, format);
      const request = { route: "binary", id, scaling: scalingOfSlot(slot) } as const;
      yield { path, blob, url: format === "jpeg" ? answers.urlOf(request) : undefined };
      const linked = routes.linkedFileOfImage(id, slot, format);
      if (linked !== path) yield { path: linked, blob };
    }
    const path = catalogue.originalPath(entry);
    if (path === undefined) continue;
    const { blob, extension } = entry.original;
    endings.push(mediaEnding(extension));
    yield { path, blob, url: answers.urlOf({ route: "download", id }) };
  }
  return mostFrequentFirst(endings);
}

function* shownImages({ snapshot }: Catalogue): Generator<Ref> {
  yield* snapshot.refs("images");
  for (const ref of snapshot.refs("images.unlisted")) {
    if (snapshot.digestOf("images", ref.id) === undefined) yield ref;
  }
}

/** Videos, documents and audio files at the paths of their links. Returns the endings of their names. */
function* linkedFiles({ links, routes }: Catalogue): Generator<OutputFile, string[]> {
  const endings: string[] = [];
  for (const { path, blob, below, name } of links) {
    endings.push(path.slice(path.lastIndexOf("/index") + "/index".length));
    yield { path, blob, url: `/${routes.root}${below}`, name };
  }
  return mostFrequentFirst(endings);
}

function describeMirror(
  { routes, snapshot }: Catalogue,
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

/** How the origin answers behind the last page of an index, its links as the file at `path` writes them. */
function behindOf({ snapshot }: Catalogue, { linker }: Answers, path: string) {
  const learned = Object.entries(snapshot.manifest.learned?.behind ?? {});
  const behind = learned.map(([index, { status, envelope }]): [string, Behind] => {
    return [index, { status, envelope: envelope && linker.rewrite(envelope, path) }];
  });
  return behind.length === 0 ? undefined : Object.fromEntries(behind);
}
