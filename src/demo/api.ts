import { type Ask, createLists } from "./lists.ts";
import type { Article, FileKind, Gallery, Image, MediaFile } from "./model.ts";
import {
  articleObject,
  attachedFiles,
  attachedImages,
  categoryObjects,
  type Form,
  fileObject,
  galleryObject,
  imageObject,
  type Source,
  tagObjects,
} from "./objects.ts";
import { envelope, pageOf } from "./paging.ts";

/** Returns the JSON value to answer with; undefined = 404. */
type Handler = (ask: Ask) => unknown;
type FindOwner = (ask: Ask) => Article | Gallery | undefined;

/** The JSON endpoints at the paths that the options give them. */
export function jsonEndpoints(source: Source): [template: string, handler: Handler][] {
  const { content, options, links } = source;
  const { paths, pageSize, attachmentPageSize, imageTimes } = options;
  const lists = createLists(content, options);

  const article = (form: Form) => (one: Article) => articleObject(source, one, form);
  const gallery = (form: Form) => (one: Gallery) => galleryObject(source, one, form);
  const image = (form: Form) => (one: Image) => imageObject(source, one, form);
  const file = (kind: FileKind) => (one: MediaFile) => fileObject(source, one, kind);

  const single =
    <T>(find: (ask: Ask) => T | undefined, write: (item: T) => unknown): Handler =>
    (ask) => {
      const found = find(ask);
      return found && { data: write(found) };
    };
  const pageFor = <T>(
    ask: Ask,
    items: readonly T[],
    write: (item: T) => unknown,
    size = pageSize,
  ) => {
    const request = { ...options, path: links.api(ask.path), query: ask.query, pageSize: size };
    return envelope(pageOf(items, request).map(write), items.length, request);
  };
  const list =
    <T>(find: (ask: Ask) => readonly T[], write: (item: T) => unknown): Handler =>
    (ask) =>
      pageFor(ask, find(ask), write);
  const attached =
    <T>(
      find: FindOwner,
      rows: (owner: Article | Gallery) => readonly T[],
      write: (item: T) => unknown,
    ) =>
    (ask: Ask) => {
      const owner = find(ask);
      return owner && pageFor(ask, rows(owner), write, attachmentPageSize ?? pageSize);
    };
  const imagesOf = (find: FindOwner): Handler =>
    attached(find, (owner) => attachedImages(source, owner), image("index"));
  const filesOf = (find: FindOwner, kind: FileKind): Handler =>
    attached(find, (owner) => attachedFiles(source, owner, kind), file(kind));
  const files = (kind: FileKind): Handler => list(() => content[kind].items, file(kind));

  const endpoints: [template: string | null, handler: Handler][] = [
    ["/articles", list(lists.articles, article("index"))],
    ["/articles/{id}", single(lists.article, article("single"))],
    ["/galleries", list(lists.galleries, gallery("index"))],
    ["/galleries/{id}", single(lists.gallery, gallery("single"))],
    ["/images", list(lists.images, image("index"))],
    ["/categories", (ask) => ({ data: categoryObjects(source, lists.categoryCounts(ask)) })],
    ["/tags", () => ({ data: tagObjects(source, lists.tagCounts()) })],
    [paths.articleImages, imagesOf(lists.article)],
    [paths.articleVideos, filesOf(lists.article, "videos")],
    [paths.articleDocuments, filesOf(lists.article, "documents")],
    [paths.articleAudio, filesOf(lists.article, "audio")],
    [paths.galleryImages, imagesOf(lists.gallery)],
    [paths.galleryVideos, filesOf(lists.gallery, "videos")],
    [paths.galleryAudio, filesOf(lists.gallery, "audio")],
    [paths.image, single(lists.image, image(imageTimes))],
    [paths.videos, files("videos")],
    [paths.documents, files("documents")],
    [paths.audio, files("audio")],
  ];
  return endpoints.filter((one): one is [string, Handler] => one[0] !== null);
}
