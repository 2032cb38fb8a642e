import { describe, expect, it } from "vitest";
import { api, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();
const img = (id: string): string => `<p><img src="${api}/images/${id}.jpg"></p>`;

describe("the images attached to an article", () => {
  const images = ["a", "b", "c"].map((id) => ({ id }));
  /** Ids of the images in the gallery below the article, and the count in its heading. */
  const below = (body: string, attached: string[]) => {
    const archive = archiveOf({ images, articles: [{ id: "one", images: attached, body }] });
    const html = archive.page("articles/article-one.html");
    const [, section = ""] = /<section class="text attached"([\s\S]*?)<\/section>/.exec(html) ?? [];
    return {
      ids: Array.from(section.matchAll(/href="[^"]*images\/(\w)\.html"/g), ([, id]) => id),
      count: /class="count">(\d+)</.exec(section)?.[1],
      archive,
    };
  };

  it("stand below it if they are not in its body", () => {
    const { ids, count, archive } = below(img("b"), ["a", "b", "c"]);
    expect(ids).toEqual(["a", "c"]);
    expect(count).toBe("2");
    expect(archive.page("images/b.html")).toContain("articles/article-one.html");
  });

  it("have no section if all of them are in its body", () => {
    expect(below(img("b") + img("a"), ["a", "b"])).toMatchObject({ ids: [], count: undefined });
  });

  it("do not repeat the picture above the text", () => {
    expect(below("<p>Words</p>", ["a", "b"]).ids).toEqual(["b"]);
    expect(below("<p>Words</p>", ["a"])).toMatchObject({ ids: [], count: undefined });
  });
});
