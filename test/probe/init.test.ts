import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { OriginOptions } from "../../src/demo/options.ts";
import { defaultOptions, type Personality, personalities } from "../../src/demo/options.ts";
import type { Finding } from "../../src/probe/survey.ts";
import { temporaryFolder } from "../store/support.ts";
import { stillpress } from "../support/archive.ts";
import { generateContent, generated } from "../support/content.ts";
import { type Origin, startOrigin } from "../support/origin.ts";

const contents = new Map<Personality, Awaited<ReturnType<typeof generateContent>>>();

beforeAll(async () => {
  for (const name of ["plain", "odd", "strict"] as const) {
    const size = { articles: 40, galleries: 8, images: 30, seed: 1 };
    contents.set(name, await generateContent({ ...size, ...generated[name] }));
  }
}, 120_000);

const origins: Origin[] = [];
afterAll(() => Promise.all(origins.map((origin) => origin.close())));

async function start(
  personality: Personality,
  options: Partial<OriginOptions> = {},
): Promise<Origin> {
  const content = contents.get(personality);
  if (content === undefined) throw new Error(`no content for ${personality}`);
  const origin = await startOrigin({ ...personalities[personality], ...options, content });
  origins.push(origin);
  return origin;
}

interface Result {
  code: number | null;
  text: string;
  findings: Finding[];
  requests: number;
  file: string;
}

async function init(baseUrl: string, token: string, args: string[] = []): Promise<Result> {
  const file = join(temporaryFolder(), "config", "stillpress.json");
  const all = ["init", "--base-url", baseUrl, "--config", file, "--json", ...args];
  const { code, stdout, stderr } = await stillpress(all, { env: { STILLPRESS_TOKEN: token } });
  const { findings = [], requests = 0 } = JSON.parse(stdout) as Partial<Result>;
  return { code, text: stdout + stderr, findings, requests, file };
}

const settingsIn = (file: string) => loadConfig({ file, env: {} }).config.origin;

describe("stillpress init", () => {
  it.each(["plain", "odd", "strict"] as const)(
    "writes a configuration for the %s origin that needs no hand",
    async (name) => {
      const origin = await start(name);
      const token = origin.tokens.organisation;
      const { code, file, requests } = await init(origin.baseUrl, token);
      expect(code).toBe(0);
      expect(origin.requests.length).toBe(requests);
      expect(requests).toBeLessThanOrEqual(40);
      const { paths = {}, timezone = "UTC" } = personalities[name];
      const found = settingsIn(file);
      for (const [path, expected] of Object.entries(paths)) {
        if (expected !== null) expect(found.paths).toMatchObject({ [path]: expected });
      }
      expect(found.timezone).toBe(timezone);
      expect(readFileSync(file, "utf8")).not.toContain(token);

      const args = ["snapshot", "--config", file, "--out", join(file, "../../out")];
      const env = {
        STILLPRESS_TOKEN: token,
        STILLPRESS_ORIGIN_RATE: '{"requests":90,"perSeconds":1}',
        STILLPRESS_MEDIA_VARIANTS: "[]",
      };
      const run = await stillpress(args, { env });
      expect([run.code, run.stdout]).toEqual([0, expect.stringContaining(", complete")]);
    },
    120_000,
  );

  it("names a path of attachments that is not among the usual ones, with the setting to fill in", async () => {
    const { paths = {} } = personalities.strict;
    const unusual = { ...paths, articleImages: "/x/{id}/bilder" } as OriginOptions["paths"];
    const origin = await start("strict", { paths: unusual });
    const { code, file, findings, requests } = await init(
      origin.baseUrl,
      "demo-organisation-token",
    );
    expect(code).toBe(3);
    expect(requests).toBeLessThanOrEqual(40);
    const missing = findings.filter(({ certainty }) => certainty === "missing");
    expect(missing.map(({ subject }) => subject)).toEqual(["images of articles"]);
    expect(readFileSync(file, "utf8")).toMatch(
      /\/\/ .*origin\.paths\.articleImages.*\n\s*\/\/ "articleImages": …/,
    );
    expect(settingsIn(file).paths.articleVideos).toBe("/attachments/articles/{id}/videos");
  });

  it("finds paths that have a word of their own for some kinds, and the body before them", async () => {
    const own = {
      articleImages: "/articles/{id}/photos",
      articleDocuments: "/articles/{id}/files",
      galleryImages: "/galleries/{id}/photos",
      image: "/photos/{id}",
    };
    const paths = { ...defaultOptions.paths, ...own, videos: null, documents: null, audio: null };
    const origin = await start("plain", { paths, bodyField: "text_html" });
    const { code, file, findings, requests } = await init(
      origin.baseUrl,
      origin.tokens.organisation,
    );
    expect([code, requests]).toEqual([0, expect.toSatisfy((count) => count <= 40)]);
    expect(settingsIn(file).paths).toMatchObject(own);
    expect(findings.find(({ subject }) => subject === "body")).toMatchObject({
      certainty: "sure",
      means: expect.stringContaining('"text_html"'),
    });
  });

  it.each([
    ["articles", "articleVideos", "/articles/{id}/films"],
    ["galleries", "galleryAudio", "/galleries/{id}/sounds"],
  ] as const)(
    "reads on in the %s for an item of a kind that an index counts",
    async (parent, path, unusual) => {
      const size = { articles: 120, galleries: 90, images: 20, seed: 7 };
      const content = await generateContent(size);
      const kind = path === "articleVideos" ? "videos" : "audio";
      const files = [...content[kind]].slice(0, 1).map(({ id }) => id);
      const sorted = [...content[parent]].sort((a, b) => b.publishedAt - a.publishedAt);
      for (const list of [content.articles, content.galleries])
        for (const { id } of list) list.edit(id, { [kind]: [] });
      // On the fourth page of twenty.
      content[parent].edit(sorted[70]?.id ?? "", { [kind]: files });
      const paths = { ...defaultOptions.paths, [path]: unusual };
      const origin = await startOrigin({ ...personalities.plain, content, paths, rate: null });
      origins.push(origin);
      const { file, requests } = await init(origin.baseUrl, origin.tokens.organisation);
      expect(settingsIn(file).paths[path]).toBe(unusual);
      expect(requests).toBeLessThanOrEqual(40);
    },
  );

  it("says of what it had no request left for that it did not ask", async () => {
    const paths = Object.fromEntries(
      Object.entries(defaultOptions.paths).map(([name, path]) => [name, path && `/x${path}y`]),
    ) as OriginOptions["paths"];
    const origin = await start("plain", { paths });
    const { findings, requests } = await init(origin.baseUrl, origin.tokens.organisation);
    expect(requests).toBeLessThanOrEqual(40);
    const lists = findings.filter(({ subject }) => / of (articles|galleries)$/.test(subject));
    const states = lists.map(({ certainty, came }) => `${certainty}: ${came}`);
    expect(states[0]).toBe("missing: 404, nor at 13 other paths");
    expect(states.at(-1)).toBe("unknown: not asked");
    // What the questions after it need was left.
    expect(findings.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(["body", "time zone", "single images", "private images"]),
    );
  });

  it.each([
    ["organisation", /^an organisation token: it sees \d+ private ones/],
    ["user", /none is private, or the token may not see them/],
  ] as const)("says what the token of a %s shows of private images", async (kind, words) => {
    const origin = await start("plain");
    const { code, findings } = await init(origin.baseUrl, origin.tokens[kind]);
    const { means } = findings.find(({ subject }) => subject === "private images") as Finding;
    expect([code, means]).toEqual([0, expect.stringMatching(words)]);
  });

  it.each([
    ["of a request", (url: string) => `${url}/articles/`],
    ["of the host", (url: string) => new URL(url).origin],
  ])("finds the API where it was given the address %s", async (_, given) => {
    const origin = await start("plain");
    const { code, file } = await init(given(origin.baseUrl), origin.tokens.organisation);
    expect([code, settingsIn(file).baseUrl]).toEqual([0, origin.baseUrl]);
  });

  it("ends with 4 where the token is refused, with 8 where nobody answers, and writes nothing", async () => {
    const origin = await start("plain");
    const refused = await init(origin.baseUrl, "wrong");
    expect([refused.code, existsSync(refused.file)]).toEqual([4, false]);
    expect(refused.text).not.toContain("wrong");
    const silent = await init("http://127.0.0.1:9/api/v1", "token");
    expect([silent.code, existsSync(silent.file)]).toEqual([8, false]);
  });

  it("ends with 8 at a site that answers everything with a page", async () => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/html").end("<!doctype html><p>Welcome</p>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { code, text } = await init(`http://127.0.0.1:${port}`, "token");
    expect([code, text]).toEqual([8, expect.stringContaining("a web page")]);
    server.close();
  });

  it("asks nothing where nobody can answer, and replaces no file unless it is told to", async () => {
    const env = { STILLPRESS_TOKEN: "token" };
    const { code, stderr } = await stillpress(["init"], { env, cwd: temporaryFolder() });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--base-url")]);
    const file = join(temporaryFolder(), "mine.json");
    writeFileSync(file, "{}");
    const args = ["init", "--base-url", "http://127.0.0.1:9", "--config", file];
    const again = await stillpress(args, { env });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("--force")]);
    expect(readFileSync(file, "utf8")).toBe("{}");
  });
});

describe("stillpress doctor", () => {
  it.each([
    ["articles", "documents", "articleDocuments"],
    ["articles", "videos", "articleVideos"],
    ["galleries", "audio", "galleryAudio"],
  ] as const)(
    "says of %s without %s that it did not check their path",
    async (parent, kind, path) => {
      const content = await generateContent({ articles: 6, galleries: 3, images: 6, seed: 7 });
      for (const { id } of content[parent]) content[parent].edit(id, { [kind]: [] });
      const paths = { ...defaultOptions.paths, [path]: `/elsewhere/{id}/${kind}` };
      const origin = await startOrigin({ ...personalities.plain, content, paths, rate: null });
      origins.push(origin);
      const token = origin.tokens.organisation;
      const { file } = await init(origin.baseUrl, token);
      const doctor = ["doctor", "--config", file];
      const { code, stdout } = await stillpress(doctor, { env: { STILLPRESS_TOKEN: token } });
      expect(code).toBe(0);
      expect(stdout).toMatch(RegExp(`not checked: .*\\borigin\\.paths\\.${path}\\b`));
    },
  );

  it("says that a configuration fits, and what differs where it does not", async () => {
    const origin = await start("odd");
    const token = origin.tokens.organisation;
    const { file } = await init(origin.baseUrl, token);
    const doctor = (env: Record<string, string> = {}) =>
      stillpress(["doctor", "--config", file, "--json"], {
        env: { STILLPRESS_TOKEN: token, ...env },
      });
    const well = await doctor();
    expect([well.code, JSON.parse(well.stdout).differing]).toEqual([0, []]);
    const env = { STILLPRESS_ORIGIN_TIMEZONE: "UTC", STILLPRESS_ORIGIN_BODY_FIELD: "text" };
    const ill = await doctor(env);
    const subjects = JSON.parse(ill.stdout).differing.map(({ subject }: Finding) => subject);
    expect([ill.code, subjects]).toEqual([3, ["body", "time zone"]]);
  }, 60_000);
});
