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

  it("no spelling of a signed parameter in an article reaches the store or the mirror", async () => {
    const planted = "7de54f39567137b71cc987fbc15735a5";
    const base = `${press.origin.baseUrl}/images/x.jpg`;
    const links = [
      `${base}?expires=1&amp;signature=${planted}`,
      `${base}&quest;signature&equals;${planted}`,
      `${base}&#63;signature&#61;${planted}`,
      `https://x.test/?u=https%253A%252F%252Fo.test%253Fsignature%253D${planted}`,
      `${base}?a=1;signature=${planted}`,
      `${base}#signature=${planted}`,
    ];
    // Each in a string of its own: one that is recognised must not lead to the others.
    const ids = [...press.origin.content.articles].map((article) => article.id);
    for (const [n, link] of links.entries()) {
      press.origin.content.articles.edit(ids[n] as string, { title: `Planted ${link}` });
    }
    expect((await press.run("snapshot")).code).toBe(0);
    const found = [...contents(press.out)].filter(({ bytes }) => bytes.includes(planted));
    expect(found.map(({ path }) => path)).toEqual([]);
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
