import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Content } from "./fixture.ts";
import { type OpenSite, openSite, serveFolder, watched } from "./in-browser.ts";

const words = (count: number): string => "some other words ".repeat(count);
const content: Content = {
  articles: [
    {
      id: "keeper",
      title: "The keeper of the light",
      synopsis: "He counts the ships.",
      published_at: "2023-05-02T10:00:00Z",
      body: `<p>${words(40)}He drinks <b>chamomile</b> tea &amp; sleeps &lt;well&gt;.</p><p>${words(40)}</p>`,
    },
    {
      id: "arabic",
      title: "المنارة القديمة",
      body: `<p>${"كلمات اخرى ".repeat(40)}كان يشرب البابونج كل ليلة. ${"كلمات اخرى ".repeat(40)}</p>`,
    },
    {
      id: "chinese",
      title: "旧灯塔",
      published_at: "2022-05-02T10:00:00Z",
      body: `<p>${"他写下天气。".repeat(40)}他每夜喝菊花茶。${"他写下天气。".repeat(40)}</p>`,
    },
    { id: "other", title: "The ships", body: "<p>The keeper is not named in the title.</p>" },
  ],
};

describe("the search through the texts of articles", () => {
  let site: OpenSite;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    site = await openSite(content, "en", { search: "bodies" });
    server = await serveFolder(site.folder);
  });
  afterAll(async () => {
    server?.close();
    await site?.close();
  });

  /** Searches, and gives what the page loaded of the index; it may complain of nothing. */
  async function search(
    base: string,
    query: string,
    look: (page: Page) => Promise<void>,
  ): Promise<string[]> {
    const page = await site.browser.newPage();
    const loaded: string[] = [];
    page.on("request", (request) => loaded.push(request.url().slice(base.length)));
    const complaints = await watched(
      page,
      async () => {
        await page.goto(`${base}search.html?q=${encodeURIComponent(query)}`);
        await page.getByRole("status").filter({ hasText: /\.$/ }).waitFor();
        await look(page);
      },
      base,
    );
    expect(complaints).toEqual([]);
    await page.close();
    return loaded.filter((path) => path.startsWith("search/"));
  }

  const bases: [string, () => string][] = [
    ["a folder", () => `${site.urlOf("")}/`],
    ["a host", () => `${server.url}/`],
  ];
  describe.each(bases)("from %s", (_, base) => {
    it.each([
      [
        "chamomile",
        "The keeper of the light",
        "chamomile",
        /^… .*He drinks chamomile tea & sleeps <well>\. some/,
      ],
      ["chamom", "The keeper of the light", "chamomile", /^… .*He drinks chamomile tea/],
      ["البابونج", "المنارة القديمة", "البابونج", /^… .*كان يشرب البابونج كل ليلة\. .* …$/],
      ["بابونج", "المنارة القديمة", "البابونج", /^… .*يشرب البابونج كل/],
      ["菊花茶", "旧灯塔", "菊花茶", /^… .*他每夜喝菊花茶。.* …$/],
      ["菊", "旧灯塔", "菊", /^… .*他每夜喝菊花茶。/],
    ])("finds %s, and shows it where it stands", async (query, title, marked, snippet) => {
      await search(base(), query, async (page) => {
        expect(await page.locator("#results h2").allInnerTexts()).toEqual([title]);
        const text = await page.locator("#results .synopsis").allTextContents();
        expect(text).toEqual([expect.stringMatching(snippet)]);
        expect(text[0]?.length).toBeLessThan(220);
        expect((await page.locator("#results mark").allTextContents()).join("")).toBe(marked);
        await page.locator("#results a").click();
        await page.locator(".prose").waitFor();
      });
    });
  });

  it("shows the text where it has a word that nothing else shows", async () => {
    await search(`${server.url}/`, "ships chamomile", async (page) => {
      const texts = page.locator("#results .synopsis");
      await texts.first().filter({ hasText: "chamomile" }).waitFor();
      expect(await page.locator("#results mark").first().textContent()).toBe("chamomile");
    });
  });

  it("shows the summary where that explains a hit, and loads no other articles", async () => {
    const loaded = await search(`${server.url}/`, "light ships", async (page) => {
      const titles = await page.locator("#results h2").allInnerTexts();
      expect(titles[0]).toBe("The keeper of the light");
      const texts = await page.locator("#results .synopsis").allTextContents();
      expect(texts[0]).toBe("He counts the ships.");
    });
    expect(loaded).toContain("search/recent/terms-0.js");
    expect(loaded.filter((path) => path.includes("/article-"))).toHaveLength(1);
  });
});
