import { parse } from "jsonc-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostConfigurations } from "../../src/hosts/hosts.ts";
import { openFetched } from "../../src/serve/fetched.ts";
import { createOriginRequest } from "../../src/serve/functions.ts";
import { ask, describeArchives, differences, oddInput } from "./edge-support.ts";
import { emulators } from "./emulate.ts";

const hosts = ["cloudflare", "cloudfront", "netlify", "vercel"] as const;

describe.each(hosts)("%s", (name) => {
  describeArchives(name, emulators[name], (served, { root }) => {
    it("answers each URL, also combinations of filters without a list of their own, and never redirects", async () => {
      // JSON has links to the address that was asked.
      const same = (file: string, body: Buffer): boolean =>
        file.endsWith(".json") ? body[0] === 0x7b : served.oracle.content(file).equals(body);
      const found = await differences(served.host, served.oracle, same);
      expect(new Set(Object.values(found))).toEqual(new Set(["200 for 404"]));
      // What a file cannot answer: combinations of filters, and pages behind the last one, empty as at the origin.
      expect(Object.keys(found)).toEqual([
        "/articles?page=9999",
        expect.stringMatching(/^\/articles\?year=\d+&category=/),
        expect.stringMatching(/^\/articles\?tags=.+,x$/),
        "/articles?year=1900&page=2",
      ]);
      const list = await ask(served.host, `/${root}/articles`);
      expect(list.status).toBe(200);
      const { links } = JSON.parse(list.body.toString()) as { links?: { first?: string } };
      expect(links?.first ?? "").toMatch(/^(?:https?:\/\/127\.0\.0\.1:\d+\/|$)/);
    });

    it("answers HEAD, conditions and ranges", async () => {
      const { url, size } = served.oracle.urls.find((one) => one.type === "image/jpeg") ?? {
        url: "",
        size: 0,
      };
      const head = await ask(served.host, url, { method: "HEAD" });
      // CloudFront counts and cuts for itself.
      const own = name === "cloudfront";
      expect([head.status, head.headers.get("content-length")]).toEqual([
        200,
        String(own ? 0 : size),
      ]);
      const etag = head.headers.get("etag") ?? "";
      expect(etag).toMatch(/^".+"$/);
      const fresh = await ask(served.host, url, { headers: { "If-None-Match": etag } });
      expect(fresh.status).toBe(304);
      const part = await ask(served.host, url, { headers: { Range: "bytes=2-5" } });
      expect([part.status, part.headers.get("content-range"), part.body.length]).toEqual(
        own ? [200, null, size] : [206, `bytes 2-5/${size}`, 4],
      );
    });

    it("answers questions of browsers, and refuses other methods, long URLs and escaped slashes", async () => {
      const preflight = await ask(served.host, `/${root}/articles`, { method: "OPTIONS" });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([
        204,
        "*",
      ]);
      expect((await ask(served.host, `/${root}/articles`, { method: "POST" })).status).toBe(405);
      expect((await ask(served.host, `/${root}/articles?x=${"a".repeat(8_000)}`)).status).toBe(414);
      const slash = await ask(served.host, `/${root}/articles%2Findex.json`);
      expect([slash.status, slash.headers.get("content-type")]).toEqual([404, "application/json"]);
      expect((await ask(served.host, "/..%5cworker.js")).status).toBe(400);
    });

    it("serves the website with its folders and its page for what is not found", async () => {
      expect((await ask(served.host, "/")).headers.get("content-type")).toBe(
        "text/html; charset=utf-8",
      );
      expect((await ask(served.host, "/articles")).headers.get("location")).toBe("/articles/");
      expect((await ask(served.host, "/articles/")).status).toBe(200);
      const missing = await ask(served.host, "/nothing");
      expect([missing.status, missing.headers.get("content-type")]).toEqual([
        404,
        "text/html; charset=utf-8",
      ]);
    });

    it("sends the headers of the file", async () => {
      const cachingOf = async (pattern: RegExp) => {
        const url = served.oracle.urls.find((one) => pattern.test(one.url))?.url ?? "";
        return (await ask(served.host, url)).headers.get("cache-control");
      };
      expect(await cachingOf(/\/download$/)).toBe("public, max-age=86400");
      expect(await cachingOf(/^\/assets\//)).toContain("immutable");
    });
  });
});

describe("the configuration of a host that runs the handler", () => {
  const modules = [{ path: "serve/functions.js", content: "//" }];
  const { totals } = oddInput();
  const configurationOf = (name: (typeof hosts)[number], more: Partial<typeof totals> = {}) =>
    hostConfigurations[name](oddInput({ modules, totals: { ...totals, ...more } }));

  it.each([
    ["cloudflare", ["wrangler.jsonc", "worker.js"]],
    ["cloudfront", ["index.js", "distribution.json"]],
    ["netlify", ["netlify.toml", "netlify/edge-functions/archive.js"]],
    ["vercel", ["vercel.json", "middleware.js"]],
  ] as const)("has the function, the settings and the modules of %s", (name, own) => {
    const { files, runsHandler } = configurationOf(name);
    expect(files.map(({ path }) => path)).toEqual([
      ...own,
      "package.json",
      "stillpress/serve/functions.js",
    ]);
    expect(runsHandler).toBe(true);
  });

  it.each(hosts)("is told to be of no use on %s without the modules", (name) => {
    expect(hostConfigurations[name](oddInput()).exceeded).toEqual([
      "the handler's compiled modules were not found, without which nothing is answered",
    ]);
  });

  it("lets Cloudflare's Worker see all requests, and the assets be found by their exact paths", () => {
    const { files } = configurationOf("cloudflare");
    expect(parse(files[0]?.content ?? "", [], { allowTrailingComma: true })).toMatchObject({
      main: "worker.js",
      compatibility_flags: ["nodejs_compat"],
      assets: {
        directory: "../../public",
        binding: "ASSETS",
        html_handling: "none",
        not_found_handling: "none",
        run_worker_first: true,
      },
    });
  });

  it("lets CloudFront tell requests for files, and queries, from others in its cache", () => {
    const { files } = configurationOf("cloudfront");
    expect(JSON.parse(files[1]?.content ?? "")).toMatchObject({
      CachePolicyConfig: {
        ParametersInCacheKeyAndForwardedToOrigin: {
          QueryStringsConfig: { QueryStringBehavior: "all" },
          HeadersConfig: { Headers: { Items: ["x-stillpress-file"] } },
        },
      },
    });
  });

  it.each([
    [{ files: 20_000 }, []],
    [{ files: 100_000 }, []],
    [{ files: 100_001 }, ["Workers take 100,000 files, and this archive has 100,001"]],
    [
      { largest: { path: "media/a.mp4", bytes: 26_214_401 } },
      ["Workers take files up to 25 MiB, and media/a.mp4 has 26,214,401 bytes"],
    ],
  ])("tells what an archive with %j exceeds on Cloudflare", (more, expected) => {
    expect(configurationOf("cloudflare", more).exceeded).toEqual(expected);
  });

  it.each([
    [
      "cloudflare",
      { files: 20_001 },
      "the free plan takes 20,000 files, and this archive has 20,001: a paid plan is needed",
    ],
    [
      "netlify",
      { files: 54_001 },
      "Netlify takes 54,000 files in one folder, and this archive has 54,001 in all its folders",
    ],
    [
      "vercel",
      { bytes: 2 * 10 ** 9 },
      "uploads may be limited to 1 GB on the plan Pro, and this archive has 2,000,000,000 bytes",
    ],
  ] as const)("says what a plan of %s may not take", (name, more, expected) => {
    expect(configurationOf(name, more).limits).toContain(expected);
  });
});

/** A host of files, as an HTTP client sees it. */
describe("files that are fetched", () => {
  const large = new Uint8Array(1_000_000).map((_, at) => at % 251);
  const small = new TextEncoder().encode("grüße");
  const contents: Record<string, Uint8Array<ArrayBuffer>> = {
    "/media/film.mp4": large,
    "/articles/gr%C3%BC%C3%9Fe.html": small,
    "/articles": small,
  };
  /** Whether it cuts ranges out, and tells sizes. */
  const filesOf = (cuts: boolean, tells: boolean) =>
    openFetched(async (path, headers) => {
      const bytes = contents[path];
      if (bytes === undefined) return new Response("nothing", { status: 404 });
      const [, start, end] = (cuts && /bytes=(\d+)-(\d+)/.exec(headers.Range ?? "")) || [];
      const part = start === undefined ? bytes : bytes.slice(Number(start), Number(end) + 1);
      const sent: Record<string, string> = { ETag: 'W/"v1"', "Content-Type": "video/mp4" };
      if (tells) sent["Content-Length"] = String(part.length);
      return new Response(part, { status: start === undefined ? 200 : 206, headers: sent });
    });
  const bytesOf = async (body: Uint8Array | ReadableStream<Uint8Array> | undefined) =>
    Buffer.from(await new Response(body as Uint8Array<ArrayBuffer>).arrayBuffer());

  it.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])(
    "have their size, type and any part where the host cuts: %s, tells sizes: %s",
    async (cuts, tells) => {
      const file = await filesOf(cuts, tells).open("media/film.mp4");
      expect([file?.bytes, file?.etag, file?.type]).toEqual([1_000_000, "v1", "video/mp4"]);
      expect((await bytesOf(await file?.body())).equals(large)).toBe(true);
      const range = { start: 300_000, end: 300_009 };
      const part = await bytesOf(await file?.body(range));
      expect([...part]).toEqual([...large.slice(300_000, 300_010)]);
    },
  );

  it("are found by their names alone", async () => {
    const files = filesOf(true, true);
    expect(await (await files.open("articles/grüße.html"))?.text()).toBe("grüße");
    expect(await files.open("articles")).toBeUndefined();
    expect(await files.open("articles/")).toBeUndefined();
    expect(await files.open("nothing.html")).toBeUndefined();
  });
});

describe("the function for CloudFront", () => {
  const film = new Uint8Array(1_000_000);
  const { fetch } = globalThis;
  const asked: string[] = [];
  beforeAll(() => {
    globalThis.fetch = async (url, init) => {
      asked.push(`${String(url)} ${new Headers(init?.headers).get("x-stillpress-file")}`);
      if (String(url).endsWith("/mirror.json")) {
        const { rules } = oddInput();
        const links = { links: "api", url: null, tagMatch: "any", originals: [] };
        return Response.json({ ...links, rules });
      }
      if (!String(url).endsWith(".mp4")) return new Response("", { status: 404 });
      return new Response(film, { headers: { "Content-Length": "1000000", ETag: '"f"' } });
    };
  });
  afterAll(() => {
    globalThis.fetch = fetch;
  });
  const event = (uri: string, headers: Record<string, string> = {}) => {
    const fields = Object.entries(headers).map(([key, value]) => [key, [{ key, value }]]);
    const request = { method: "GET", uri, querystring: "x=1", headers: Object.fromEntries(fields) };
    return { Records: [{ cf: { config: { distributionDomainName: "d1.example.net" }, request } }] };
  };

  it("lets the bucket send what is too large for it, and its own requests for files", async () => {
    const answer = createOriginRequest("v1", "https://archive.example.org");
    const marked = event("/a.html", { "x-stillpress-file": "1" });
    expect(await answer(marked)).toBe(marked.Records[0]?.cf.request);
    expect(await answer(event("/media/film.mp4", { range: "bytes=1-2" }))).toMatchObject({
      uri: "/media/film.mp4",
      querystring: "",
      headers: { range: [{ value: "bytes=1-2" }] },
    });
    expect(await answer(event("/nothing.html"))).toMatchObject({ status: "404" });
    expect(asked).toContain("https://d1.example.net/media/film.mp4 1");
  });
});
