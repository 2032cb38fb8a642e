import type { ApiClient } from "../api/client.ts";
import type { LinkBook } from "../api/links.ts";
import type { Patience } from "../api/patience.ts";
import type { Unsigner } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import type { Problem, Remark, Reporter } from "../lib/reporter.ts";
import type { Turn } from "../lib/turns.ts";
import type { Behind } from "../routes/learned.ts";
import type { Routes } from "../routes/table.ts";
import type { Store } from "../store/store.ts";
import type { Draft } from "./draft.ts";

export interface CrawlInput {
  config: Config;
  store: Store;
  client: ApiClient;
  routes: Routes;
  /** Gets the signed links of everything that is listed. */
  links: LinkBook;
  /** Learns the signatures of everything that is asked for. */
  unsigner?: Unsigner;
  reporter?: Reporter;
  /** Ends waits. */
  signal?: AbortSignal | undefined;
  /** Tells what is old, and what came first. */
  now?: () => Date;
  /** The time that the snapshot bears; `now` where undefined. */
  stamp?: () => Date;
}

/** What every part of a crawl works with. */
export interface CrawlContext extends Required<Omit<CrawlInput, "signal">> {
  draft: Draft;
  /** Which unchanged items are fetched again; set when the lists are known. */
  turn: Turn;
  /** By the sign of an oddity, the addresses whose second answer had it too and was accepted. */
  oddities: Map<string, Set<string>>;
  /** Endpoints that gave a total. */
  counting: Set<string>;
  patience: Patience;
  /** Asks for something that every token may read. @throws ApiError when this one is refused altogether */
  checkToken: () => Promise<void>;
  /** By subject and reason. */
  problems: Map<string, Problem>;
  /** By subject and reason. */
  remarks: Map<string, Remark>;
  /** How the origin answers behind the last page, by index. */
  behind: Map<string, Behind>;
}

/** Reports a problem, once. */
export function addProblem({ problems, reporter }: CrawlContext, problem: Problem): void {
  const key = `${problem.subject}\n${problem.reason}`;
  if (problems.has(key)) return;
  problems.set(key, problem);
  reporter.problem(problem);
}

/** Keeps a remark, once. It says what is so at the origin, so that two equal nights are one snapshot. */
export function addRemark({ remarks }: Pick<CrawlContext, "remarks">, remark: Remark): void {
  remarks.set(`${remark.subject}\n${remark.reason}`, remark);
}
