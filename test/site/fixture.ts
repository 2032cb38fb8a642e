import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterEach } from "vitest";
import { type Catalogue, openCatalogue } from "../../src/catalogue/catalogue.ts";
import { type Config, ConfigSchema } from "../../src/config.ts";
import type { OutputFile, RenderedFile } from "../../src/lib/output.ts";
import { createRoutes, type MediaKind } from "../../src/routes/table.ts";
import { openSite, renderSite } from "../../src/site/render.ts";
import { loadTemplates } from "../../src/site/templates.ts";
import type { ListName } from "../../src/store/list-names.ts";
import type { MediaEntry, Rendition } from "../../src/store/media.ts";
import { attachmentsRaw } from "../../src/store/reader.ts";
import { attachmentsId, type ItemCollection, normalise } from "../../src/store/records.ts";
import type { Ref, SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { putBlob } from "../support/blob.ts";

/** Base address of the API that fixtures pretend to be crawled from. */
export const api = "https://media.example.org/api/v1";

/** Objects as the API gives them; what is left out becomes a harmless default. */
export interface Content {
  articles?: ArticleInput[];
  galleries?: GalleryInput[];
  images?: ImageInput[];
  files?: FileInput[];
  categories?: Record<string, unknown>[];
  tags?: Record<string, unknown>[];
  problems?: SnapshotManifest["problems"];
  proof?: SnapshotManifest["proof"];
  complete?: boolean;
  time?: string;
}

export interface ArticleInput extends Record<string, unknown> {
  id: string;
  body?: string | null;
  images?: string[];
  videos?: string[];
  documents?: string[];
  audio?: string[];
}

export interface GalleryInput extends Record<string, unknown> {
  id: string;
  images?: string[];
  videos?: string[];
  audio?: string[];
}

export interface ImageInput extends Record<string, unknown> {
  id: string;
  /** In the public index, known to be private, or attached only. */
  state?: "public" | "private" | "attached";
  /** Pixels of the original. */
  size?: [width: number, height: number];
  /** False where the store holds no file of it. */
  kept?: boolean;
  /** Whether its original could not be decoded. */
  bare?: boolean;
  /** Whether the origin has no file of it. */
  absent?: boolean;
  thumbHash?: string;
  /** Whether it has a moving rendition. */
  moves?: boolean;
}

export interface FileInput extends Record<string, unknown> {
  id: string;
  kind: "videos" | "documents" | "audio";
  /** What the file says of itself. */
  movie?: { width?: number; height?: number; seconds?: number };
  /** Blob of a frame that stands for a video. */
  still?: string;
  type?: string;
  extension?: string;
  kept?: boolean;
}

export interface Archive {
  store: Store;
  catalogue: Catalogue;
  config: Config;
  files(templates?: string): OutputFile[];
  /** HTML of one page. */
  page(path: string): string;
  /** Keys of all rendered files by path. */
  keys(): Map<string, string>;
  close(): void;
}

type Settings = { site?: Partial<Config["site"]>; origin?: object; media?: object };

export function configOf(settings: Settings = {}): Config {
  return ConfigSchema.parse({
    hosts: [],
    ...settings,
    origin: { baseUrl: api, ...settings.origin },
  });
}

/** `createArchive`, for archives that are closed after each test. */
export function closedArchives(): typeof createArchive {
  const open: Archive[] = [];
  afterEach(() => {
    for (const archive of open.splice(0)) archive.close();
  });
  return (content, settings) => {
    const archive = createArchive(content, settings);
    open.push(archive);
    return archive;
  };
}

/** A real store with one snapshot of the content, and its catalogue. */
export function createArchive(content: Content, settings: Settings = {}): Archive {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-site-"));
  const store = openStore(folder);
  const config = configOf(settings);
  const routes = createRoutes(config);
  const manifest = fill(store, content);
  const catalogue = openCatalogue(store.reader(manifest), store.media, routes, config);
  const files = (templates?: string): OutputFile[] => [
    ...renderSite(openSite({ catalogue, config }, loadTemplates(templates))),
  ];
  return {
    store,
    catalogue,
    config,
    files,
    page(path) {
      const found = files().find((file) => file.path === path);
      if (found === undefined || !("content" in found)) throw new Error(`no page ${path}`);
      return String(found.content());
    },
    keys: () =>
      new Map(files().flatMap((file) => ("key" in file ? [[file.path, file.key()]] : []))),
    close() {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fill(store: Store, content: Content): SnapshotManifest {
  const lists = new Map<ListName, Ref[]>();
  const add = (list: ListName, ref: Ref): void => {
    const refs = lists.get(list);
    if (refs === undefined) lists.set(list, [ref]);
    else refs.push(ref);
  };
  const put = (collection: ItemCollection, object: object): Ref => {
    const result = normalise(collection, object, "auto");
    if ("error" in result) throw new Error(result.error);
    const raw = JSON.stringify(object);
    const digest = store.objects.put(collection, result.id, result.normal, raw);
    return { id: result.id, digest };
  };
  const known: Record<MediaKind, Map<string, Ref>> = {
    images: new Map(),
    videos: new Map(),
    documents: new Map(),
    audio: new Map(),
  };
  const attach = (parent: "articles" | "galleries", id: string, input: object): void => {
    for (const kind of ["images", "videos", "documents", "audio"] as const) {
      const ids = (input as Partial<Record<MediaKind, string[]>>)[kind] ?? [];
      if (ids.length === 0) continue;
      const items = ids.flatMap((one): [string, string][] => {
        const ref = known[kind].get(one);
        return ref === undefined ? [] : [[ref.id, ref.digest]];
      });
      const name = attachmentsId(parent, id, kind);
      const raw = attachmentsRaw({ perPage: 20, envelope: "{}", overrides: {} });
      const digest = store.objects.put(
        "attachments",
        name,
        { parent, parentId: id, kind, items },
        raw,
      );
      add("attachments", { id: name, digest });
    }
  };

  for (const {
    state = "public",
    size = [1600, 1200] as [number, number],
    kept = true,
    bare = false,
    absent = false,
    thumbHash,
    moves = false,
    ...image
  } of content.images ?? []) {
    const ref = put("images", {
      title: `Image ${image.id}`,
      caption: "",
      dimensions: { width: size[0], height: size[1] },
      filesize: 1000,
      meta: {},
      links: { view: `https://media.example.org/view/images/${image.id}` },
      created_at: "2024-01-01T00:00:00Z",
      ...image,
    });
    known.images.set(image.id, ref);
    if (state === "public") add("images", ref);
    else add(state === "private" ? "images.private" : "images.unlisted", ref);
    const entry = { ...imageEntry(image.id, ref.digest, size), thumbHash };
    if (moves) {
      const [still] = entry.renditions as [Rendition];
      entry.renditions.push({
        ...still,
        slot: "animation",
        format: "webp",
        width: 300,
        height: Math.round((300 * size[1]) / size[0]),
      });
    }
    const { width: _, height: __, ...undecoded } = entry.original;
    if (kept) store.media.put(bare ? { ...entry, original: undecoded, renditions: [] } : entry);
    if (absent) {
      const { id, digest: record } = ref;
      store.media.putAbsence("images", id, { record, reason: "404", asked: true });
    }
  }
  for (const {
    kind,
    type,
    extension = "pdf",
    kept = true,
    movie,
    still,
    ...file
  } of content.files ?? []) {
    const ref = put(kind, {
      title: `File ${file.id}`,
      filesize: 2048,
      links: { download: `${api}/${kind}/${file.id}/download` },
      ...file,
    });
    known[kind].set(file.id, ref);
    add(kind, ref);
    if (!kept) continue;
    const bytes = Buffer.from(`the bytes of ${file.id}`);
    store.media.put({
      kind,
      id: file.id,
      record: ref.digest,
      recipe: "-",
      original: {
        blob: putBlob(store, bytes),
        bytes: bytes.length,
        type: type ?? "application/pdf",
        extension,
        ...movie,
      },
      renditions: still
        ? [{ slot: "web", format: "jpeg", blob: still, bytes: 1, width: 640, height: 360 }]
        : [],
    });
  }
  for (const category of content.categories ?? []) add("categories", put("categories", category));
  for (const tag of content.tags ?? []) add("tags", put("tags", tag));
  for (const { body, images, videos, documents, audio, ...article } of content.articles ?? []) {
    const index = {
      title: `Article ${article.id}`,
      slug: `article-${article.id}`,
      synopsis: "",
      published_at: "2024-05-02T10:00:00Z",
      created_at: "2024-05-01T10:00:00Z",
      category: null,
      tags: [],
      links: { view: `https://media.example.org/view/articles/${article.id}` },
      attachments: counts({ images, videos, documents, audio }),
      ...article,
    };
    add("articles", put("articles", index));
    if (body !== null) add("articles.single", put("articles.single", { ...index, body }));
    attach("articles", article.id, { images, videos, documents, audio });
  }
  for (const { images, videos, audio, ...gallery } of content.galleries ?? []) {
    const index = {
      title: `Gallery ${gallery.id}`,
      slug: `gallery-${gallery.id}`,
      published_at: "2024-04-02T10:00:00Z",
      created_at: "2024-04-01T10:00:00Z",
      links: { view: `https://media.example.org/view/galleries/${gallery.id}` },
      attachments: counts({ images, videos, audio }),
      ...gallery,
    };
    add("galleries", put("galleries", index));
    attach("galleries", gallery.id, { images, videos, audio });
  }
  store.sync();
  const saved = [...lists].map(([name, refs]) => {
    return [name, store.snapshots.saveList({ refs, perPage: 20, envelope: null, overrides: {} })];
  });
  return store.snapshots.commit({
    time: content.time ?? "2024-06-01T04:00:00.000Z",
    origin: api,
    complete: content.complete ?? true,
    lists: Object.fromEntries(saved),
    proof: content.proof ?? [
      {
        list: "articles",
        collected: content.articles?.length ?? 0,
        expected: content.articles?.length ?? 0,
        pages: 1,
        passes: 1,
        agreed: true,
      },
    ],
    problems: content.problems ?? [],
  }).manifest;
}

function counts(lists: Record<string, string[] | undefined>): Record<string, number> {
  return Object.fromEntries(Object.entries(lists).map(([kind, ids]) => [kind, ids?.length ?? 0]));
}

/** An entry with the usual renditions; its blobs are only names. */
function imageEntry(id: string, record: string, [width, height]: [number, number]): MediaEntry {
  const rendition = (slot: string, w: number, h: number): Rendition[] =>
    (["jpeg", "webp"] as const).map((format) => ({
      slot,
      format,
      blob: `${id}-${slot}-${format}`,
      bytes: w * h,
      width: w,
      height: h,
    }));
  const scaled = (w: number): [number, number] => [w, Math.round((w * height) / width)];
  return {
    kind: "images",
    id,
    record,
    recipe: "-",
    original: { blob: id, bytes: 4321, type: "image/jpeg", extension: "jpg", width, height },
    renditions: [
      ...rendition("web", ...scaled(Math.min(1600, width))),
      ...[320, 640, 960, 1280]
        .filter((w) => w < width)
        .flatMap((w) => rendition(`width/${w}`, ...scaled(w))),
      ...rendition("thumb/square", 300, 300),
      ...rendition("thumb/landscape", 400, 300),
    ],
  };
}

/** By what they are made of: the pictures of a site are few. */
const plainPictures = new Map<string, Promise<Buffer>>();

function plainPicture(format: string, width: number, height: number, b: number): Promise<Buffer> {
  const key = [format, width, height, b].join();
  const known = plainPictures.get(key);
  if (known !== undefined) return known;
  const background = { r: width % 200, g: height % 200, b };
  const image = sharp({ create: { width, height, channels: 3, background } });
  const made = (format === "webp" ? image.webp() : image.jpeg()).toBuffer();
  plainPictures.set(key, made);
  return made;
}

/** Writes the site to a folder, with real pictures where the mirror would put them. */
export async function writeSite(archive: Archive, folder: string): Promise<string[]> {
  const paths: string[] = [];
  const write = (path: string, bytes: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
    paths.push(path);
  };
  const { catalogue, store } = archive;
  for (const file of archive.files()) {
    if ("content" in file) write(file.path, file.content());
    else if ("blob" in file) write(file.path, `bytes of ${file.blob}`);
    else if (file.source === undefined) write(file.path, await file.draw("", file.text));
    else write(file.path, await plainPicture("jpeg", 1200, 630, 0));
  }
  for (const list of ["images", "images.unlisted"] as const) {
    for (const { id } of catalogue.snapshot.refs(list)) {
      const entry = store.media.get("images", id);
      if (entry === undefined || !catalogue.shows("images", id)) continue;
      for (const { slot, format, width, height } of entry.renditions) {
        const bytes = await plainPicture(format, width, height, id.length * 9);
        write(catalogue.routes.fileOfImage(id, slot, format), bytes);
      }
      const path = catalogue.originalPath(entry);
      if (path !== undefined) write(path, "original");
    }
  }
  return paths;
}

export function isPage(file: OutputFile): file is RenderedFile {
  return file.path.endsWith(".html");
}
