/**
 * A client of the service, written from the API document alone: it follows `links.next`, asks for
 * each single object, attachment list and file, and remembers what it was given.
 */
import { createHash } from "node:crypto";
import type { OriginOptions } from "../../src/demo/options.ts";

/** An object of the API, whatever its members. */
export type Item = Record<string, unknown>;

/** A video, document, audio file or original of an image, as its origin offers it. */
export interface OfferedFile {
  /** Kind and id of the item that links to it. */
  kind: string;
  id: string;
  status: number;
  sha256: string;
}

/** What an origin offers to one token. Paths are below the base address. */
export interface Offer {
  /** Rows of each index and attachment list, of all its pages. */
  lists: Map<string, Item[]>;
  /** Objects that are asked for by their id. */
  singles: Map<string, Item>;
  files: OfferedFile[];
}

interface Page {
  data: Item[];
  links: { next?: string | null };
  meta: { total: number };
}

/** Everything that an origin offers. Throws where an answer to JSON is not 200. */
export async function walkOrigin(
  baseUrl: string,
  token: string,
  paths: OriginOptions["paths"],
): Promise<Offer> {
  const offer: Offer = { lists: new Map(), singles: new Map(), files: [] };
  const items = new Map<string, Item>();

  const ask = async (url: string): Promise<{ data: unknown }> => {
    const headers = { Authorization: `Bearer ${token}`, Accept: "application/json" };
    const response = await patiently(url, headers);
    if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
    return (await response.json()) as { data: unknown };
  };
  const rowsOf = async (path: string): Promise<{ rows: Item[]; total: number }> => {
    const rows: Item[] = [];
    let url = baseUrl + path;
    for (;;) {
      const page = (await ask(url)) as unknown as Page;
      rows.push(...page.data);
      if (!page.links.next) return { rows, total: page.meta.total };
      url = new URL(page.links.next, url).href;
    }
  };
  const attached = async (path: string, kind: string): Promise<void> => {
    const { rows } = await rowsOf(path);
    offer.lists.set(path, rows);
    for (const row of rows) items.set(`${kind} ${row.id}`, row);
  };
  /** An index without a fixed order is read until all of its items were seen. */
  const index = async (path: string): Promise<Item[]> => {
    const seen = new Map<unknown, Item>();
    for (let pass = 1; ; pass += 1) {
      const { rows, total } = await rowsOf(path);
      for (const row of rows) seen.set(row.id, row);
      if (seen.size === total) break;
      if (pass === 50) throw new Error(`${path}: ${seen.size} of ${total} items in ${pass} passes`);
    }
    offer.lists.set(path, [...seen.values()]);
    return [...seen.values()];
  };
  const single = async (template: string, id: unknown): Promise<void> => {
    const path = template.replace("{id}", encodeURIComponent(String(id)));
    offer.singles.set(path, (await ask(baseUrl + path)).data as Item);
  };
  const lists = async (kinds: Record<string, string | null>, id: unknown): Promise<void> => {
    for (const [kind, template] of Object.entries(kinds)) {
      if (template) await attached(template.replace("{id}", String(id)), kind);
    }
  };

  const ofArticles = {
    images: paths.articleImages,
    videos: paths.articleVideos,
    documents: paths.articleDocuments,
    audio: paths.articleAudio,
  };
  const ofGalleries = {
    images: paths.galleryImages,
    videos: paths.galleryVideos,
    audio: paths.galleryAudio,
  };
  for (const { id } of await index("/articles")) {
    await single("/articles/{id}", id);
    await lists(ofArticles, id);
  }
  for (const { id } of await index("/galleries")) {
    await single("/galleries/{id}", id);
    await lists(ofGalleries, id);
  }
  for (const image of await index("/images")) {
    items.set(`images ${image.id}`, image);
    if (paths.image) await single(paths.image, image.id);
  }
  for (const kind of ["videos", "documents", "audio"] as const) {
    const path = paths[kind];
    if (path) for (const row of await index(path)) items.set(`${kind} ${row.id}`, row);
  }
  for (const path of ["/categories", "/tags"]) {
    offer.lists.set(path, (await ask(baseUrl + path)).data as Item[]);
  }
  for (const [key, item] of items) {
    const [kind = ""] = key.split(" ");
    offer.files.push({ kind, ...(await fileOf(item, baseUrl)) });
  }
  return offer;
}

/** The bytes behind the one signed link of an item that does not lead to a scaled picture. */
async function fileOf(item: Item, baseUrl: string): Promise<Omit<OfferedFile, "kind">> {
  const links = strings(item).filter((text) => /[?&]signature=/.test(text));
  // "{base_url}/images/{image_id}.jpg?expires=…" is a web version or a thumbnail.
  const [link, ...others] = links.filter((url) => !/\/images\/[^/]+\.jpg\?/.test(url));
  if (link === undefined || others.length > 0) throw new Error(`${item.id}: not one file`);
  const response = await patiently(new URL(link, `${baseUrl}/`).href);
  const bytes = Buffer.from(await response.arrayBuffer());
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { id: String(item.id), status: response.status, sha256 };
}

/** The first answer that is not about the rate limit. */
async function patiently(url: string, headers: Record<string, string> = {}): Promise<Response> {
  for (;;) {
    const response = await fetch(url, { headers });
    if (response.status !== 429) return response;
    await response.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}
