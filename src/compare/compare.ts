import type { ApiClient } from "../api/client.ts";
import { createUnsigner } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Dice, dice } from "../lib/random.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { printable } from "../lib/secrets.ts";
import { tokenCutter } from "../lib/token.ts";
import { createRoutes, type JsonRequest } from "../routes/table.ts";
import { readDescription } from "./description.ts";
import { createDraw, type Draft, respelled } from "./draw.ts";
import { createServerClient } from "./fetch.ts";
import { type Finding, judge } from "./judge.ts";
import { followLead, leadsOf, pickLeads } from "./leads.ts";
import { createMirror, type Mirror } from "./mirror.ts";
import { createOriginReader } from "./origin.ts";
import { learnPopulation } from "./population.ts";
import type { OriginHosts } from "./references.ts";

/** What comparisons know of an origin; mirrors of it can share it. */
export type OriginSide = Awaited<ReturnType<typeof learnOrigin>>;

/** A request that a mirror answers differently from the origin. */
export interface Difference extends Finding {
  /** Path and query below the base address, as the mirror was asked, without signatures. */
  request: string;
}

/** Differences in the order of the draw, and requests that the origin failed to answer. */
export type Comparison = Awaited<ReturnType<typeof compareMirror>>;

export interface CompareOptions {
  /** Of the API: "http://127.0.0.1:8080/api/v1". */
  baseUrl: string;
  /** Sent as a bearer token to the mirror's host only. */
  token?: string | undefined;
  sample: number;
  /** The same seed draws the same requests while the content is the same. */
  seed: number;
  /** Stop after this many; 100. */
  maxDifferences?: number;
  /** Tokens, which are cut out of everything that is reported. */
  secrets?: readonly string[];
  reporter?: Reporter;
  signal?: AbortSignal | undefined;
}

/** Requests underway at once; the client keeps the origin's rate. */
const underway = 16;

/**
 * Reads the origin's indexes, to know what can be asked for. Call `reader.close()` when done.
 *
 * @throws ApiError where the origin refuses the token or has no usable index, BudgetError
 */
export async function learnOrigin(
  config: Pick<Config, "origin" | "mirror" | "media">,
  client: ApiClient,
  { seed, reporter = silent }: { seed: number; reporter?: Reporter },
) {
  const routes = createRoutes(config);
  const { baseUrl, allowHosts, timezone } = config.origin;
  const random = dice(seed, 1);
  const population = await learnPopulation({ client, routes, timezone, random, reporter });
  const hosts: OriginHosts = {
    base: new URL(baseUrl),
    allowHosts,
    isRequest: (url) => routes.resolve(url) !== undefined,
    clean: createUnsigner(config.origin).clean,
  };
  const reader = createOriginReader(client, routes, population.images);
  return { routes, hosts, population, reader };
}

/**
 * Asks origin and mirror the same documented requests, drawn at random, and compares the answers.
 *
 * @throws ApiError where the origin refuses the token, BudgetError, StoreError where no mirror answers
 */
export async function compareMirror(origin: OriginSide, options: CompareOptions) {
  const { sample, seed, maxDifferences = 100, reporter = silent, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const server = createServerClient(baseUrl, options);
  const found: (Difference & { number: number })[] = [];
  const uncompared: { request: string; reason: string; number: number }[] = [];
  let asked = 0;
  function* numbers(): Generator<number> {
    for (let number = 0; number < sample && found.length < maxDifferences; number++) yield number;
  }
  try {
    const mirror = createMirror(baseUrl, server, await readDescription(server, baseUrl));
    const { description } = mirror;
    // A mirror that says nothing of itself is asked for everything that is documented.
    const any = description === undefined || description.answers === "any";
    const claims = { ...(description?.rules ?? origin.routes.rules), any };
    const draw = createDraw(origin.population, origin.routes, claims, seed);
    const progress = reporter.stage("comparing", sample);
    await eachLimited(numbers(), underway, async (number) => {
      signal?.throwIfAborted();
      const random = dice(seed, number, 2 ** 33);
      const drawn = draw(number);
      const { request, findings, reason } = await compareDraft(origin, mirror, drawn, random);
      if (reason !== undefined) uncompared.push({ number, request, reason: printable(reason) });
      found.push(...findings.map((finding) => ({ number, request, ...finding })));
      asked++;
      progress.advance();
    });
    progress.end(`${asked} requests`);
  } finally {
    await server.close();
  }
  const secrets = [...(options.secrets ?? []), options.token ?? ""].filter((one) => one !== "");
  const text = secrets.reduce(
    (left, one) => tokenCutter(one)(left),
    JSON.stringify(inOrder(found)),
  );
  const differences: Difference[] = JSON.parse(text);
  return { asked, differences, uncompared: inOrder(uncompared) };
}

/** In the order of the draw, without the numbers. */
function inOrder<T extends { number: number }>(items: T[]): Omit<T, "number">[] {
  return items.sort((a, b) => a.number - b.number).map(({ number: _, ...item }) => item);
}

/** What is wrong with the mirror's answer to one request, or the reason why the origin has none. */
async function compareDraft(origin: OriginSide, mirror: Mirror, draft: Draft, random: Dice) {
  const { answer, path, query, request: list } = await askOrigin(origin, draft);
  const target = path + respelled(query, random, draft.type !== "json");
  const request = printable(target);
  if (answer.form === "none") return { request, findings: [], reason: answer.reason };
  const keep = answer.form === "json" || answer.form === "picture";
  const accept = draft.type === "json" ? "application/json" : "*/*";
  const reply = await mirror.ask(mirror.baseUrl + target, { accept, keep });
  const { findings, links } = await judge(answer, reply, origin.hosts, mirror.urls(reply));
  if (links.length > 0 && "url" in reply) {
    findings.push(...(await mirror.follow(random.pick(links), reply.url)));
  }
  if (findings.length > 0 || list === undefined || !("bytes" in reply) || answer.form !== "json") {
    return { request, findings };
  }
  // Some links of the answer must lead to what they stand for.
  for (const lead of pickLeads(leadsOf(list, JSON.parse(String(reply.bytes))), random.share())) {
    findings.push(...(await followLead(lead, reply.url, origin, mirror)));
  }
  return { request, findings };
}

/** The origin's answer, and how it is asked for: the page of a list is known only when its last page is. */
async function askOrigin({ reader, routes }: OriginSide, draft: Draft) {
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
