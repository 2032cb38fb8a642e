import type { Kind } from "./row.ts";

const json = "application/json";
const firstTwenty =
  "alder birch cedar dogwood elm fir ginkgo hazel ivy juniper " +
  "kauri larch maple nutmeg oak pine quince rowan spruce teak";
const all = `${firstTwenty} umbrella viburnum willow yew`;
const firstSeven = "alder birch cedar dogwood elm fir ginkgo";
const onePage = "it has 24 items on a page";
const publicImages = "logo plate1 plate2 plate3 plate4 plate5 plate6 small tall torn turned wide";

/** Rows of what is listed and shown as JSON. The content is that of content.ts. */
export const listKinds: Kind[] = [
  {
    kind: "Lists and their pages",
    rows: [
      {
        says: "Returns a paginated list of published articles, latest publication first.",
        ask: "/articles",
        type: json,
        names: firstTwenty,
        on: {
          odd: { names: firstSeven, why: "it has 7 items on a page" },
          strict: { names: all, why: onePage },
        },
      },
      {
        says: "Paginated index envelope [...] 20 in all samples",
        ask: "/articles",
        is: {
          "meta.current_page": 1,
          "meta.from": 1,
          "meta.to": 20,
          "meta.last_page": 2,
          "meta.per_page": 20,
          "meta.total": 24,
        },
        on: {
          odd: {
            is: { "meta.to": 7, "meta.last_page": 4, "meta.per_page": 7, "meta.total": 24 },
            why: "it has 7 items on a page",
          },
          strict: {
            is: { "meta.to": 24, "meta.last_page": 1, "meta.per_page": 24, "meta.total": 24 },
            why: onePage,
          },
        },
      },
      {
        says: "`prev` is null on the first page",
        ask: "/articles",
        links: {
          "links.first": "/articles?page=1",
          "links.prev": null,
          "links.next": "/articles?page=2",
          "links.last": "/articles?page=2",
          "meta.path": "/articles",
        },
        on: {
          odd: {
            links: {
              "links.first": "/articles?page=1",
              "links.prev": null,
              "links.next": "/articles?page=2",
              "links.last": "/articles?page=4",
              "meta.path": "/articles",
            },
            why: "it has 7 items on a page",
          },
          strict: {
            is: { "links.next": undefined },
            links: { "links.last": "/articles?page=1", "links.prev": null },
            why: "it leaves out what leads nowhere",
          },
        },
      },
      {
        says: "Each has `url` (string or null), `label` (string, including '« Previous' and 'Next »' and page numbers), `active` (boolean)",
        ask: "/articles",
        is: {
          "meta.links.0.label": "« Previous",
          "meta.links.0.url": null,
          "meta.links.0.active": false,
          "meta.links.1.label": "1",
          "meta.links.1.active": true,
          "meta.links.2.label": "2",
          "meta.links.2.active": false,
        },
        links: { "meta.links.2.url": "/articles?page=2" },
        on: {
          strict: {
            is: { "meta.links.0.label": "&laquo; Previous", "meta.links.1.active": true },
            why: "its labels are HTML",
          },
        },
      },
      {
        says: "The page is selected by the query parameter `page` (integer), as used in the `links` URLs.",
        ask: "/articles?page=2",
        names: "umbrella viburnum willow yew",
        is: { "meta.current_page": 2, "meta.from": 21, "meta.to": 24 },
        links: { "links.prev": "/articles?page=1" },
        on: {
          odd: {
            names: "hazel ivy juniper kauri larch maple nutmeg",
            is: { "meta.current_page": 2, "meta.from": 8, "meta.to": 14 },
            links: { "links.prev": "/articles?page=1", "links.next": "/articles?page=3" },
            why: "it has 7 items on a page",
          },
          strict: { status: 404, why: onePage },
        },
      },
      {
        says: "`next` is presumably null on the last",
        ask: "/articles?page=2",
        links: { "links.next": null, "links.first": "/articles?page=1" },
        on: {
          odd: {
            links: { "links.next": "/articles?page=3", "links.first": "/articles?page=1" },
            why: "it has four pages",
          },
          strict: { status: 404, why: onePage },
        },
      },
      {
        says: "The page is selected by the query parameter `page` (integer)",
        ask: "/articles?page=1",
        names: firstTwenty,
        on: {
          odd: { names: firstSeven, why: "it has 7 items on a page" },
          strict: { names: all, why: onePage },
        },
      },
      {
        says: "Returns a paginated list of recently published galleries; unpublished ones are excluded.",
        ask: "/galleries",
        type: json,
        names: "trees plates nothing",
        is: { "meta.total": 3, "meta.last_page": 1 },
      },
      {
        says: "Returns a paginated list of public images ordered by upload date.",
        ask: "/images",
        type: json,
        names: publicImages,
        on: { odd: { names: "wide turned torn tall small plate6 plate5", why: "oldest first" } },
      },
      {
        says: "Images: image records with metadata, signed links and binary retrieval with on-the-fly scaling.",
        ask: "/galleries/{trees}/images",
        is: {
          "data.0.dimensions.width": 4000,
          "data.0.dimensions.height": 3000,
          "data.1.dimensions.width": 900,
          "data.1.dimensions.height": 1600,
        },
      },
      {
        says: "Index responses may show fractional seconds with a trailing Z.",
        ask: "/articles",
        is: { "data.0.published_at": "2024-05-20T10:00:00.000000Z" },
        on: {
          strict: { is: { "data.0.published_at": "2024-05-20T10:00:00Z" }, why: "not always" },
        },
      },
      {
        says: "Each item is the article object in index form, without body.",
        ask: "/articles",
        text: "About the alder",
        lacks: "The whole story",
      },
      {
        says: "All endpoints use GET.",
        ask: "/articles",
        method: "HEAD",
        type: json,
      },
    ],
  },
  {
    kind: "A page past the last",
    rows: [
      {
        says: "The page is selected by the query parameter `page` (integer)",
        ask: "/articles?page=9",
        names: "",
        on: {
          strict: { status: 404, why: "there is no such page" },
          static: { status: 404, why: "there is no file of any number", word: "404" },
        },
      },
      {
        says: "The page is selected by the query parameter `page` (integer)",
        ask: "/galleries/{trees}/images?page=2",
        names: "",
        is: { "meta.total": 3 },
        on: {
          strict: { status: 404, why: "there is no such page" },
          static: { status: 404, why: "there is no file of any number", word: "404" },
        },
      },
    ],
  },
  {
    kind: "Filters by year, month, category, one tag",
    rows: [
      {
        says: "year: Only articles published in that year",
        ask: "/articles?year=2024",
        names: "alder birch cedar dogwood elm",
        is: { "meta.total": 5 },
        on: {
          odd: {
            names: "alder birch cedar dogwood elm fir",
            why: "its years are those of Auckland, where it was New Year already",
          },
        },
      },
      {
        says: "month: Only articles published in that month. Requires `year`.",
        ask: "/articles?year=2024&month=5",
        names: "alder birch cedar",
        links: { "links.first": "/articles?year=2024&month=5&page=1" },
        on: {
          strict: {
            names: "alder birch cedar",
            links: { "links.first": "/articles?page=1&year=2024&month=5" },
            why: "its links begin with the page",
          },
        },
      },
      {
        says: "month: Only articles published in that month. Requires `year`.",
        ask: "/articles?month=5&year=2024",
        names: "alder birch cedar",
      },
      {
        says: "year: Only articles published in that year",
        ask: "/articles?year=1999",
        names: "",
        is: { "meta.total": 0 },
      },
      {
        says: "category: A category UUID or slug; only one category per request",
        ask: "/articles?category={coasts}",
        names: "alder elm kauri teak umbrella",
      },
      {
        says: "category: A category UUID or slug; only one category per request",
        ask: "/articles?category=coasts",
        names: "alder elm kauri teak umbrella",
        links: { "links.first": "/articles?category=coasts&page=1", "links.next": null },
        on: {
          strict: {
            names: "alder elm kauri teak umbrella",
            links: { "links.first": "/articles?page=1&category=coasts" },
            why: "its links begin with the page",
          },
        },
      },
      {
        says: "category: A category UUID or slug; only one category per request",
        ask: "/articles?category=no-such-category",
        names: "",
      },
      {
        says: "tags: Comma-separated tag slugs; any number",
        ask: "/articles?tags=water",
        names: "alder nutmeg willow",
      },
      {
        says: "tags: Comma-separated tag slugs; any number",
        ask: "/articles?tags=no-such-tag",
        names: "",
      },
      {
        says: "page: Page number",
        ask: "/articles?tags=tree&page=2",
        names: "viburnum willow yew",
        links: { "links.prev": "/articles?tags=tree&page=1" },
        on: {
          odd: {
            names: "hazel juniper kauri larch maple nutmeg oak",
            links: { "links.prev": "/articles?tags=tree&page=1" },
            why: "it has 7 items on a page",
          },
          strict: { status: 404, why: onePage },
        },
      },
      {
        says: "year: Only galleries published in that year",
        ask: "/galleries?year=2023",
        names: "plates",
      },
      {
        says: "month: Requires `year`",
        ask: "/galleries?year=2024&month=5",
        names: "trees",
      },
    ],
  },
  {
    kind: "Other filters together",
    rows: [
      {
        says: "Only articles published in that year [and] A category UUID or slug",
        ask: "/articles?year=2022&category=coasts",
        names: "teak umbrella",
        on: { static: { status: 404, why: "a combination without files", word: "404" } },
      },
      {
        says: "tags: Comma-separated tag slugs; any number",
        ask: "/articles?tags=water,fruit",
        names: "alder hazel nutmeg quince willow",
        on: {
          odd: { names: "nutmeg", why: "it lists what has all of the tags" },
          static: { status: 404, why: "a combination without files", word: "404" },
        },
      },
    ],
  },
];
