import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { cloudflareConfiguration } from "../../src/hosts/cloudflare.ts";
import { ask, describeArchives, differences, oddInput } from "./edge-support.ts";
import { startCloudflare } from "./emulate.ts";

describeArchives("cloudflare", startCloudflare, (served, { root }) => {
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
    expect(links?.first ?? "").toMatch(/^(?:http:\/\/127\.0\.0\.1:\d+\/|$)/);
  });

  it("answers HEAD, conditions and ranges", async () => {
    const { url, size } = served.oracle.urls.find((one) => one.type === "image/jpeg") ?? {
      url: "",
      size: 0,
    };
    const head = await ask(served.host, url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(size)]);
    const etag = head.headers.get("etag") ?? "";
    expect((await ask(served.host, url, { headers: { "If-None-Match": etag } })).status).toBe(304);
    const part = await ask(served.host, url, { headers: { Range: "bytes=2-5" } });
    expect([part.status, part.headers.get("content-range"), part.body.length]).toEqual([
      206,
      `bytes 2-5/${size}`,
      4,
    ]);
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
});

describe("the configuration of the Worker", () => {
  const exceeded = (totals: Partial<ReturnType<typeof oddInput>["totals"]>): string[] => {
    const input = oddInput({ modules: [{ path: "serve/handler.js", content: "" }] });
    const configuration = cloudflareConfiguration({
      ...input,
      totals: { ...input.totals, ...totals },
    });
    return configuration.exceeded ?? [];
  };

  it("lets the Worker see all requests, and the assets be found by their exact paths", () => {
    const modules = [{ path: "serve/handler.js", content: "//" }];
    const { files } = cloudflareConfiguration(oddInput({ modules }));
    expect(files.map(({ path }) => path)).toEqual([
      "wrangler.jsonc",
      "worker.js",
      "stillpress/serve/handler.js",
    ]);
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

  it.each([
    [{ files: 20_000 }, []],
    [{ files: 100_000 }, []],
    [{ files: 100_001 }, ["Workers take 100,000 files, and this archive has 100,001"]],
    [
      { largest: { path: "media/a.mp4", bytes: 26_214_401 } },
      ["Workers take files up to 25 MiB, and media/a.mp4 has 26,214,401 bytes"],
    ],
  ])("tells what an archive with %j exceeds", (totals, expected) => {
    expect(exceeded(totals)).toEqual(expected);
  });

  it("says that a paid plan is needed above 20,000 files", () => {
    const { totals } = oddInput();
    const { limits } = cloudflareConfiguration(oddInput({ totals: { ...totals, files: 20_001 } }));
    expect(limits).toContain(
      "the free plan takes 20,000 files, and this archive has 20,001: a paid plan is needed",
    );
  });
});
