import { createHash } from "node:crypto";
import type { Article, BodyLinks, Content, Gallery, Image } from "../../../src/demo/model.ts";
import { articleOf, contentOf, galleryOf, idOf, imageOf, tagOf } from "../hand-made.ts";

/** The token of the runs: a service may hand out any characters that a header can carry. */
export const token = "canary-7c1f0e5d-token+4a/9b==";
/** What no spelling of the token can do without. */
export const tokenMark = "canary-7c1f0e5d";

/** A signature that stands in one place only, so that a leak tells where it came from. */
export function signatureFor(place: string): string {
  return createHash("sha256").update(`signature in ${place}`).digest("hex");
}

/** Something that must not come out, and where it was put in. */
export interface Canary {
  place: string;
  /** Bytes of it, in ASCII. */
  mark: string;
}

export interface Planted {
  content: Content;
  /** In no file, no output and no log. */
  signatures: Canary[];
  /** In nothing that is published. */
  privateIds: Canary[];
  /** SHA-256 of the originals of private images. */
  privateFiles: Set<string>;
}

const expires = "expires=1999999999";
const elsewhere = "https://elsewhere.example";

/** Spellings of a signed link, as they stand in a text. */
const signedLinks: Record<string, (signature: string) => string> = {
  plain: (s) => `http://127.0.0.1/api/v1/images/x.jpg?${expires}&signature=${s}`,
  "with an entity": (s) => `http://127.0.0.1/api/v1/images/x.jpg?${expires}&amp;signature=${s}`,
  "percent-encoded": (s) =>
    `${elsewhere}/?u=${encodeURIComponent(`http://127.0.0.1/x.jpg?${expires}&signature=${s}`)}`,
  "percent-encoded twice": (s) =>
    `${elsewhere}/?u=${encodeURIComponent(encodeURIComponent(`http://127.0.0.1/x.jpg?signature=${s}`))}`,
  "in a script": (s) => `"http:\\/\\/127.0.0.1\\/x.jpg?${expires}\\u0026signature=${s}"`,
  "in upper case": (s) => `http://127.0.0.1/x.jpg?EXPIRES=1999999999&SIGNATURE=${s}`,
  "relative to the scheme": (s) => `//127.0.0.1:8080/x.jpg?w=3&${expires}&signature=${s}`,
};

/** Where in a body the address of a private image can stand. */
const inBodies: Record<string, (id: string, links: BodyLinks) => string> = {
  "body: picture": (id, links) => `<img src="${links.web(id)}" alt="">`,
  "body: picture, several sizes": (id, links) => `<img srcset="${links.web(id, "width=9")} 9w">`,
  "body: picture behind an entity": (id, links) =>
    `<img src="${links.web(id).replaceAll("&", "&amp;")}">`,
  "body: link to the original": (id, links) => `<a href="${links.download("images", id)}">x</a>`,
  "body: link to its page": (id, links) => `<a href="${links.view("images", id)}">x</a>`,
  "body: address in the text": (id, links) => `<p>See ${links.web(id)} for it.</p>`,
  "body: address from the root": (id) => `<img src="/api/v1/images/${id}.jpg">`,
  "body: address percent-encoded": (id, links) =>
    `<a href="${elsewhere}/?u=${encodeURIComponent(links.web(id))}">x</a>`,
  "body: data attribute": (id, links) => `<p data-src="${links.web(id)}">x</p>`,
  "body: comment": (id, links) => `<!-- ${links.web(id)} --><p>x</p>`,
  "body: style": (id, links) => `<p style="background:url(${links.web(id)})">x</p>`,
  "body: script": (id, links) => `<script>load("${links.web(id)}")</script><p>x</p>`,
  "body: poster": (id, links) => `<video poster="${links.thumbnail(id, "square")}"></video>`,
};

/**
 * Content in which every text carries the token, a signature, or the address of a private image.
 *
 * @param encoded whether the token also stands percent-encoded in addresses, where a slug carries it
 */
export async function plantCanaries({ encoded }: { encoded: boolean }): Promise<Planted> {
  const signatures: Canary[] = [];
  const privateIds: Canary[] = [];
  const hidden: Image[] = [];
  const signed = (field: string, spelling: string): string => {
    const place = `${field}, ${spelling}`;
    const mark = signatureFor(place);
    signatures.push({ place, mark });
    return (signedLinks[spelling] as (signature: string) => string)(mark);
  };
  const hide = async (place: string): Promise<string> => {
    const image = await imageOf(1000 + hidden.length, { private: true });
    hidden.push(image);
    privateIds.push({ place, mark: image.id });
    return image.id;
  };

  const articles: Article[] = [];
  for (const [place, write] of Object.entries(inBodies)) {
    const id = await hide(place);
    const body = (links: BodyLinks): string => `<p>Text.</p>${write(id, links)}`;
    articles.push(articleOf(articles.length, { body }));
  }
  for (const spelling of Object.keys(signedLinks)) {
    const number = articles.length;
    articles.push(
      articleOf(number, {
        title: `Title ${signed("article title", spelling)}`,
        synopsis: `Synopsis ${signed("synopsis", spelling)}`,
        slug: `slug-${number}-${signed("article slug", spelling)}`,
        body: `<p>${signed("body", spelling)}</p><a href="${signed("body link", spelling)}">x</a>`,
      }),
    );
  }
  const attached = await hide("attached to an article");
  const inGallery = await hide("attached to a gallery");
  const inCaption = await hide("caption of a public image");
  const inMeta = await hide("meta of a public image");
  const inSynopsis = await hide("synopsis");
  await hide("nowhere but its own index");
  const address = (id: string): string => `http://127.0.0.1/api/v1/images/${id}.jpg`;
  const publicImages = [
    await imageOf(0, {
      caption: `Caption /api/v1/images/${inCaption}.jpg ${signed("caption", "plain")} ${token}`,
      meta: {
        credit: signed("meta", "with an entity"),
        source: `/api/v1/images/${inMeta}/download`,
        token,
        [`name ${token}`]: "a name",
      },
    }),
    await imageOf(1, { title: `Picture ${signed("image title", "percent-encoded")} ${token}` }),
  ];
  const repeated = encodeURIComponent(token);
  articles.push(
    articleOf(articles.length, { title: `Token ${token}`, images: [attached, idOf("image", 0)] }),
    articleOf(articles.length + 1, {
      tags: ["tagged"],
      synopsis: `${address(inSynopsis)} /api/v1/images/${inSynopsis}.jpg`,
      body: `<p>${token}</p><a href="${elsewhere}/?access_token=${token}">x</a>`,
    }),
  );
  if (encoded) {
    articles.push(
      articleOf(articles.length, { slug: `slug-${token}`, tags: ["tagged"] }),
      articleOf(articles.length + 1, { body: `<a href="${elsewhere}/?t=${repeated}">x</a>` }),
    );
  }
  const galleries: Gallery[] = [
    galleryOf(0, {
      title: `Gallery ${token} ${signed("gallery title", "plain")}`,
      images: [inGallery, idOf("image", 1)],
    }),
  ];
  const privateFiles = new Set<string>();
  for (const image of hidden) {
    privateFiles.add(
      createHash("sha256")
        .update(await image.read())
        .digest("hex"),
    );
  }
  const content = contentOf({
    articles,
    galleries,
    images: [...publicImages, ...hidden],
    categories: [
      {
        id: idOf("category", 0),
        title: `News ${token} ${signed("category title", "plain")}`,
        slug: "news",
        order: 0,
      },
    ],
    tags: [tagOf("tagged", `Tagged ${token} ${signed("tag title", "relative to the scheme")}`)],
  });
  return { content, signatures, privateIds, privateFiles };
}
