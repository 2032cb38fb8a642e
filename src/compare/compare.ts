import type { ApiClient } from "../api/client.ts";
import { createUnsigner } from "../api/signatures.ts";
import type { Config } from "../config.ts";
import { eachLimited } from "../lib/concurrency.ts";
import { type Reporter, silent } from "../lib/reporter.ts";
import { printable } from "../lib/secrets.ts";
import { tokenCutter } from "../lib/token.ts";
import type { MirrorDescription } from "../routes/description.ts";
import { createRoutes, type JsonRequest } from "../routes/table.ts";
import { createCache } from "./cache.ts";
import { readDescription } from "./description.ts";
import { type Claims, createDraw, type Draft } from "./draw.ts";
import { createServerClient, type Server, type ServerAnswer } from "./fetch.ts";
import { type Finding, judge, type Verdict } from "./judge.ts";
import { followLead, type LeadSources, leadsOf, pickLeads } from "./leads.ts";
import { createOriginReader, type OriginAnswer } from "./origin.ts";
import { learnPopulation } from "./population.ts";
import { createRandom } from "./random.ts";
import { type MirrorUrls, mirrorUrls, type OriginHosts, withoutEntities } from "./references.ts";
import { respelled } from "./spelling.ts";

/** A mirror to compare. */
export interface MirrorToCompare {
  /** What it is called in the result; unique. */
  name: string;
  /** Of the API: "http://127.0.0.1:8080/api/v1". */
  baseUrl: string;
  /** Sent as a bearer token to this mirror's host only. */
  token?: string | undefined;
}

export interface CompareOptions {
  config: Pick<Config, "origin" | "mirror" | "media">;
  client: ApiClient;
  mirrors: readonly MirrorToCompare[];
  /** Requests for each mirror. */
  sample: number;
  /** The same seed draws the same requests, as long as the origin has the same content. */
  seed: number;
  /** A mirror is asked no more after this many; 100. */
  maxDifferences?: number;
  /** Cut out of everything that is reported, wherever a mirror may have them from: tokens. */
  secrets?: readonly string[];
  reporter?: Reporter;
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch, by which links expire; the origin's clock. */
  now?: () => number;
}

/** One request that a mirror answers otherwise than the origin. */
export interface Difference extends Finding {
  /** Path and query below the base address, as the mirror was asked, without signatures. */
  request: string;
}

export interface Comparison {
  /** Requests that were drawn for each mirror. */
  asked: number;
  /** In the order of the draw, by the mirrors' names. */
  perMirror: Map<string, Difference[]>;
  /** Requests that the origin itself failed to answer. */
  uncompared: { request: string; reason: string }[];
}

/** Requests underway at once; the origin's rate is the client's affair. */
const underway = 16;

/**
 * Asks the origin and mirrors the same documented requests, drawn at random, and compares the answers. What the origin
 * answers is shared by all mirrors.
 *
 * @throws ApiError where the origin refuses the token or has no usable index, BudgetError, StoreError where no mirror
 *   answers at all, the signal's reason
 */
export async function compareMirrors(options: CompareOptions): Promise<Comparison> {
  const { config, client, sample, seed, reporter = silent, signal } = options;
  const { maxDifferences = 100, now = client.serverNow } = options;
  const cutSecrets = secretCutter([
    ...(options.secrets ?? []),
    ...options.mirrors.flatMap(({ token }) => token ?? []),
  ]);
  const routes = createRoutes(config);
  const hosts: OriginHosts = {
    base: new URL(config.origin.baseUrl),
    allowHosts: config.origin.allowHosts,
    isRequest: (url) => routes.resolve(url) !== undefined,
    clean: createUnsigner(config.origin).clean,
  };
  const mirrors = options.mirrors.map((mirror) => createMirror(mirror, signal));
  const pages = new Map<string, number>();
  const origin = createOriginReader({ client, routes, pageOf: (id) => pages.get(id), now });
  try {
    await Promise.all(mirrors.map((mirror) => mirror.learn()));
    const population = await learnPopulation({
      client,
      routes,
      timezone: config.origin.timezone,
      random: createRandom(seed, 1),
      reporter,
      listed: origin.remember,
    });
    for (const { id, page } of population.images) pages.set(id, page);

    const profiles = new Map<string, { draw: (at: number) => Draft; mirrors: Mirror[] }>();
    for (const mirror of mirrors) {
      const claims = claimsOf(mirror.description, routes.rules);
      const key = JSON.stringify(claims);
      const profile = profiles.get(key) ?? {
        draw: createDraw(population, routes, claims, seed),
        mirrors: [],
      };
      profile.mirrors.push(mirror);
      profiles.set(key, profile);
    }

    const verdicts = createCache<Verdict>(20_000, () => 1);
    const uncompared: (Comparison["uncompared"][number] & { number: number })[] = [];
    const progress = reporter.stage("comparing", sample);
    let asked = 0;

    /** The same draw for mirrors that claim different things is often the same request. */
    async function compareDraw(number: number): Promise<void> {
      const questions = new Map<string, { draft: Draft; mirrors: Mirror[] }>();
      for (const { draw, mirrors: claiming } of profiles.values()) {
        const open = claiming.filter((mirror) => mirror.differences.length < maxDifferences);
        const draft = draw(number);
        const key = JSON.stringify(draft);
        const question = questions.get(key) ?? { draft, mirrors: [] };
        question.mirrors.push(...open);
        questions.set(key, question);
      }
      for (const { draft, mirrors: open } of questions.values()) {
        if (open.length > 0) await compareDraft(number, draft, open);
      }
      asked++;
      progress.advance();
    }

    async function compareDraft(number: number, draft: Draft, open: Mirror[]): Promise<void> {
      const { answer, path, query } = await askOrigin(draft);
      const random = createRandom(seed, number, 2 ** 33);
      const target = path + respelled(query, random, draft.type !== "json");
      if (answer.form === "none") {
        uncompared.push({ number, request: printable(target), reason: answer.reason });
        return;
      }
      const linkShare = random.next();
      const leadShare = createRandom(number, seed, 1).next();
      const keep = answer.form === "json" || answer.form === "picture";
      const accept = draft.type === "json" ? "application/json" : "*/*";
      await Promise.all(
        open.map(async (mirror) => {
          const reply = await mirror.server.ask(mirror.baseUrl + target, { accept, keep });
          const verdict = await judgeOnce(path + query, answer, reply, mirror);
          const findings = [...verdict.findings];
          if (!("failed" in reply) && verdict.links.length > 0) {
            const link = verdict.links[Math.floor(linkShare * verdict.links.length)] as string;
            findings.push(...(await mirror.follow(link, reply.url)));
          }
          if (findings.length === 0 && draft.type === "json" && "bytes" in reply) {
            findings.push(...(await followSome(draft.request, answer, reply, mirror, leadShare)));
          }
          for (const finding of findings) {
            mirror.differences.push({
              number,
              request: printable(target),
              ...cutSecrets(finding),
            });
          }
        }),
      );
    }

    /** Whether some links of an answer lead to what they stand for. */
    async function followSome(
      drawn: JsonRequest,
      answer: OriginAnswer,
      reply: ServerAnswer,
      mirror: Mirror,
      share: number,
    ): Promise<Finding[]> {
      if (answer.form !== "json") return [];
      const request =
        "page" in drawn ? { ...drawn, page: pageOf(answer.text) ?? drawn.page } : drawn;
      const leads = leadsOf(request, JSON.parse(String(reply.bytes)));
      const sources: LeadSources = {
        ask(link, keep) {
          const target = mirror.targetOf(link, reply.url) ?? link;
          return mirror.server.ask(target, { accept: "*/*", keep });
        },
        origin: (to) =>
          "json" in to
            ? origin.json(to.json)
            : "picture" in to
              ? origin.picture(to.picture, "")
              : origin.original(to.original),
        judge: async (right, found) =>
          (await judge(right, found, hosts, mirror.urls("url" in found ? found.url : ""))).findings,
      };
      const findings: Finding[] = [];
      for (const lead of pickLeads(leads, share)) {
        findings.push(...(await followLead(lead, sources)));
      }
      return findings;
    }

    async function askOrigin(
      draft: Draft,
    ): Promise<{ answer: OriginAnswer; path: string; query: string }> {
      if (draft.type === "original") {
        const path = routes.pathOf({ route: "download", id: draft.id }) ?? "";
        return { answer: await origin.original(draft.id), path, query: "" };
      }
      if (draft.type === "image") {
        const path = routes.pathOf({ route: "binary", id: draft.id, scaling: {} }) ?? "";
        const answer = await origin.picture(draft.id, draft.query);
        return { answer, path, query: draft.query };
      }
      let request: JsonRequest = draft.request;
      if (draft.pageShare !== undefined && "page" in request) {
        const last = await origin.lastPage(request);
        request = { ...request, page: 1 + Math.floor(draft.pageShare * last) };
      }
      const written = routes.pathOf(request) ?? "";
      const mark = written.indexOf("?");
      const [path, query] =
        mark === -1 ? [written, ""] : [written.slice(0, mark), written.slice(mark)];
      return { answer: await origin.json(request), path, query };
    }

    /** Several mirrors often answer with the same bytes, of which one look is enough. */
    function judgeOnce(
      question: string,
      answer: Exclude<OriginAnswer, { form: "none" }>,
      reply: Awaited<ReturnType<Server["ask"]>>,
      mirror: Mirror,
    ): Promise<Verdict> {
      if ("failed" in reply) return judge(answer, reply, hosts, mirror.urls(""));
      const urls = mirror.urls(reply.url);
      const named = urls.homes.filter((home) => reply.bytes?.includes(home) === true);
      const key = [question, reply.sha256, reply.status, reply.type, ...named].join("\n");
      return verdicts.get(key, () => judge(answer, reply, hosts, urls));
    }

    await eachLimited(numbers(sample, mirrors, maxDifferences), underway, (number) => {
      signal?.throwIfAborted();
      return compareDraw(number);
    });
    progress.end(`${asked} requests`);
    const byNumber = <T extends { number: number }>(list: T[]): Omit<T, "number">[] =>
      list.sort((a, b) => a.number - b.number).map(({ number: _, ...rest }) => rest);
    return {
      asked,
      perMirror: new Map(mirrors.map(({ name, differences }) => [name, byNumber(differences)])),
      uncompared: byNumber(uncompared),
    };
  } finally {
    origin.close();
    await Promise.all(mirrors.map(({ server }) => server.close()));
  }
}

/** Makes the function that cuts secrets out of what is reported. */
function secretCutter(secrets: readonly string[]): (finding: Finding) => Finding {
  const cutters = secrets.map((secret) => tokenCutter(secret));
  const cut = (text: string): string => cutters.reduce((left, cutter) => cutter(left), text);
  return ({ text, changes, ...rest }) => ({
    ...rest,
    text: cut(text),
    ...(changes && {
      changes: changes.map(({ path, origin, mirror }) => ({
        path: cut(path),
        origin: cut(origin),
        mirror: cut(mirror),
      })),
    }),
  });
}

/** Which page an answer says it is. */
function pageOf(text: string): number | undefined {
  const { meta } = JSON.parse(text) as { meta?: { current_page?: unknown } };
  const page = Number(meta?.current_page ?? Number.NaN);
  return Number.isInteger(page) && page > 0 ? page : undefined;
}

/** The numbers of the draws, as long as there is a mirror that still is asked. */
function* numbers(sample: number, mirrors: readonly Mirror[], most: number): Generator<number> {
  for (let number = 0; number < sample; number++) {
    if (mirrors.every(({ differences }) => differences.length >= most)) return;
    yield number;
  }
}

function claimsOf(
  description: MirrorDescription | undefined,
  { filters, slots }: MirrorDescription["rules"],
): Claims {
  const rules = description?.rules;
  return {
    combinations: rules?.filters ?? filters,
    slots: rules?.slots ?? slots,
    any: description === undefined || description.answers === "any",
  };
}

interface Mirror {
  name: string;
  /** Without a slash at the end. */
  baseUrl: string;
  server: Server;
  description: MirrorDescription | undefined;
  differences: (Difference & { number: number })[];
  learn(): Promise<void>;
  /** How it writes its own URLs in an answer that came from a URL. */
  urls(answeredBy: string): MirrorUrls & { homes: readonly string[] };
  /** The address at which the mirror is asked for what a link names; undefined where it leads elsewhere. */
  targetOf(link: string, from: string): string | undefined;
  /** What is wrong with where a link in an answer leads. */
  follow(link: string, from: string): Promise<Finding[]>;
}

/** Links of one mirror that are known to lead somewhere. */
const rememberedLinks = 50_000;

function createMirror(
  { name, baseUrl: written, token }: MirrorToCompare,
  signal: AbortSignal | undefined,
): Mirror {
  const baseUrl = written.replace(/\/+$/, "");
  const home = new URL(baseUrl).origin;
  const server = createServerClient(baseUrl, { token, signal });
  const patterns = new Map<string, MirrorUrls & { homes: readonly string[] }>();
  const followed = createCache<Finding[]>(rememberedLinks, () => 1);

  /** The address at which the mirror is asked for what a link names; undefined where it leads elsewhere. */
  function targetOf(link: string, from: string): string | undefined {
    const decoded = withoutEntities(link);
    if (!URL.canParse(decoded, from)) return undefined;
    const url = new URL(decoded, from);
    url.hash = "";
    const { url: address, rules } = mirror.description ?? {};
    if (address != null && `${url.href}/`.startsWith(`${address.replace(/\/+$/, "")}/`)) {
      const suffix = `/${rules?.root}`;
      const top = baseUrl.endsWith(suffix) ? baseUrl.slice(0, -suffix.length) : home;
      return top + url.href.slice(address.replace(/\/+$/, "").length);
    }
    return url.origin === home || url.origin === new URL(from).origin ? url.href : undefined;
  }

  async function findingsAt(target: string, link: string, from: string): Promise<Finding[]> {
    const answer: ServerAnswer | { failed: string } = await server.ask(target, { discard: true });
    if ("status" in answer && answer.status === 200) return [];
    const reason = "failed" in answer ? answer.failed : String(answer.status);
    const place = printable(link);
    return [{ kind: "link", text: `"${place}" in the answer of ${printable(from)}: ${reason}` }];
  }

  const mirror: Mirror = {
    name,
    baseUrl,
    server,
    description: undefined,
    differences: [],
    targetOf,
    async learn() {
      mirror.description = await readDescription(server, baseUrl);
    },
    urls(answeredBy) {
      const origin = answeredBy === "" ? home : new URL(answeredBy).origin;
      const known = patterns.get(origin);
      if (known !== undefined) return known;
      const homes = [...new Set([home, origin, mirror.description?.url ?? home])];
      const urls = { ...mirrorUrls(homes), homes };
      patterns.set(origin, urls);
      return urls;
    },
    async follow(link, from) {
      const target = targetOf(link, from);
      return target === undefined ? [] : followed.get(target, () => findingsAt(target, link, from));
    },
  };
  return mirror;
}
