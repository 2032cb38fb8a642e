import { rmSync } from "node:fs";
import type { ApiClient, Downloaded } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Validators } from "../api/validators.ts";
import { ApiError } from "../errors.ts";
import type { Blobs } from "../store/blobs.ts";
import type { Media } from "../store/records.ts";
import { FreshLinks } from "./fresh-links.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";
import { AbsentError } from "./original-error.ts";

/** A downloaded original under a temporary name, which is the caller's to adopt or to remove. */
export interface Fetched extends Downloaded {
  path: string;
  /** False where nothing proves that the file is whole, and a second download brought another one. */
  settled: boolean;
  /** Whether a second download brought the same; undefined where there was none. */
  same?: boolean;
}

export interface Originals {
  /**
   * Downloads the original of an item, through a link from the book or a new one. A link that is too old when the
   * request's turn has come is replaced before anything is asked, and one that is refused is replaced then. A file
   * of another size than its record says is downloaded once more, and so is one without a size of which only the
   * end of the connection tells that it is whole.
   *
   * @throws AbsentError when it is not found (404, 410) by a link, nor by a fresh one
   * @throws OriginalError when the item has no link any more, or only such as die before a request's turn comes
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
  client: Pick<ApiClient, "download" | "downloadUnless" | "serverNow">;
  links: LinkBook;
  mint: Mint;
  blobs: Pick<Blobs, "temporaryPath">;
}

/** More than any picture has; other kinds have the client's own limit. */
const maxImageBytes = 2 * 2 ** 30;
/** What was in vain this often need not be tried again: a second download for a size. */
const patience = 3;
/** Size of the original as the record says; undefined where it does not say or where the file is another one. */
export function expectedBytes(item: Pick<WantedItem, "kind">, record: Media): number | undefined {
  if (record.bytes === 0 || (item.kind === "images" && record.download === null)) return undefined;
  return record.bytes;
}

/** Whether a file may have been cut on its way. Of pictures the decoder will know. */
function looksWrong({ kind }: WantedItem, file: Downloaded, expected: number | undefined): boolean {
  if (expected !== undefined) return file.bytes !== expected;
  return kind !== "images" && file.delimited === "close";
}

function isMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}

export function createOriginals({ client, links, mint, blobs }: OriginalsOptions): Originals {
  let sameAgain = 0;
  const freshLinks = new FreshLinks({ client, links, mint });

  function request(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
    const limit = item.kind === "images" ? { maxBytes: maxImageBytes } : {};
    return freshLinks.ask(item, async (link, linkAtTurn) => {
      const settings = { ...limit, linkAtTurn };
      const path = blobs.temporaryPath();
      try {
        const file =
          validators === undefined
            ? await client.download(link, path, settings)
            : await client.downloadUnless(link, path, validators, settings);
        return file && { ...file, path, settled: true };
      } catch (error) {
        rmSync(path, { force: true });
        throw error;
      }
    });
  }

  function download(item: WantedItem): Promise<Fetched>;
  function download(item: WantedItem, validators: Validators): Promise<Fetched | undefined>;
  async function download(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
    try {
      return await request(item, validators);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    // What a link leads to can have moved since.
    links.forget(item.kind, item.id);
    try {
      return await request(item, validators);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const reason = `the origin has no file for it (${error.status})`;
      throw new AbsentError(reason, { cause: error, asked: true });
    }
  }

  async function settle(item: WantedItem, record: Media, first: Fetched): Promise<Fetched> {
    const expected = expectedBytes(item, record);
    if (!looksWrong(item, first, expected)) return first;
    if (expected !== undefined && sameAgain >= patience) return first;
    rmSync(first.path, { force: true });
    const second = await download(item);
    const same = second.sha256 === first.sha256;
    if (same && expected !== undefined) sameAgain++;
    return { ...second, same, settled: same || !looksWrong(item, second, expected) };
  }

  return {
    fetch: async (item, record) => settle(item, record, await download(item)),
    async fetchUnless(item, record, validators, known) {
      const file = await download(item, validators);
      return file === undefined || file.sha256 === known ? file : settle(item, record, file);
    },
  };
}
