import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cloudfrontConfiguration } from "../../src/hosts/cloudfront.ts";
import type { HostInput } from "../../src/hosts/host.ts";
import { encodeSegment } from "../../src/routes/segments.ts";
import { type Box, nearestSlotOf } from "../../src/routes/slots.ts";
import { createTable } from "../../src/routes/table.ts";
import { combinationOf } from "../support/combination.ts";
import { found, requireProgram } from "../support/programs.ts";
import { ask, describeArchives, differences, oddInput } from "./edge-support.ts";
import { loadFunction, queryForFunction, startCloudFront } from "./emulate.ts";

describeArchives("cloudfront", startCloudFront, (served, { root, links }) => {
  it("answers each URL with the route table's file, but the body of some 404s is the website's", async () => {
    expect(await differences(served.host, served.oracle)).toEqual({
      "/articles?page=9999": "another 404",
      "/articles/none-such": "another 404",
      "/articles/index": "another 404",
      "/articles/by/": "another 404",
    });
  });

  it("redirects requests for lists where links are relative, and never those for images", async () => {
    const list = await ask(served.host, `/${root}/articles?page=2`);
    expect([list.status, list.headers.get("location")]).toEqual(
      links === "file" ? [302, `/${root}/articles/page/2.json`] : [200, null],
    );
    const image = served.oracle.urls.find(({ url }) => /\.jpg\?width=640$/.test(url))?.url ?? "";
    expect((await ask(served.host, image)).headers.get("cache-control")).toBe(
      "public, max-age=86400",
    );
  });

  it("answers what it knows to be missing with the archive's own JSON", async () => {
    const { status, headers, body } = await ask(served.host, `/${root}/articles?page=0`);
    expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body.toString()).toBe(served.oracle.content(`${root}/404.json`).toString());
  });

  it("answers questions of browsers, and refuses steps out of a folder and escaped slashes", async () => {
    const preflight = await ask(served.host, `/${root}/articles`, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-max-age")]).toEqual([
      204,
      "86400",
    ]);
    expect((await ask(served.host, `/${root}/articles`, { method: "POST" })).status).toBe(403);
    expect((await ask(served.host, "/a/..%5cb")).status).toBe(400);
    expect((await ask(served.host, "/articles%2Findex.html")).status).toBe(404);
    const slash = await ask(served.host, `/${root}/articles%2Findex.json`);
    expect([slash.status, slash.headers.get("content-type")]).toEqual([404, "application/json"]);
  });

  it("serves the website with its folders and its page for what is not found", async () => {
    const home = await ask(served.host, "/");
    expect(home.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await ask(served.host, "/articles")).headers.get("location")).toBe("/articles/");
    expect((await ask(served.host, "/articles/")).status).toBe(200);
    const missing = await ask(served.host, "/nothing");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
  });
});

describe("the function for viewer requests", () => {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-cloudfront-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  interface Result {
    uri?: string;
    statusCode?: number;
    headers?: { location?: { value: string } };
  }

  function written(input: HostInput): string {
    const path = join(folder, "request.js");
    writeFileSync(path, cloudfrontConfiguration(input).files[0]?.content ?? "");
    return path;
  }

  /** What the function makes of a request: a file, "302 " and one, or a status. */
  function asker(input: HostInput): (path: string, query: string) => string {
    const handler = loadFunction<Result>(written(input));
    return (path, query) => {
      const request = {
        method: "GET",
        uri: path,
        querystring: queryForFunction(query),
        headers: {},
      };
      const { uri, statusCode, headers } = handler({ request });
      if (statusCode === undefined) return uri ?? "";
      return headers?.location === undefined ? String(statusCode) : `302 ${headers.location.value}`;
    };
  }

  /** What the route table makes of it, on a host that cannot look whether a file exists. */
  function expectedOf(input: HostInput, path: string, query: string): string {
    const { rules, originals, years } = input;
    const table = createTable(rules);
    const request = table.match(path.slice(`/${rules.root}`.length), query);
    if (request === undefined) return "404";
    if (request.route === "binary") {
      const slot = nearestSlotOf(rules.slots, request.scaling);
      const { thumb, width, height } = request.scaling;
      const isBox = thumb === undefined && width !== undefined && height !== undefined;
      if (isBox && rules.slots.boxes.every(([, , box]) => box !== slot)) return "404";
      return `/${table.fileOfImage(request.id, slot, "jpeg")}`;
    }
    if (request.route === "download") {
      const segment = encodeSegment(request.id);
      const other = originals.others.find((one) => one.segment === segment);
      return `/${rules.root}/images/by/download/${segment}${other?.ending ?? originals.endings[0]}`;
    }
    const mark = input.redirects && request.route !== "single" ? "302 " : "";
    if (request.route !== "index" || request.filters === undefined)
      return `${mark}/${table.fileOf(request)}`;
    const { index, filters, page } = request;
    if (!rules.filters.includes(combinationOf(filters) ?? "")) return "404";
    const { year, month } = filters;
    const [first, last] = years[index as "articles" | "galleries"] ?? [1, 0];
    const none = year !== undefined && (year < first || year > last);
    if (!none && (month === undefined || (month >= 1 && month <= 12)))
      return `${mark}/${table.fileOf(request)}`;
    return page === 1 ? `${mark}/${table.emptyFileOf(index as "articles")}` : "404";
  }

  const word = fc.oneof(
    fc.constantFrom(
      "a1",
      "été",
      "g.audio",
      "index",
      "by",
      "CON",
      "a.",
      ".a",
      "ABCDEF01-1111-2222-3333-444444444444",
      "x y",
      "a+b",
      "a,b",
      "Film",
      "image",
      "page.2",
      "constructor",
      "__proto__",
    ),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
    fc.string({ unit: fc.constantFrom("é", "Z", "_", "q"), minLength: 30, maxLength: 140 }),
  );
  // Paths of files are theirs: the function does not look for endpoints there.
  const segment = word
    .filter((text) => !/^\.{1,2}$|[/\\\0]|\.(?:json|webp|avif)$/.test(text))
    .map(encodeURIComponent);
  const path = fc.oneof(
    fc.constantFrom(
      "/articles",
      "/articles/",
      "/galleries",
      "/attachments",
      "/media",
      "/nothing",
      "/constructor",
      "/toString/x",
      "/__proto__",
      "",
    ),
    segment.map((id) => `/articles/${id}`),
    segment.map((id) => `/galleries/${id}`),
    segment.map((id) => `/galleries/${id}.audio`),
    segment.map((id) => `/images/${id}.jpg`),
    segment.map((id) => `/images/${id}/download`),
  );
  const number = fc.oneof(
    fc.constantFrom(
      "0",
      "1",
      "01",
      "007",
      "13",
      "2001",
      "2002",
      "2003",
      "02001",
      "1999",
      "12345",
      "abc",
      "",
      "640",
      "640.5",
      "12.5",
      "100",
      "0.3",
    ),
    fc.nat({ max: 2_600 }).map(String),
  );
  const parameter = fc.oneof(
    fc.tuple(fc.constantFrom("page", "year", "month", "width", "height", "scale"), number),
    fc.tuple(
      fc.constantFrom("category", "article", "kind", "thumb", "orientation", "x"),
      word.map(encodeURIComponent),
    ),
    fc.tuple(fc.constant("kind"), fc.constantFrom("image", "Film")),
    fc.tuple(fc.constantFrom("thumb", "orientation"), fc.constantFrom("p", "l", "1")),
    fc.tuple(
      fc.constant("tags"),
      fc.array(word.map(encodeURIComponent), { maxLength: 3 }).map((tags) => tags.join(",")),
    ),
  );
  const queryOf = (pairs: [string, string][]): string =>
    pairs.map(([name, value]) => `${name}=${value}`).join("&");
  const size = fc.oneof(
    fc.tuple(fc.constantFrom("width", "height", "scale"), number),
    fc.constantFrom<[string, string]>(["width", "599.5"], ["height", "400.4"], ["thumb", "1"]),
    fc.tuple(fc.constantFrom("thumb", "orientation"), fc.constantFrom("p", "l", "", "1")),
  );
  const target = fc.oneof(
    fc.tuple(path, fc.array(parameter, { maxLength: 4 }).map(queryOf)),
    fc.tuple(
      fc.constant("/images/a1.jpg"),
      fc.array(size, { minLength: 1, maxLength: 3 }).map(queryOf),
    ),
  );

  it.each([false, true])(
    "agrees with the route table on any request, redirects: %s",
    (redirects) => {
      const input = oddInput({ redirects });
      const made = asker(input);
      fc.assert(
        fc.property(target, ([below, text]) => {
          const path = `/${input.rules.root}${below}`;
          expect([path, text, made(path, text)]).toEqual([
            path,
            text,
            expectedOf(input, path, text),
          ]);
        }),
        { numRuns: 3_000 },
      );
    },
  );

  it("leaves files and the website to the bucket", () => {
    const made = asker(oddInput());
    for (const file of [
      "/v1/articles/index.json",
      "/v1/images/a1.webp",
      "/v1/images/by/width/640/a1.jpg",
      "/a.html",
    ]) {
      expect(made(file, "page=0")).toBe(file);
    }
    expect(made("/tags/a/", "")).toBe("/tags/a/index.html");
    expect(made("/tags/a", "")).toBe("302 /tags/a/");
  });

  it("leaves endings of originals out that it has no room for, and says what is too large", () => {
    const others = Array.from({ length: 200 }, (_, at) => ({
      segment: `image-${at}`,
      ending: ".png",
    }));
    const { files, limits } = cloudfrontConfiguration(
      oddInput({ originals: { endings: [".jpg", ".png"], others } }),
    );
    expect(Buffer.byteLength(files[0]?.content ?? "")).toBeLessThan(10_240);
    expect(limits).toContain(
      "the endings of 200 originals do not fit into a function of 10,240 bytes, so that these downloads are answered with 404",
    );
    const { rules } = oddInput();
    const boxes = Array.from({ length: 200 }, (_, at): Box => {
      return [at + 100, at + 100, `width/${at + 100}/height/${at + 100}`];
    });
    const large = cloudfrontConfiguration(
      oddInput({ rules: { ...rules, slots: { ...rules.slots, boxes } } }),
    );
    expect(large.exceeded).toHaveLength(1);
  });

  requireProgram("njs");
  it.runIf(found("njs"))("runs in the engine that CloudFront Functions are made with", () => {
    const input = oddInput();
    const path = written(input);
    const targets: [string, string][] = [
      ["/v1/articles", "year=2002&tags=,"],
      ["/v1/articles", "tags=%C3%A9t%C3%A9,a"],
      ["/v1/galleries/ABCDEF01-1111-2222-3333-444444444444", ""],
      [`/v1/galleries/${"%C3%89".repeat(60)}`, ""],
      ["/v1/galleries/g.audio", "page=2"],
      ["/v1/images/aB.jpg", "width=640.4"],
      ["/v1/images/a1/download", ""],
      ["/v1/articles", "page=x"],
    ];
    const calls = targets.map(([uri, text]) => {
      const request = { method: "GET", uri, querystring: queryForFunction(text), headers: {} };
      return `found = handler(${JSON.stringify({ request })}); console.log(found.uri || String(found.statusCode));`;
    });
    const program = join(folder, "program.js");
    const source = cloudfrontConfiguration(input).files[0]?.content ?? "";
    writeFileSync(program, `${source}\nvar found;\n${calls.join("\n")}\n`);
    const output = execFileSync("njs", [program], { encoding: "utf8" });
    expect(path).toBe(join(folder, "request.js"));
    expect(output.trim().split("\n")).toEqual(
      targets.map(([uri, text]) => expectedOf(input, uri, text)),
    );
  });
});
