import { rmSync } from "node:fs";
import type { ApiClient, Downloaded } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Validators } from "../api/validators.ts";
import { ApiError } from "../errors.ts";
import type { Blobs } from "../store/blobs.ts";
import type { Media } from "../store/records.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";

/** A downloaded original under a temporary name, which is the caller's to adopt or to remove. */
export interface Fetched extends Downloaded {
  path: string;
  /** False where nothing proves that the file is whole, and a second download brought another one. */
  settled: boolean;
}

/** An original that could not be had, though the origin answers. */
export class OriginalError extends Error {}

export interface Originals {
  /**
   * Downloads the original of an item, through a link from the book or a new one. A link that is refused is
   * replaced once. A file of another size than its record says is downloaded once more, and so is one without
   * a size of which only the end of the connection tells that it is whole.
   *
   * @throws OriginalError when the item has no link any more
   * @throws ApiError when the download fails for good
   */
  fetch(item: WantedItem, record: Media): Promise<Fetched>;
  /**
   * The original where it is another one than that with the SHA-256 `known`; see `fetch`. Undefined where the
   * origin says that nothing changed since it gave the validators. The file that is known already is given as it
   * came.
   *
   * @throws as `fetch`
   */
  fetchUnless(
    item: WantedItem,
    record: Media,
    validators: Validators,
    known: string,
  ): Promise<Fetched | undefined>;
}

export interface OriginalsOptions {
  client: Pick<ApiClient, "download" | "downloadUnless">;
  links: LinkBook;
  mint: Mint;
  blobs: Pick<Blobs, "temporaryPath">;
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

/** Whether a file may have been cut on its way. Of pictures the decoder will know. */
function isDoubtful({ kind }: WantedItem, file: Downloaded, expected: number | undefined): boolean {
  if (expected !== undefined) return file.bytes !== expected;
  return kind !== "images" && file.delimited === "close";
}

/** The time that a link says it expires at; Infinity where it says none, so that it is never taken for stale. */
function expiryOf(link: string): number {
  return Number(/[?&]expires=(\d+)/.exec(link)?.[1] ?? Number.POSITIVE_INFINITY);
}

export function createOriginals({ client, links, mint, blobs }: OriginalsOptions): Originals {
  let sameAgain = 0;
  /** Links that expire up to then are not tried any more; in the origin's own words and clock. */
  let staleUntil = 0;

  /** Asks with a link for the item, and with a new one where that is refused. */
  async function withLink<T>(item: WantedItem, ask: (link: string) => Promise<T>): Promise<T> {
    const { kind, id } = item;
    const known = links.take(kind, id);
    if (known !== undefined && expiryOf(known) <= staleUntil) links.forget(kind, id);
    const link = links.take(kind, id) ?? (await mintFor(item));
    try {
      return await ask(link);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
      // Another item of the same page may have brought a new link already.
      const other = links.take(kind, id);
      if (other === link) links.forget(kind, id);
      const renewed = other === undefined || other === link ? await mintFor(item) : other;
      const result = await ask(renewed);
      // It was a matter of age: those of about the same age would be refused as well, each at the price of a request.
      staleUntil = Math.max(staleUntil, (expiryOf(link) + expiryOf(renewed)) / 2);
      return result;
    }
  }

  async function mintFor(item: WantedItem): Promise<string> {
    const link = await mint.mint(item);
    if (link === undefined) throw new OriginalError("the origin shows no link to it any more");
    return link;
  }

  function download(item: WantedItem): Promise<Fetched>;
  function download(item: WantedItem, validators: Validators): Promise<Fetched | undefined>;
  function download(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
    const limit = item.kind === "images" ? { maxBytes: maxImageBytes } : {};
    return withLink(item, async (link) => {
      const path = blobs.temporaryPath();
      try {
        const file =
          validators === undefined
            ? await client.download(link, path, limit)
            : await client.downloadUnless(link, path, validators, limit);
        return file && { ...file, path, settled: true };
      } catch (error) {
        rmSync(path, { force: true });
        throw error;
      }
    });
  }

  async function settle(item: WantedItem, record: Media, first: Fetched): Promise<Fetched> {
    const expected = expectedBytes(item, record);
    if (!isDoubtful(item, first, expected)) return first;
    if (expected !== undefined && sameAgain >= patience) return first;
    rmSync(first.path, { force: true });
    const second = await download(item);
    const same = second.sha256 === first.sha256;
    if (same && expected !== undefined) sameAgain++;
    return { ...second, settled: same || !isDoubtful(item, second, expected) };
  }

  return {
    fetch: async (item, record) => settle(item, record, await download(item)),
    async fetchUnless(item, record, validators, known) {
      const file = await download(item, validators);
      return file === undefined || file.sha256 === known ? file : settle(item, record, file);
    },
  };
}
