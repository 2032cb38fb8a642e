import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { OriginOptions } from "../../../src/demo/options.ts";
import { stillpress } from "../../support/archive.ts";
import { contents } from "../../support/contents.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { altered } from "../altered.ts";
import { articleOf, contentOf, documentOf, idOf, imageOf } from "../hand-made.ts";
import { type Attacks, marks, planAttacks, slowDrawing } from "../hostile/attacks.ts";
import { watchMemory } from "../hostile/measure.ts";
import type { FaultContext, Scenario } from "../scenario.ts";

const goodArticles = 100;
const goodImages = 40;
/** A signature that was learnt from a title would take this word out of every good article. */
const word = "internationalisation";
/** Requests a second of the nights that are compared: slow enough for a picture that takes its time. */
const pace = 3;
const largestRatio = 2;
const soonestEndMs = 10_000;

/** An origin at which everybody is hostile, beside 100 good articles. */
export const hostile: Scenario = {
  name: "hostile",
  what: "all attacks at once beside 100 good articles",
  alone: true,
  async run(context) {
    const attacks = await planAttacks(goodArticles);
    const calm = await startWorld(context, "calm", undefined);
    const angry = await startWorld(context, "angry", attacks);
    try {
      context.note("a night without attacks");
      const before = await runNight(calm, pace);
      context.note("a night with them");
      const night = await runNight(angry, pace);
      const violations = [
        ...outcomeFaults(night, before),
        ...leakFaults(angry, attacks, night.said),
        ...(await goodFaults(angry)),
        ...tokenFaults(angry),
        ...(await initFaults(angry)),
      ];
      context.note("signals");
      const heard = await signalTimes(context, angry, attacks);
      const late = heard.filter(({ ms }) => ms > soonestEndMs);
      const figures = [
        `${attacks.count} attacks beside ${goodArticles} articles: exit ${night.code}, problems: ${night.problems.join("; ")}`,
        `${seconds(night.ms)} and ${megabytes(night.peak)}; without attacks ${seconds(before.ms)} and ${megabytes(before.peak)}`,
        `signals heard after ${heard.map(({ when, ms }) => `${Math.round(ms)} ms (${when})`).join(", ")}`,
      ];
      return {
        figures,
        violations: [
          ...violations,
          ...late.map(({ when, ms }) => `a signal ${when} was heard after ${Math.round(ms)} ms`),
        ],
      };
    } finally {
      await Promise.all([calm.close(), angry.close()]);
    }
  },
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

interface World {
  folder: string;
  origin: Origin;
  /** "127.0.0.1:4711" */
  cdn: string;
  close(): Promise<void>;
}

async function startWorld(
  { folder }: FaultContext,
  name: string,
  attacks: Attacks | undefined,
): Promise<World> {
  const images = await Promise.all(Array.from({ length: goodImages }, (_, n) => imageOf(n)));
  const good = Array.from({ length: goodArticles }, (_, n) =>
    articleOf(n, {
      body: `<p>Text of article ${n}, a word about ${word}.</p>`,
      images: [idOf("image", n % goodImages)],
      tags: ["good"],
    }),
  );
  const documents = [documentOf(900, "A good document.")];
  (good[0] as { documents: string[] }).documents = documents.map(({ id }) => id);
  const content = contentOf({
    articles: [...good, ...(attacks?.articles ?? [])],
    images: [...images, ...(attacks?.images ?? [])],
    documents: [...documents, ...(attacks?.documents ?? [])],
    tags: [
      { slug: "good", title: "Good", createdAt: 0, productsCount: 0 },
      ...(attacks?.tags ?? []),
    ],
  });
  // A host of files that leads back to the API.
  const cdn = createServer((request, response) => {
    response.writeHead(302, { location: `${origin.baseUrl}${request.url}` }).end();
  }).listen(0, "127.0.0.1");
  await once(cdn, "listening");
  const cdnHost = `127.0.0.1:${(cdn.address() as AddressInfo).port}`;
  const origin: Origin = await startOrigin({
    content,
    tokens: { organisation: marks.token, user: "user-token" },
    intercept:
      attacks === undefined ? null : attackedBy(attacks, () => origin.baseUrl, `http://${cdnHost}`),
  });
  const place = join(folder, name);
  mkdirSync(place);
  return {
    folder: place,
    origin,
    cdn: cdnHost,
    async close() {
      cdn.close();
      cdn.closeAllConnections();
      await origin.close();
    },
  };
}

type Intercept = NonNullable<OriginOptions["intercept"]>;

function attackedBy(attacks: Attacks, base: () => string, cdn: string): Intercept {
  const change = (text: string): string => {
    const value = JSON.parse(text) as unknown;
    const walk = (one: unknown): void => {
      if (typeof one !== "object" || one === null) return;
      for (const member of Object.values(one)) walk(member);
      const { id } = one as { id?: unknown };
      if (typeof id === "string")
        attacks.alter.get(id)?.(one as Record<string, unknown>, base(), cdn);
    };
    walk(value);
    return JSON.stringify(value);
  };
  const passOn = altered(base, (text) => (text.startsWith("{") ? change(text) : text));
  return (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://x");
    const gzipped = attacks.gzipped.get(pathname.replace("/api/v1", ""));
    if (gzipped !== undefined) {
      const headers = { "content-type": "application/json", "content-encoding": "gzip" };
      response.writeHead(200, headers).end(gzipped);
      return true;
    }
    // What it says that it has decoded costs as much as what it has not.
    if (/\/images\/[^/]+\.jpg$/.test(pathname)) {
      response.writeHead(200, { "content-type": "image/svg+xml" }).end(slowDrawing);
      return true;
    }
    if (pathname.endsWith("/echo")) {
      const text = JSON.stringify(request.headers);
      // A file that needs the token, as the attacker hopes.
      const status = request.headers.authorization === undefined ? 403 : 200;
      response.writeHead(status, { "content-type": "text/plain" }).end(text);
      return true;
    }
    return passOn(request, response);
  };
}

interface Night {
  code: number | null;
  ms: number;
  /** Bytes of all its processes. */
  peak: number;
  problems: string[];
  said: string;
}

function configure({ folder, origin, cdn }: World, requests: number, out: string): string {
  const file = join(folder, `${out}.json`);
  const config = {
    origin: {
      baseUrl: origin.baseUrl,
      rate: { requests, perSeconds: 1 },
      allowHosts: [cdn],
    },
    crawl: { privateImages: "include" },
    media: { formats: ["jpeg"], variants: [{ scale: 100 }] },
    site: { url: "https://archive.example" },
    hosts: ["nginx", "apache"],
    out: join(folder, out),
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

async function runNight(world: World, requests: number): Promise<Night> {
  const config = configure(world, requests, "out");
  let memory = { stop: () => 0 };
  const begun = performance.now();
  const run = await stillpress(["snapshot", "--config", config, "--json", "--allow-incomplete"], {
    env: { STILLPRESS_TOKEN: marks.token },
    started(child) {
      if (child.pid !== undefined) memory = watchMemory(child.pid);
    },
  });
  const ms = performance.now() - begun;
  const report = JSON.parse(run.stdout || "{}") as { problems?: { reason: string }[] };
  return {
    code: run.code,
    ms,
    peak: memory.stop(),
    problems: report.problems?.map(({ reason }) => reason) ?? [],
    said: run.stdout + run.stderr,
  };
}

function outcomeFaults(night: Night, before: Night): string[] {
  const faults: string[] = [];
  if (before.code !== 0)
    faults.push(`the calm night ended with ${before.code}: ${before.said.slice(-500)}`);
  if (night.code !== 0 && night.code !== 3) {
    faults.push(`the night ended with ${night.code}: ${night.said.slice(-500)}`);
  }
  if (night.ms > largestRatio * before.ms) {
    faults.push(`it took ${(night.ms / before.ms).toFixed(2)} times as long as without attacks`);
  }
  if (night.peak > largestRatio * before.peak) {
    faults.push(`it took ${(night.peak / before.peak).toFixed(2)} times the memory`);
  }
  return faults;
}

/** What got out: the token anywhere, the rest in what is published or printed. */
function leakFaults({ folder }: World, attacks: Attacks, said: string): string[] {
  const faults: string[] = [];
  const out = join(folder, "out");
  const hidden = [marks.secret, ...attacks.privateIds];
  const look = (where: string, text: string, isPublic: boolean): void => {
    const found = (mark: string): void => void faults.push(`${mark} in ${where}`);
    if (text.includes(marks.token)) found("the token");
    if (isPublic) for (const mark of hidden) if (text.includes(mark)) found(mark);
  };
  look("what the run said", said, false);
  const shown = join(out, "public");
  for (const { path, bytes } of contents(out)) {
    const name = path.slice(out.length + 1);
    const isPublic = /\/builds\/[^/]+\/(?:public|deploy)\//.test(path);
    // An original stays what it is; there, nobody reads it.
    if (name.startsWith("store/blobs/")) continue;
    look(name, `${name}\n${bytes.toString("latin1")}`, isPublic);
    if (!isPublic) continue;
    if (bytes.includes(marks.owner) && !name.includes("/download/")) {
      faults.push(`a photograph's owner in ${name}`);
    }
  }
  const page = join(shown, "snapshot.html");
  if (existsSync(page) && readFileSync(page, "utf8").includes(marks.title)) {
    faults.push("the title of an item that cannot be read in snapshot.html");
  }
  const report = readFileSync(join(out, "report.md"), "utf8");
  for (const mark of [marks.title, ...hidden]) {
    if (report.includes(mark)) faults.push(`${mark} in report.md`);
  }
  if (/^(?:::|##\[|# Hostile)/m.test(report)) faults.push("a title writes lines of report.md");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not reach a terminal
  if (/[\u001b\u009b\u202e\u2066]/.test(said))
    faults.push("control characters in what the run said");
  return faults;
}

/** Good articles that are not published as the origin has them. */
async function goodFaults({ folder, origin }: World): Promise<string[]> {
  const faults: string[] = [];
  const root = join(folder, "out/public");
  if (!existsSync(root)) return ["nothing is published"];
  const read = (path: string): string =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  for (let n = 0; n < goodArticles; n++) {
    const id = idOf("article", n);
    const headers = { authorization: `Bearer ${marks.token}`, "x-unaltered": "1" };
    const answer = await fetch(`${origin.baseUrl}/articles/${id}`, { headers });
    const wanted = ((await answer.json()) as { data: { title: string; body: string } }).data;
    const kept = JSON.parse(read(`api/v1/articles/${id}.json`) || '{"data":{}}') as {
      data: Partial<typeof wanted>;
    };
    if (kept.data.title !== wanted.title || kept.data.body !== wanted.body) {
      faults.push(`the mirror has another article ${n}`);
    }
    if (!read(`articles/article-${n}.html`).includes(`Text of article ${n}, a word about ${word}.`))
      faults.push(`the page of article ${n} is missing or another one`);
  }
  const images = readdirSync(join(root, "api/v1/images")).filter((name) => name.endsWith(".jpg"));
  if (images.length < goodImages) faults.push(`only ${images.length} of ${goodImages} images`);
  return faults;
}

/** Requests that carried the token where they should not. */
function tokenFaults({ origin }: World): string[] {
  const withToken = origin.requests.filter(({ authorization }) => authorization);
  const wrong = withToken.filter(
    ({ url }) => url.includes("signature=") || url.includes(marks.deputy),
  );
  return [...new Set(wrong.map(({ url }) => `the token was sent to ${url}`))];
}

/** What `init` writes about this origin, with another secret in its environment. */
async function initFaults({ folder, origin }: World): Promise<string[]> {
  const file = join(folder, "init.json");
  const secret = "hostile-canary-aws-08c1d5";
  const args = ["init", "--base-url", origin.baseUrl, "--config", file, "--json"];
  const { code, stdout, stderr } = await stillpress(args, {
    env: { STILLPRESS_TOKEN: marks.token, AWS_SECRET_ACCESS_KEY: secret },
  });
  const written = existsSync(file) ? readFileSync(file, "utf8") : "";
  const faults = code === 0 ? [] : [`init ended with ${code}: ${(stdout + stderr).slice(-300)}`];
  const lines = written.split("\n").filter((line) => !/^\s*\/\//.test(line));
  if (/AWS_SECRET|169\.254/.test(lines.join("\n"))) faults.push("init wrote an attacker's setting");
  if ((stdout + stderr + written).includes(marks.token)) faults.push("init told the token");
  return faults;
}

/** How long runs take to end after a signal at different moments of the night. */
async function signalTimes(
  { note }: FaultContext,
  world: World,
  attacks: Attacks,
): Promise<{ when: string; ms: number }[]> {
  const moments: Record<string, (out: string) => boolean> = {
    "in the crawl": (out) => existsSync(join(out, "store/draft")),
    "in the media": (out) => existsSync(join(out, "store/snapshots/latest.json")),
    "in the build": (out) =>
      existsSync(join(out, "builds")) &&
      readdirSync(join(out, "builds")).some((name) => name.startsWith("staging-")),
  };
  const times: { when: string; ms: number }[] = [];
  for (const [when, isNow] of Object.entries(moments)) {
    note(`a signal ${when}, ${attacks.count} attacks`);
    const name = when.replaceAll(" ", "-");
    const config = configure(world, 100_000, name);
    const out = join(world.folder, name);
    let heardAfter = 0;
    const args = ["snapshot", "--config", config, "--quiet", "--allow-incomplete"];
    let waiting = Promise.resolve();
    await stillpress(args, {
      env: { STILLPRESS_TOKEN: marks.token },
      started(child) {
        waiting = (async () => {
          const ended = once(child, "exit");
          while (child.exitCode === null && !isNow(out)) await sleep(20);
          await sleep(1_000);
          const sent = performance.now();
          child.kill("SIGINT");
          await ended;
          heardAfter = performance.now() - sent;
        })();
      },
    });
    await waiting;
    times.push({ when, ms: heardAfter });
  }
  return times;
}
