import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Content } from "./fixture.ts";
import { type OpenSite, openSite, serveFolder } from "./in-browser.ts";

const other = "some other words ".repeat(20);
const dated = (year: number): string => `${year}-05-02T10:00:00Z`;
const content: Content = {
  categories: [{ id: "c", title: "Harbours", slug: "harbours" }],
  tags: [{ slug: "quays", title: "Quays of the north" }],
  images: [
    { id: "exact", title: "Prototyping" },
    { id: "tall", title: "Osprey", caption: "On its nest" },
  ],
  articles: [
    { id: "old", title: "Granite", published_at: dated(2010), synopsis: "Stone" },
    { id: "new", title: "Granite", published_at: dated(2020), synopsis: "Stone" },
    { id: "in-title", title: "The osprey", body: `<p>${other}</p>` },
    { id: "in-synopsis", title: "Birds", synopsis: "About the osprey.", body: `<p>${other}</p>` },
    { id: "in-body", title: "Fish", body: `<p>${"An osprey. ".repeat(30)}${other}</p>` },
    { id: "exact", title: "A", body: `<p>Prototyping. ${other}</p>` },
    { id: "stem", title: "B", body: `<p>Prototypes. ${other}</p>` },
    { id: "both", title: "C", body: `<p>Cranes. ${other} Bollards. ${other}</p>` },
    { id: "one", title: "All about cranes" },
    { id: "in-order", title: "D", body: `<p>${other} the salt marsh road ${other}</p>` },
    { id: "apart", title: "E", body: `<p>${other} a marsh of salt ${other}</p>` },
    { id: "tagged", title: "F", tags: ["quays"], category: { id: "c", title: "Harbours" } },
  ],
};

describe("the search ranks", () => {
  let site: OpenSite;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    site = await openSite(content, "en");
    server = await serveFolder(site.folder);
  });
  afterAll(async () => {
    server?.close();
    await site?.close();
  });

  /** What the search page shows: the paths of its hits, its status, and its other links. */
  async function search(query: string) {
    const page = await site.browser.newPage();
    await page.addInitScript(`globalThis.shifted = 0; new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) shifted += value;
    }).observe({ type: "layout-shift", buffered: true });`);
    await page.goto(`${server.url}/search.html?q=${encodeURIComponent(query)}`);
    await page.waitForLoadState("networkidle");
    await page.getByRole("status").filter({ hasText: /\.$/ }).waitFor();
    const hrefs = await page
      .locator("#results h2 a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    const meant = await page.locator(".search-meant a").allTextContents();
    const pictures = await page.locator("#results img").count();
    const status = await page.getByRole("status").textContent();
    const shifted = await page.evaluate<number>("shifted");
    await page.close();
    expect(shifted).toBeLessThan(0.005);
    return { hits: hrefs.map((href) => href?.replace(/\.html$/, "")), meant, status, pictures };
  }
  const article = (id: string): string => `articles/article-${id}`;

  it("a title above a synopsis above a body, and articles above pictures", async () => {
    const { hits, pictures } = await search("osprey");
    const ids = ["in-title", "in-synopsis", "in-body"];
    expect(hits).toEqual([...ids.map(article), "images/tall"]);
    expect(pictures).toBe(1);
  });

  it("the word itself above another of its stem above one that is misspelt", async () => {
    const expected = [article("exact"), article("stem"), "images/exact"];
    expect((await search("prototyping")).hits).toEqual(expected);
    expect((await search("prototypign")).hits[0]).toBe(article("exact"));
  });

  it("all words above some", async () => {
    const { hits, status } = await search("cranes bollards");
    expect(hits).toEqual([article("both"), article("one")]);
    expect(status).toBe("1 result. 1 more with some of the words.");
  });

  it("the newer one of two that are equal first", async () => {
    expect((await search("granite")).hits).toEqual([article("new"), article("old")]);
  });

  it("what has a phrase, and nothing else, where quotation marks ask for it", async () => {
    expect((await search("salt marsh")).hits).toHaveLength(2);
    const { hits, status } = await search('"salt marsh"');
    expect(hits).toEqual([article("in-order")]);
    expect(status).toBe("1 result.");
    expect((await search('"marsh salt"')).status).toBe("Nothing found.");
  });

  it("nothing, but says what may be meant, and which categories and tags are like that", async () => {
    const mistyped = await search("ospraeii");
    expect(mistyped).toMatchObject({ hits: [], status: "Nothing found.", meant: ["osprey"] });
    const { meant } = await search("harboursssss quayssssss");
    expect(meant).toEqual(expect.arrayContaining(["Harbours (1)", "Quays of the north (1)"]));
  });
});
