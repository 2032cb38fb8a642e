import type { ApiClient } from "../api/client.ts";
import { expiryOf, type LinkBook } from "../api/links.ts";
import { ApiError, exitCodes, StillpressError } from "../errors.ts";
import type { WantedItem } from "./jobs.ts";
import type { Mint } from "./mint.ts";
import { OriginalError } from "./original-error.ts";

/** Asks for a file. `linkAtTurn` gives the link to ask with when the request's turn has come, or throws. */
export type AskWithLink<T> = (link: string, linkAtTurn: () => string) => Promise<T>;

export interface FreshLinksOptions {
  client: Pick<ApiClient, "serverNow">;
  links: LinkBook;
  mint: Mint;
}

/** One request for a file, from the choice of its link to the answer. */
interface Attempt {
  item: WantedItem;
  /** The link that the request is queued with. */
  link: string;
  /** Whether that one was made for this attempt; else it was known. */
  minted: boolean;
  /** Milliseconds since the epoch by the origin's clock. */
  begunAt: number;
  turnsBefore: number;
  /** What was asked with when the turn had come. */
  asked?: { link: string; ageMs: number };
}

type Outcome<T> =
  | { state: "answered"; result: T }
  /** The turn came too late for the link: nothing was asked. */
  | { state: "expired" }
  | { state: "refused"; link: string; ageMs: number; error: ApiError };

/** How many items in a row may lose all of their links to the wait for their turn before the rest is given up. */
const patience = 3;
/** A link of that age was not refused for its age; milliseconds. */
const youngMs = 60_000;
/** Of an item's links: one that was known, one that waited too long, and one more for a pause that came between. */
const maxRefusals = 3;
const tooLate =
  "its links expire before a request gets its turn: their lifetime is too short for the request rate";

/** A request's turn has come, and its link was too old by then. */
class ExpiredLink extends StillpressError {
  readonly exitCode = exitCodes.origin;
}

/**
 * Asks for files with links that are young enough. A link is asked for without the token; the service answers 403 when
 * one has expired, and 401 says no more about it.
 */
export class FreshLinks {
  readonly #client: FreshLinksOptions["client"];
  readonly #links: LinkBook;
  readonly #mint: Mint;
  /** Links that expire up to then are not tried any more; milliseconds since the epoch by the origin's clock. */
  #expiredUntil = Number.NEGATIVE_INFINITY;
  /** Requests for files whose turn has come. */
  #turns = 0;
  /** Items whose links all expired before their turn came. */
  #tooLateInRow = 0;

  constructor({ client, links, mint }: FreshLinksOptions) {
    this.#client = client;
    this.#links = links;
    this.#mint = mint;
  }

  /**
   * Asks with a link for the item, and with a new one where that is too old or is refused. It comes to an end: each
   * time that a link has become too old, another request for a file has had its turn meanwhile.
   *
   * @throws OriginalError when the item has no link, or only such as die before a request's turn comes
   * @throws ApiError when the request fails, or young links are refused
   */
  async ask<T>(item: WantedItem, ask: AskWithLink<T>): Promise<T> {
    let refused: string | undefined;
    for (let refusals = 0; ; ) {
      if (this.#tooLateInRow >= patience) throw new OriginalError(tooLate);
      const attempt = await this.#begin(item);
      const outcome = await this.#outcomeOf(attempt, ask);
      if (outcome.state === "expired") continue;
      if (outcome.state === "answered") {
        this.#tooLateInRow = 0;
        // It was a matter of age: those of about the same age would be refused as well, each at the price of a request.
        if (refused !== undefined && attempt.asked) this.#distrust(refused, attempt.asked.link);
        return outcome.result;
      }
      this.#requireAnother(attempt, outcome, ++refusals);
      // What was made together with it can wait until it is clear what the refusal was for.
      this.#distrust(outcome.link, outcome.link);
      refused = outcome.link;
    }
  }

  async #begin(item: WantedItem): Promise<Attempt> {
    const known = this.#usable(item);
    const link = known ?? (await this.#mintFor(item));
    const begunAt = this.#client.serverNow();
    return { item, link, minted: known === undefined, begunAt, turnsBefore: this.#turns };
  }

  async #outcomeOf<T>(attempt: Attempt, ask: AskWithLink<T>): Promise<Outcome<T>> {
    try {
      const result = await ask(attempt.link, () => this.#linkAtTurn(attempt));
      return { state: "answered", result };
    } catch (error) {
      if (error instanceof ExpiredLink) return { state: "expired" };
      if (!isRefusal(error) || attempt.asked === undefined) throw error;
      return { state: "refused", ...attempt.asked, error };
    }
  }

  /** @throws ExpiredLink where no link is young enough */
  #linkAtTurn(attempt: Attempt): string {
    const { item, asked, minted, begunAt, turnsBefore } = attempt;
    // No link can be younger than one that was made by the request just before. What is asked once more because
    // the origin failed is not put off: its attempts are counted.
    const youngest = minted && this.#turns === turnsBefore ? attempt.link : undefined;
    const link = this.#usable(item) ?? asked?.link ?? youngest;
    if (link === undefined) throw new ExpiredLink("its link is too old");
    attempt.asked = { link, ageMs: this.#client.serverNow() - begunAt };
    this.#turns++;
    return link;
  }

  /** @throws where a refusal is not a matter of the link's age, or no link lives long enough */
  #requireAnother(
    { item, link: first, minted, turnsBefore }: Attempt,
    { link, ageMs, error }: Extract<Outcome<never>, { state: "refused" }>,
    refusals: number,
  ): void {
    if (this.#links.take(item.kind, item.id) === link) this.#links.forget(item.kind, item.id);
    const over = this.#isOver(link);
    const young = !over && (ageMs < youngMs || this.#turns === turnsBefore + 1);
    if (minted && link === first && young && refusals > 1) throw error;
    if (refusals < maxRefusals) return;
    if (!over) throw error;
    this.#tooLateInRow++;
    throw new OriginalError(tooLate, { cause: error });
  }

  /** A link for the item that is worth a request. */
  #usable({ kind, id }: WantedItem): string | undefined {
    const link = this.#links.take(kind, id);
    if (link === undefined || lastsUntil(link) > this.#expiredUntil) return link;
    this.#links.forget(kind, id);
    return undefined;
  }

  async #mintFor(item: WantedItem): Promise<string> {
    const link = await this.#mint.mint(item);
    if (link === undefined) throw new OriginalError("the origin no longer shows a link to it");
    // Whatever was refused before, nothing younger is to be had.
    this.#expiredUntil = Math.min(this.#expiredUntil, lastsUntil(link) - 1);
    return link;
  }

  /** What expires before the middle of two links' lives is not worth a request. */
  #distrust(older: string, younger: string): void {
    const middle = (lastsUntil(older) + lastsUntil(younger)) / 2;
    if (middle < Number.POSITIVE_INFINITY)
      this.#expiredUntil = Math.max(this.#expiredUntil, middle);
  }

  /** Whether a link has expired by its own word and the origin's clock. */
  #isOver(link: string): boolean {
    return lastsUntil(link) <= this.#client.serverNow();
  }
}

/** Milliseconds since the epoch; infinite for a link without an expiry. */
function lastsUntil(link: string): number {
  return expiryOf(link) ?? Number.POSITIVE_INFINITY;
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 403 || error.status === 401);
}
