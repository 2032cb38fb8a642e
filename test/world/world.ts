import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import sharp from "sharp";

/** An object of the API, as the origin writes it. */
export type Json = Record<string, unknown>;

/** One answer, as it goes over the wire; an object is sent as JSON. */
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer | object;
}

/** What an origin has. A case changes it before the first request. */
export interface World {
  /** Address of the API, without a slash at the end. */
  base: string;
  articles: Json[];
  galleries: Json[];
  images: Json[];
  videos: Json[];
  documents: Json[];
  audio: Json[];
  categories: Json[];
  tags: Json[];
  /** Body of each article by its id. */
  bodies: Record<string, unknown>;
  /** Ids of attached items by `articles/{id}/images` and the like. */
  attached: Record<string, string[]>;
  /** Ids of files that no index lists. */
  unlisted: string[];
  /** Files by their path below the API. */
  files: Record<string, Answer>;
  /** Changes an answer in JSON before it is sent. */
  alter?: (answer: Answer) => Answer;
}

/** An answer with a list, in the envelope of the API document. */
export interface List {
  data: Json[];
  links: Json;
  meta: Json;
}

/** Changes the envelopes of all paginated lists. */
export function changeLists(world: World, change: (list: List) => unknown): void {
  world.alter = (answer) => {
    const body = structuredClone(answer.body) as List;
    if ("meta" in body) change(body);
    return { ...answer, body };
  };
}

/** Writes all answers in JSON in another way. */
export function changeTexts(
  world: World,
  write: (text: string) => Buffer,
  type = "application/json",
): void {
  world.alter = ({ body }) => ({
    headers: { "content-type": type },
    body: write(JSON.stringify(body)),
  });
}

/** Gives all answers in JSON other headers. */
export function changeHeaders(world: World, headers: Record<string, string>): void {
  world.alter = ({ body }) => ({ headers, body });
}

/** Gives the odd article a document. */
export function attachDocument(world: World, more: Json): void {
  const download = `${world.base}/documents/${document}/download?signature=0123abcd`;
  world.documents.push({
    id: document,
    organisation_id: organisation,
    links: { download },
    ...more,
  });
  world.attached[`articles/${odd}/documents`] = [document];
  const article = world.articles.find((item) => item.id === odd);
  Object.assign(article ?? {}, { attachments: { images: 1, videos: 0, documents: 1, audio: 0 } });
}

const kinds = ["images", "videos", "documents", "audio"] as const;

/** Ids of the plain world: `id(1)` is the article that cases make odd. */
export const id = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
export const odd = id(1);
const plain = id(2);
export const gallery = id(3);
export const picture = id(4);
const secondPicture = id(5);
export const document = id(6);
const organisation = id(99);
const category = { id: id(50), title: "Coast" };

/**
 * A world of two articles, a gallery, two images, a category and a tag, each written as in "Resources and their
 * fields" of the API document. The first article has the first image; the gallery has both.
 */
export async function plainWorld(base: string): Promise<World> {
  const article = (number: number, title: string): Json => ({
    id: id(number),
    organisation_id: organisation,
    title,
    slug: title.toLowerCase().replaceAll(" ", "-"),
    synopsis: `What ${title} says`,
    published_at: `2024-05-0${number}T08:00:00.000000Z`,
    created_at: `2024-05-0${number}T07:00:00.000000Z`,
    category,
    tags: ["sea"],
    links: { view: `https://www.example.org/articles/${id(number)}`, thumbnail: null },
    attachments: { images: number === 1 ? 1 : 0, videos: 0, documents: 0, audio: 0 },
    rating: { average: 4.5, count: 2 },
  });
  const first = await colour("#264653");
  const second = await colour("#e76f51");
  return {
    base,
    articles: [article(2, "Plain article"), article(1, "Odd article")],
    galleries: [
      {
        id: gallery,
        organisation_id: organisation,
        title: "Two pictures",
        slug: "two-pictures",
        links: { view: `https://www.example.org/galleries/${gallery}`, thumbnail: null },
        attachments: { images: 2, videos: 0, audio: 0 },
        published_at: "2024-05-03T08:00:00.000000Z",
        created_at: "2024-05-03T07:00:00.000000Z",
      },
    ],
    images: [imageOf(base, picture, first), imageOf(base, secondPicture, second)],
    ...{ videos: [], documents: [], audio: [] },
    categories: [{ ...category, slug: "coast", order: 0, articles_count: 2 }],
    tags: [
      {
        title: "Sea",
        slug: "sea",
        created_at: "2024-01-01T00:00:00.000000Z",
        ...{ articles_count: 2, galleries_count: 0, products_count: 0 },
      },
    ],
    bodies: { [odd]: "<p>The odd text.</p>", [plain]: "<p>The plain text.</p>" },
    attached: {
      [`articles/${odd}/images`]: [picture],
      [`galleries/${gallery}/images`]: [picture, secondPicture],
    },
    unlisted: [],
    files: {
      ...filesOf(picture, first, "image/png"),
      ...filesOf(secondPicture, second, "image/png"),
    },
  };
}

/** A picture of 64 by 48 pixels in one colour. */
export async function colour(background: string): Promise<Buffer> {
  return await sharp({ create: { width: 64, height: 48, channels: 3, background } })
    .png()
    .toBuffer();
}

/** An image object with links as in "Image binary retrieval". */
export function imageOf(base: string, one: string, bytes: Buffer, more: Json = {}): Json {
  const signed = (path: string): string => `${base}/images/${one}${path}`;
  const tail = "expires=4102444800&signature=0123abcd";
  return {
    id: one,
    organisation_id: organisation,
    title: "A picture",
    caption: "What it shows",
    dimensions: { width: 64, height: 48 },
    filesize: bytes.length,
    meta: {},
    links: {
      view: `https://www.example.org/images/${one}`,
      thumbnail: {
        square: signed(`.jpg?expires=4102444800&thumb=1&signature=0123abcd`),
        portrait: signed(`.jpg?expires=4102444800&orientation=p&thumb=1&signature=0123abcd`),
        landscape: signed(`.jpg?expires=4102444800&orientation=l&thumb=1&signature=0123abcd`),
      },
      web: signed(`.jpg?${tail}`),
      download: signed(`/download?${tail}`),
    },
    created_at: "2024-05-01T06:00:00.000000Z",
    ...more,
  };
}

/** What the links of an image lead to: its original, and the web version. */
export function filesOf(one: string, original: Buffer, type: string): World["files"] {
  return {
    [`/images/${one}/download`]: { headers: { "content-type": type }, body: original },
  };
}

/** Serves a world on a free port of 127.0.0.1. */
export async function startWorld(change: (world: World) => void | Promise<void>) {
  const server = createServer((request, response) => {
    const { status = 200, headers = {}, body } = answerOf(world, request);
    const isText = typeof body === "string" || Buffer.isBuffer(body);
    const type = isText ? {} : { "content-type": "application/json" };
    // Node writes header values as Latin-1, byte for byte.
    response.writeHead(status, { ...type, ...headers });
    response.end(isText ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  const world = await plainWorld(base);
  await change(world);
  return {
    world,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const missing: Answer = { status: 404, body: { message: "Not found" } };

function answerOf(world: World, request: IncomingMessage): Answer {
  const target = (request.url ?? "").replace(/^\/api\/v1/, "");
  const { pathname, searchParams } = new URL(target, "http://origin");
  const file = world.files[pathname];
  if (file) return file;
  if (request.headers.authorization === undefined) {
    return { status: 401, body: { message: "Unauthenticated." } };
  }
  const first = jsonOf(world, pathname, searchParams);
  const answer = Number(searchParams.get("page") ?? 1) > 1 ? emptied(first) : first;
  return world.alter && answer.status === undefined ? world.alter(answer) : answer;
}

/** A page behind the only one. */
function emptied({ body, ...answer }: Answer): Answer {
  return { ...answer, body: { ...(body as List), data: [] } };
}

function jsonOf(world: World, pathname: string, query: URLSearchParams): Answer {
  const [, kind = "", one, attachments] = pathname.split("/");
  if (one === undefined) return indexOf(world, kind, query);
  if (attachments !== undefined) return attachmentsOf(world, pathname.slice(1));
  return singleOf(world, kind, decodeURIComponent(one));
}

function indexOf(world: World, kind: string, query: URLSearchParams): Answer {
  if (kind === "categories" || kind === "tags") return { body: { data: world[kind] } };
  if (kind === "articles") return listOf(world, kind, world.articles.filter(matching(query)));
  if (kind === "galleries") return listOf(world, kind, world.galleries.filter(matching(query)));
  const isFiles = (kinds as readonly string[]).includes(kind);
  if (!isFiles) return missing;
  const files = world[kind as (typeof kinds)[number]];
  return listOf(
    world,
    kind,
    files.filter((item) => !world.unlisted.includes(String(item.id))),
  );
}

function attachmentsOf(world: World, path: string): Answer {
  const kind = kinds.find((one) => path.endsWith(`/${one}`));
  if (kind === undefined) return missing;
  const ids = world.attached[path] ?? [];
  const items = ids.flatMap((one) => world[kind].filter((item) => item.id === one));
  return listOf(world, path, items);
}

function singleOf(world: World, kind: string, one: string): Answer {
  if (kind !== "articles" && kind !== "galleries" && kind !== "images") return missing;
  const found = world[kind].find((item) => String(item.id) === one);
  if (!found) return missing;
  const body = world.bodies[one];
  return { body: { data: body === undefined ? found : { ...found, body } } };
}

/** Filters by `year`, `month`, `category` and `tags`, as the API document has them; all tags must match. */
function matching(query: URLSearchParams): (item: Json) => boolean {
  const [year, month] = [query.get("year"), query.get("month")];
  const [wanted, tags] = [query.get("category"), query.get("tags")?.split(",") ?? []];
  return (item) => {
    const time = String(item.published_at);
    if (year !== null && !time.startsWith(year.padStart(4, "0"))) return false;
    if (month !== null && time.slice(5, 7) !== month.padStart(2, "0")) return false;
    const own = item.category as { id?: string } | null;
    if (wanted !== null && own?.id !== wanted && wanted !== "coast") return false;
    return tags.every((tag) => Object.values(Object(item.tags)).includes(tag));
  };
}

/** One page of the paginated index envelope: a world is small. */
function listOf(world: World, path: string, data: Json[]): Answer {
  const url = `${world.base}/${path}`;
  const number = `${url}?page=1`;
  const meta = {
    current_page: 1,
    from: data.length > 0 ? 1 : null,
    last_page: 1,
    links: [
      { url: null, label: "« Previous", active: false },
      { url: number, label: "1", active: true },
      { url: null, label: "Next »", active: false },
    ],
    path: url,
    per_page: 20,
    to: data.length > 0 ? data.length : null,
    total: data.length,
  };
  return { body: { data, links: { first: number, last: number, prev: null, next: null }, meta } };
}
