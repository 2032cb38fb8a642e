import type { ApiClient } from "../api/client.ts";
import { createUnsigner } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { append } from "../lib/many.ts";
import { type Dice, dice } from "../lib/random.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { printable } from "../lib/secrets.ts";
import { tokenCutter } from "../lib/token.ts";
import { createRoutes } from "../routes/table.ts";
import { readDescription } from "./description.ts";
import { createDraw, type Draft, respelled } from "./draw.ts";
import { createServerClient } from "./fetch.ts";
import { type Finding, judge } from "./judge.ts";
import { followLead, leadsOf, pickLeads } from "./leads.ts";
import { createMirror, type Mirror } from "./mirror.ts";
import { createOriginReader, type OriginReader } from "./origin.ts";
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

/** Reads the origin's indexes; call `reader.close()` when done. @throws ApiError where it refuses one, BudgetError */
export async function learnOrigin(
  config: Pick<Config, "origin" | "mirror" | "media">,
  client: ApiClient,
  { seed, reporter = silent }: { seed: number; reporter?: Reporter },
) {
  const routes = createRoutes(config);
  const { baseUrl, timezone } = config.origin;
  const random = dice(seed, 1);
  const population = await learnPopulation(client, routes, { timezone, random, reporter });
  const hosts: OriginHosts = {
    base: new URL(baseUrl),
    isRequest: (url) => routes.resolve(url) !== undefined,
    clean: createUnsigner(config.origin).clean,
  };
  const reader = createOriginReader(client, routes, population);
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
  /** By the number of the draw; its numbers are asked side by side. */
  const results: Compared[] = [];
  let [asked, found] = [0, 0];
  function* numbers(): Generator<number> {
    for (let number = 0; number < sample && found < maxDifferences; number++) yield number;
  }
  try {
    const description = await readDescription(server, baseUrl);
    const mirror = createMirror(baseUrl, server, description);
    // A mirror that says nothing of itself is asked for everything that is documented.
    const any = description === undefined || description.answers === "any";
    const claims = { ...(description?.rules ?? origin.routes.rules), any };
    const draw = createDraw(origin.population, origin.routes, claims, seed);
    const progress = reporter.stage("comparing", sample);
    await eachLimited(numbers(), underway, async (number) => {
      signal?.throwIfAborted();
      const random = dice(seed, number, 2 ** 33);
      const result = await compareDraft(origin, mirror, draw(number), random);
      results[number] = result;
      found += result.findings.length;
      asked++;
      progress.advance();
    });
    progress.end(`${asked} requests`);
  } finally {
    await server.close();
  }
  const uncompared = results.flatMap(({ request, reason }) =>
    reason === undefined ? [] : { request, reason: printable(reason) },
  );
  const listed = results.flatMap(({ request, findings }) =>
    findings.map((finding) => ({ request, ...finding })),
  );
  const secrets = [...(options.secrets ?? []), options.token ?? ""].filter((one) => one !== "");
  const text = secrets.reduce((left, one) => tokenCutter(one)(left), JSON.stringify(listed));
  const differences: Difference[] = JSON.parse(text);
  return { asked, differences, uncompared };
}

interface Compared {
  request: string;
  findings: Finding[];
  reason?: string;
}

async function compareDraft(origin: OriginSide, mirror: Mirror, draft: Draft, random: Dice) {
  const asked = await requestOf(draft, origin.reader);
  const answer = await origin.reader.answerTo(asked, draft.query);
  const isFile = asked.route === "binary" || asked.route === "download";
  const path = `${origin.routes.pathOf(asked) ?? ""}${draft.query ?? ""}`;
  const target = respelled(path, random, isFile);
  const request = printable(target);
  if (answer.form === "none") return { request, findings: [], reason: answer.reason };
  const keep = answer.form === "json" || answer.form === "picture";
  const accept = isFile ? "*/*" : "application/json";
  const reply = await mirror.ask(mirror.baseUrl + target, { accept, keep });
  const { findings, links } = await judge(answer, reply, origin.hosts, mirror.urls(reply));
  if (links.length > 0) append(findings, await mirror.follow(random.pick(links), reply.url));
  if (findings.length > 0 || answer.form !== "json") return { request, findings };
  // Some links of the answer must lead to what they stand for.
  for (const lead of pickLeads(leadsOf(asked, JSON.parse(String(reply.bytes))), random.share())) {
    append(findings, await followLead(lead, reply.url, origin, mirror));
  }
  return { request, findings };
}

/** The request with its page, which is known only when the last page of its list is. */
async function requestOf({ request, pageShare }: Draft, reader: OriginReader) {
  if (pageShare === undefined || !("page" in request)) return request;
  const last = await reader.lastPage(request);
  return { ...request, page: 1 + Math.floor(pageShare * last) };
}
