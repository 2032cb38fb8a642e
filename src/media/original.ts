import { rmSync } from "node:fs";
import type { ApiClient, Downloaded } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Validators } from "../api/validators.ts";
import { ApiError } from "../errors.ts";
import type { Blobs } from "../store/blobs.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";

/** A downloaded original under a temporary name, which is the caller's to adopt or to remove. */
export interface Fetched extends Downloaded {
  path: string;
}

export interface OriginalsOptions {
  client: Pick<ApiClient, "download">;
  links: LinkBook;
  mint: Mint;
  blobs: Pick<Blobs, "temporaryPath">;
}

/** An original that could not be had, though the origin answers; the message says why. */
export class OriginalError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.hint = options.hint;
  }
}

/** No member of an item's object is known as the link to its file; the message names the members that it has. */
export class UnknownLinkError extends OriginalError {}

/** The origin itself has no file of an item; the message says how it shows. */
export class AbsentError extends Error {
  /** Whether it was asked for one, as opposed to naming none. */
  readonly asked: boolean;

  constructor(message: string, options: ErrorOptions & { asked?: boolean } = {}) {
    super(message, options);
    this.asked = options.asked ?? false;
  }
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
  fetch(item: WantedItem): Promise<Fetched>;
  /** Undefined where the origin says that nothing changed since it gave the validators. */
  fetch(item: WantedItem, validators: Validators): Promise<Fetched | undefined>;
  async fetch(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
    try {
      return await this.#fetchByLink(item, validators);
    } catch (error) {
      if (!isAnswer(error, 404, 410)) throw error;
    }
    // What a link leads to can have moved since: a file is believed to be missing where a new one finds none, too.
    this.#options.links.forget(item.kind, item.id);
    try {
      return await this.#fetchByLink(item, validators);
    } catch (error) {
      if (!isAnswer(error, 404, 410)) throw error;
      const reason = `the origin has no file for it (${error.status})`;
      throw new AbsentError(reason, { cause: error, asked: true });
    }
  }

  /** Asks again with a new link where one is refused: 403 means expired, and 401 too, as no token goes with it. */
  async #fetchByLink(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
    const { links } = this.#options;
    const link = await this.#linkTo(item);
    try {
      return await this.#download(item, link, validators);
    } catch (error) {
      if (!isAnswer(error, 401, 403)) throw error;
    }
    if (links.take(item.kind, item.id) === link) links.forget(item.kind, item.id);
    return await this.#download(item, await this.#linkTo(item), validators);
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
    const settings = { ...limit, validators, linkAtTurn: () => links.take(kind, id) ?? link };
    const path = blobs.temporaryPath();
    try {
      const file = await client.download(link, path, settings);
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
