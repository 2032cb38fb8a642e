import type { ApiClient } from "../api/client.ts";
import { createHostCheck } from "../api/hosts.ts";
import type { LinkBook } from "../api/links.ts";
import { createPatience, createTokenCheck, lookFor } from "../api/patience.ts";
import { createUnsigner, type Unsigner } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../lib/clock.ts";
import { type Problem, type Remark, type Reporter, silent } from "../lib/reporter.ts";
import type { Turn } from "../lib/turns.ts";
import { type Behind, type Learned, withLearnedPaths } from "../routes/learned.ts";
import { createRoutes, type Routes } from "../routes/table.ts";
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
  signal?: AbortSignal | undefined;
  /** Tells what is old, and what came first. */
  now?: () => Date;
  /** The time that the snapshot bears; `now` where undefined. */
  stamp?: () => Date;
}

/** The machine's time, whatever SOURCE_DATE_EPOCH says. */
export const systemTime = (): Date => new Date(systemClock.now());

/** What every part of a crawl works with. */
export type CrawlContext = ReturnType<typeof contextOf>;

export function contextOf(input: CrawlInput, draft: Draft) {
  const { config, signal, reporter = silent, now = systemTime, stamp = now } = input;
  const look = lookFor(input);
  const latest = input.store.snapshots.latest();
  const isKnown = latest !== undefined;
  const learned = latest?.learned?.paths;
  const own = withLearnedPaths(config, { paths: learned });
  const { patience: seconds } = config.crawl;
  return {
    ...input,
    config: own,
    routes: learned === undefined ? input.routes : createRoutes(own),
    /** Of attachment lists that are not at the configured ones, by the names of the settings. */
    paths: { ...learned } as NonNullable<Learned["paths"]>,
    unsigner: input.unsigner ?? createUnsigner(config.origin),
    ...{ reporter, now, stamp, draft },
    /** Warns of a host before anything is asked of it. */
    checkHost: createHostCheck(own.origin, (text, hint) => {
      if (config.media.originals) reporter.warn(text, hint);
    }),
    /** Which unchanged items are fetched again; set when the lists are known. */
    turn: { from: 0, to: 0 } satisfies Turn,
    /** By the sign of an oddity, the addresses whose second answer had it too and was accepted. */
    oddities: new Map<string, Set<string>>(),
    /** Endpoints that gave a total. */
    counting: new Set<string>(),
    patience: createPatience({ seconds, isKnown, look, reporter, signal }),
    /** Asks for something that every token may read. @throws ApiError when this one is refused altogether */
    checkToken: createTokenCheck(look),
    /** By subject and reason. */
    problems: new Map<string, Problem>(),
    untold: 0,
    /** By subject and reason. */
    remarks: new Map<string, Remark>(),
    /** How the origin answers behind the last page, by index. */
    behind: new Map<string, Behind>(),
  };
}

/** So many are told one by one: more of them help nobody, and would make a report that nobody can open. */
const mostProblems = 10_000;

/** Reports a problem, once. */
export function addProblem(context: CrawlContext, problem: Problem): void {
  const { problems, reporter } = context;
  const key = `${problem.subject}\n${problem.reason}`;
  if (problems.has(key)) return;
  if (problems.size === mostProblems) {
    context.untold++;
    return;
  }
  problems.set(key, problem);
  reporter.problem(problem);
}

/** Keeps a remark, once. It says what is so at the origin, so that two equal nights are one snapshot. */
export function addRemark({ remarks }: Pick<CrawlContext, "remarks">, remark: Remark): void {
  remarks.set(`${remark.subject}\n${remark.reason}`, remark);
}
