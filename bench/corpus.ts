/** The corpus that renderers are compared with: articles of about 4.5 kB, in 20 categories and with 200 tags. */
import sharp from "sharp";
import { Collection } from "../src/demo/collection.ts";
import { uuidOf } from "../src/demo/ids.ts";
import type { Article, Content, Gallery, Image, MediaFile } from "../src/demo/model.ts";
import { type Dice, dice } from "../src/lib/random.ts";

const categories = Array.from({ length: 20 }, (_, n) => `category-${n}`);
const tags = Array.from({ length: 200 }, (_, n) => `tag-${n}`);
/** Pictures that the bodies share, where nothing else is said. */
const usualPictures = 100;

/** A piece of a text: prose, a link to an article by its number, or a picture by its number. */
type Inline = string | { article: number } | { picture: number };

interface Block {
  kind: "heading" | "paragraph" | "quote" | "items" | "figure";
  /** Those of a list, else one. */
  texts: Inline[][];
}

export interface CorpusArticle {
  slug: string;
  title: string;
  summary: string;
  /** Milliseconds since 1970. */
  time: number;
  category: string;
  tags: string[];
  blocks: Block[];
}

/** How a renderer's input names what a text leads to. */
interface Names {
  article: (slug: string) => string;
  picture: (number: number) => string;
}

const words =
  "tide harbour lantern meadow granite ferry orchard winter signal market river bridge copper window letter garden island story morning archive".split(
    " ",
  );

/** The articles, the latest first: the same for the same counts. */
export function* corpusOf(count: number, pictures = usualPictures): Generator<CorpusArticle> {
  for (let number = 0; number < count; number++) yield articleAt(number, count, pictures);
}

function articleAt(number: number, count: number, pictures: number): CorpusArticle {
  const throws = dice(1, number);
  return {
    slug: slugOf(number),
    title: sentence(throws, 6),
    summary: `${sentence(throws, 16)}.`,
    time: Date.UTC(2025, 5, 1) - number * 3_600_000,
    category: throws.pick(categories),
    tags: throws.some(tags, 1 + throws.roll(4)),
    blocks: blocksOf(throws, count, pictures),
  };
}

const slugOf = (number: number): string => `article-${number}`;

function blocksOf(throws: Dice, count: number, pictures: number): Block[] {
  const one = (kind: Block["kind"], ...texts: Inline[]): Block => ({ kind, texts: [texts] });
  const paragraph = (): Block => one("paragraph", `${sentence(throws, 75)}.`);
  const heading = (): Block => one("heading", sentence(throws, 4));
  const link = { article: throws.roll(count) };
  return [
    paragraph(),
    ...(throws.chance(40) ? [one("figure", { picture: throws.roll(pictures) })] : []),
    heading(),
    paragraph(),
    one("paragraph", `${sentence(throws, 30)}, `, link, ` ${sentence(throws, 30)}.`),
    one("quote", `${sentence(throws, 25)}.`),
    heading(),
    { kind: "items", texts: [1, 2, 3, 4].map(() => [sentence(throws, 8)]) },
    ...Array.from({ length: 4 }, paragraph),
  ];
}

function sentence(throws: Dice, length: number): string {
  const text = Array.from({ length }, () => throws.pick(words)).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function htmlOf({ blocks }: CorpusArticle, names: Names): string {
  const inline = (one: Inline): string => {
    if (typeof one === "string") return one;
    if ("picture" in one) return `<img src="${names.picture(one.picture)}" alt="A picture">`;
    return `<a href="${names.article(slugOf(one.article))}">an article</a>`;
  };
  const tag = { heading: "h2", paragraph: "p", quote: "blockquote", items: "li", figure: "figure" };
  const lines = blocks.map(({ kind, texts }) => {
    const inner = texts.map((text) => `<${tag[kind]}>${text.map(inline).join("")}</${tag[kind]}>`);
    return kind === "items" ? `<ul>${inner.join("")}</ul>` : inner.join("");
  });
  return lines.join("\n");
}

export function markdownOf({ blocks }: CorpusArticle, names: Names): string {
  const inline = (one: Inline): string => {
    if (typeof one === "string") return one;
    if ("picture" in one) return `![A picture](${names.picture(one.picture)})`;
    return `[an article](${names.article(slugOf(one.article))})`;
  };
  const mark = { heading: "## ", paragraph: "", quote: "> ", items: "- ", figure: "" };
  const paragraphs = blocks.map(({ kind, texts }) =>
    texts.map((text) => mark[kind] + text.map(inline).join("")).join("\n"),
  );
  return `${paragraphs.join("\n\n")}\n`;
}

/** The corpus as the demo origin has it, with small pictures. */
export async function contentOf(count: number, pictures = usualPictures): Promise<Content> {
  const organisationId = uuidOf("bench");
  const images = await Promise.all(
    Array.from({ length: pictures }, (_, n) => imageAt(n, organisationId)),
  );
  const categoryId = (slug: string): string => uuidOf(`bench ${slug}`);
  const articles = Array.from(corpusOf(count, pictures), (one): Article => {
    const shown = one.blocks.flatMap(({ texts }) =>
      texts
        .flat()
        .flatMap((text) => (typeof text === "object" && "picture" in text ? text.picture : [])),
    );
    return {
      ...{ organisationId, title: one.title, slug: one.slug, synopsis: one.summary },
      ...{ publishedAt: one.time, createdAt: one.time, tags: one.tags },
      id: uuidOf(one.slug),
      categoryId: categoryId(one.category),
      images: shown.map((n) => images[n]?.id ?? ""),
      ...{ videos: [], documents: [], audio: [], rating: { average: 0, count: 0 } },
      body: (links) =>
        htmlOf(one, {
          article: (slug) => links.view("articles", slug),
          picture: (n) => links.web(images[n]?.id ?? "").replaceAll("&", "&amp;"),
        }),
    };
  });
  return {
    articles: new Collection(articles),
    neighbours: new Collection<Article>(),
    galleries: new Collection<Gallery>(),
    images: new Collection(images),
    videos: new Collection<MediaFile>(),
    documents: new Collection<MediaFile>(),
    audio: new Collection<MediaFile>(),
    categories: categories.map((slug, order) => {
      return { id: categoryId(slug), title: slug, slug, order };
    }),
    tags: tags.map((slug) => ({ slug, title: slug, createdAt: 0, productsCount: 0 })),
  };
}

/** Galleries that show nothing. */
export function galleriesOf(count: number): Collection<Gallery> {
  const galleries = Array.from({ length: count }, (_, n): Gallery => {
    const time = Date.UTC(2025, 5, 1) - n * 600_000;
    return {
      ...{ id: uuidOf(`bench gallery ${n}`), organisationId: uuidOf("bench") },
      ...{ title: `Gallery ${n}`, slug: `gallery-${n}`, publishedAt: time, createdAt: time },
      ...{ tags: [], images: [], videos: [], audio: [] },
    };
  });
  return new Collection(galleries);
}

async function imageAt(number: number, organisationId: string): Promise<Image> {
  const [width, height] = [160, 120];
  const [r = 0, g = 0, b = 0] = [number, number >> 8, number >> 16].map((part) => part & 255);
  const background = { r, g: 255 - g, b: 128 + b };
  const bytes = await sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer();
  return imageOf(
    number,
    organisationId,
    { width, height, filesize: bytes.length },
    async () => bytes,
  );
}

/** A picture as the demo origin has it. */
export function imageOf(
  number: number,
  organisationId: string,
  size: Pick<Image, "width" | "height" | "filesize">,
  read: Image["read"],
): Image {
  return {
    ...{ id: uuidOf(`bench picture ${number}`), organisationId, title: `Picture ${number}` },
    ...{ caption: "", ...size, mime: "image/jpeg", meta: {} },
    ...{ private: false, createdAt: Date.UTC(2025, 0, 1) - number, read },
  };
}
