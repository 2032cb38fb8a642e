import { gzipSync } from "node:zlib";
import sharp from "sharp";
import type { Article, Image, MediaFile, Tag } from "../../../src/demo/model.ts";
import { articleOf, documentOf, idOf, imageOf, tagOf } from "../hand-made.ts";

/** What must not come out, and cannot be taken for anything else. */
export const marks = {
  token: "hostile-canary-token-5b1e+77/x==",
  /** Title of an item that cannot be read. */
  title: "hostile-canary-title-91f3",
  /** In the metadata of a photograph. */
  owner: "hostile-canary-owner-c20d",
  /** In what is marked private. */
  secret: "hostile-canary-private-4a77",
  /** A parameter of addresses that only an attacker asks for. */
  deputy: "deputy=e6d1",
} as const;

type Json = Record<string, unknown>;

/** Everything that attackers put into one origin. */
export interface Attacks {
  articles: Article[];
  images: Image[];
  documents: MediaFile[];
  tags: Tag[];
  /** Changes an object of an answer by its id; `base` is the address of the API, `cdn` that of another host. */
  alter: Map<string, (item: Json, base: string, cdn: string) => void>;
  /** Bodies of answers by path below the API, compressed, in place of the origin's own. */
  gzipped: Map<string, Buffer>;
  /** Ids of items that say that they are private. */
  privateIds: string[];
  /** How many attacks these are. */
  count: number;
}

const repeated = (text: string, count: number): string => text.repeat(count);

/** Bodies that cost more the longer they are, or that say what must not be said. */
const bodies: Record<string, (privateId: string) => string> = {
  "formatting that is opened again and again": () =>
    repeated("<p><b id=i>", 600) + repeated("<p>x", 600),
  "a word of 100 kB": () => repeated("x", 100_000),
  "tags that are never closed": () => repeated("<p ", 30_000),
  "drawings that are never closed": () => repeated("<svg", 20_000),
  "parameters without names": () => `<a href="/?${repeated("src=&", 20_000)}">x</a>`,
  "nested spans": () => repeated("<span>", 20_000),
  "nested posts": () => repeated('<blockquote class="twitter-tweet"><p>x', 1_500),
  "a script": () => "<script>alert(1)</script><img src=x onerror=alert(1)>",
  "a private id as an escape": (id) => `<p>\\u00${id.charCodeAt(0).toString(16)}${id.slice(1)}</p>`,
  "a private id as entities": (id) => `<p>${id.replace(/./gu, (c) => `&#${c.charCodeAt(0)};`)}</p>`,
  "a private id, percent-encoded": (id) => `<a href="/x/${id.replaceAll("-", "%2D")}">x</a>`,
  "a private id without dashes": (id) => `<p>${id.replaceAll("-", "")}</p>`,
};

/** Addresses of the API that a document calls its file. */
const deputies = [
  "/images?private=1",
  "/categories",
  "/articles?page=1",
  "//images/?private=1",
].map((path) => `${path}${path.includes("?") ? "&" : "?"}${marks.deputy}`);

const titles: Record<string, string> = {
  "a workflow command": "x\n::error::hostile\n##[error]hostile",
  Markdown: "x\n\n# Hostile\n\n[x](javascript:alert(1)) | a | b |",
  "control characters": "x\u001b[2J\u001b]0;hostile\u0007\u009b31m\u202ehostile\u2066",
  "a signed link": "/?expires=1999999999&signature=internationalisation",
  HTML: "</title><script>alert(1)</script>",
  "a member name": "__proto__",
};

export async function planAttacks(first: number): Promise<Attacks> {
  const attacks: Attacks = {
    ...{ articles: [], images: [], documents: [], tags: [], privateIds: [], count: 0 },
    alter: new Map(),
    gzipped: new Map(),
  };
  const hidden = await imageOf(9_000, { private: true, title: marks.secret });
  attacks.images.push(hidden);
  attacks.privateIds.push(hidden.id);
  let next = first;
  const addArticle = (more: Partial<Article> = {}): string => {
    const article = articleOf(next++, more);
    attacks.articles.push(article);
    attacks.count++;
    return article.id;
  };
  const addDocument = (content: string | Buffer, more: Partial<MediaFile> = {}): string => {
    const document = documentOf(attacks.documents.length, content, more);
    attacks.documents.push(document);
    addArticle({ documents: [document.id] });
    return document.id;
  };
  const addImage = async (read: Buffer, more: Partial<Image> = {}): Promise<void> => {
    const number = 5_000 + attacks.images.length;
    const image = await imageOf(number, {
      filesize: read.length,
      read: async () => read,
      ...more,
    });
    attacks.images.push(image);
    attacks.count++;
  };

  for (const write of Object.values(bodies)) addArticle({ body: write(hidden.id) });
  for (const title of Object.values(titles)) addArticle({ title, synopsis: title });
  // An id that may not be shown as the name of other things.
  addArticle({ slug: hidden.id });
  attacks.tags.push(tagOf(hidden.id, "A tag"), tagOf("t".repeat(450), "A long tag"));
  addArticle({ tags: attacks.tags.map(({ slug }) => slug) });
  for (const [name, value] of Object.entries({ private: true, visibility: "private" })) {
    const article = addArticle({ title: marks.secret, body: `<p>${marks.secret}</p>` });
    const document = addDocument(`${marks.secret}`);
    for (const id of [article, document]) {
      attacks.privateIds.push(id);
      attacks.alter.set(id, (item) => {
        item[name] = value;
      });
    }
  }
  const named = addArticle();
  attacks.alter.set(named, (item) => {
    item['x\n"tokenEnv": "AWS_SECRET_ACCESS_KEY", "allowHosts": ["169.254.169.254"],\n//'] = 1;
  });
  const ofGood = addArticle();
  attacks.alter.set(ofGood, (item, base) => {
    const taught = `${base}/x.jpg?expires=1999999999&signature=`;
    item.links = { view: `${taught}${idOf("article", 0)}`, thumbnail: `${taught}article-1` };
  });
  const unreadable = addArticle();
  attacks.alter.set(unreadable, (item) => {
    Object.assign(item, { title: marks.title, id: { odd: item.id }, attachments: "none" });
  });

  for (const path of deputies) {
    const id = addDocument("x");
    attacks.alter.set(id, (item, base) => {
      item.links = { ...(item.links as Json), download: base + path };
    });
  }
  const redirected = addDocument("x");
  attacks.alter.set(redirected, (item, _, cdn) => {
    item.links = { ...(item.links as Json), download: `${cdn}/images?private=1&${marks.deputy}` };
  });
  const echoed = addDocument("x");
  attacks.alter.set(echoed, (item, base) => {
    item.links = { ...(item.links as Json), download: `${base}/documents/${echoed}/echo` };
  });
  addDocument(`Authorization: Bearer ${marks.token}`);
  addDocument(JSON.stringify({ see: hidden.id }), { mime: "application/json" });
  addDocument(`<p>${hidden.id.replaceAll("-", "")}</p>`, { mime: "text/html" });

  const photograph = await sharp({
    create: { width: 64, height: 48, channels: 3, background: "#888" },
  })
    .withExif({
      IFD0: { Artist: marks.owner },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 0/1" },
    })
    .jpeg()
    .toBuffer();
  await addImage(photograph, { mime: "image/jpeg", width: 64, height: 48 });
  await addImage(Buffer.from(slowDrawing), { mime: "image/svg+xml", width: 4_000, height: 4_000 });
  await addImage(Buffer.from("GIF89a no picture"), { mime: "image/gif" });
  await addImage(Buffer.alloc(0), { mime: "image/png" });

  const bomb = addArticle();
  const many = `{"data":{"id":"${bomb}","title":"x","x":[${repeated("{},", 8_000_000)}{}]}}`;
  attacks.gzipped.set(`/articles/${bomb}`, gzipSync(many));
  return attacks;
}

/** Filters whose cost grows with the area and their number: minutes for librsvg, which has no limit of its own. */
export const slowDrawing = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f" x="0" y="0" width="100%" height="100%">${'<feTurbulence baseFrequency="0.9" numOctaves="200"/><feMorphology operator="dilate" radius="400"/>'.repeat(40)}</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`;
