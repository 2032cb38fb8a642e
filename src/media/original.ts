import type { ApiClient, Downloaded } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Validators } from "../api/validators.ts";
import type { Blobs } from "../store/blobs.ts";
import type { WantedItem } from "./jobs.ts";
import { isAnswer, type Mint } from "./mint.ts";

/** A downloaded original under a temporary name; the caller adopts or removes it. */
export interface Fetched extends Downloaded {
  path: string;
}

/** Why an original is missing although the origin answers. */
export class OriginalError extends Error {}

/** No member of an item's object is known as the link to its file; the message names its members. */
export class UnknownLinkError extends OriginalError {}

/** The origin has no file of an item. */
export class AbsentError extends Error {
  /** Whether the origin was asked for the file. It can also name none. */
  readonly asked: boolean;

  constructor(message: string, { asked }: { asked: boolean }) {
    super(message);
    this.asked = asked;
  }
}

/** More than any picture has; other kinds have the client's own limit. */
const maxImageBytes = 2 * 2 ** 30;

/** Downloads originals, each through a link from the book or a new one. */
export type Originals = ReturnType<typeof createOriginals>;

export function createOriginals(tools: {
  client: Pick<ApiClient, "download">;
  links: LinkBook;
  mint: Mint;
  blobs: Pick<Blobs, "temporaryPath">;
  /** Counts what was downloaded. */
  tally: { downloaded: number; bytes: number };
}) {
  const { client, links, mint, blobs, tally } = tools;

  async function linkTo(item: WantedItem): Promise<string> {
    const link = links.take(item.kind, item.id) ?? (await mint.mint(item));
    if (link === undefined) throw new OriginalError("the origin no longer shows a link to it");
    return link;
  }

  async function download({ kind, id }: WantedItem, link: string, validators?: Validators) {
    const limit = kind === "images" ? { maxBytes: maxImageBytes } : {};
    // A request can wait for its turn until its link has expired.
    const settings = { ...limit, validators, linkAtTurn: () => links.take(kind, id) ?? link };
    const path = blobs.temporaryPath();
    const file = await client.download(link, path, settings);
    if (file === undefined) return undefined;
    tally.downloaded++;
    tally.bytes += file.bytes;
    return { ...file, path };
  }

  /** Asks again with a new link where one is refused: 403 means expired, and 401 too, as no token goes with it. */
  async function fetchByLink(item: WantedItem, validators?: Validators) {
    const link = await linkTo(item);
    try {
      return await download(item, link, validators);
    } catch (error) {
      if (!isAnswer(error, 401, 403)) throw error;
    }
    if (links.take(item.kind, item.id) === link) links.forget(item.kind, item.id);
    return await download(item, await linkTo(item), validators);
  }

  return {
    /**
     * The original of an item; undefined where it has not changed since the origin gave the validators.
     *
     * @throws AbsentError when the file is not found (404, 410), nor by a fresh link
     * @throws OriginalError when the origin no longer shows a link to the item
     * @throws ApiError when the download fails for good
     */
    async fetch(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
      try {
        return await fetchByLink(item, validators);
      } catch (error) {
        if (!isAnswer(error, 404, 410)) throw error;
      }
      // The file may have moved: it is missing where a new link finds none, too.
      links.forget(item.kind, item.id);
      try {
        return await fetchByLink(item, validators);
      } catch (error) {
        if (!isAnswer(error, 404, 410)) throw error;
        throw new AbsentError(`the origin has no file for it (${error.status})`, { asked: true });
      }
    },
  };
}
