import type { Kind } from "./row.ts";

const json = "application/json";
const attachedTwice = "it attaches something twice";

/** Rows of single objects, of what is attached to them, and of what is private. */
export const objectKinds: Kind[] = [
  {
    kind: "Single articles, galleries, images",
    rows: [
      {
        says: "Returns `{ data: <article object> }` including the body.",
        ask: "/articles/{alder}",
        type: json,
        is: { "data.slug": "alder", "data.category.title": "Coasts", meta: undefined },
        text: "The whole story of the alder.",
      },
      {
        says: "The single-article response additionally carries the article body. [As it was written.]",
        ask: "/articles/{birch}",
        text: "shop.example/offer?expires=never&amp;id=3",
        on: { odd: { text: "offer?expires=never&amp;id=3", why: "it escapes slashes" } },
      },
      {
        says: "The single-article response additionally carries the article body. [As it was written.]",
        ask: "/articles/{birch}",
        text: "1px;expires=Thu and f(x,&amp;signature=y)",
      },
      {
        says: "Single-resource responses use a numeric UTC offset.",
        ask: "/articles/{alder}",
        is: { "data.published_at": "2024-05-20T10:00:00+00:00" },
        on: {
          odd: { is: { "data.published_at": "2024-05-20T22:00:00+1200" }, why: "Auckland's" },
          strict: {
            is: { "data.published_at": "2024-05-20T07:30:00-02:30" },
            why: "that of St. John's",
          },
        },
      },
      {
        says: "Attachments of articles and galleries are not embedded in the parent objects; only their counts are.",
        ask: "/articles/{dogwood}",
        is: {
          "data.attachments.images": 2,
          "data.attachments.videos": 1,
          "data.attachments.documents": 1,
          "data.attachments.audio": 1,
        },
        on: {
          strict: {
            is: { "data.attachments.images": 3, "data.attachments.videos": 2 },
            why: attachedTwice,
          },
        },
      },
      {
        says: "Returns `{ data: <gallery object> }`.",
        ask: "/galleries/{trees}",
        type: json,
        is: { "data.slug": "trees", "data.attachments.images": 3 },
      },
      {
        says: "Returns one image object, identical to a list item.",
        ask: "/images/{wide}",
        type: json,
        is: {
          "data.title": "wide",
          "data.dimensions.width": 4000,
          "data.filesize": 85722,
          "data.created_at": "2024-05-19T22:00:00.000000Z",
        },
        links: { "data.links.web": "/images/{wide}.jpg" },
        on: {
          strict: {
            is: { "data.filesize": 86016, "data.created_at": "2024-05-19T19:30:00-02:30" },
            links: { "data.links.web": "/images/{wide}.jpg" },
            why: "its sizes are rounded, and its single image writes the time as other singles do",
          },
        },
      },
      {
        says: "Single-resource responses wrap the object in `data`. [Nothing is shown for an unknown id.]",
        ask: "/articles/0f0e0d0c-0b0a-4909-8807-060504030201",
        status: "none",
      },
    ],
  },
  {
    kind: "Attachment lists",
    rows: [
      {
        says: "Four endpoints return paginated lists of the images, videos, documents and audio files attached to one article.",
        ask: "/articles/{alder}/images",
        type: json,
        names: "logo plate1",
        is: { "meta.total": 2, "meta.per_page": 20 },
        on: {
          odd: {
            names: "logo plate1",
            is: { "meta.total": 2, "meta.per_page": 7 },
            why: "it has 7 items on a page",
          },
          strict: { names: "logo plate1", is: { "meta.per_page": 10 }, why: "its lists have 10" },
        },
      },
      {
        says: "the images, videos, documents and audio files attached to one article",
        ask: "/articles/{dogwood}/videos",
        names: "film",
        on: { strict: { names: "film film", why: attachedTwice } },
      },
      {
        says: "the images, videos, documents and audio files attached to one article",
        ask: "/articles/{dogwood}/documents",
        names: "paper",
        on: { strict: { names: "paper paper", why: attachedTwice } },
      },
      {
        says: "the images, videos, documents and audio files attached to one article",
        ask: "/articles/{dogwood}/audio",
        names: "sound",
        on: { strict: { names: "sound sound", why: attachedTwice } },
      },
      {
        says: "Each has the same response as the corresponding standalone index. [Of nothing as well.]",
        ask: "/articles/{cedar}/documents",
        names: "",
        is: { "meta.total": 0, "meta.current_page": 1, "meta.last_page": 1, "meta.per_page": 20 },
        on: {
          odd: {
            names: "",
            is: { "meta.total": 0, "meta.last_page": 1, "meta.per_page": 7 },
            why: "it has 7 items on a page",
          },
          strict: {
            names: "",
            is: { "meta.total": 0, "meta.last_page": 1, "meta.per_page": 10 },
            why: "its lists of attachments have 10",
          },
        },
      },
      {
        says: "Three endpoints return paginated lists of the images, videos and audio files of one gallery",
        ask: "/galleries/{trees}/images",
        names: "wide tall small",
      },
      {
        says: "Three endpoints return paginated lists of the images [...] of one gallery",
        ask: "/galleries/{plates}/images",
        names: "plate1 plate2",
        on: { strict: { names: "plate1 plate2 plate1", why: attachedTwice } },
      },
      {
        says: "Three endpoints return paginated lists of the images, videos and audio files of one gallery",
        ask: "/galleries/{nothing}/audio",
        names: "",
      },
      {
        says: "There is no documents endpoint for galleries.",
        ask: "/galleries/{trees}/documents",
        status: "none",
      },
    ],
  },
  {
    kind: "Categories and tags",
    rows: [
      {
        says: "Returns `{ data: [<category object>, ...] }` with all categories, not paginated.",
        ask: "/categories",
        type: json,
        names: "coasts gardens woods",
        is: { meta: undefined, links: undefined, "data.0.order": 0, "data.0.articles_count": 5 },
      },
      {
        says: "Returns `{ data: [<tag object>, ...] }` with all tags of the current organisation, not paginated.",
        ask: "/tags",
        type: json,
        names: "coasts tree water gardens woods fruit",
        is: {
          meta: undefined,
          links: undefined,
          "data.1.articles_count": 23,
          "data.1.id": undefined,
        },
      },
      {
        says: "There is no endpoint for a single category.",
        ask: "/categories/{coasts}",
        status: "none",
      },
    ],
  },
  {
    kind: "Private images",
    rows: [
      {
        says: "Private images are excluded from the image index unless requested with the `private` parameter.",
        ask: "/images",
        lacks: "hidden",
      },
      {
        says: "private: Includes private images.",
        ask: "/images?private=1",
        text: "hidden",
        on: { archive: { lacks: "hidden", why: "an archive is public", word: "left out" } },
      },
      {
        says: "An image can be marked private. [Whether a list of attachments shows it: not shown.]",
        ask: "/articles/{hazel}/images",
        names: "",
        on: {
          odd: { names: "hidden", why: "it shows attachments whether private or not" },
          archive: { names: "", why: "an archive is public", word: "left out" },
        },
      },
      {
        says: "An image can be marked private.",
        ask: "/images/{hidden}.jpg",
        size: "400x300",
        on: { archive: { status: 404, why: "an archive is public", word: "left out" } },
      },
    ],
  },
  {
    kind: "Requests without the access token",
    rows: [
      {
        says: "Requests carry the header `Authorization: Bearer <ACCESS_TOKEN>`.",
        ask: "/galleries",
        token: false,
        status: "none",
        on: {
          archive: {
            names: "trees plates nothing",
            why: "an archive is public; `serve --auth` demands the token",
            word: "answered",
          },
        },
      },
    ],
  },
];
