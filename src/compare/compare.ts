import type { ApiClient } from "../api/client.ts";
import { createUnsigner } from "../api/signatures.ts";

import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { printable } from "../lib/secrets.ts";
import { tokenCutter } from "../lib/token.ts";
import type { Rules } from "../routes/rules.ts";
import { createRoutes, type JsonRequest, type Routes } from "../routes/table.ts";
import { type Claims, createDraw, type Draft, respelled } from "./draw.ts";
import type { ServerAnswer } from "./fetch.ts";
import { type Finding, judge } from "./judge.ts";
import { followLead, leadsOf, pickLeads } from "./leads.ts";
import { createMirror, type Mirror } from "./mirror.ts";
import { createOriginReader, type OriginAnswer, type OriginReader } from "./origin.ts";
import { learnPopulation, type Population } from "./population.ts";
import { createRandom } from "./random.ts";
import type { OriginHosts } from "./references.ts";

/** What comparisons know of an origin; mirrors of it can share it. */
export interface OriginSide {
  routes: Routes;
  hosts: OriginHosts;
  population: Population;
  reader: OriginReader;
}

/** One request that a mirror answers otherwise than the origin. */
export interface Difference extends Finding {
  /** Path and query below the base address, as the mirror was asked, without signatures. */
  request: string;
}

export interface Comparison {
  /** Requests that were drawn. */
  asked: number;
  /** In the order of the draw. */
  differences: Difference[];
  /** Requests that the origin itself failed to answer. */
  uncompared: { request: string; reason: string }[];
}

export interface CompareOptions {
  /** Base address of the mirror's API: "http://127.0.0.1:8080/api/v1". */
  baseUrl: string;
  /** Sent as a bearer token to the mirror's host only. */
  token?: string | undefined;
  /** Number of requests. */
  sample: number;
  /** The same seed draws the same requests, as long as the origin has the same content. */
  seed: number;
  /** The mirror is asked no more after this many; 100. */
  maxDifferences?: number;
  /** Cut out of everything that is reported, wherever a mirror may have them from: tokens. */
  secrets?: readonly string[];
  reporter?: Reporter;
  signal?: AbortSignal | undefined;
}

/** Requests underway at once; the origin's rate is the client's affair. */
const underway = 16;

/**
 * Reads the origin's indexes, to know what can be asked for. `reader.close()` when done.
 *
 * @throws ApiError where the origin refuses the token or has no usable index, BudgetError
 */
export async function learnOrigin(
  config: Pick<Config, "origin" | "mirror" | "media">,
  client: ApiClient,
  { seed, reporter = silent }: { seed: number; reporter?: Reporter },
): Promise<OriginSide> {
  const routes = createRoutes(config);
  const { baseUrl, allowHosts, timezone } = config.origin;
  const random = createRandom(seed, 1);
  const population = await learnPopulation({ client, routes, timezone, random, reporter });
  const hosts: OriginHosts = {
    base: new URL(baseUrl),
    allowHosts,
    isRequest: (url) => routes.resolve(url) !== undefined,
    clean: createUnsigner(config.origin).clean,
  };
  return { routes, hosts, population, reader: createOriginReader(client, routes, population) };
}

/** A comparison that goes on. */
interface Run {
  origin: OriginSide;
  mirror: Mirror;
  seed: number;
  found: { number: number; difference: Difference }[];
  uncompared: { number: number; request: string; reason: string }[];
}

/**
 * Asks origin and mirror the same documented requests, drawn at random, and compares the answers.
 *
 * @throws ApiError where the origin refuses the token, BudgetError, StoreError where no mirror answers, the signal's
 *   reason
 */
export async function compareMirror(
  origin: OriginSide,
  options: CompareOptions,
): Promise<Comparison> {
  const { sample, seed, maxDifferences = 100, reporter = silent, signal } = options;
  const mirror = createMirror(options);
  const run: Run = { origin, mirror, seed, found: [], uncompared: [] };
  function* numbers(): Generator<number> {
    for (let number = 0; number < sample && run.found.length < maxDifferences; number++)
      yield number;
  }
  let asked = 0;
  try {
    await mirror.learn();
    const draw = createDraw(origin.population, origin.routes, claimsOf(run), seed);
    const progress = reporter.stage("comparing", sample);
    await eachLimited(numbers(), underway, async (number) => {
      signal?.throwIfAborted();
      await compareDraft(run, number, draw(number));
      asked++;
      progress.advance();
    });
    progress.end(`${asked} requests`);
  } finally {
    await mirror.close();
  }
  const byNumber = (a: { number: number }, b: { number: number }): number => a.number - b.number;
  const differences = run.found.sort(byNumber).map(({ difference }) => difference);
  return {
    asked,
    differences: withoutSecrets(differences, [...(options.secrets ?? []), options.token ?? ""]),
    uncompared: run.uncompared
      .sort(byNumber)
      .map(({ request, reason }) => ({ request, reason: printable(reason) })),
  };
}

function withoutSecrets(differences: Difference[], secrets: readonly string[]): Difference[] {
  const text = secrets
    .filter((secret) => secret !== "")
    .reduce((left, secret) => tokenCutter(secret)(left), JSON.stringify(differences));
  return JSON.parse(text);
}

/** What the mirror says that it answers; everything documented where it says nothing. */
function claimsOf({ mirror, origin }: Run): Claims {
  const { description } = mirror;
  const { filters, slots }: Rules = description?.rules ?? origin.routes.rules;
  const any = description === undefined || description.answers === "any";
  return { combinations: filters, slots, any };
}

async function compareDraft(run: Run, number: number, draft: Draft): Promise<void> {
  const { origin, mirror, seed, found, uncompared } = run;
  const { answer, path, query, request: list } = await askOrigin(origin, draft);
  const random = createRandom(seed, number, 2 ** 33);
  const target = path + respelled(query, random, draft.type !== "json");
  const request = printable(target);
  if (answer.form === "none") {
    uncompared.push({ number, request, reason: answer.reason });
    return;
  }
  const keep = answer.form === "json" || answer.form === "picture";
  const accept = draft.type === "json" ? "application/json" : "*/*";
  const reply = await mirror.ask(mirror.baseUrl + target, { accept, keep });
  const answeredBy = "url" in reply ? reply.url : "";
  const { findings, links } = await judge(answer, reply, origin.hosts, mirror.urls(answeredBy));
  if (links.length > 0) findings.push(...(await mirror.follow(random.pick(links), answeredBy)));
  if (findings.length === 0 && list !== undefined && "bytes" in reply && answer.form === "json") {
    findings.push(...(await followSome(run, list, reply, random.next())));
  }
  found.push(...findings.map((finding) => ({ number, difference: { request, ...finding } })));
}

/** Whether some links of an answer lead to what they stand for. */
async function followSome(
  { origin, mirror }: Run,
  request: JsonRequest,
  reply: ServerAnswer,
  share: number,
): Promise<Finding[]> {
  const leads = leadsOf(request, JSON.parse(String(reply.bytes)));
  const findings: Finding[] = [];
  for (const lead of pickLeads(leads, share)) {
    findings.push(...(await followLead(lead, reply.url, origin, mirror)));
  }
  return findings;
}

/** The origin's answer, and how it is asked for: the page of a list is known only when its last page is. */
async function askOrigin(
  { reader, routes }: OriginSide,
  draft: Draft,
): Promise<{ answer: OriginAnswer; path: string; query: string; request?: JsonRequest }> {
  if (draft.type === "original") {
    const path = routes.pathOf({ route: "download", id: draft.id }) ?? "";
    return { answer: await reader.original(draft.id), path, query: "" };
  }
  if (draft.type === "image") {
    const path = routes.pathOf({ route: "binary", id: draft.id, scaling: {} }) ?? "";
    const answer = await reader.picture(draft.id, draft.query);
    return { answer, path, query: draft.query };
  }
  let request: JsonRequest = draft.request;
  if (draft.pageShare !== undefined && "page" in request) {
    const last = await reader.lastPage(request);
    request = { ...request, page: 1 + Math.floor(draft.pageShare * last) };
  }
  const [path = "", query] = (routes.pathOf(request) ?? "").split(/(?=\?)/);
  return { answer: await reader.json(request), path, query: query ?? "", request };
}
