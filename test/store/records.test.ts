import { describe, expect, it } from "vitest";
import { type ItemCollection, normalise } from "../../src/store/records.ts";

type Kind = ItemCollection;

/** The normalised form, or the error, of an object with an id. */
function read(collection: Kind, fields: object): object | string {
  const result = normalise(collection, { id: "1", slug: "s", ...fields }, "auto");
  return "error" in result ? result.error : result.normal;
}

describe("normalise", () => {
  it.each<[string, Kind, object, object]>([
    [
      "an id alone",
      "articles",
      {},
      {
        id: "1",
        title: "",
        synopsis: "",
        publishedAt: null,
        tags: [],
        category: null,
        rating: null,
        view: null,
        thumbnail: null,
      },
    ],
    ["an id that is a number", "images", { id: 17 }, { id: "17" }],
    [
      "index time",
      "articles",
      { published_at: "2024-05-02T10:00:00.000000Z" },
      { publishedAt: "2024-05-02T10:00:00.000Z" },
    ],
    [
      "single time",
      "articles",
      { published_at: "2024-05-02T23:00:00+13:00" },
      { publishedAt: "2024-05-02T10:00:00.000Z" },
    ],
    [
      "single time without a colon",
      "articles",
      { created_at: "2024-05-02T05:30:00-0430" },
      { createdAt: "2024-05-02T10:00:00.000Z" },
    ],
    [
      "time without seconds",
      "articles",
      { published_at: "2024-05-02T10:00Z", created_at: "2024-05-02 12:00+0200" },
      { publishedAt: "2024-05-02T10:00:00.000Z", createdAt: "2024-05-02T10:00:00.000Z" },
    ],
    [
      "thumbnail as a string",
      "articles",
      { links: { thumbnail: "https://a.test/1.jpg?thumb=1" } },
      { thumbnail: "https://a.test/1.jpg?thumb=1" },
    ],
    [
      "thumbnail as an object",
      "galleries",
      { links: { thumbnail: { square: "s", portrait: "p", landscape: "l" } } },
      { thumbnail: "l" },
    ],
    [
      "thumbnail with square alone",
      "articles.single",
      { links: { thumbnail: { square: "s" } } },
      { thumbnail: "s" },
    ],
    [
      "no thumbnail",
      "articles",
      { links: { thumbnail: null, view: "v" } },
      { thumbnail: null, view: "v" },
    ],
    [
      "category without an id",
      "articles",
      { category: { id: null, title: "News" } },
      { category: { id: null, title: "News" } },
    ],
    [
      "category",
      "articles",
      { category: { id: "c", title: "News", more: 1 } },
      { category: { id: "c", title: "News" } },
    ],
    [
      "counts",
      "articles",
      { attachments: { images: 3, videos: "2", documents: null } },
      { attachments: { images: 3, videos: 2, documents: null, audio: null } },
    ],
    [
      "documents of a gallery",
      "galleries",
      { attachments: { images: 1, documents: 4 } },
      { attachments: { images: 1, videos: null, documents: 4, audio: null } },
    ],
    [
      "rating",
      "articles",
      { rating: { average: 4.5, count: 2 } },
      { rating: { average: 4.5, count: 2 } },
    ],
    [
      "rating without an average",
      "articles",
      { rating: { average: null, count: 0 } },
      { rating: null },
    ],
    [
      "image",
      "images",
      {
        caption: "c",
        dimensions: { width: 4, height: 3 },
        filesize: 9,
        links: { web: "w", download: "d" },
        meta: { a: "b", n: 1, o: {} },
      },
      {
        caption: "c",
        width: 4,
        height: 3,
        bytes: 9,
        web: "w",
        download: "d",
        meta: { a: "b", n: "1" },
      },
    ],
    ["image with an empty PHP map", "images", { meta: [] }, { meta: {} }],
    ["video without dimensions", "videos", {}, { width: null, height: null, bytes: 0 }],
    [
      "category object",
      "categories",
      { title: "News", order: 0, articles_count: 5 },
      { id: "1", title: "News", slug: "s", order: 0, articlesCount: 5 },
    ],
    [
      "tag object",
      "tags",
      { title: "Zoo", articles_count: 1, galleries_count: 2 },
      { slug: "s", title: "Zoo", articlesCount: 1, galleriesCount: 2, createdAt: null },
    ],
  ])("reads %s", (_, collection, fields, expected) => {
    expect(read(collection, fields)).toMatchObject(expected);
  });

  it("goes by the slug in the case of tags", () => {
    expect(normalise("tags", { slug: "zoo" }, "auto")).toMatchObject({ id: "zoo" });
  });

  it.each<[Kind, object, object, string]>([
    [
      "articles",
      { published_at: "soon", title: "A" },
      { publishedAt: null, title: "A" },
      "published_at: ",
    ],
    ["articles", { tags: "a,b" }, { tags: [] }, "tags: "],
    ["articles", { tags: ["a", {}, "b"] }, { tags: ["a", "b"] }, "tags[1]: "],
    [
      "galleries",
      { attachments: { images: -1, videos: 2 } },
      { attachments: { images: null, videos: 2, documents: null, audio: null } },
      "attachments.images: ",
    ],
    [
      "images",
      { links: { download: 1, web: "w" } },
      { download: null, web: "w" },
      "links.download: ",
    ],
  ])(
    "reads the rest of one of the %s, and says what it cannot read (%o)",
    (collection, fields, normal, path) => {
      const result = normalise(collection, { id: "1", ...fields }, "auto");
      expect(result).toMatchObject({ normal, unread: expect.stringMatching(/^\S+: /) });
      expect((result as { unread: string }).unread.startsWith(path)).toBe(true);
    },
  );

  it.each<[Kind, object, string]>([
    ["categories", { id: "" }, "id: "],
    ["articles", { id: ["1"], title: 5 }, "id: "],
    ["tags", { slug: null }, "slug: "],
  ])("names the JSON path of what is wrong with one of the %s (%o)", (collection, fields, path) => {
    expect(read(collection, fields)).toMatch(new RegExp(`^${path.replace(/[[\]]/g, "\\$&")}`));
  });
});

it("findBody is asked for single articles only", () => {
  const html = "<p>Text</p>";
  expect(read("articles", { body: html })).toMatchObject({ bodyPath: null });
  expect(read("articles.single", { body: html })).toMatchObject({ bodyPath: ["body"] });
});
