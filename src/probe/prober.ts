import type { z } from "zod";
import type { ApiClient } from "../api/client.ts";
import type { Headers } from "../api/headers.ts";
import { WireEnvelope } from "../api/schema.ts";
import { ApiError, exitCodes } from "../errors.ts";
import { isObject } from "../lib/objects.ts";

export type Page = z.infer<typeof WireEnvelope>;

/** What the origin answered to one question. */
export interface Answer {
  /** `GET /articles?page=2` */
  asked: string;
  /** In a few words: `404`, `20 of 120 items`. */
  came: string;
  value: unknown;
  headers: Headers;
  /** Where the answer is a list. */
  page: Page | undefined;
  /** Where there is no usable answer. */
  error: ApiError | undefined;
}

/** Requests that a question may cost: one more where the first fails. */
const attempts = 2;

/** The limits of a client that a prober asks with. */
export const probeLimits = { maxAttempts: attempts, idleMs: 10_000, jsonMs: 20_000 };

/** Asks an origin a limited number of questions. */
export type Prober = ReturnType<typeof createProber>;

/** @param most requests in all */
export function createProber(
  client: ApiClient,
  baseUrl: string,
  most: number,
  onAnswer = () => {},
) {
  return {
    client,
    /** Address of the API; probes may find out that it is another one. */
    baseUrl,
    /** Whether so many questions may still be asked. */
    affords: (questions: number): boolean =>
      client.stats.requests + questions + attempts - 1 <= most,
    /**
     * The answer to a path below the address of the API; undefined where the budget is used up.
     *
     * @throws BudgetError, the signal's reason, and ApiError where the origin wants a pause that is too long
     */
    async ask(path: string): Promise<Answer | undefined> {
      if (!this.affords(1)) return undefined;
      const asked = `GET ${path}`;
      try {
        const { value, headers } = await client.json(this.baseUrl + path);
        const page = WireEnvelope.safeParse(value).data;
        return { asked, came: wordsFor(value, page), value, headers, page, error: undefined };
      } catch (error) {
        if (!(error instanceof ApiError) || error.exitCode === exitCodes.budget) throw error;
        // What failed, without the request and the number of attempts.
        const { message } = error.cause instanceof Error ? error.cause : error;
        const came = error.status >= 400 ? String(error.status) : message;
        return { asked, came, value: undefined, headers: {}, page: undefined, error };
      } finally {
        onAnswer();
      }
    },
  };
}

function wordsFor(value: unknown, page: Page | undefined): string {
  if (page === undefined) return isObject(value) ? "an object" : "no object";
  const { total } = page.meta ?? {};
  return total === undefined
    ? `${page.data.length} items`
    : `${page.data.length} of ${total} items`;
}

/** The object of an answer for one item. */
export function objectOf(answer: Answer | undefined): Record<string, unknown> | undefined {
  const { value } = answer ?? {};
  const object = isObject(value) && isObject(value.data) ? value.data : value;
  return isObject(object) && "id" in object ? object : undefined;
}
