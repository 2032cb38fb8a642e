import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closedArchives } from "./fixture.ts";
import { type OpenSite, openSite, watched } from "./in-browser.ts";

const archiveOf = closedArchives();

const textOf = (html: string): string =>
  /<p class="citation"[^>]*>([^<]*)</.exec(html)?.[1] ?? "no citation";

describe("a citation", () => {
  const content = {
    images: [{ id: "i", title: "The quay" }],
    articles: [
      { id: "a", title: "High <water>", author: ["Ada Blum", "Max Ott"] },
      { id: "b", title: "Low water", published_at: null },
    ],
    galleries: [{ id: "g", title: "The harbour", images: ["i"] }],
  };

  it("names authors, title, website, date and address", () => {
    const archive = archiveOf(content, {
      site: { title: "The Post", url: "https://post.example" },
    });
    expect(textOf(archive.page("articles/article-a.html"))).toBe(
      "Ada Blum and Max Ott, “High &lt;water&gt;”, The Post, 2 May 2024, https://post.example/articles/article-a.html",
    );
    expect(textOf(archive.page("articles/article-b.html"))).toBe(
      "“Low water”, The Post, https://post.example/articles/article-b.html",
    );
    expect(textOf(archive.page("images/i.html"))).toBe(
      "“The quay”, The Post, https://post.example/images/i.html",
    );
    expect(textOf(archive.page("galleries/gallery-g.html"))).toMatch(/^“The harbour”, The Post, /);
  });

  it("names the page at the origin where the website has no address", () => {
    const archive = archiveOf(content, { site: { title: "The Post" } });
    expect(textOf(archive.page("articles/article-a.html"))).toMatch(
      /, https:\/\/media\.example\.org\/view\/articles\/a$/,
    );
  });

  it("changes with the snapshot in no page", () => {
    const dayOf = (time: string) => {
      const archive = archiveOf({ ...content, time });
      return {
        page: archive.page("articles/article-a.html"),
        day: archive.page("snapshot-date.js"),
      };
    };
    const [before, after] = [dayOf("2024-06-01T04:00:00Z"), dayOf("2024-06-02T04:00:00Z")];
    expect(after.page).toBe(before.page);
    expect(after.day).toBe('stillpressSnapshot("2024-06-02");\n');
  });
});

describe("a citation in a browser", () => {
  let site: OpenSite;
  beforeAll(async () => {
    site = await openSite({ articles: [{ id: "a", title: "High water", body: "<p>x</p>" }] });
  });
  afterAll(() => site?.close());

  it("tells the date of the snapshot, and can be copied", async () => {
    const context = await site.browser.newContext({
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    const complaints = await watched(page, async () => {
      await page.goto(site.urlOf("articles/article-a.html"));
      await page.getByText("Cite this").click();
      await page.getByText("as archived on 1 June 2024").waitFor();
      await page.getByRole("button", { name: "Copy" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
    });
    expect(complaints).toEqual([]);
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(
      /^“High water”, The Archive, 2 May 2024, .*\(as archived on 1 June 2024\)$/,
    );
    await context.close();
  });
});
