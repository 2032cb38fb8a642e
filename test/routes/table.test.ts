import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigSchema } from "../../src/config.ts";
import { descriptionFile } from "../../src/routes/description.ts";
import type { Filters } from "../../src/routes/filters.ts";
import { mediaEnding } from "../../src/routes/site.ts";
import { scalingOfSlot } from "../../src/routes/slots.ts";
import {
  type ApiRequest,
  attachmentRoutes,
  createRoutes,
  createTable,
  type JsonRequest,
  mediaKinds,
  type Routes,
} from "../../src/routes/table.ts";
import { anyFilters, anyName, oddNames } from "./support.ts";

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

/** Each request with an id, and each list, filtered as far as it can be. */
function requestsFor(id: string, page: number, filters: Filters = {}): JsonRequest[] {
  const { category: _, tags: __, ...times } = filters;
  const narrowed = (wanted: Filters): { filters?: Filters } =>
    Object.keys(wanted).length === 0 ? {} : { filters: wanted };
  return [
    { route: "index", index: "articles", page, ...narrowed(filters) },
    { route: "index", index: "galleries", page, ...narrowed(times) },
    ...mediaKinds.map((index) => ({ route: "index", index, page }) as const),
    { route: "all", index: "categories" },
    { route: "all", index: "tags" },
    ...(["articles", "galleries", "images"] as const).map(
      (index) => ({ route: "single", index, id }) as const,
    ),
    ...attachmentRoutes.map(
      ({ parent, kind }) => ({ route: "attachments", parent, kind, id, page }) as const,
    ),
  ];
}

const slots = [
  "web",
  "thumb/square",
  "width/320",
  "height/480",
  "width/600/height/400",
  "scale/12.5",
];
const extensions = ["jpg", "png", "svg", "html", "json", ""];

/** Every file that has to do with an id, with what it answers. */
function* filesFor(
  routes: Routes,
  id: string,
  page: number,
  filters: Filters,
): Generator<[file: string, answers: string]> {
  for (const request of requestsFor(id, page, filters)) {
    const file = routes.fileOf(request);
    if (file !== undefined) yield [file, JSON.stringify(request)];
  }
  for (const slot of slots) {
    for (const format of ["jpeg", "webp", "avif"] as const) {
      yield [routes.fileOfImage(id, slot, format), `${slot} ${format} ${id}`];
    }
  }
  for (const extension of extensions) {
    const file = routes.fileOfOriginal(id, mediaEnding(extension));
    // Of several extensions some become the same ending; an image has one original only.
    yield [file, `original ${id}`];
  }
  for (const index of ["articles", "galleries"] as const) {
    yield [routes.emptyFileOf(index), `nothing of ${index}`];
    yield [routes.filterIndexOf(index), `filters of ${index}`];
  }
  yield [`${routes.root}/${descriptionFile}`, "description"];
  yield [`${routes.root}/404.json`, "not found"];
}

/** Fails where two answers share a file, or where a file stands in the place of a folder. */
function expectApart(files: Iterable<[string, string]>): void {
  const answers = new Map<string, string>();
  for (const [file, answer] of files) {
    if (!/^(?:[a-z0-9_-][a-z0-9._-]*\/)+[a-z0-9._-]*[a-z0-9_-]$/.test(file)) {
      expect.fail(`not safe: ${file}`);
    }
    const other = answers.get(file) ?? answer;
    if (other !== answer) expect.fail(`${file} answers ${other} and ${answer}`);
    answers.set(file, answer);
  }
  for (const file of answers.keys()) {
    for (let at = file.indexOf("/"); at !== -1; at = file.indexOf("/", at + 1)) {
      if (answers.has(file.slice(0, at))) expect.fail(`no folder: ${file.slice(0, at)} of ${file}`);
    }
  }
}

const anyPage = fc.integer({ min: 1, max: 10_000 });

describe.each(Object.entries(tables))("the %s route table", (_, routes) => {
  it("finds every request again in the URL it makes", () => {
    fc.assert(
      fc.property(anyName, anyPage, anyFilters, (someId, page, filters) => {
        // URL parsers take these away as steps in a path.
        fc.pre(someId !== "." && someId !== "..");
        const requests: ApiRequest[] = [
          ...requestsFor(someId, page, filters),
          { route: "download", id: someId },
          ...slots.map(
            (slot) => ({ route: "binary", id: someId, scaling: scalingOfSlot(slot) }) as const,
          ),
        ];
        for (const request of requests) {
          const url = routes.urlOf(request);
          if (url === undefined) continue;
          const found = routes.resolve(url);
          expect(found && JSON.parse(JSON.stringify(found)), url).toEqual(request);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("finds it in the path below the base too, which is all that a mirror gets to see", () => {
    const table = createTable(JSON.parse(JSON.stringify(routes.rules)));
    fc.assert(
      fc.property(anyName, anyPage, anyFilters, (someId, page, filters) => {
        for (const request of requestsFor(someId, page, filters)) {
          const path = table.pathOf(request);
          expect(path).toBe(routes.pathOf(request));
          expect(table.fileOf(request)).toBe(routes.fileOf(request));
          if (path === undefined) continue;
          const [below = "", query = ""] = path.split("?");
          expect(table.match(below, query), path).toEqual(request);
          expect(table.match(`${below}/`, `?signature=1&${query}&expires=2`), path).toEqual(
            request,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it("gives each answer a file of its own, whatever ids and filters are", () => {
    fc.assert(
      fc.property(anyName, anyName, anyFilters, anyFilters, (a, b, first, second) => {
        expectApart([
          ...filesFor(routes, a, 1, first),
          ...filesFor(routes, a, 2, first),
          ...filesFor(routes, b, 1, second),
          ...filesFor(routes, b, 3, {}),
        ]);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps hostile ids and slugs apart, all of them at once", () => {
    const files: [string, string][] = [];
    for (const name of oddNames) {
      for (const filters of [
        {},
        { category: name },
        { tags: [name] },
        { year: 2024, tags: [name] },
      ]) {
        for (const page of [1, 2]) files.push(...filesFor(routes, name, page, filters));
      }
      for (const tag of oddNames) {
        if (tag !== name) files.push(...filesFor(routes, name, 1, { tags: [name, tag] }));
      }
    }
    expectApart(files);
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
    [
      { route: "index", index: "articles", page: 2, filters: { year: 2024, month: 5 } },
      "/articles?year=2024&month=5&page=2",
      "/articles?year=2024&month=5&page=2",
    ],
    [
      {
        route: "index",
        index: "articles",
        page: 1,
        filters: { category: "a b", tags: ["c", "d&e"] },
      },
      "/articles?category=a%20b&tags=c,d%26e",
      "/articles?category=a%20b&tags=c,d%26e",
    ],
    [
      { route: "binary", id, scaling: { thumb: "portrait" } },
      `/images/${id}.jpg?orientation=p&thumb=1`,
      `/images/${id}.jpg?orientation=p&thumb=1`,
    ],
    [
      { route: "binary", id, scaling: { width: 600, height: 400 } },
      `/images/${id}.jpg?width=600&height=400`,
      `/images/${id}.jpg?width=600&height=400`,
    ],
  ])("%o → %s, %s", (request, plain, other) => {
    expect(tables.default.urlOf(request)).toBe(base + plain);
    expect(tables.odd.urlOf(request)).toBe(base + other);
  });

  it("take an id that stands twice in a path for one", () => {
    const routes = routesFor({ paths: { articleImages: "/articles/{id}/images?article={id}" } });
    const request = { route: "attachments", parent: "articles", id: "a1", kind: "images", page: 1 };
    expect(routes.match("/articles/a1/images", "article=a1")).toEqual(request);
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
  it.each<[JsonRequest, string, string]>([
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
    [{ route: "single", index: "images", id: "by" }, "images/_62y.json", "images/_62y.json"],
    [
      { route: "attachments", parent: "galleries", id: "x", kind: "audio", page: 2 },
      "galleries/x/audio/page/2.json",
      "galleries/x.audio/page/2.json",
    ],
    [
      { route: "index", index: "articles", page: 1, filters: { year: 2024, month: 5 } },
      "articles/by/year/2024/month/5/index.json",
      "articles/by/year/2024/month/5/index.json",
    ],
    [
      {
        route: "index",
        index: "articles",
        page: 2,
        filters: { category: "none", tags: ["A", "by"] },
      },
      "articles/by/category/none/tags/_41/tags/_62y/page/2.json",
      "articles/by/category/none/tags/_41/tags/_62y/page/2.json",
    ],
    [
      { route: "index", index: "galleries", page: 1, filters: {} },
      "galleries/index.json",
      "galleries/index.json",
    ],
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
    ["thumb/square", "jpeg", `by/thumb/square/${id}.jpg`],
    ["width/600/height/400", "avif", `by/width/600/height/400/${id}.avif`],
    ["scale/12.5", "jpeg", `by/scale/12.5/${id}.jpg`],
  ] as const)("%s as %s → %s", (slot, format, file) => {
    expect(tables.default.fileOfImage(id, slot, format)).toBe(`api/v1/images/${file}`);
  });

  it.each([
    ["by", "_62y"],
    ["by/none", "by_2fnone"],
    ["index", "_69ndex"],
    ["none", "none"],
    ["..", "_2e_2e"],
  ])("of an image %j ends in %s", (name, segment) => {
    const { fileOfImage, fileOfOriginal } = tables.default;
    expect(fileOfImage(name, "web", "jpeg")).toBe(`api/v1/images/${segment}.jpg`);
    expect(fileOfOriginal(name, ".jpg")).toBe(`api/v1/images/by/download/${segment}.jpg`);
  });
});

describe("fileOfOriginal", () => {
  it.each([
    ["jpg", ".jpg"],
    ["PNG", ".png"],
    ["svg", ".svg.txt"],
    ["html", ".html.txt"],
    ["php", ".txt"],
    ["", ".bin"],
    ["../x", ".bin"],
  ])("with extension %j ends in %s", (extension, ending) => {
    expect(tables.default.fileOfOriginal(id, mediaEnding(extension))).toBe(
      `api/v1/images/by/download/${id}${ending}`,
    );
  });
});

describe("emptyFileOf and filterIndexOf", () => {
  it.each(["articles", "galleries"] as const)("stand beside the filtered lists of %s", (index) => {
    expect(tables.default.emptyFileOf(index)).toBe(`api/v1/${index}/by/none.json`);
    expect(tables.default.filterIndexOf(index)).toBe(`api/v1/${index}/by/index.json`);
  });
});

describe("resolve", () => {
  it.each<[string, ApiRequest | undefined]>([
    [`${base}/images/${id}.jpg`, { route: "binary", id, scaling: {} }],
    [`${base}/images/${id}.jpg?expires=1&signature=2`, { route: "binary", id, scaling: {} }],
    // The document knows .jpg only, in these letters: anything else is an id.
    [`${base}/images/${id}.JPG`, { route: "single", index: "images", id: `${id}.JPG` }],
    [`${base}/images/${id}.webp`, { route: "single", index: "images", id: `${id}.webp` }],
    [`${base}/images/a.jpg.jpg`, { route: "binary", id: "a.jpg", scaling: {} }],
    [`${base}/images/.jpg`, { route: "single", index: "images", id: ".jpg" }],
    [`${base}/images/${id}.jpg?width=0&height=x`, { route: "binary", id, scaling: {} }],
    [`${base}/images/${id}.jpg?width=640&x=1`, { route: "binary", id, scaling: { width: 640 } }],
    [`${base}/images/${id}.jpg?thumb=p`, { route: "binary", id, scaling: { thumb: "portrait" } }],
    [`${base}/images/${id}/download?expires=1`, { route: "download", id }],
    [`${base}/images/a%2Fb.jpg`, { route: "binary", id: "a/b", scaling: {} }],
    [`http://origin.test/api/v1/tags`, { route: "all", index: "tags" }],
    [`//origin.test/api/v1/tags`, { route: "all", index: "tags" }],
    ["/api/v1/tags#top", { route: "all", index: "tags" }],
    [`${base}/articles?page=2&expires=1`, { route: "index", index: "articles", page: 2 }],
    [`${base}/articles?page=0`, undefined],
    [`${base}/articles?page=01`, undefined],
    [`${base}/articles?page=-1`, undefined],
    [`${base}/articles?page=1.5`, undefined],
    [`${base}/articles?page=two`, undefined],
    [`${base}/articles?page=1234567890`, undefined],
    [`${base}/articles?page=`, { route: "index", index: "articles", page: 1 }],
    [`${base}/articles?page=2&page=x`, { route: "index", index: "articles", page: 2 }],
    [`${base}/articles?Page=2`, { route: "index", index: "articles", page: 1 }],
    [
      `${base}/articles?year=2024`,
      { route: "index", index: "articles", page: 1, filters: { year: 2024 } },
    ],
    [
      `${base}/articles?x=1&page=3&month=05&tags=a%2Cb,,a&category=News+1&year=2024&signature=2`,
      {
        route: "index",
        index: "articles",
        page: 3,
        filters: { year: 2024, month: 5, category: "News 1", tags: ["a", "b"] },
      },
    ],
    [`${base}/articles?month=x`, { route: "index", index: "articles", page: 1 }],
    [`${base}/articles?year=x`, undefined],
    [`${base}/articles?year=2024&month=x`, undefined],
    [`${base}/articles?tags=,`, { route: "index", index: "articles", page: 1 }],
    [
      `${base}/galleries?year=2024&category=a&tags=b`,
      { route: "index", index: "galleries", page: 1, filters: { year: 2024 } },
    ],
    [`${base}/images?year=x`, { route: "index", index: "images", page: 1 }],
    [`${base}/images?private=1`, { route: "index", index: "images", page: 1 }],
    [`${base}/tags?page=0`, { route: "all", index: "tags" }],
    [`${base}/articles/${id}?page=0&year=x`, { route: "single", index: "articles", id }],
    [`${base}/articles/${id}/images?page=0`, undefined],
    [`${base}/articles/`, { route: "index", index: "articles", page: 1 }],
    [`${base}/articles/${id}/`, { route: "single", index: "articles", id }],
    [`${base}/articles//`, undefined],
    [`${base}/Articles`, undefined],
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

describe("linkedFileOfImage", () => {
  it.each([
    [id, "web", "jpeg", `${id}.jpg`],
    [id, "width/640", "jpeg", `by/width/640/${id}.jpg`],
    // At images/_41.jpg a server would look for an image whose id is "_41".
    ["A", "web", "jpeg", "by/web/_41.jpg"],
    ["A", "web", "webp", "_41.webp"],
    ["A", "width/640", "jpeg", "by/width/640/_41.jpg"],
  ] as const)("of %s, %s as %s is %s", (name, slot, format, file) => {
    expect(tables.default.linkedFileOfImage(name, slot, format)).toBe(`api/v1/images/${file}`);
  });

  it.each([
    ["api/v1/images/by/web/_41.jpg", "?width=500", "api/v1/images/by/width/640/_41.jpg"],
    ["api/v1/images/by/web/_41.jpg", "?thumb=p&x=1", "api/v1/images/by/thumb/portrait/_41.jpg"],
    ["api/v1/images/by/web/_41.jpg", "", undefined],
    ["api/v1/images/_41.jpg", "?width=500", undefined],
  ])("takes a size behind it: %s%s → %s", (path, query, file) => {
    expect(tables.default.scaledFileOf(path, query)).toBe(file);
  });
});
