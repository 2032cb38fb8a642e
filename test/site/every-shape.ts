import type { Config } from "../../src/config.ts";
import { type ArticleInput, api, type Content } from "./fixture.ts";

/*
 * Archives in which everything that a template can get occurs, null and missing values too.
 */

interface Sample {
  content: Content;
  settings: { site?: Partial<Config["site"]> };
}

const news = { id: "news", title: "News", slug: "news" };
const old = { id: "old", title: "Old", slug: "old" };

/** Enough for the front page and a section of a category. */
const many: ArticleInput[] = Array.from({ length: 14 }, (_, at) => ({
  id: `n${at}`,
  title: `News ${at}`,
  category: news,
  published_at: `202${at % 3}-0${1 + (at % 5)}-02T10:00:00Z`,
}));

const full: Content = {
  complete: false,
  categories: [news, old],
  tags: [
    { slug: "sea", title: "Sea", galleries_count: 2 },
    { slug: "see", title: "Sea" },
    { slug: "7", title: "7" },
  ],
  images: [
    {
      id: "a",
      title: "A boat",
      caption: "At night",
      meta: { credit: "M. Okafor" },
      thumbHash: "1QcSHQRnh493V4dIh4eXh1h4kJUI",
      moves: true,
    },
    { id: "b", title: "", caption: "", created_at: null, dimensions: null, filesize: null },
    { id: "c", kept: false, dimensions: null, filesize: null },
    { id: "d", bare: true },
    { id: "e", absent: true, kept: false },
    { id: "tiny", size: [200, 100] },
    { id: "secret", state: "private" },
    { id: "alone" },
    { id: "alone-too" },
  ],
  files: [
    {
      id: "film",
      kind: "videos",
      type: "video/mp4",
      extension: "mp4",
      poster: `${api}/images/a.jpg`,
      movie: { width: 1280, height: 720, seconds: 151 },
    },
    { id: "lost", kind: "videos", kept: false },
    { id: "sound", kind: "audio", type: "audio/mpeg", extension: "mp3" },
    { id: "chart", kind: "documents" },
    { id: "page", kind: "documents", type: "text/html", extension: "html" },
  ],
  articles: [
    {
      id: "lead",
      title: "The lead",
      category: news,
      tags: ["sea", "unknown"],
      author: "Ada Blum",
      rating: { average: 4.5, count: 2 },
      images: ["a", "b", "c", "d"],
      videos: ["film", "lost"],
      audio: ["sound"],
      documents: ["chart", "page"],
      thumbnail: `${api}/images/a`,
      body: `<p><a href="${api}/articles/old-20">Text</a></p>${["A", "B", "C"].map((one) => `<h2>${one}</h2>`).join("")}<h3>D</h3>`,
    },
    ...[1, 2, 3].map(
      (part): ArticleInput => ({ id: `part-${part}`, title: `Light, part ${part}` }),
    ),
    ...many,
    { id: "old-20", category: old, published_at: "2020-01-02T10:00:00Z" },
    { id: "old-19", category: old, published_at: "2019-01-02T10:00:00Z" },
    { id: "stray", category: { id: "gone", title: "Gone" }, tags: ["see", "7"], body: null },
    { id: "undated", published_at: null, links: {}, attachments: null, images: ["a"] },
  ],
  galleries: [
    { id: "g", images: ["a", "b", "tiny"], videos: ["film"], audio: ["sound"] },
    { id: "h", published_at: null, links: {} },
    { id: "i" },
  ],
  problems: [{ subject: "image c", reason: "404" }],
  proof: [
    { list: "articles", collected: 17, expected: 17, pages: 1, passes: 1, agreed: true },
    {
      list: "images",
      collected: 6,
      expected: null,
      pages: 1,
      passes: 2,
      agreed: true,
      unstable: true,
      confirmedBy: "another pass",
      remark: "the order changes",
    },
  ],
};

export const everyShape: Sample[] = [
  {
    content: full,
    settings: {
      site: {
        url: "https://archive.example",
        perPage: 2,
        ratingScale: 5,
        logo: new URL("../../templates/assets/icon.svg", import.meta.url).pathname,
        nav: ["articles", { title: "Imprint", url: "https://example.org/" }],
      },
    },
  },
  { content: { articles: [{ id: "only" }] }, settings: {} },
  {
    content: {
      images: [{ id: "a" }],
      galleries: [{ id: "g", images: ["a"] }],
      articles: [{ id: "worded" }, { id: "then", published_at: "2020-06-01T10:00:00Z" }],
    },
    settings: {},
  },
  { content: {}, settings: { site: { search: "off" } } },
  {
    content: { images: [{ id: "d", bare: true }], articles: [{ id: "only", images: ["d"] }] },
    settings: { site: { url: "https://archive.example", sharePictures: false } },
  },
];
