import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import {
  type ApiRequest,
  attachmentRoutes,
  createRoutes,
  mediaKinds,
  type Routes,
} from "../../src/routes/table.ts";

const base = "https://origin.test/api/v1";
const id = "7f3c0000-0000-4000-8000-000000000001";

function routesFor(
  origin: Record<string, unknown> = {},
  mirror: Record<string, unknown> = {},
): Routes {
  return createRoutes(ConfigSchema.parse({ origin: { baseUrl: base, ...origin }, mirror }));
}

/** Paths of a service that chose others than the defaults for all it could. */
const odd = {
  articleImages: "/attachments?article={id}&kind=image",
  articleVideos: "/attachments?article={id}&kind=video",
  articleDocuments: "/articles/{id}/media/papers",
  articleAudio: "/sounds/of/{id}",
  galleryImages: "/attachments?gallery={id}&kind=image",
  galleryVideos: "/attachments?kind=a%20b&gallery={id}",
  galleryAudio: "/galleries/{id}.audio",
  image: "/image-records/{id}",
  videos: "/media?type=video",
  documents: "/media?type=a+document",
  audio: "/media/sounds",
};
const tables = {
  default: routesFor(),
  odd: routesFor({ paths: odd }),
  bare: routesFor({ baseUrl: "https://o.test" }),
};

function requestsFor(someId: string, page: number): Exclude<ApiRequest, { route: "binary" }>[] {
  return [
    ...(["articles", "galleries", ...mediaKinds] as const).map(
      (index) => ({ route: "index", index, page }) as const,
    ),
    { route: "all", index: "categories" },
    { route: "all", index: "tags" },
    ...(["articles", "galleries", "images"] as const).map(
      (index) => ({ route: "single", index, id: someId }) as const,
    ),
    ...attachmentRoutes.map(
      ({ parent, kind }) => ({ route: "attachments", parent, kind, id: someId, page }) as const,
    ),
    { route: "download", id: someId },
  ];
}

const anyId = fc.oneof(
  fc.uuid(),
  fc.integer().map(String),
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.constantFrom(
    "..",
    "a/b",
    "a?b=c&d",
    "a%2Fb",
    "#",
    "+",
    "A",
    "ü",
    "index",
    "by",
    "page",
    "con",
  ),
);

describe.each(Object.entries(tables))("the %s route table", (_, routes) => {
  it("finds every request again in the URL it makes", () => {
    fc.assert(
      fc.property(anyId, fc.integer({ min: 1, max: 10_000 }), (someId, page) => {
        // URL parsers take these away as steps in a path.
        fc.pre(someId !== "." && someId !== "..");
        for (const request of requestsFor(someId, page)) {
          const url = routes.urlOf(request);
          if (url !== undefined) expect(routes.resolve(url), url).toEqual(request);
        }
      }),
    );
  });

  it("gives each request a file of its own, whatever its id is", () => {
    fc.assert(
      fc.property(anyId, anyId, (a, b) => {
        const requests = [...requestsFor(a, 1), ...requestsFor(a, 2), ...requestsFor(b, 1)];
        const files = new Map<string, string>();
        for (const request of requests) {
          const file = routes.fileOf(request);
          if (file === undefined) continue;
          expect(file).toMatch(/^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+[A-Za-z0-9._-]*[A-Za-z0-9_-]$/);
          const same = JSON.stringify("page" in request ? request : { ...request, page: 0 });
          expect(files.get(file.toLowerCase()) ?? same).toBe(same);
          files.set(file.toLowerCase(), same);
        }
        // No file stands where a folder must be.
        const names = [...files.keys()];
        for (const name of names)
          expect(names.some((other) => other.startsWith(`${name}/`))).toBe(false);
      }),
    );
  });
});

describe("urlOf", () => {
  it.each<[ApiRequest, string, string]>([
    [{ route: "index", index: "articles", page: 1 }, "/articles", "/articles"],
    [{ route: "index", index: "videos", page: 2 }, "/videos?page=2", "/media?type=video&page=2"],
    [
      { route: "attachments", parent: "articles", id, kind: "images", page: 3 },
      `/articles/${id}/images?page=3`,
      `/attachments?article=${id}&kind=image&page=3`,
    ],
    [{ route: "single", index: "images", id }, `/images/${id}`, `/image-records/${id}`],
    [
      { route: "single", index: "articles", id: "a/b c" },
      "/articles/a%2Fb%20c",
      "/articles/a%2Fb%20c",
    ],
    [{ route: "download", id }, `/images/${id}/download`, `/images/${id}/download`],
  ])("%o → %s, %s", (request, plain, other) => {
    expect(tables.default.urlOf(request)).toBe(base + plain);
    expect(tables.odd.urlOf(request)).toBe(base + other);
  });

  it("knows no URL of an endpoint that the origin does not have", () => {
    const routes = routesFor({ paths: { image: null, videos: null, articleAudio: null } });
    expect(routes.urlOf({ route: "single", index: "images", id })).toBeUndefined();
    expect(routes.urlOf({ route: "index", index: "videos", page: 1 })).toBeUndefined();
    expect(routes.fileOf({ route: "index", index: "videos", page: 1 })).toBeUndefined();
    const audio = { route: "attachments", parent: "articles", id, kind: "audio", page: 1 } as const;
    expect(routes.urlOf(audio)).toBeUndefined();
    expect(routes.fileOf(audio)).toBeUndefined();
    expect(routes.resolve(`${base}/videos`)).toBeUndefined();
  });
});

describe("fileOf", () => {
  it.each<[Exclude<ApiRequest, { route: "binary" }>, string, string]>([
    [{ route: "index", index: "articles", page: 1 }, "articles/index.json", "articles/index.json"],
    [
      { route: "index", index: "articles", page: 2 },
      "articles/page/2.json",
      "articles/page/2.json",
    ],
    [
      { route: "index", index: "videos", page: 2 },
      "videos/page/2.json",
      "media/by/type/video/page/2.json",
    ],
    [
      { route: "attachments", parent: "articles", id, kind: "images", page: 1 },
      `articles/${id}/images/index.json`,
      `attachments/by/article/${id}/by/kind/image/index.json`,
    ],
    [{ route: "single", index: "images", id }, `images/${id}.json`, `images/${id}.json`],
    [{ route: "all", index: "tags" }, "tags/index.json", "tags/index.json"],
    [{ route: "download", id }, `images/${id}/download`, `images/${id}/download`],
  ])("%o → %s, %s", (request, plain, other) => {
    expect(tables.default.fileOf(request)).toBe(`api/v1/${plain}`);
    expect(tables.odd.fileOf(request)).toBe(`api/v1/${other}`);
  });

  it.each([
    ["https://o.test/v2/content", "auto", "v2/content"],
    ["https://o.test", "auto", "api"],
    ["https://o.test/", "auto", "api"],
    ["https://o.test/v2", "/mirror/", "mirror"],
  ])("of %s with root %s lies below %s", (baseUrl, root, expected) => {
    const routes = routesFor({ baseUrl }, { root });
    expect(routes.root).toBe(expected);
    expect(routes.fileOf({ route: "all", index: "tags" })).toBe(`${expected}/tags/index.json`);
  });
});

describe("fileOfImage", () => {
  it.each([
    ["web", "jpeg", `${id}.jpg`],
    ["web", "webp", `${id}.webp`],
    ["thumb/square", "jpeg", `${id}/thumb/square.jpg`],
    ["width/600/height/400", "avif", `${id}/width/600/height/400.avif`],
  ] as const)("%s as %s → %s", (slot, format, file) => {
    expect(tables.default.fileOfImage(id, slot, format)).toBe(`api/v1/images/${file}`);
  });
});

describe("resolve", () => {
  it.each<[string, ApiRequest | undefined]>([
    [`${base}/images/${id}.jpg`, { route: "binary", id, scaling: {} }],
    [`${base}/images/${id}.JPEG?expires=1&signature=2`, { route: "binary", id, scaling: {} }],
    [`${base}/images/${id}.jpg?width=640&x=1`, { route: "binary", id, scaling: { width: 640 } }],
    [`${base}/images/${id}.jpg?thumb=p`, { route: "binary", id, scaling: { thumb: "portrait" } }],
    [`${base}/images/${id}/download?expires=1`, { route: "download", id }],
    [`${base}/images/a%2Fb.jpg`, { route: "binary", id: "a/b", scaling: {} }],
    [`http://origin.test/api/v1/tags`, { route: "all", index: "tags" }],
    [`//origin.test/api/v1/tags`, { route: "all", index: "tags" }],
    ["/api/v1/tags#top", { route: "all", index: "tags" }],
    [`${base}/articles?page=2&expires=1`, { route: "index", index: "articles", page: 2 }],
    [`${base}/articles?page=0`, undefined],
    [`${base}/articles?page=two`, undefined],
    [`${base}/articles?year=2024`, undefined],
    [`${base}/images?private=1`, undefined],
    [`${base}/articles/`, undefined],
    [`${base}/articles/%ff`, undefined],
    [`${base}/nothing`, undefined],
    ["https://origin.test/api/v10/tags", undefined],
    ["https://else.test/api/v1/tags", undefined],
    ["https://origin.test:8443/api/v1/tags", undefined],
    ["tags", undefined],
    ["mailto:a@origin.test", undefined],
    ["https://", undefined],
  ])("%s → %o", (url, expected) => {
    const found = tables.default.resolve(url);
    expect(found && JSON.parse(JSON.stringify(found))).toEqual(expected);
  });

  it("takes hosts that are allowed for the origin's", () => {
    const routes = routesFor({ allowHosts: ["cdn.test:8080"] });
    const url = `http://cdn.test:8080/api/v1/images/${id}/download`;
    expect(routes.resolve(url)).toEqual({ route: "download", id });
  });

  it("never throws and stays within its own ids", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => base + text),
        ),
        (url) => {
          for (const routes of Object.values(tables)) routes.resolve(url);
        },
      ),
    );
  });
});
