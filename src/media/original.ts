import { rmSync } from "node:fs";
import type { ApiClient, Downloaded } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Validators } from "../api/validators.ts";
import { ApiError } from "../errors.ts";
import type { Blobs } from "../store/blobs.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";
import { AbsentError, OriginalError } from "./original-error.ts";

/** A downloaded original under a temporary name, which is the caller's to adopt or to remove. */
export interface Fetched extends Downloaded {
  path: string;
}

export interface OriginalsOptions {
  client: Pick<ApiClient, "download" | "downloadUnless">;
  links: LinkBook;
  mint: Mint;
  blobs: Pick<Blobs, "temporaryPath">;
}

/** More than any picture has; other kinds have the client's own limit. */
const maxImageBytes = 2 * 2 ** 30;

/** Downloads originals, each through a link from the book or a new one. */
export class Originals {
  readonly #options: OriginalsOptions;

  constructor(options: OriginalsOptions) {
    this.#options = options;
  }

  /**
   * @throws AbsentError when the file is not found (404, 410), nor by a fresh link
   * @throws OriginalError when the origin no longer shows a link to the item
   * @throws ApiError when the download fails for good
   */
  fetch(item: WantedItem): Promise<Fetched> {
    return this.#ask(item, (link) => this.#download(item, link)) as Promise<Fetched>;
  }

  /**
   * Undefined where the origin says that nothing changed since it gave the validators.
   *
   * @throws as `fetch`
   */
  fetchUnless(item: WantedItem, validators: Validators): Promise<Fetched | undefined> {
    return this.#ask(item, (link) => this.#download(item, link, validators));
  }

  /** Asks twice where the file is not found: what a link leads to can have moved since. */
  async #ask<T>(item: WantedItem, ask: (link: string) => Promise<T>): Promise<T> {
    try {
      return await this.#askWithLink(item, ask);
    } catch (error) {
      if (!isAnswer(error, 404, 410)) throw error;
    }
    this.#options.links.forget(item.kind, item.id);
    try {
      return await this.#askWithLink(item, ask);
    } catch (error) {
      if (!isAnswer(error, 404, 410)) throw error;
      const reason = `the origin has no file for it (${error.status})`;
      throw new AbsentError(reason, { cause: error, asked: true });
    }
  }

  /** Asks again with a new link where one is refused: 403 means expired, and 401 too, as no token goes with it. */
  async #askWithLink<T>(item: WantedItem, ask: (link: string) => Promise<T>): Promise<T> {
    const { links } = this.#options;
    const link = await this.#linkTo(item);
    try {
      return await ask(link);
    } catch (error) {
      if (!isAnswer(error, 401, 403)) throw error;
    }
    if (links.take(item.kind, item.id) === link) links.forget(item.kind, item.id);
    return await ask(await this.#linkTo(item));
  }

  async #linkTo(item: WantedItem): Promise<string> {
    const { links, mint } = this.#options;
    const link = links.take(item.kind, item.id) ?? (await mint.mint(item));
    if (link === undefined) throw new OriginalError("the origin no longer shows a link to it");
    return link;
  }

  async #download(
    { kind, id }: WantedItem,
    link: string,
    validators?: Validators,
  ): Promise<Fetched | undefined> {
    const { client, blobs, links } = this.#options;
    const limit = kind === "images" ? { maxBytes: maxImageBytes } : {};
    // A request can wait for its turn until its link has expired.
    const settings = { ...limit, linkAtTurn: () => links.take(kind, id) ?? link };
    const path = blobs.temporaryPath();
    try {
      const file =
        validators === undefined
          ? await client.download(link, path, settings)
          : await client.downloadUnless(link, path, validators, settings);
      return file && { ...file, path };
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
  }
}

function isAnswer(error: unknown, ...statuses: number[]): error is ApiError {
  return error instanceof ApiError && statuses.includes(error.status);
}
