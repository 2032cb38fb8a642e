import type { Downloaded, DownloadOptions } from "../api/client.ts";
import type { Validators } from "../api/validators.ts";
import type { MediaContext } from "./context.ts";
import type { WantedItem } from "./jobs.ts";
import { isAnswer, Mint } from "./mint.ts";

/** A downloaded original under a temporary name; the caller adopts or removes it. */
export interface Fetched extends Downloaded {
  path: string;
}

/** Why an original is missing although the origin answers. */
export class OriginalError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

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

/** What is known of a file before it is asked for. */
type Known = Pick<DownloadOptions, "knownBytes" | "validators">;

/** Downloads originals, each through a link from the book or a new one. */
export class Originals {
  readonly #context: MediaContext;
  readonly #mint: Mint;

  constructor(context: MediaContext) {
    this.#context = context;
    this.#mint = new Mint(context);
  }

  /**
   * The original of an item; undefined where it has not changed since the origin gave the validators.
   *
   * @param knownBytes as the record says; 0 where it does not
   * @throws AbsentError when the file is not found (404, 410), nor by a fresh link
   * @throws OriginalError when the origin no longer shows a link to the item
   * @throws ApiError when the download fails for good
   */
  async fetch(
    item: WantedItem,
    knownBytes: number,
    validators?: Validators,
  ): Promise<Fetched | undefined> {
    for (let again = false; ; again = true) {
      try {
        return await this.#fetchByLink(item, { knownBytes, validators });
      } catch (error) {
        if (!isAnswer(error, 404, 410)) throw error;
        const isAsked = error.attempts > 0;
        const reason = isAsked ? `the origin has no file for it (${error.status})` : error.message;
        if (again) throw new AbsentError(reason, { asked: true });
        // The file may have moved: it is missing where a new link finds none, too.
        this.#context.links.forget(item.kind, item.id);
      }
    }
  }

  /** Asks again with a new link where one is refused: 403 means expired, and 401 too, as no token goes with it. */
  async #fetchByLink(item: WantedItem, file: Known) {
    const { links } = this.#context;
    const link = await this.#linkTo(item);
    try {
      return await this.#download(item, link, file);
    } catch (error) {
      if (!isAnswer(error, 401, 403)) throw error;
    }
    if (links.take(item.kind, item.id) === link) links.forget(item.kind, item.id);
    return await this.#download(item, await this.#linkTo(item), file);
  }

  async #linkTo(item: WantedItem): Promise<string> {
    const link = this.#context.links.take(item.kind, item.id) ?? (await this.#mint.mint(item));
    if (link === undefined) throw new OriginalError("the origin no longer shows a link to it");
    return link;
  }

  async #download({ kind, id }: WantedItem, link: string, file: Known) {
    const { client, links, store, tally } = this.#context;
    const limit = kind === "images" ? { maxBytes: maxImageBytes } : {};
    // A request can wait for its turn until its link has expired.
    const settings = { ...limit, ...file, id, linkAtTurn: () => links.take(kind, id) ?? link };
    const path = store.blobs.temporaryPath();
    const downloaded = await client.download(link, path, settings);
    if (downloaded === undefined) return undefined;
    tally.downloaded++;
    tally.bytes += downloaded.bytes;
    return { ...downloaded, path };
  }
}
