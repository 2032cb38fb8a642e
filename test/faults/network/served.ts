import sharp from "sharp";
import type { Content, MediaFile } from "../../../src/demo/model.ts";
import { articleOf, contentOf, galleryOf, idOf, imageOf, tagOf, timeOf } from "../hand-made.ts";

const pageSize = 4;

/** What an origin has to serve for a crawl of about `requests` requests: lists of one page and of several. */
export async function servedContent(requests: number): Promise<Content> {
  // An article costs two requests with its attachments, an image one and a part of a page.
  const size = Math.max(1, Math.round((requests - 20) / 24));
  const images = await Promise.all(
    Array.from({ length: 4 * size }, async (_, n) => (n % 2 === 0 ? imageOf(n) : await jpegOf(n))),
  );
  const ids = images.map(({ id }) => id);
  const tags = ["sea", "land", "air"];
  const articles = Array.from({ length: 8 * size }, (_, n) =>
    articleOf(n, {
      // The first has a list of two pages.
      images:
        n === 0 ? ids.slice(0, pageSize + 1) : n % 3 === 1 ? ids.slice(n % 5, (n % 5) + 2) : [],
      documents: n === 2 ? [idOf("document", 0)] : [],
      tags: tags.filter((_, at) => ((n + 1) >> at) % 2 === 1),
      categoryId: idOf("category", n % 2),
    }),
  );
  const galleries = [0, 1].map((n) => galleryOf(n, { images: ids.slice(n, n + 3) }));
  const content = contentOf({
    articles,
    galleries,
    images,
    categories: ["News", "Views"].map((title, order) => ({
      id: idOf("category", order),
      title,
      slug: title.toLowerCase(),
      order,
    })),
    tags: tags.map((slug) => tagOf(slug, slug.toUpperCase())),
  });
  content.documents.add(document(idOf("organisation", 0)));
  return content;
}

/** Options of the origin that fit the content. */
export const servedOptions = { pageSize };

async function jpegOf(number: number) {
  const noise = { type: "gaussian" as const, mean: 90 + number, sigma: 30 };
  const bytes = await sharp({
    create: { width: 64, height: 48, channels: 3, background: "#888", noise },
  })
    .jpeg()
    .toBuffer();
  const more = { width: 64, height: 48, filesize: bytes.length, mime: "image/jpeg" };
  return imageOf(number, { ...more, read: async () => bytes });
}

function document(organisationId: string): MediaFile {
  const bytes = Buffer.from(`%PDF-1.4\n${"% nothing to see\n".repeat(40)}%%EOF\n`);
  return {
    id: idOf("document", 0),
    organisationId,
    title: "A document",
    caption: "With little in it",
    filesize: bytes.length,
    mime: "application/pdf",
    seconds: null,
    createdAt: timeOf(0),
    read: async () => bytes,
  };
}
