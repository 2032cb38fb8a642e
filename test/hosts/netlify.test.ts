import { describe, expect, it } from "vitest";
import { netlifyConfiguration } from "../../src/hosts/netlify.ts";
import { ask, askOn, describeArchives, differences, oddInput } from "./edge-support.ts";
import { matchNetlify, startNetlify } from "./emulate.ts";

describeArchives("netlify", startNetlify, (served, { root, links }) => {
  it("answers each URL with the route table's file, but the body of some 404s is the website's", async () => {
    const bodies = { "/articles/none-such": "another 404", "/articles/by/": "another 404" };
    const more: Record<string, string> = { "/articles?page=9999": "another 404" };
    const found = await differences(served.host, served.oracle);
    const severalTags = Object.keys(found).find((url) => /^\/articles\?tags=[^&]+,x$/.test(url));
    if (severalTags !== undefined) more[severalTags] = "another 404";
    expect(found).toEqual(links === "api" ? { ...bodies, ...more } : bodies);
  });

  it("redirects requests for lists where links are relative, and never those for images", async () => {
    const list = await ask(served.host, `/${root}/articles?page=2`);
    expect(list.status).toBe(links === "file" ? 302 : 200);
    const image = served.oracle.urls.find(({ url }) => /\.jpg\?width=640$/.test(url))?.url ?? "";
    const answer = await ask(served.host, image);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  it("sends the headers of the file", async () => {
    const json = await askOn(served.host, `/${root}/tags`);
    expect(json.headers.get("access-control-allow-origin")).toBe("*");
    expect(json.headers.get("content-type")).toBe("application/json");
    const image = served.oracle.urls.find(({ url }) => url.endsWith("/download"))?.url ?? "";
    expect((await ask(served.host, image)).headers.get("cache-control")).toBe(
      "public, max-age=86400",
    );
    const asset = served.oracle.urls.find(({ url }) => url.startsWith("/assets/"))?.url ?? "";
    expect((await ask(served.host, asset)).headers.get("cache-control")).toContain("immutable");
  });

  it("answers with JSON below the root and with a page elsewhere where nothing is found", async () => {
    const api = await ask(served.host, `/${root}/nothing/at/all`);
    expect([api.status, api.headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(api.headers.get("access-control-allow-origin")).toBe("*");
    const site = await ask(served.host, "/nothing");
    expect([site.status, site.headers.get("content-type")]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
  });
});

describe("rules for Netlify", () => {
  const to = async (input: Parameters<typeof netlifyConfiguration>[0], target: string) => {
    const { files } = netlifyConfiguration(input);
    const found = await matchNetlify(
      files.find(({ path }) => path === "_redirects")?.content ?? "",
    );
    const [path = "", query = ""] = target.split("?");
    const rule = found(path, query);
    return rule === null ? null : `${rule.status} ${rule.to}`;
  };

  it.each([
    [
      "/v1/attachments?kind=image&article=a1",
      "200 /v1/attachments/by/article/a1/by/kind/image/index.json",
    ],
    [
      "/v1/attachments?article=a1&kind=image&page=3",
      "200 /v1/attachments/by/article/a1/by/kind/image/page/3.json",
    ],
    ["/v1/attachments?article=a1&kind=other", "404 /v1/404.json"],
    ["/v1/media?kind=Film", "200 /v1/media/by/kind/_46ilm/index.json"],
    ["/v1/articles?year=2002", "200 /v1/articles/by/year/2002/index.json"],
    ["/v1/articles?year=1999", "200 /v1/articles/by/none.json"],
    ["/v1/articles?year=1999&page=2", "404 /v1/404.json"],
    ["/v1/articles?category=c&year=2002", "200 /v1/articles/by/year/2002/category/c/index.json"],
    ["/v1/articles?category=c", "404 /v1/404.json"],
    ["/v1/articles?category=c&tags=t", "404 /v1/404.json"],
    ["/v1/articles?month=5", "200 /v1/articles/index.json"],
    ["/v1/images/a1/download", "200 /v1/images/by/download/a1.png"],
    ["/v1/images/a2/download", "200 /v1/images/by/download/a2.jpg"],
    ["/v1/images/a2.jpg?scale=12.5", "200 /v1/images/by/scale/12.5/a2.jpg"],
    ["/v1/images/a2.jpg?scale=12.5&width=640", "200 /v1/images/by/width/640/a2.jpg"],
    ["/v1/images/a2.jpg?width=5000", "200 /v1/images/by/scale/100/a2.jpg"],
    // A placeholder is a whole segment.
    ["/v1/galleries/g.audio", "200 /v1/galleries/g.audio.json"],
  ])("%s → %s", async (target, expected) => {
    expect(await to(oddInput(), target)).toBe(expected);
  });

  it.each([
    ["/v1/articles?tags=%C3%A9t%C3%A9", "200 /v1/articles/by/tags/_c3_a9t_c3_a9/index.json"],
    ["/v1/galleries/%C3%A9t%C3%A9", "200 /v1/galleries/_c3_a9t_c3_a9.json"],
    ["/v1/images/%C3%A9t%C3%A9.jpg?width=640", "200 /v1/images/by/width/640/_c3_a9t_c3_a9.jpg"],
    ["/v1/galleries/%C3%A9t%C3%A9.audio", "200 /v1/galleries/_c3_a9t_c3_a9.audio/index.json"],
    ["/v1/galleries/index", "404 /v1/404.json"],
  ])("has rules for names that are not their own segments: %s → %s", async (target, expected) => {
    const names = [{ value: "été", segment: "_c3_a9t_c3_a9", isFilter: true }];
    expect(await to(oddInput({ names }), target)).toBe(expected);
  });

  it("leaves the names out where there would be too many rules, and says so", () => {
    const names = Array.from({ length: 1_000 }, (_, at) => ({
      value: `É${at}`,
      segment: `_c3_89${at}`,
    }));
    const { files, limits, exceeded } = netlifyConfiguration(oddInput({ names }));
    expect(files[0]?.content).not.toContain("_c3_89");
    expect(limits).toContainEqual(
      expect.stringMatching(/would need [\d,]+ rules, and Netlify advises against 10,000 or more/),
    );
    expect(exceeded).toBeUndefined();
  });

  it("names the endpoints that cannot be matched", () => {
    const { limits, exceeded } = netlifyConfiguration(oddInput());
    expect(limits).toContain(
      "endpoints with the id inside a path segment cannot be matched: /galleries/….audio",
    );
    expect(exceeded).toBeUndefined();
  });
});
