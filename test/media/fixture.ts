import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { createLinkBook, type LinkBook } from "../../src/api/links.ts";
import { type Config, ConfigSchema, recheckOf } from "../../src/config.ts";
import { runCrawl } from "../../src/crawl/crawl.ts";
import { Collection } from "../../src/demo/collection.ts";
import type { Article, Content, Gallery, Image, MediaFile } from "../../src/demo/model.ts";
import type { OriginOptions } from "../../src/demo/options.ts";
import { turnAfter } from "../../src/lib/turns.ts";
import type { MediaOptions } from "../../src/media/context.ts";
import { type MediaResult, runMedia } from "../../src/media/media.ts";
import { createRoutes } from "../../src/routes/table.ts";
import type { SnapshotManifest } from "../../src/store/snapshots.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { type Origin, startOrigin } from "../support/origin.ts";

export const id = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const day = (number: number): number => Date.UTC(2024, 0, 1) + number * 86_400_000;

export function picture(number: number, width = 240, height = 160): Promise<Buffer> {
  const background = { r: (number * 67) % 256, g: (number * 131) % 256, b: 90 };
  return sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

export async function imageOf(
  number: number,
  bytes: Buffer,
  more: Partial<Image> = {},
): Promise<Image> {
  const unknown = { width: 240, height: 160 };
  const size =
    bytes.length === 0
      ? unknown
      : await sharp(bytes)
          .metadata()
          .catch(() => unknown);
  return {
    id: id(number),
    organisationId: id(0),
    title: `Picture ${number}`,
    caption: "",
    width: size.width,
    height: size.height,
    filesize: bytes.length,
    mime: "image/jpeg",
    meta: {},
    private: false,
    createdAt: day(number),
    read: async () => bytes,
    ...more,
  };
}

export function fileOf(number: number, mime: string, bytes: Buffer): MediaFile {
  return {
    id: id(number),
    organisationId: id(0),
    title: `File ${number}`,
    caption: "",
    filesize: bytes.length,
    mime,
    seconds: 3,
    createdAt: day(number),
    read: async () => bytes,
  };
}

export function articleOf(number: number, images: string[]): Article {
  return {
    id: id(number),
    organisationId: id(0),
    title: `Article ${number}`,
    slug: `article-${number}`,
    synopsis: "",
    publishedAt: day(number),
    createdAt: day(number),
    categoryId: id(1),
    tags: [],
    images,
    videos: [],
    documents: [],
    audio: [],
    rating: { average: 0, count: 0 },
    body: "<p>Text</p>",
  };
}

interface Parts {
  images?: Image[];
  articles?: Article[];
  videos?: MediaFile[];
  documents?: MediaFile[];
  audio?: MediaFile[];
}

function contentOf({
  images = [],
  articles = [],
  videos = [],
  documents = [],
  audio = [],
}: Parts): Content {
  return {
    articles: new Collection(articles),
    neighbours: new Collection<Article>([]),
    galleries: new Collection<Gallery>([]),
    images: new Collection(images),
    videos: new Collection(videos),
    documents: new Collection(documents),
    audio: new Collection(audio),
    categories: [{ id: id(1), title: "News", slug: "news", order: 0 }],
    tags: [],
  };
}

export async function pictures(count: number): Promise<Image[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, n) => imageOf(100 + n, await picture(n))),
  );
}

/** The start of a sound. */
export function wav(): Buffer {
  return Buffer.from("RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0", "latin1");
}

/** What a test may set of a run of the stage. */
type RunSettings = Partial<Pick<MediaOptions, "links" | "signal" | "drainMs" | "reporter">> & {
  token?: string;
  /** How many nights were before this one. */
  round?: number;
};

/** An origin and a store, new for each test, and the stage between them. */
export interface Stage {
  readonly store: Store;
  /** Of the store. */
  readonly folder: string;
  readonly origin: Origin;
  start(parts: Parts, options?: Partial<OriginOptions>): Promise<Origin>;
  /** Sections of the configuration; its origin is the one that was started. */
  configOf(settings?: Record<string, object>): Config;
  crawl(config: Config, links?: LinkBook): Promise<SnapshotManifest>;
  /** Runs the stage; the origin's log of requests begins with it. */
  media(config: Config, manifest: SnapshotManifest, more?: RunSettings): Promise<MediaResult>;
  /** Paths of binaries that were requested, without queries. */
  downloads(): string[];
  /** URLs of all other requests. */
  listings(): string[];
}

export function useStage(): Stage {
  let folder: string;
  let store: Store;
  let origin: Origin | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "stillpress-media-"));
    store = openStore(folder);
  });
  afterEach(async () => {
    await origin?.close();
    origin = undefined;
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function running(): Origin {
    if (origin === undefined) throw new Error("no origin was started");
    return origin;
  }

  /** The tools of one run, as the command makes them; only the waits before another attempt are shorter. */
  function tools(config: Config, token = running().tokens.organisation) {
    const limits = { firstDelayMs: 25 };
    return {
      config,
      client: createClient({ config, token, limits }),
      routes: createRoutes(config),
      store,
    };
  }

  const urls = (): string[] => running().requests.map(({ url }) => url);

  return {
    get store() {
      return store;
    },
    get folder() {
      return folder;
    },
    get origin() {
      return running();
    },
    async start(parts, options = {}) {
      origin = await startOrigin({ content: contentOf(parts), ...options });
      return origin;
    },
    configOf: (settings = {}) =>
      ConfigSchema.parse({
        ...settings,
        origin: {
          baseUrl: running().baseUrl,
          rate: { requests: 10_000, perSeconds: 1 },
          ...settings.origin,
        },
      }),
    async crawl(config, links = createLinkBook()) {
      const kit = tools(config);
      try {
        return (await runCrawl({ ...kit, links })).manifest;
      } finally {
        await kit.client.close();
      }
    },
    async media(config, manifest, { token, round = 0, ...more } = {}) {
      const kit = tools(config, token);
      const { to } = turnAfter(0, recheckOf(config.crawl).share);
      const turn = { from: round * to, to: (round + 1) * to };
      running().requests.length = 0;
      try {
        return await runMedia({ ...kit, manifest, turn, links: createLinkBook(), ...more });
      } finally {
        await kit.client.close();
      }
    },
    downloads: () =>
      urls()
        .map((url) => url.split("?")[0] as string)
        .filter((path) => path.endsWith("/download")),
    listings: () => urls().filter((url) => !url.includes("/download")),
  };
}
