import type { ApiClient } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Config } from "../config.ts";
import { ApiError, exitCodes } from "../errors.ts";
import type { Problem, Reporter } from "../lib/reporter.ts";
import type { Routes } from "../routes/table.ts";
import type { Store } from "../store/store.ts";
import type { Draft } from "./draft.ts";

/** What every part of a crawl works with. */
export interface CrawlContext {
  config: Config;
  store: Store;
  client: ApiClient;
  routes: Routes;
  links: LinkBook;
  draft: Draft;
  reporter: Reporter;
  problems: Problem[];
}

export function addProblem(context: CrawlContext, problem: Problem): void {
  context.problems.push(problem);
  context.reporter.problem(problem);
}

/**
 * Whether a failure concerns one item only, so that the crawl goes on without it. Refused credentials, a used-up
 * budget and anything that is no answer of the origin end the run.
 */
export function isItemFailure(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status !== 401 && error.exitCode !== exitCodes.budget;
}

/** Failures in a row without any answer after which the origin counts as gone. */
const maxSilentFailures = 5;

/** Ends a crawl whose origin stopped answering, instead of trying each remaining item in vain. */
export function createPatience(): { answered(): void; failed(error: ApiError): void } {
  let failures = 0;
  return {
    answered() {
      failures = 0;
    },
    failed(error) {
      const silent = error.status === 0 || error.status >= 500;
      failures = silent ? failures + 1 : 0;
      if (failures < maxSilentFailures) return;
      throw new ApiError(`the origin stopped answering: ${error.message}`, {
        url: error.url,
        status: error.status,
        attempts: error.attempts,
        cause: error,
        hint: "run again later; what was read so far is kept",
        exitCode: exitCodes.origin,
      });
    },
  };
}
