import type { Content, Image } from "../../../src/demo/model.ts";
import { articleOf, contentOf, galleryOf, idOf, imageOf, tagOf } from "../hand-made.ts";
import type { Payload } from "./payloads.ts";

/** How many things of each kind carry payloads; an article carries four, the others two to four. */
export interface Carriers {
  articles: number;
  galleries: number;
  images: number;
  categories: number;
  tags: number;
}

/** A content whose texts are all payloads, and how many pairs of a payload and a field are in it. */
export interface Loaded {
  content: Content;
  /** The payload for the address of a page at the origin, which the demo origin makes by itself. */
  viewOf(id: string): string | undefined;
  pairs: number;
}

/** Puts payloads into every field that somebody at the origin can write; no payload stands twice in one field. */
export async function loadContent(
  payloads: readonly Payload[],
  carriers: Carriers,
): Promise<Loaded> {
  const pairs = new Set<string>();
  // A field begins at its own place in the list, so that one article carries different payloads.
  const textOf = (field: string, at: number, number: number): string => {
    const payload = payloads[(at * 53 + number) % payloads.length] as Payload;
    pairs.add(`${field} ${payload.number}`);
    return payload.text;
  };
  // The demo origin makes addresses of slugs, which half a character cannot be part of.
  const slugOf = (field: string, at: number, number: number): string =>
    Buffer.from(textOf(field, at, number)).toString();
  const many = <T>(count: number, make: (number: number) => T): T[] =>
    Array.from({ length: count }, (_, number) => make(number));

  const categories = many(carriers.categories, (number) => ({
    id: idOf("category", number),
    title: textOf("category title", 0, number),
    slug: slugOf("category slug", 1, number),
    order: number,
  }));
  const tags = many(carriers.tags, (number) =>
    tagOf(slugOf("tag slug", 2, number).replaceAll(",", ""), textOf("tag title", 3, number)),
  );
  const images: Image[] = [];
  for (let number = 0; number < carriers.images; number++) {
    images.push(
      await imageOf(number, {
        title: textOf("image title", 4, number),
        caption: textOf("image caption", 5, number),
        meta: { [textOf("image meta name", 6, number)]: textOf("image meta", 7, number) },
      }),
    );
  }
  const imageAt = (number: number): string[] =>
    images.length === 0 ? [] : [images[number % images.length]?.id as string];
  const articles = many(carriers.articles, (number) =>
    articleOf(number, {
      title: textOf("article title", 8, number),
      synopsis: textOf("synopsis", 9, number),
      slug: slugOf("article slug", 10, number),
      body: textOf("body", 11, number),
      categoryId: idOf("category", number % Math.max(1, carriers.categories)),
      tags: tags.length === 0 ? [] : [tags[number % tags.length]?.slug as string],
      images: number % 4 === 0 ? imageAt(number / 4) : [],
    }),
  );
  const galleries = many(carriers.galleries, (number) =>
    galleryOf(number, {
      title: textOf("gallery title", 12, number),
      slug: slugOf("gallery slug", 13, number),
      images: imageAt(number),
    }),
  );
  const views = new Map(
    [...articles, ...galleries, ...images].map(({ id }, number) => [
      id,
      textOf("links.view", 14, number),
    ]),
  );
  return {
    content: contentOf({ articles, galleries, images, categories, tags }),
    viewOf: (id) => views.get(id),
    pairs: pairs.size,
  };
}

/**
 * An answer of the API with the addresses of pages replaced: those of every other item begin as an address does,
 * the rest are nothing but a payload.
 */
export function withViews(text: string, viewOf: Loaded["viewOf"]): string {
  const replace = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { id, links } = value as { id?: unknown; links?: { view?: unknown } | null };
    const view = typeof id === "string" ? viewOf(id) : undefined;
    if (view !== undefined && typeof links?.view === "string") {
      links.view = /[02468]$/.test(String(id)) ? `https://ok.example/${view}` : view;
    }
    for (const member of Object.values(value)) replace(member);
  };
  try {
    const value: unknown = JSON.parse(text);
    replace(value);
    return JSON.stringify(value);
  } catch {
    return text;
  }
}
