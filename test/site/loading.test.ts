import { describe, expect, it } from "vitest";
import { api, closedArchives } from "./fixture.ts";

const archiveOf = closedArchives();

/** What each picture of a page's main part says of its loading. */
function loadingOf(html: string): string[] {
  const main = /<main.*<\/main>/s.exec(html)?.[0] ?? "";
  return Array.from(main.matchAll(/<img [^>]*>/g), ([img]) => {
    const found = img.match(/fetchpriority="high"|loading="lazy"|decoding="async"/g) ?? [];
    return found.map((one) => one.replace(/^.*="|"$/g, "")).join(" ");
  });
}

describe("the pictures of a page", () => {
  const images = ["1", "2", "3", "4", "5"];
  const archive = () =>
    archiveOf({
      images: [...images.map((id) => ({ id })), { id: "lost", kept: false }],
      articles: [
        { id: "bare", slug: "bare" },
        ...images.map((id) => ({ id, slug: `n${id}`, images: [id] })),
        {
          id: "text",
          slug: "text",
          images,
          body: `<p><img src="${api}/images/1.jpg"></p><p><img src="${api}/images/2.jpg"></p>`,
        },
      ],
      galleries: [{ id: "g", slug: "g", images: ["lost", ...images] }],
    });

  it.each([
    ["articles/index.html", 6],
    ["articles/n1.html", 1],
    ["articles/text.html", 5],
    ["galleries/index.html", 1],
    ["galleries/g.html", 5],
    ["images/index.html", 5],
    ["images/1.html", 1],
  ])("load when they are seen, but the first, which comes first: %s", (path, count) => {
    const [first, ...others] = loadingOf(archive().page(path));
    expect(first).toContain("high");
    expect(first).not.toContain("lazy");
    expect(others.length).toBeGreaterThanOrEqual(count - 1);
    expect(new Set(others.filter((one) => one !== "lazy async"))).toEqual(new Set());
  });
});
