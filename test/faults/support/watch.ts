import type { OriginOptions } from "../../../src/demo/options.ts";

/** What the origin saw of one run. */
export interface Seen {
  /** Requests in order of arrival: path and query, without what a signature adds. */
  asked: string[];
  /** Those of them whose answer was handed over in full. */
  answered: string[];
  /** Requests without a full answer at this moment. */
  readonly inFlight: number;
}

/** Counts requests at the origin, and does something at a certain one. */
export interface Watch {
  /** Option of the origin. */
  intercept: NonNullable<OriginOptions["intercept"]>;
  /** Begins to count anew, from 0. */
  begin(options?: WatchOptions): Seen;
}

export interface WatchOptions {
  /** Called with the number of each request, from 1. */
  onRequest?: (number: number) => void;
  /** Answers, or leaves hanging, in the origin's place where it returns true. */
  intercept?: NonNullable<OriginOptions["intercept"]>;
}

/** The same request made again has the same name, although its link is signed anew. */
function nameOf(url: string): string {
  return url.replace(/[?&](?:expires|signature)=[^&]*/g, "");
}

export function createWatch(): Watch {
  let current: { seen: Seen & { inFlight: number }; options: WatchOptions } | undefined;
  return {
    begin(options = {}) {
      const seen = { asked: [], answered: [], inFlight: 0 };
      current = { seen, options };
      return seen;
    },
    intercept(request, response) {
      if (current === undefined) return false;
      const { seen, options } = current;
      const name = nameOf(request.url ?? "");
      seen.asked.push(name);
      seen.inFlight++;
      response.once("finish", () => seen.answered.push(name));
      response.once("close", () => seen.inFlight--);
      options.onRequest?.(seen.asked.length);
      return options.intercept?.(request, response) ?? false;
    },
  };
}
