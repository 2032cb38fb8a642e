import type { JsonAnswer } from "../api/client.ts";
import { WireEnvelope } from "../api/schema.ts";
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

/**
 * What a question's `read` makes of the answer. One that seems damaged, or meant for another request, is requested
 * again; what it then says of itself once more is how this origin writes.
 *
 * @throws ApiError as the client and `read` do, and where an answer is odd in another way each time
 */
export async function ask<T>(
  context: CrawlContext,
  { url, read, page, objectionTo = () => undefined }: Question<T>,
): Promise<T> {
  const { client, habits, reporter, config, unsigner } = context;
  const source = `GET ${url.slice(config.origin.baseUrl.length)}`;
  const oddityOf = ({ value }: JsonAnswer): Oddity | undefined =>
    page === undefined ? undefined : mismatchOf(url, page, value);
  const take = ({ text, value }: JsonAnswer): T => {
    unsigner.learn(value);
    return read({ text: keepable(text, unsigner), value });
  };
  const first = await client.json(url);
  const oddity = oddityOf(first);
  const isHabit = oddity === undefined || habits.has(oddity.sign);
  let objection = first.damaged ? "bytes that are not UTF-8" : isHabit ? undefined : oddity.words;
  if (objection === undefined) {
    try {
      const result = take(first);
      objection = objectionTo(result);
      if (objection === undefined) return result;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      objection = error.message;
    }
  }
  reporter.info(`${source}: ${objection}, requested again`);
  const again = await client.json(url, { apart: true });
  const other = oddityOf(again);
  if (other !== undefined && !habits.has(other.sign)) {
    if (other.words !== oddity?.words) {
      throw contractError(source, url, `${other.words}, a different answer each time`);
    }
    habits.add(other.sign);
  }
  if (again.damaged && !sameDamage(first, again)) {
    throw contractError(source, url, "bytes that are not UTF-8, in other places each time");
  }
  if (again.damaged) warnOnce(context, `${source}: bytes that are not UTF-8, replaced by \uFFFD`);
  return take(again);
}

/** Whether two answers are damaged alike, so that this is how the origin has the text. */
function sameDamage(first: JsonAnswer, again: JsonAnswer): boolean {
  const replaced = ({ text }: JsonAnswer): number => text.split("\uFFFD").length;
  return first.damaged && replaced(first) === replaced(again);
}

/** What an answer says of itself that speaks against its being the page that was asked for. */
interface Oddity {
  sign: "page" | "path";
  words: string;
}

function mismatchOf(url: string, page: number, value: unknown): Oddity | undefined {
  const { meta, links } = WireEnvelope.safeParse(value).data ?? {};
  const { current_page: current, path = links?.first } = (meta ?? {}) as Record<string, unknown>;
  if (typeof current === "number" && current !== page) {
    return { sign: "page", words: `it is page ${current}` };
  }
  if (typeof path !== "string" || endsAlike(url, path)) return undefined;
  return { sign: "path", words: `it is of ${pathOf(path, url)}` };
}

/** Whether one of two paths is the end of the other one: behind a proxy, an origin knows less of its own address. */
function endsAlike(url: string, path: string): boolean {
  const [asked, told] = [url, path].map((one) => pathOf(one, url).split("/").filter(Boolean));
  const common = Math.min(asked?.length ?? 0, told?.length ?? 0);
  return common === 0 || asked?.slice(-common).join("/") === told?.slice(-common).join("/");
}

function pathOf(text: string, base: string): string {
  return URL.canParse(text, base) ? new URL(text, base).pathname : "";
}
