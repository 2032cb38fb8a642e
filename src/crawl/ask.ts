import type { JsonAnswer } from "../api/client.ts";
import { WireEnvelope } from "../api/schema.ts";
import { ApiError, GapsError } from "../errors.ts";
import { plural } from "../lib/words.ts";
import type { CrawlContext } from "./context.ts";
import { contractError } from "./failures.ts";
import { keepable } from "./ingest.ts";
import { totalOf } from "./plan.ts";

/** An answer, without signed parameters in its text. */
export interface KeptAnswer {
  /** The request in messages: `GET /articles?page=4`. */
  source: string;
  text: string;
  /** The whole answer parsed, links still signed. */
  value: unknown;
}

/** Something that is asked for, and what to make of the answer. */
interface Question<T> {
  url: string;
  /** @throws ApiError where the answer is not what was asked for */
  read: (answer: KeptAnswer) => T;
  /** Where it is a page of a list. */
  page?: AskedPage;
  /** What speaks against a result that could be right all the same; the second one is taken as it is. */
  objectionTo?: (result: T) => string | undefined;
}

/** Which page of a list is asked for. */
export interface AskedPage {
  /** From 1. */
  number: number;
  /** Names the lists of one kind, which give a total if one of them does; undefined for those that need none. */
  endpoint?: string | undefined;
}

/** An oddity that this many addresses have is how the origin writes, and no reason to ask again. */
const believedAfter = 3;

/**
 * What a question's `read` makes of the answer. An answer that seems damaged, or meant for another request, is requested
 * again, and what it says twice is believed.
 *
 * @throws ApiError as the client and `read` do, and where an answer is odd in another way each time
 * @throws GapsError where the crawl has added as much to the store as it may
 */
export async function ask<T>(
  context: CrawlContext,
  { url, read, page, objectionTo = () => undefined }: Question<T>,
): Promise<T> {
  const { client, oddities, reporter, config, unsigner, store, draft } = context;
  const { bytes } = config.crawl.limits;
  if (store.objects.bytes - draft.bytesBefore > bytes) {
    const hint = "raise it if the archive is that large; the published one stays as it is";
    const reason = `the crawl adds more bytes to the store than crawl.limits.bytes (${bytes})`;
    throw new GapsError(reason, { hint });
  }
  const source = `GET ${url.slice(config.origin.baseUrl.length)}`;
  const isNews = ({ sign }: Oddity): boolean => (oddities.get(sign)?.size ?? 0) < believedAfter;
  const take = ({ text, value }: JsonAnswer): T => {
    unsigner.learn(value);
    return read({ source, text: keepable(text, unsigner), value });
  };
  const first = await client.json(url);
  const odd = odditiesIn(context, url, page, first);
  let objection = wordsOf(odd.filter(isNews));
  if (objection === undefined) {
    try {
      const result = take(first);
      objection = objectionTo(result);
      if (objection === undefined) return result;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      objection = error.message.replace(`${source}: `, "");
    }
  }
  reporter.info(`${source}: ${objection}, requested again`);
  const again = await client.json(url, { apart: true });
  const other = odditiesIn(context, url, page, again);
  const news = other.filter(isNews);
  // What only the first answer had was a fault of the moment.
  if (news.some(({ words }) => !odd.some((one) => one.words === words))) {
    throw contractError(source, url, `${wordsOf(other)}, a different answer each time`);
  }
  const result = take(again);
  if (again.damaged && !oddities.has(damageOf(url))) {
    reporter.warn(`${source}: bytes that are not UTF-8, replaced by \uFFFD`);
  }
  for (const { sign } of news) {
    oddities.set(sign, (oddities.get(sign) ?? new Set()).add(url));
  }
  return result;
}

/** Why an answer may not be what was asked for. */
interface Oddity {
  /** Answers with the same sign are odd alike. */
  sign: string;
  words: string;
}

/** The sign of damage, which is believed of one address at a time. */
function damageOf(url: string): string {
  return `damage of ${url}`;
}

function wordsOf(odd: readonly Oddity[]): string | undefined {
  return odd.map(({ words }) => words).join(", ") || undefined;
}

function odditiesIn(
  { counting }: CrawlContext,
  url: string,
  page: AskedPage | undefined,
  { text, value, damaged }: JsonAnswer,
): Oddity[] {
  const odd: Oddity[] = [];
  if (damaged) {
    const places = text.split("\uFFFD").length - 1;
    const words = `bytes that are not UTF-8 in ${plural(places, "place")}`;
    odd.push({ sign: damageOf(url), words });
  }
  const envelope = page && WireEnvelope.safeParse(value).data;
  if (page === undefined || envelope === undefined) return odd;
  const { number, endpoint } = page;
  const { meta, links, data } = envelope;
  const { current_page: current, path = links?.first } = (meta ?? {}) as Record<string, unknown>;
  if (typeof current === "number" && current !== number) {
    odd.push({ sign: "page", words: `it is page ${current}` });
  }
  if (typeof path === "string" && !endsAlike(url, path)) {
    odd.push({ sign: "path", words: `it is of ${pathOf(path, url)}` });
  }
  // Behind the last page there is nothing to count.
  const isBehind = number > 1 && data.length === 0;
  if (endpoint !== undefined && !isBehind && totalOf(envelope) === undefined) {
    const sign = counting.has(endpoint) ? `total of ${endpoint}` : "total";
    odd.push({ sign, words: "it has no total" });
  }
  return odd;
}

/** Whether one path is the end of the other: an origin behind a proxy knows only a part of its own address. */
function endsAlike(url: string, path: string): boolean {
  const [asked, told] = [url, path].map((one) => pathOf(one, url).split("/").filter(Boolean));
  const common = Math.min(asked?.length ?? 0, told?.length ?? 0);
  return common === 0 || asked?.slice(-common).join("/") === told?.slice(-common).join("/");
}

function pathOf(text: string, base: string): string {
  return URL.canParse(text, base) ? new URL(text, base).pathname : "";
}
