import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUnsigner } from "../../src/api/signatures.ts";
import { ConfigSchema } from "../../src/config.ts";
import type { CrawlContext } from "../../src/crawl/context.ts";
import { ingestList, keepable, openAnswer } from "../../src/crawl/ingest.ts";
import { tokenCutter } from "../../src/lib/token.ts";
import { createLeakGuard } from "../../src/publish/leaks.ts";
import { startBench } from "./support.ts";

const token = "canary-7c1f0e5d-token+4a/9b==";
const signed = "https://a.test/x.jpg?expires=1700000000&signature=0123456789abcdef";
const unsigner = createUnsigner({ baseUrl: "https://a.test", allowHosts: [] });
const guard = createLeakGuard(
  { tokens: [token], ids: new Set(), isUnshownBlob: () => false },
  unsigner,
);

/** What becomes of the items of a list that comes from the origin like this. */
function ingested(items: unknown[]) {
  const stored: { id: string; normal: unknown; raw: string }[] = [];
  const put = (_: string, id: string, normal: unknown, raw: string): string => {
    stored.push({ id, normal, raw });
    return "digest";
  };
  const context = {
    store: { objects: { put } },
    config: ConfigSchema.parse({ origin: { baseUrl: "https://a.test" } }),
    links: { remember() {} },
    unsigner,
  } as unknown as CrawlContext;
  const text = tokenCutter(token)(JSON.stringify({ data: items }));
  const data = openAnswer(keepable(text, unsigner))?.data as string;
  const { malformed } = ingestList(context, "images", "GET /images", data, JSON.parse(text).data);
  return { stored, malformed };
}

describe("keepable", () => {
  it.each([
    [{ [signed]: 1 }, { "https://a.test/x.jpg": 1 }],
    [
      { meta: { [`${signed}&a=1`]: signed } },
      { meta: { "https://a.test/x.jpg?a=1": "https://a.test/x.jpg" } },
    ],
    [
      { slug: "slug-expires=1700000000&signature=ab" },
      { slug: "slug-expires=1700000000&signature=ab" },
    ],
  ])("cuts signed parameters in %o", (value, expected) => {
    expect(JSON.parse(keepable(JSON.stringify(value), unsigner))).toEqual(expected);
  });

  // Signs that an output writes otherwise than they stand in a text.
  const piece = fc.constantFrom(
    ..."?&;=#\"'<>()$[ %\\/-_.xé\n",
    ..."signature= expires= signature expires &amp; &quot; &#39; &nbsp; &equals; &quest; %3D %3F %26 %20".split(
      " ",
    ),
    ..."https://a.test/x a.test //".split(" "),
    "1700000000",
    "0123456789abcdef0123",
    "hello world from here and there",
  );
  const text = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(""));
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  const inHtml = (value: string): string =>
    value.replace(/[&<>"']/g, (sign) => entities[sign] as string);

  it.each<[string, (kept: string) => string]>([
    ["JSON", (kept) => JSON.stringify({ [kept]: kept })],
    ["HTML", (kept) => `<p title="${inHtml(kept)}">${inHtml(kept)}</p>`],
    ["a URL", (kept) => `<a href="https://a.test/?u=${encodeURIComponent(kept)}">x</a>`],
    ["a path", (kept) => `<a href="/tags/${encodeURIComponent(kept)}">x</a>`],
    ["JSON within HTML", (kept) => inHtml(JSON.stringify([kept]))],
    ["a script", (kept) => JSON.stringify([kept]).replaceAll("<", "\\u003c")],
  ])("keeps nothing that the last look before publishing would refuse in %s", (_, write) => {
    fc.assert(
      fc.property(text, (written) => {
        const kept = JSON.parse(keepable(JSON.stringify([written]), unsigner)) as [string];
        const published = guard.unsigned(write(kept[0]));
        expect(() => guard.checkText("a.html", published)).not.toThrow();
      }),
      { numRuns: 2000 },
    );
  });
});

describe("an item", () => {
  it("is kept with its texts and names cut, as its record is", () => {
    const { stored, malformed } = ingested([
      { id: "1", title: token, meta: { [`a ${token}`]: "b", [signed]: "c" }, [signed]: token },
    ]);
    expect(malformed).toEqual([]);
    expect(stored).toHaveLength(1);
    const [{ id, normal, raw } = { id: "", normal: {}, raw: "" }] = stored;
    expect(id).toBe("1");
    expect(normal).toMatchObject({
      title: "[token]",
      meta: { "a [token]": "b", "https://a.test/x.jpg": "c" },
    });
    expect(JSON.parse(raw).meta).toEqual((normal as { meta: unknown }).meta);
  });

  it.each([
    [`x ${token}`, "the access token"],
    [Buffer.from(`user:${token}`).toString("base64"), "the access token"],
    [signed, "a signed parameter"],
  ])("is a problem where its id is %s", (id, secret) => {
    const { stored, malformed } = ingested([
      { id, title: "Title" },
      { id: "2", title: "Two" },
    ]);
    expect(stored.map((one) => one.id)).toEqual(["2"]);
    expect(malformed).toEqual([
      {
        subject: "GET /images: data[0]",
        item: expect.stringMatching(/^id .*, "Title"$/),
        reason: `its id contains ${secret}`,
        hint: expect.stringContaining("at the origin"),
      },
    ]);
    expect(() => guard.checkText("a.json", JSON.stringify(malformed))).not.toThrow();
  });
});

it("a crawl keeps no title with the token in base64", async () => {
  const bench = await startBench();
  const bearer = bench.origin.tokens.organisation;
  const [first] = [...bench.content.articles];
  const id = first?.id as string;
  const echoed = Buffer.from(`Bearer ${bearer}`).toString("base64");
  bench.content.articles.edit(id, { title: `Title ${echoed}` });
  const { look } = await bench.crawl();
  const titles = look((reader) =>
    [...reader.refs("articles")].map((ref) => reader.read("articles", ref).normal.title),
  );
  expect(titles.filter((title) => title.includes("[token]"))).toHaveLength(1);
  expect(titles.join()).not.toContain(echoed.slice(12, 30));
});
