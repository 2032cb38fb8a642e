import type { JsonAnswer } from "../api/client.ts";
import { ApiError } from "../errors.ts";
import { type CrawlContext, warnOnce } from "./context.ts";
import { contractError } from "./failures.ts";
import { keepable } from "./ingest.ts";

/** An answer, without signed parameters in its text. */
export interface KeptAnswer {
  text: string;
  /** The whole answer parsed, links still signed. */
  value: unknown;
}

/** Something that is asked for, and what to make of the answer. */
export interface Question<T> {
  url: string;
  /** @throws ApiError where the answer is not what was asked for */
  read: (answer: KeptAnswer) => T;
  /** The number of the page of a list, from 1, where it is one. */
  page?: number;
  /** What speaks against a result that could be right all the same; the second one is taken as it is. */
  objectionTo?: (result: T) => string | undefined;
}

/** How often an odd answer is asked for again, until it is no odder than the one before. */
const maxAsked = 3;

/**
 * What a question's `read` makes of the answer. One that seems damaged, or meant for another request, is requested
 * again.
 *
 * @throws ApiError as the client and `read` do
 */
export async function ask<T>(
  context: CrawlContext,
  { url, read, page, objectionTo = () => undefined }: Question<T>,
): Promise<T> {
  const { client, belonging, reporter, config, unsigner } = context;
  const source = `GET ${url.slice(config.origin.baseUrl.length)}`;
  const take = ({ text, value }: JsonAnswer): T => {
    unsigner.learn(value);
    return read({ text: keepable(text, unsigner), value });
  };
  const oddityOf = ({ value }: JsonAnswer): string | undefined =>
    page === undefined ? undefined : belonging.mismatchOf(url, page, value);
  const answer = await client.json(url);
  let objection = answer.damaged ? "bytes that are not UTF-8" : oddityOf(answer);
  if (objection === undefined) {
    try {
      const taken = take(answer);
      objection = objectionTo(taken);
      if (objection === undefined) return taken;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      objection = error.message;
    }
  }
  reporter.info(`${source}: ${objection}, requested again`);
  let before = answer;
  for (let asked = 1; ; asked++) {
    const again = await client.json(url, { apart: true });
    const oddity = oddityOf(again);
    if (again.damaged && replacementsIn(again.text) === replacementsIn(before.text)) {
      // What is wrong in the content itself is wrong in the same number of places again.
      warnOnce(context, `${source}: bytes that are not UTF-8, replaced by \uFFFD`);
      return take(again);
    }
    if (!again.damaged && oddity === undefined) return take(again);
    if (!again.damaged && oddity === oddityOf(before)) {
      // It says so of itself each time: that is how this origin writes.
      const taken = take(again);
      if (page !== undefined) belonging.confirmed(url, page, again.value);
      return taken;
    }
    if (asked === maxAsked) {
      const reason = again.damaged
        ? "bytes that are not UTF-8, different"
        : `${oddity}, a different answer`;
      throw contractError(source, url, `${reason} each time it is requested`);
    }
    before = again;
  }
}

function replacementsIn(text: string): number {
  return text.split("\uFFFD").length - 1;
}
