import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSite, renderSite } from "../../src/site/render.ts";
import { loadTheme } from "../../src/site/theme.ts";
import { everyShape } from "../site/every-shape.ts";
import { closedArchives } from "../site/fixture.ts";

const folder = new URL("../../examples/theme", import.meta.url).pathname;
const textOf = (path: string): string => readFileSync(join(folder, path), "utf8");
const archiveOf = closedArchives();

/** Pages of an archive with the theme, by path. */
async function pagesOf({ content, settings }: (typeof everyShape)[number]) {
  const site = { ...settings.site, accent: "#0b6e8a", logo: join(folder, "logo.svg") };
  const { catalogue, config } = archiveOf(content, { site });
  const theme = await loadTheme(folder, config.site);
  const files = renderSite(openSite({ catalogue, config }, theme));
  const texts = Array.from(files, (file) =>
    "content" in file ? [[file.path, String(file.content())] as const] : [],
  );
  return new Map(texts.flat());
}

describe("examples/theme", () => {
  it("shows the galleries first, then the latest articles, the sections and the years", async () => {
    const [full] = await Promise.all(everyShape.map(pagesOf));
    const html = full?.get("index.html") ?? "";
    const order = ['class="quay"', 'id="latest"', 'id="topic-0"', 'class="log"'];
    const places = order.map((text) => html.indexOf(text));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const latest = /id="latest".*?<\/section>/s.exec(html)?.[0] ?? "";
    expect(latest.match(/class="teaser"/g)).toHaveLength(6);
    expect(latest).toContain('sizes="6.5rem"');
    expect(full?.get("articles/index.html")).toContain('class="teaser"');
  });

  it("has its own colours and logo", async () => {
    const pages = await pagesOf(everyShape[1] as (typeof everyShape)[number]);
    const html = pages.get("index.html") ?? "";
    const colours = html.matchAll(/<meta name="theme-color" [^>]*content="([^"]*)">/g);
    expect(Array.from(colours, ([, colour]) => colour)).toEqual(["#f4f8f9", "#0b1a21"]);
    const logo = /<img class="logo" src="([^"]*)"/.exec(html)?.[1] ?? "";
    expect(pages.get(logo)).toBe(textOf("logo.svg"));
  });

  it("is what docs/theming.md shows", () => {
    const page = readFileSync(new URL("../../docs/theming.md", import.meta.url), "utf8");
    const part = page.slice(page.indexOf("## A whole theme"));
    const blocks = Array.from(part.matchAll(/`([\w/.]+)`[^\n]*\n\n```\w+\n(.*?)```/gs));
    expect(blocks.map(([, file]) => file)).toEqual([
      "assets/custom.css",
      "home.eta",
      "partials/card.eta",
    ]);
    for (const [, file = "", code = ""] of blocks) expect(textOf(file)).toContain(code.trim());
  });
});
