import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { envelopeForPage, envelopeOf, withData } from "../../src/api/envelope.ts";
import { type Catalogue, openCatalogue } from "../../src/catalogue/catalogue.ts";
import { type Config, ConfigSchema } from "../../src/config.ts";
import { envelope } from "../../src/demo/paging.ts";
import type { OutputFile } from "../../src/lib/output.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { createRoutes, type MediaKind, type Parent, type Routes } from "../../src/routes/table.ts";
import type { ListName } from "../../src/store/list-names.ts";
import { attachmentsRaw } from "../../src/store/reader.ts";
import { attachmentsId, type ItemCollection, normalise } from "../../src/store/records.ts";
import type { ListManifest, Ref } from "../../src/store/snapshots.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { putBlob } from "../support/blob.ts";

export const base = "https://origin.test/api/v1";
const perPage = 2;

/** Ids by what the fixture does with them. */
export const ids = {
  articles: [1, 2, 3, 4, 5].map((n) => uuid("a", n)),
  gallery: uuid("c", 1),
  category: uuid("d", 1),
  /** Public; the last of them could not be had. */
  images: [1, 2, 3].map((n) => uuid("1", n)),
  missingImage: uuid("1", 3),
  /** Attached, but in no index: unproved. */
  unprovedImage: uuid("1", 8),
  privateImage: uuid("1", 9),
  video: uuid("5", 1),
};

export function uuid(kind: string, n: number): string {
  return `${kind.repeat(8)}-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** A small store, as a crawl and a media run would leave it, with what can be asked of it. */
export interface Fixture {
  folder: string;
  store: Store;
  routes: Routes;
  config: Config;
  catalogue(config?: Config): Catalogue;
  /** Output files by path, under the fixture's or another configuration. */
  files(config?: Config): Map<string, OutputFile>;
  /** Changes an object of the store and commits another snapshot. */
  write(list: ListName, objects: object[]): void;
  close(): void;
}

export function makeConfig(sections: Record<string, unknown> = {}): Config {
  return ConfigSchema.parse({ origin: { baseUrl: base }, hosts: [], ...sections });
}

export function makeFixture(sections: Record<string, unknown> = {}): Fixture {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-mirror-"));
  const store = openStore(join(folder, "store"));
  const config = makeConfig(sections);
  const routes = createRoutes(config);
  const lists: Record<string, ListManifest> = {};

  function put(collection: ItemCollection, object: object): Ref {
    const result = normalise(collection, object, "auto");
    if ("error" in result) throw new Error(result.error);
    return {
      id: result.id,
      digest: store.objects.put(collection, result.id, result.normal, JSON.stringify(object)),
    };
  }

  function write(list: ListName, objects: object[], pages = paging(list, objects.length)): void {
    const collection = list.replace(/\.(?:unlisted|private)$/, "") as "articles";
    const refs = objects.map((object) => put(collection, object));
    lists[list] = store.snapshots.saveList({ refs, ...pages });
  }

  function paging(list: string, total: number) {
    const paged = /^(?:articles|galleries|images|videos|documents|audio)$/.test(list);
    return {
      perPage: paged ? perPage : 0,
      envelope: paged ? pageOf(`${base}/${list}`, 1, total) : null,
      overrides: {},
    };
  }

  function attach(parent: Parent, id: string, kind: MediaKind, objects: object[]): Ref {
    const items = objects.map((object) => put(kind, object));
    const url = `${base}/${parent}/${id}/${kind}`;
    const raw = attachmentsRaw({
      perPage,
      envelope: pageOf(url, 1, items.length),
      // A page that does not follow from the first, as after an origin's own mistake.
      overrides:
        items.length > 2 ? { "2": pageOf(url, 2, items.length).replace("{", '{"odd":4.50,') } : {},
    });
    const listId = attachmentsId(parent, id, kind);
    const pairs = items.map((item): [string, string] => [item.id, item.digest]);
    const normal = { parent, parentId: id, kind, items: pairs };
    return { id: listId, digest: store.objects.put("attachments", listId, normal, raw) };
  }

  function commit(): void {
    store.sync();
    store.snapshots.commit({
      time: "2024-05-02T01:00:00.000Z",
      origin: base,
      complete: true,
      lists: { ...lists },
      proof: [],
      problems: [],
    });
  }

  const [first = "", second = ""] = ids.articles;
  write(
    "articles",
    ids.articles.map((id, at) => article(id, at)),
  );
  write(
    "articles.single",
    ids.articles.map((id, at) => ({ ...article(id, at), body: body(at) })),
  );
  write("galleries", [gallery()]);
  write("galleries.single", [gallery()]);
  write("images", ids.images.map(image));
  write("images.private", [image(ids.privateImage)]);
  write("images.unlisted", [image(ids.unprovedImage)]);
  write("videos", [video()]);
  write("categories", [
    { id: ids.category, title: "News", slug: "news", order: 0, articles_count: 5 },
  ]);
  write("tags", [{ title: "Zoo", slug: "zoo", created_at: null, "10": "a", "2": "b" }]);
  const attachments = [
    attach("articles", first, "images", ids.images.map(image)),
    attach("articles", first, "videos", [video()]),
    attach("articles", second, "images", [ids.unprovedImage, ...ids.images].map(image)),
    attach("galleries", ids.gallery, "images", [image(ids.privateImage)]),
  ];
  lists.attachments = store.snapshots.saveList({
    refs: attachments,
    perPage: 0,
    envelope: null,
    overrides: {},
  });
  commit();
  for (const id of [...ids.images, ids.unprovedImage, ids.privateImage]) {
    if (id !== ids.missingImage) putMedia(store, id);
  }
  store.media.put({
    kind: "videos",
    id: ids.video,
    record: "",
    recipe: "",
    original: {
      blob: putBlob(store, Buffer.from("video")),
      bytes: 5,
      type: "video/mp4",
      extension: "mp4",
    },
    renditions: [],
  });

  const catalogue = (chosen = config): Catalogue => {
    const manifest = store.snapshots.latest();
    if (manifest === undefined) throw new Error("no snapshot");
    return openCatalogue(store.reader(manifest), store.media, createRoutes(chosen), chosen);
  };
  return {
    folder,
    store,
    routes,
    config,
    catalogue,
    files(chosen = config) {
      const files = new Map<string, OutputFile>();
      for (const file of mirrorFiles(catalogue(chosen), chosen)) {
        if (files.has(file.path)) throw new Error(`twice: ${file.path}`);
        files.set(file.path, file);
      }
      return files;
    },
    write(list, objects) {
      write(list, objects);
      commit();
    },
    close() {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Content of a rendered file, parsed. */
export function jsonOf(files: Map<string, OutputFile>, path: string): Json {
  const file = files.get(path);
  if (file === undefined || !("content" in file)) throw new Error(`no file ${path}`);
  return JSON.parse(String(file.content()));
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of any shape
export type Json = any;

/** Raw envelope that an origin with Laravel's paginator has for a page. */
function pageOf(path: string, page: number, total: number): string {
  const model = envelope([], total, {
    path,
    query: new URLSearchParams(),
    pageSize: perPage,
  });
  const target = { page, perPage, total, count: Math.min(perPage, total - perPage * (page - 1)) };
  return envelopeForPage(envelopeOf(withData(JSON.stringify(model), [])), target);
}

export function article(id: string, at: number) {
  return {
    id,
    title: `Article ${at}`,
    slug: `article-${at}`,
    published_at: "2024-05-02T10:00:00.000000Z",
    created_at: "2024-05-01T10:00:00.000000Z",
    links: { view: `https://origin.test/view/articles/article-${at}`, thumbnail: thumbnailFor(at) },
    attachments: { images: 1 },
  };
}

/** The third article's thumbnail is an unproved image, the fourth's could not be had. */
function thumbnailFor(at: number): unknown {
  const of = (id: string | undefined): string => `${base}/images/${id}.jpg?thumb=1`;
  if (at === 2) return { square: of(ids.unprovedImage) };
  if (at === 3) return of(ids.missingImage);
  return at === 0 ? of(ids.images[0]) : null;
}

export function body(at: number): string {
  if (at !== 0) return "<p>Text without links / and a slash.</p>";
  const [one, two] = ids.images;
  return [
    `<p>See <a href="https://origin.test/view/articles/article-1#part">the next</a>, https://origin.test/view/articles/article-4.`,
    `<img src="${base}/images/${one}.jpg?width=640&amp;height=2" alt="a &quot;b&quot;">`,
    `<img src='/api/v1/images/${two}.jpg' srcset="${base}/images/${two}.jpg?width=320 1x, ${base}/images/${two}.jpg?width=9000 2x">`,
    `<img src="${base}/images/${ids.unprovedImage}.jpg">`,
    `<a href="https://origin.test/view/images/${ids.privateImage}">p</a>`,
    `<img src="${base}/images/${ids.missingImage}.jpg?width=5">`,
    `<a style="background:url(${base}/images/${one}/download)" href="https://elsewhere.test/?a=1&amp;b=2">x</a></p>`,
    `<a href="${base}/articles?page=99">gone</a> <a href="${base}/articles/${ids.articles[1]}">api</a>`,
    `<video src="${base}/videos/${ids.video}/download"></video>`,
  ].join("\n");
}

export function gallery() {
  return {
    id: ids.gallery,
    title: "Gallery",
    slug: "gallery",
    links: { view: "https://origin.test/view/galleries/gallery", thumbnail: null },
    attachments: { images: 1 },
  };
}

export function image(id: string) {
  const url = `${base}/images/${id}`;
  return {
    id,
    title: "Image",
    dimensions: { width: 1000, height: 500 },
    filesize: 10,
    meta: { credit: "A / B" },
    links: {
      view: `https://origin.test/view/images/${id}`,
      thumbnail: {
        square: `${url}.jpg?thumb=1`,
        portrait: `${url}.jpg?orientation=p&thumb=1`,
        landscape: `${url}.jpg?orientation=l&thumb=1`,
      },
      web: `${url}.jpg`,
      download: `${url}/download`,
    },
  };
}

function video() {
  return {
    id: ids.video,
    title: "Video",
    meta: {},
    links: {
      view: "https://origin.test/view/videos/1",
      download: `${base}/videos/${ids.video}/download`,
    },
  };
}

/** An entry with JPEG and WebP of some slots, each a text that says what it stands for. */
export function putMedia(
  store: Store,
  id: string,
  slots = ["web", "thumb/square", "width/320", "width/640"],
): void {
  const text = (name: string): { blob: string; bytes: number } => {
    const bytes = Buffer.from(`${id} ${name}`);
    return { blob: putBlob(store, bytes), bytes: bytes.length };
  };
  store.media.put({
    kind: "images",
    id,
    record: "",
    recipe: "",
    original: {
      ...text("original"),
      type: "image/png",
      extension: "png",
      width: 1000,
      height: 500,
    },
    renditions: slots.flatMap((slot) =>
      (["jpeg", "webp"] as const).map((format) => {
        const width = slot === "web" ? 1000 : Number(/\d+/.exec(slot)?.[0] ?? 300);
        return { slot, format, ...text(`${slot} ${format}`), width, height: width / 2 };
      }),
    ),
  });
}
