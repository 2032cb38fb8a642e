import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { personalities } from "../../src/demo/options.ts";
import { type Origin, startOrigin } from "../../src/demo/origin.ts";
import { generateContent } from "../support/content.ts";
import { ask, askOne, type Item, walk } from "./support.ts";

describe("the odd personality", () => {
  let odd: Origin;
  beforeAll(async () => {
    // A limit that the tests do not reach; what happens at one is tested elsewhere.
    const content = await generateContent({ articles: 120, galleries: 15, images: 40, seed: 5 });
    const rate = { requests: 10_000, perSeconds: 1 };
    odd = await startOrigin({ ...personalities.odd, content, rate });
  });

  afterAll(() => odd.close());

  it("moves the API, its attachments and its body field", async () => {
    expect(odd.baseUrl).toMatch(/\/v2\/content$/);
    const { json } = await ask(odd, "/articles");
    expect(json.meta.per_page).toBe(7);
    const article = json.data.find(({ attachments }) => attachments.images);
    const single = await askOne(odd, `/articles/${article?.id}`);
    expect(single).toMatchObject({ content_html: expect.stringContaining("<p>") });
    expect(single).not.toHaveProperty("synopsis");
    expect(single.published_at).toMatch(/\+1[23]00$/);
    const path = `/articles/${article?.id}/media/pictures`;
    expect((await ask(odd, path)).json.meta.total).toBe(article?.attachments.images);
    expect((await ask(odd, `/articles/${article?.id}/images`)).status).toBe(404);
    for (const gone of ["/documents", "/audio"]) expect((await ask(odd, gone)).status).toBe(404);
    expect((await ask(odd, "/media/films")).json.meta.total).toBeGreaterThan(0);
  });

  it("writes JSON in its own way: slashes, decimals, keys", async () => {
    const { text, json } = await ask(odd, "/articles");
    expect(text).toContain("http:\\/\\/127.0.0.1");
    expect(text).toMatch(/"average": \d\.\d0,/);
    expect(text).toContain('\n    "data": [');
    expect(text.indexOf('"10":')).toBeGreaterThan(text.indexOf('"id":'));
    expect(Object.hasOwn(json.data[0] ?? {}, "__proto__")).toBe(true);
    expect(/[\u0080-\uffff]/.test(text)).toBe(false);
  });

  it("marks private images and attaches them", async () => {
    const attached: Item[] = [];
    for (const { id } of await walk(odd, "/articles")) {
      attached.push(...(await walk(odd, `/articles/${id}/media/pictures`)));
    }
    expect(attached.some((image) => image.is_private)).toBe(true);
  });

  it("answers errors as text, and an ETag that is still good with 304", async () => {
    const refused = await ask(odd, "/articles", null);
    expect([refused.status, refused.text]).toEqual([401, "Unauthenticated.\n"]);
    const first = await ask(odd, "/articles");
    const headers = {
      Authorization: `Bearer ${odd.tokens.user}`,
      "If-None-Match": first.headers.get("etag") ?? "",
    };
    const tags = (await ask(odd, "/tags")).headers.get("etag") ?? "";
    const again = await fetch(`${odd.baseUrl}/tags`, {
      headers: { ...headers, "If-None-Match": tags },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await fetch(`${odd.baseUrl}/tags`, { headers })).status).toBe(200);
  });
});
