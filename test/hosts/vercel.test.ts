import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { HostInput } from "../../src/hosts/host.ts";
import { atMost, positiveNumber, roundedTo } from "../../src/hosts/patterns.ts";
import { vercelConfiguration } from "../../src/hosts/vercel.ts";
import { parseQuery } from "../../src/routes/query.ts";
import { scalingOf } from "../../src/routes/slots.ts";
import { ask, askOn, describeArchives, differences, oddInput } from "./edge-support.ts";
import { type Emulated, startVercel } from "./emulate.ts";

describeArchives("vercel", startVercel, (served, { root, links }) => {
  it("answers each URL with the route table's file", async () => {
    expect(await differences(served.host, served.oracle)).toEqual({});
  });

  it("redirects requests for lists where links are relative, and never those for images", async () => {
    const list = await ask(served.host, `/${root}/articles?page=2`);
    const location = list.headers.get("location");
    expect([list.status, location]).toEqual(
      links === "file" ? [302, `/${root}/articles/page/2.json`] : [200, null],
    );
    const image = served.oracle.urls.find(({ url }) => /\.jpg\?width=640$/.test(url))?.url ?? "";
    expect((await ask(served.host, image)).status).toBe(200);
  });

  it("answers any size of an image as the route table does", async () => {
    const image =
      served.oracle.urls.find(({ url }) => /\/images\/[^/?]+\.jpg$/.test(url))?.url ?? "";
    const path = image.slice(root.length + 1);
    const number = fc.oneof(
      fc.constantFrom(
        "320",
        "640.4",
        "640.5",
        "639.5",
        "0",
        "0.0",
        "0.3",
        "007",
        "1600",
        "1601",
        "abc",
        "",
        "1e3",
        "50",
      ),
      fc.integer({ min: 0, max: 2_500 }).map(String),
      fc.float({ min: 0, max: 200, noNaN: true }).map((value) => value.toFixed(2)),
    );
    const query = fc
      .record(
        {
          width: number,
          height: number,
          scale: number,
          thumb: fc.constantFrom("1", "p", "l", ""),
          orientation: fc.constantFrom("p", "l", "x"),
        },
        { requiredKeys: [] },
      )
      .map((values) =>
        Object.entries(values)
          .map(([name, value]) => `${name}=${value}`)
          .join("&"),
      );
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { file } = served.oracle.expected(path, `?${text}`);
        const { body } = await ask(served.host, `${image}?${text}`);
        expect(body.equals(served.oracle.content(file)), `${text} → ${file}`).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("looks neither at empty parameters nor at the zeros before a number", async () => {
    const [year = 0] = served.oracle.input.years.articles ?? [];
    for (const query of [
      "page=&year=",
      `year=${year}&month=`,
      "page=1&category=&tags=,",
      `year=${year}&tags=`,
    ]) {
      const { file } = served.oracle.expected("/articles", `?${query}`);
      const { status, body } = await askOn(served.host, `/${root}/articles?${query}`);
      expect([query, status, body.equals(served.oracle.content(file))]).toEqual([query, 200, true]);
    }
    const month =
      served.oracle.urls.find(({ url }) => /articles\?year=\d+&month=\d$/.test(url))?.url ?? "";
    const padded = await askOn(served.host, month.replace("month=", "month=000"));
    expect((await askOn(served.host, month)).body.equals(padded.body)).toBe(true);
    for (const query of [
      "page=0",
      "page=01",
      "page=abc",
      "year=x",
      `year=${year}&month=x`,
      "year=02024",
    ]) {
      expect([query, (await askOn(served.host, `/${root}/articles?${query}`)).status]).toEqual([
        query,
        404,
      ]);
    }
  });

  it("answers questions of browsers, and refuses other methods", async () => {
    const preflight = await ask(served.host, `/${root}/articles`, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-max-age")]).toEqual([
      204,
      "86400",
    ]);
    expect((await ask(served.host, `/${root}/articles`, { method: "POST" })).status).toBe(405);
  });

  it("sends the headers of the file, and errors of their kind", async () => {
    const original = served.oracle.urls.find(({ url }) => url.endsWith("/download"))?.url ?? "";
    expect((await ask(served.host, original)).headers.get("cache-control")).toBe(
      "public, max-age=86400",
    );
    const api = await ask(served.host, `/${root}/nothing`);
    expect([api.status, api.headers.get("content-type")]).toEqual([404, "application/json"]);
    const site = await ask(served.host, "/nothing");
    expect([site.status, site.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    expect((await ask(served.host, "/articles")).headers.get("location")).toBe("/articles/");
  });
});

describe("routes for Vercel", () => {
  const hosts: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const close of hosts) await close();
  });

  /** A host with files that have their own paths as content. */
  async function hostOf(input: HostInput, files: string[]): Promise<Emulated> {
    const folder = mkdtempSync(join(tmpdir(), "stillpress-vercel-"));
    for (const file of [
      "public/404.html",
      "public/v1/404.json",
      ...files.map((path) => `public${path}`),
    ]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), file.replace("public", ""));
    }
    for (const { path, content } of vercelConfiguration(input).files) {
      writeFileSync(join(folder, path), content);
    }
    const host = await startVercel({ root: join(folder, "public"), deploy: folder });
    hosts.push(async () => {
      await host.close();
      rmSync(folder, { recursive: true });
    });
    return host;
  }

  const answers: [target: string, file: string][] = [
    [
      "/v1/attachments?kind=image&article=a1",
      "/v1/attachments/by/article/a1/by/kind/image/index.json",
    ],
    [
      "/v1/attachments?article=a1&kind=image&page=3",
      "/v1/attachments/by/article/a1/by/kind/image/page/3.json",
    ],
    ["/v1/attachments?article=a1&kind=other", "/v1/404.json"],
    ["/v1/media?kind=Film", "/v1/media/by/kind/_46ilm/index.json"],
    ["/v1/articles?tags=a,b", "/v1/articles/by/tags/a/tags/b/index.json"],
    ["/v1/articles?tags=a%2Cc", "/v1/articles/by/none.json"],
    ["/v1/articles?tags=,a,", "/v1/articles/by/tags/a/index.json"],
    ["/v1/articles?tags=a,b,c", "/v1/404.json"],
    ["/v1/articles?category=c", "/v1/404.json"],
    [
      "/v1/articles?category=%C3%A9t%C3%A9&year=2002",
      "/v1/articles/by/year/2002/category/_c3_a9t_c3_a9/index.json",
    ],
    ["/v1/articles?category=X&year=2002", "/v1/articles/by/none.json"],
    ["/v1/galleries/g.audio", "/v1/galleries/g.audio/index.json"],
    ["/v1/galleries/g", "/v1/galleries/g.json"],
    ["/v1/galleries/%C3%A9t%C3%A9", "/v1/galleries/_c3_a9t_c3_a9.json"],
    ["/v1/galleries/G", "/v1/404.json"],
    ["/v1/images/a1/download", "/v1/images/by/download/a1.png"],
    ["/v1/images/a2/download", "/v1/images/by/download/a2.jpg"],
  ];

  it("knows fixed parameters, ids inside of segments and names that are not their own segments", async () => {
    const names = [{ value: "été", segment: "_c3_a9t_c3_a9", isFilter: true }];
    const host = await hostOf(oddInput({ names }), [
      ...answers.map(([, file]) => file),
      "/v1/galleries/index.json",
    ]);
    const found = [];
    for (const [target] of answers) {
      const { body } = await ask(host, target);
      found.push([target, body.toString()]);
    }
    expect(found).toEqual(answers);
    expect((await ask(host, "/v1/galleries/index")).status).toBe(404);
  });

  it("has no lists for pairs of ids, which are no categories and tags", () => {
    const names = Array.from({ length: 50 }, (_, at) => ({
      value: `É${at}`,
      segment: `_c3_89${at}`,
    }));
    const input = oddInput({ names });
    const rules = { ...input.rules, filters: ["category+tag"] };
    const { files } = vercelConfiguration({ ...input, rules });
    expect(files[0]?.content).toContain("_c3_8949.json");
    expect(files[0]?.content).not.toContain("/category/_c3_89");
  });

  it("says what goes beyond the platform", () => {
    const names = Array.from({ length: 300 }, (_, at) => ({
      value: `É${at}`,
      segment: `_c3_89${at}`,
    }));
    const category = { value: "été", segment: "_c3_a9t_c3_a9", isFilter: true };
    const totals = { ...oddInput().totals, bytes: 2 * 10 ** 9 };
    const path = "/films/a1/download";
    const files = [{ path, written: path, folder: path, ending: ".mp4" }];
    const configuration = vercelConfiguration(
      oddInput({ names: [...names, category], totals, linked: { endings: [".mp4"], files } }),
    );
    const content = configuration.files[0]?.content;
    expect(content).not.toContain("_c3_89");
    // Categories stay, and files at paths that need no names.
    expect(content).toContain("category/_c3_a9t_c3_a9");
    expect(content).toContain("/by/download$id/index.mp4");
    expect(configuration.limits.slice(-2)).toEqual([
      "uploads may be limited to 1 GB on the plan Pro, and this archive has 2,000,000,000 bytes",
      expect.stringMatching(/^ids and .* would need [\d,]+ routes, and Vercel takes 2,048/),
    ]);
  });
});

describe("expressions for numbers", () => {
  const fits = (expression: string, text: string): boolean =>
    new RegExp(`^${expression}$`).test(text);
  const number = fc
    .tuple(
      fc.integer({ min: 0, max: 9_999 }),
      fc.option(fc.stringMatching(/^[0-9]{1,4}$/), { nil: undefined }),
    )
    .map(([whole, decimals]) => (decimals === undefined ? String(whole) : `${whole}.${decimals}`));

  it.each([1, 7, 12.5, 33.25, 50, 100, 320, 1600])("tells what is at most %d", (limit) => {
    fc.assert(
      fc.property(number, (text) => {
        expect([text, fits(atMost(limit), text)]).toEqual([text, Number(text) <= limit]);
      }),
    );
  });

  it.each([1, 10, 600, 1000])("tells what is rounded to %d", (whole) => {
    fc.assert(
      fc.property(number, (text) => {
        // What is less than a pixel is a pixel; it has to be positive in another expression.
        expect([text, fits(roundedTo(whole), text)]).toEqual([
          text,
          Math.round(Number(text)) === whole,
        ]);
      }),
    );
  });

  it("tells what the route table takes for a scaling", () => {
    fc.assert(
      fc.property(number, (text) => {
        const { scale } = scalingOf(parseQuery(`scale=${text}`));
        expect([text, fits(positiveNumber, text)]).toEqual([text, scale !== undefined]);
      }),
    );
  });
});
