import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Press, startPress } from "../support/archive.ts";
import { contents } from "../support/contents.ts";
import { spelled } from "../support/spelled.ts";

const canary = "canary-7c1f0e5d-token";

describe.each(["plain", "odd"] as const)("after a run against the %s origin", (personality) => {
  let press: Press;
  beforeAll(async () => {
    press = await startPress({
      personality,
      origin: { tokens: { organisation: canary, user: "user-token" } },
    });
  });
  afterAll(() => press.close());

  it("neither token nor signed parameter stands anywhere in the output, the log or the report", async () => {
    const { code, stdout, stderr } = await press.run("snapshot");
    expect(code).toBe(0);
    const found: string[] = [];
    let files = 0;
    for (const { path, bytes } of contents(press.out)) {
      files++;
      for (const secret of [canary, "signature=", "expires=", "signature%3D", "expires%3D"]) {
        if (bytes.includes(secret)) found.push(`${path}: ${secret}`);
      }
    }
    expect(found).toEqual([]);
    expect(files).toBeGreaterThan(300);
    for (const secret of [canary, "signature=", "expires="]) {
      expect(stdout).not.toContain(secret);
      expect(stderr).not.toContain(secret);
    }
  });

  it("the token went along with API requests and never with a signed link", () => {
    const signed = press.origin.requests.filter(({ url }) => url.includes("signature="));
    const plain = press.origin.requests.filter(({ url }) => !url.includes("signature="));
    expect(signed.length).toBeGreaterThan(30);
    expect(signed.filter((request) => request.authorization)).toEqual([]);
    expect(plain.filter((request) => !request.authorization)).toEqual([]);
  });

  it("signed links to the origin reach neither store nor mirror, and what others write stays as it is", async () => {
    const planted = "7de54f39567137b71cc987fbc15735a5";
    const base = `${press.origin.baseUrl}/images/x.jpg`;
    const query = `expires=1700000000&signature=${planted}`;
    const others =
      "https://shop.example/offer?expires=never&id=3 1px;expires=Thu f(x,&signature=y)";
    const titles = [
      others,
      `Planted ${base}?${query.replace("&", "&amp;")}`,
      `Planted https://x.test/?u=${encodeURIComponent(encodeURIComponent(`${base}?${query}`))}`,
      `Planted <img src="/images/x.jpg?${query}">`,
      `Planted ${base}?width=3&amp;amp;${query}.`,
    ];
    // Each in a string of its own: one that is recognised must not lead to the others.
    const ids = [...press.origin.content.articles].map((article) => article.id);
    for (const [n, title] of titles.entries()) {
      press.origin.content.articles.edit(ids[n] as string, { title });
    }
    expect((await press.run("snapshot")).code).toBe(0);
    const found = [...contents(press.out)].filter(({ bytes }) => bytes.includes(planted));
    expect(found.map(({ path }) => path)).toEqual([]);
    const published = [...contents(join(press.out, "public"))];
    const mirrored = published.find(({ path }) => path.endsWith(`/articles/${ids[0]}.json`));
    // Parsed, because origins escape slashes in their own way.
    const answer = JSON.stringify(JSON.parse(String(mirrored?.bytes)));
    expect(answer).toContain(JSON.stringify(others));
    const heading = ` dir="auto">${others.replaceAll("&", "&amp;")}</h1>`;
    expect(published.filter(({ bytes }) => bytes.includes(heading))).toHaveLength(1);
  });

  it("no spelling of the token in an article reaches the store, or stops the build", async () => {
    const ways = Object.values(spelled(canary)).filter((written) => written !== canary);
    const ids = [...press.origin.content.articles].map((article) => article.id);
    for (const [n, written] of ways.entries()) {
      const id = ids[n % ids.length] as string;
      const { title } = press.origin.content.articles.get(id) ?? { title: "" };
      press.origin.content.articles.edit(id, { title: `${title} Echo ${written}` });
    }
    const slug = `echo-${Buffer.from(`user:${canary}`).toString("hex")}`;
    press.origin.content.articles.edit(ids.at(-1) as string, { slug });
    expect((await press.run("snapshot")).code).toBe(0);
    const written = [...ways, slug];
    const found = [...contents(press.out)].filter(({ bytes }) =>
      written.some((secret) => bytes.includes(secret)),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

it("a live signature that an article spells oddly is replaced, and stops no build", async () => {
  // By a clock that stands still, links are signed alike in each answer.
  const started = new Date();
  const press = await startPress({
    size: { articles: 3, galleries: 1, images: 4 },
    origin: { now: () => started },
  });
  try {
    const { baseUrl, tokens, content } = press.origin;
    const headers = { authorization: `Bearer ${tokens.organisation}` };
    const images = await fetch(`${baseUrl}/images`, { headers });
    const { data } = (await images.json()) as { data: { links: { download: string } }[] };
    const link = new URL(data[0]?.links.download ?? "");
    const signature = link.searchParams.get("signature") as string;
    const [{ id } = { id: "" }] = content.articles;
    const odd = `x&#63;signature&equals;${signature} and ${encodeURIComponent(`=${signature}&`)}`;
    content.articles.edit(id, { title: odd, body: `<a href="/${odd}">${odd}</a>` });
    expect((await press.run("snapshot")).code).toBe(0);
    const found = [...contents(join(press.out, "public"))].filter(({ bytes }) =>
      bytes.includes(signature),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
    const mirrored = readFileSync(join(press.out, `public/api/v1/articles/${id}.json`), "utf8");
    expect(JSON.parse(mirrored).data.title).toBe(odd.replaceAll(signature, "[signature]"));
  } finally {
    await press.close();
  }
});
