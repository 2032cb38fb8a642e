import { rmSync } from "node:fs";
import type { ApiClient, Downloaded } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import { ApiError } from "../errors.ts";
import type { Blobs } from "../store/blobs.ts";
import type { Media } from "../store/records.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";

/** A downloaded original under a temporary name, which is the caller's to adopt or to remove. */
export interface Fetched extends Downloaded {
  path: string;
  /** False where the size is not the record's and was another one at the second try as well. */
  settled: boolean;
}

/** An original that could not be had, though the origin answers. */
export class OriginalError extends Error {}

export interface Originals {
  /**
   * Downloads the original of an item, through a link from the book or a new one. A link that is refused is
   * replaced once. A file of another size than its record says is downloaded once more.
   *
   * @throws OriginalError when the item has no link any more
   * @throws ApiError when the download fails for good
   */
  fetch(item: WantedItem, record: Media): Promise<Fetched>;
  /** The same once more, for a file that turned out to be damaged. */
  fetchOnce(item: WantedItem): Promise<Fetched>;
}

export interface OriginalsOptions {
  client: Pick<ApiClient, "download">;
  links: LinkBook;
  mint: Mint;
  blobs: Blobs;
}

/** More than any picture has; other kinds have the client's own limit. */
const maxImageBytes = 2 * 2 ** 30;
/** An origin that gave the same bytes again this often has other sizes in its records than its files have. */
const patience = 3;

/** Size of the original as the record says; undefined where it does not say or where the file is another one. */
export function expectedBytes(item: Pick<WantedItem, "kind">, record: Media): number | undefined {
  if (record.bytes === 0 || (item.kind === "images" && record.download === null)) return undefined;
  return record.bytes;
}

export function createOriginals({ client, links, mint, blobs }: OriginalsOptions): Originals {
  let sameAgain = 0;

  async function fetchOnce(item: WantedItem): Promise<Fetched> {
    const { kind, id } = item;
    const link = links.take(kind, id) ?? (await mintFor(item));
    try {
      return await download(item, link);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      // Another item of the same page may have brought a new link already.
      const other = links.take(kind, id);
      if (other !== undefined && other !== link) return await download(item, other);
      links.forget(kind, id);
      return await download(item, await mintFor(item));
    }
  }

  async function mintFor(item: WantedItem): Promise<string> {
    const link = await mint.mint(item);
    if (link === undefined) throw new OriginalError("the origin shows no link to it any more");
    return link;
  }

  async function download(item: WantedItem, link: string): Promise<Fetched> {
    const path = blobs.temporaryPath();
    const limit = item.kind === "images" ? { maxBytes: maxImageBytes } : {};
    try {
      return { ...(await client.download(link, path, limit)), path, settled: true };
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
  }

  return {
    fetchOnce,
    async fetch(item, record) {
      const expected = expectedBytes(item, record);
      const first = await fetchOnce(item);
      if (expected === undefined || first.bytes === expected || sameAgain >= patience) return first;
      rmSync(first.path, { force: true });
      const second = await fetchOnce(item);
      const same = second.sha256 === first.sha256;
      if (same) sameAgain++;
      return { ...second, settled: same || second.bytes === expected };
    },
  };
}
