import { rmSync } from "node:fs";
import type { ApiClient, Downloaded } from "../api/client.ts";
import { expiryOf, type LinkBook } from "../api/links.ts";
import type { Validators } from "../api/validators.ts";
import { ApiError, exitCodes, StillpressError } from "../errors.ts";
import type { Blobs } from "../store/blobs.ts";
import type { Media } from "../store/records.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";

/** A downloaded original under a temporary name, which is the caller's to adopt or to remove. */
export interface Fetched extends Downloaded {
  path: string;
  /** False where nothing proves that the file is whole, and a second download brought another one. */
  settled: boolean;
  /** Whether a second download brought the same; undefined where there was none. */
  same?: boolean;
}

/** An original that could not be had, though the origin answers. */
export class OriginalError extends Error {}

/** No member of an item's object is known as the link to its file; the message names the members that it has. */
export class UnknownLinkError extends OriginalError {
  readonly hint =
    'set origin.mediaLink to the member with the address of the file, such as "links.file", or to null where there is none';
}

/** The origin itself has no file of an item; the message says how it shows. */
export class AbsentError extends Error {
  /** Whether it was asked for one, as opposed to naming none. */
  readonly asked: boolean;

  constructor(message: string, options: ErrorOptions & { asked?: boolean } = {}) {
    super(message, options);
    this.asked = options.asked ?? false;
  }
}

/** A request's turn has come, and its link was too old by then. */
class ExpiredLink extends StillpressError {
  readonly exitCode = exitCodes.origin;
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
/** What was in vain this often need not be tried again: a second download for a size, or links that live too short. */
const patience = 3;
/** A link of that age was not refused for its age; milliseconds. */
const youngMs = 60_000;
/** Of an item's links: one that was known, one that waited too long, and one more for a pause that came between. */
const maxRefusals = 3;
const tooLate =
  "its links expire before a request has its turn: they live too short for the rate of requests";

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

/**
 * Whether a link was refused. The service answers 403 when one has expired; a link is asked for without the token, so
 * that 401 is no word about that one either.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 401);
}

function isMissing(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}

export function createOriginals({ client, links, mint, blobs }: OriginalsOptions): Originals {
  let sameAgain = 0;
  /** Links that expire up to then are not tried any more; milliseconds since the epoch by the origin's clock. */
  let expiredUntil = Number.NEGATIVE_INFINITY;
  /** Requests for files whose turn has come. */
  let turns = 0;
  /** Items whose links all expired before their turn came. */
  let tooLateInRow = 0;

  /** A link for the item that is worth a request. */
  function usable({ kind, id }: WantedItem): string | undefined {
    const link = links.take(kind, id);
    if (link === undefined || (expiryOf(link) ?? Number.POSITIVE_INFINITY) > expiredUntil)
      return link;
    links.forget(kind, id);
    return undefined;
  }

  /** What expires before the middle of two links' lives is not worth a request. */
  function distrust(older: string, younger: string): void {
    const [one, other] = [expiryOf(older), expiryOf(younger)];
    if (one !== undefined && other !== undefined)
      expiredUntil = Math.max(expiredUntil, (one + other) / 2);
  }

  /**
   * Asks with a link for the item, and with a new one where that is too old or is refused. It comes to an end: each
   * time that a link has become too old, somebody else's request for a file has had its turn meanwhile.
   */
  async function withLink<T>(
    item: WantedItem,
    ask: (link: string, linkAtTurn: () => string) => Promise<T>,
  ): Promise<T> {
    let refused: string | undefined;
    for (let refusals = 1; ; ) {
      if (tooLateInRow >= patience) throw new OriginalError(tooLate);
      const known = usable(item);
      const first = known ?? (await mintFor(item));
      const mintedAt = client.serverNow();
      const turnsBefore = turns;
      let asked: { link: string; ageMs: number } | undefined;
      const linkAtTurn = (): string => {
        // No link can be younger than one that was made by the request just before. What is asked once more because
        // the origin failed is not put off: its attempts are counted.
        const youngest = known === undefined && turns === turnsBefore ? first : undefined;
        const link = usable(item) ?? asked?.link ?? youngest;
        if (link === undefined) throw new ExpiredLink("its link is too old");
        asked = { link, ageMs: client.serverNow() - mintedAt };
        turns++;
        return link;
      };
      try {
        const result = await ask(first, linkAtTurn);
        tooLateInRow = 0;
        // It was a matter of age: those of about the same age would be refused as well, each at the price of a request.
        if (refused !== undefined && asked !== undefined) distrust(refused, asked.link);
        return result;
      } catch (error) {
        if (error instanceof ExpiredLink) continue;
        if (!isRefusal(error) || asked === undefined) throw error;
        const { link, ageMs } = asked;
        if (links.take(item.kind, item.id) === link) links.forget(item.kind, item.id);
        const over = isOver(link);
        const minted = known === undefined && link === first;
        const young = !over && (ageMs < youngMs || turns === turnsBefore + 1);
        if (minted && young && refusals > 1) throw error;
        if (refusals++ >= maxRefusals) {
          if (!over) throw error;
          tooLateInRow++;
          throw new OriginalError(tooLate, { cause: error });
        }
        // What was made together with it can wait until it is clear what the refusal was for.
        distrust(link, link);
        refused = link;
      }
    }
  }

  /** Whether a link has expired by its own word and the origin's clock. */
  function isOver(link: string): boolean {
    return (expiryOf(link) ?? Number.POSITIVE_INFINITY) <= client.serverNow();
  }

  async function mintFor(item: WantedItem): Promise<string> {
    const link = await mint.mint(item);
    if (link === undefined) throw new OriginalError("the origin shows no link to it any more");
    // Whatever was refused before, nothing younger is to be had.
    const expiry = expiryOf(link);
    if (expiry !== undefined && expiry <= expiredUntil) expiredUntil = expiry - 1;
    return link;
  }

  function request(item: WantedItem, validators?: Validators): Promise<Fetched | undefined> {
    const limit = item.kind === "images" ? { maxBytes: maxImageBytes } : {};
    return withLink(item, async (link, linkAtTurn) => {
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
