import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import sharp from "sharp";
import { afterEach, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/errors.ts";
import { accentStyles } from "../../src/site/accent.ts";
import { openSite, renderSite } from "../../src/site/render.ts";
import { loadTheme } from "../../src/site/theme.ts";
import { type Archive, closedArchives, configOf } from "./fixture.ts";

const archiveOf = closedArchives();
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Record<string, string | Uint8Array> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-theme-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Contents of a whole site by path. */
async function siteOf(archive: Archive, folder = folderOf()): Promise<Map<string, Buffer>> {
  const { catalogue, config } = archive;
  const files = renderSite(openSite({ catalogue, config }, await loadTheme(folder, config.site)));
  const made = Array.from(files, (file) =>
    "content" in file ? [[file.path, Buffer.from(file.content())] as const] : [],
  );
  return new Map(made.flat());
}

const article = { articles: [{ id: "a", slug: "one", title: "One" }] };
const styleOf = (site: Map<string, Buffer>): string =>
  String([...site].find(([path]) => /^assets\/style\./.test(path))?.[1]);

describe("an accent", () => {
  const papers = { light: "#fbf9f4", dark: "#171614", ink: "#23201b" };

  /** Contrast of two colours by WCAG 2.2, "relative luminance" and "contrast ratio". */
  function contrast(...colours: string[]): number {
    const [dark = 0, light = 0] = colours
      .map((colour) => {
        const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
          const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      })
      .sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  it("of any colour can be read on both papers, and ink on its tints", () => {
    const hex = fc.integer({ min: 0, max: 0xffffff }).map((n) => n.toString(16).padStart(6, "0"));
    const inks = { light: "#23201b", dark: "#e8e3d8" };
    fc.assert(
      fc.property(hex, (digits) => {
        const css = accentStyles(`#${digits}`, papers);
        const [light = "", dark = ""] = css.split("dark)");
        for (const [rules, paper, ink] of [
          [light, papers.light, inks.light],
          [dark, papers.dark, inks.dark],
        ] as const) {
          const accent = /--accent:(#[0-9a-f]{6})/.exec(rules)?.[1] ?? "";
          expect(contrast(accent, paper)).toBeGreaterThan(4.5);
          const tints = Array.from(rules.matchAll(/--heat\d:(#[0-9a-f]{6})/g), ([, tint]) => tint);
          expect(tints).toHaveLength(4);
          for (const tint of tints) expect(contrast(tint ?? "", ink)).toBeGreaterThan(4.5);
        }
      }),
    );
  });

  it("that can be read stays as it is", () => {
    expect(accentStyles("#7a1f3d", papers)).toContain("--accent:#7a1f3d;");
  });

  it("stands in the style sheet, under another name for browsers", async () => {
    const plain = await siteOf(archiveOf(article));
    const red = await siteOf(archiveOf(article, { site: { accent: "#aa0000" } }));
    expect(styleOf(red)).toContain("--accent:#aa0000;");
    expect(styleOf(red).startsWith(styleOf(plain))).toBe(true);
    expect([...red.keys()]).not.toEqual([...plain.keys()]);
  });

  it("that is no colour is a mistake of the configuration", () => {
    expect(() => configOf({ site: { accent: "red;}" } })).toThrow(/expected a colour/);
  });
});

describe("a logo", () => {
  /** Sizes of the pictures in an icon file. */
  async function picturesIn(ico: Buffer): Promise<number[]> {
    expect([ico.readUInt16LE(0), ico.readUInt16LE(2)]).toEqual([0, 1]);
    const sizes: number[] = [];
    for (let at = 0; at < ico.readUInt16LE(4); at++) {
      const entry = 6 + 16 * at;
      const start = ico.readUInt32LE(entry + 12);
      const png = ico.subarray(start, start + ico.readUInt32LE(entry + 8));
      const { format, width, height } = await sharp(png).metadata();
      expect([format, width, height]).toEqual(["png", ico[entry], ico[entry + 1]]);
      sizes.push(width);
    }
    return sizes;
  }

  const iconsIn = (html: string): string[] =>
    Array.from(
      html.matchAll(/<link rel="(?:apple-touch-)?icon" href="([^"]*)"/g),
      ([, href = ""]) => href,
    );

  it("makes the icons of browsers, phones and home screens", async () => {
    const site = await siteOf(archiveOf(article));
    const icons = iconsIn(String(site.get("index.html")));
    expect(icons[0]).toBe("favicon.ico");
    expect(icons).toHaveLength(3);
    expect(icons.every((icon) => site.has(icon))).toBe(true);
    expect(await picturesIn(site.get("favicon.ico") as Buffer)).toEqual([32, 48]);
    const touch = await sharp(site.get(icons[2] ?? "")).metadata();
    expect([touch.width, touch.height, touch.hasAlpha]).toEqual([180, 180, false]);
    const manifest = JSON.parse(String(site.get("manifest.webmanifest")));
    for (const { src, sizes, type } of manifest.icons) {
      const picture = await sharp(site.get(src)).metadata();
      if (type === "image/png") expect(`${picture.width}x${picture.height}`).toBe(sizes);
    }
    expect(manifest.icons).toHaveLength(3);
  });

  it.each([
    ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"/>'), true],
    ["PNG", undefined, false],
  ])(
    "of the publisher (%s) stands beside the title and in the icons",
    async (_, given, isVector) => {
      const picture = { width: 120, height: 40, channels: 3, background: "#c00" } as const;
      const bytes = given ?? (await sharp({ create: picture }).png().toBuffer());
      const logo = join(folderOf({ logo: bytes }), "logo");
      const site = await siteOf(archiveOf(article, { site: { logo } }));
      const html = String(site.get("articles/one.html"));
      const shown = /<img class="logo" src="\.\.\/([^"]*)" alt="" width="120" height="40">/.exec(
        html,
      );
      expect(site.has(shown?.[1] ?? "")).toBe(true);
      expect(iconsIn(html).some((icon) => icon.endsWith(".svg"))).toBe(isVector);
      expect(await picturesIn(site.get("favicon.ico") as Buffer)).toEqual([32, 48]);
    },
  );

  it.each([
    ["is not there", undefined, /site\.logo: .*no such file/],
    ["is no picture", "text", /site\.logo: .*not a picture/],
  ])("that %s is a mistake of the configuration", async (_, content, message) => {
    const logo = join(folderOf(content === undefined ? {} : { logo: content }), "logo");
    const archive = archiveOf(article, { site: { logo } });
    await expect(siteOf(archive)).rejects.toThrow(message);
    await expect(siteOf(archive)).rejects.toThrow(ConfigError);
  });
});

describe("the navigation", () => {
  it("has the configured entries in their order", async () => {
    const nav = [
      "tags",
      { title: "Imprint & <law>", url: "https://example.org/imprint/" },
    ] as const;
    const tags = [{ slug: "sea", title: "Sea" }];
    const archive = archiveOf({ ...article, tags }, { site: { nav: [...nav, "galleries"] } });
    const html = archive.page("tags/index.html");
    const main = /<nav aria-label="Main".*?<\/nav>/s.exec(html)?.[0] ?? "";
    const links = Array.from(
      main.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g),
      ([, href, title]) => [href, title],
    );
    expect(links).toEqual([
      ["index.html", "Tags"],
      ["https://example.org/imprint/", "Imprint &amp; &lt;law&gt;"],
    ]);
    expect(main.match(/aria-current/g)).toHaveLength(1);
  });

  it.each([
    [["article"]],
    [[{ title: "Run", url: "javascript:alert(1)" }]],
    [[{ title: "", url: "https://example.org" }]],
  ])("refuses %j", (nav) => {
    expect(() => configOf({ site: { nav } as never })).toThrow();
  });
});

describe("a theme", () => {
  it("may add a style sheet, and lines to the head and the foot", async () => {
    const folder = folderOf({
      "assets/custom.css": ":root { --paper: #ffeedd; }",
      "partials/head.eta": '<meta name="owner" content="<%= it.siteTitle %>">\n',
      "partials/foot.eta": "<p>Of <%= it.title %></p>\n",
    });
    const site = await siteOf(archiveOf(article, { site: { title: "A & B" } }), folder);
    const html = String(site.get("articles/one.html"));
    expect(html).toContain('<meta name="owner" content="A &amp; B">\n</head>');
    expect(html).toContain("<p>Of One</p>\n</footer>");
    const sheets = Array.from(html.matchAll(/<link rel="stylesheet" href="\.\.\/([^"]*)">/g));
    expect(sheets.map(([, href = ""]) => href.replace(/\.\w{8}\./, "."))).toEqual([
      "assets/style.css",
      "assets/custom.css",
    ]);
    expect(sheets.every(([, href = ""]) => site.has(href))).toBe(true);
  });

  it("may bring fonts, which its style sheet names as they are in the folder", async () => {
    const css = '@font-face { src: url("fonts/own.woff2"), url( own.png ), url("no.woff2"); }';
    const font = { "assets/fonts/own.woff2": "font", "assets/own.png": "picture" };
    const folder = folderOf({ "assets/custom.css": css, ...font });
    const site = await siteOf(archiveOf(article), folder);
    const [path = "", sheet] = [...site].find(([path]) => /\/custom\./.test(path)) ?? [];
    const urls = Array.from(String(sheet).matchAll(/url\("([^"]*)"\)/g), ([, url = ""]) => url);
    const published = urls.map((url) => new URL(url, `http://host/${path}`).pathname.slice(1));
    expect(published.map((file) => String(site.get(file)))).toEqual([
      "font",
      "picture",
      "undefined",
    ]);
  });

  it("may have another paper, and browsers are told", async () => {
    const css =
      ":root { --paper: #ffeedd; } @media (prefers-color-scheme: dark) { :root { --paper: #001122 } }";
    const site = await siteOf(archiveOf(article), folderOf({ "assets/custom.css": css }));
    const html = String(site.get("index.html"));
    const colours = html.matchAll(/<meta name="theme-color" [^>]*content="([^"]*)">/g);
    expect(Array.from(colours, ([, colour]) => colour)).toEqual(["#ffeedd", "#001122"]);
  });

  it.each([
    [
      "a member that is missing",
      { "article.eta": "<p>\n<%= it.titel %>" },
      /article\.eta: .*line 2.*it\.titel.*undefined/s,
    ],
    [
      "a call of nothing",
      { "article.eta": "<%= it.f.nope() %>" },
      /article\.eta: .*line 1.*it\.f\.nope/s,
    ],
    [
      "a partial",
      { "partials/neighbours.eta": "\n\n<%= it.nobody %>" },
      /\.eta: .*partials\/neighbours\.eta: .*line 3.*it\.nobody/s,
    ],
    [
      "what cannot be compiled",
      { "article.eta": "<p>\n<% if (it.title { %>\n</p>" },
      /article\.eta: line 2\n +1\| <p>\n >> 2\| <% if \(it\.title \{ %>\n +3\| <\/p>\n\nUnexpected token '\{'$/,
    ],
    [
      "a block without an end",
      { "article.eta": "<% if (it.title) { %>\n<p>" },
      /article\.eta: line 1\n.*a \{ has no \}$/s,
    ],
    [
      "a block without a beginning",
      { "article.eta": "<p>\n<% } %>\n<%= it.title %>" },
      /article\.eta: line 2\n.*a \} has no \{$/s,
    ],
    ["a tag without an end", { "article.eta": "\n<% if (it.title" }, /article\.eta: .*line 2 /],
  ])("is told the file and the line of %s", async (_, files, message) => {
    const site = siteOf(archiveOf(article), folderOf(files));
    await expect(site).rejects.toThrow(message);
    await expect(site).rejects.toThrow(ConfigError);
  });

  it("is another one if the same words are those of another language", async () => {
    const digestWith = async (file: string) => {
      const folder = folderOf({ [file]: '{ "newer": "Plus" }' });
      return (await loadTheme(folder, configOf().site)).digest;
    };
    expect(await digestWith("words/fr.json")).toBe(await digestWith("words/fr.json"));
    expect(await digestWith("words/fr.json")).not.toBe(await digestWith("words/it.json"));
  });

  it("whose folder is not there is a mistake, unless it is the usual one", async () => {
    const nowhere = join(folderOf(), "nowhere");
    const { site } = configOf({ site: { templates: nowhere } });
    await expect(loadTheme(nowhere, site)).rejects.toThrow(/site\.templates: .*no such folder/);
    await expect(loadTheme(nowhere, configOf().site)).resolves.toHaveProperty("papers");
  });
});

describe("the description for browsers' search", () => {
  it("names the page and where the words go", () => {
    const site = { url: "https://archive.example/old", title: "A & B, the long name of it" };
    const archive = archiveOf(article, { site });
    const xml = archive.page("opensearch.xml");
    expect(xml).toContain("<ShortName>A &amp; B, the long</ShortName>");
    expect(xml).toContain('template="https://archive.example/old/search.html?q={searchTerms}"');
    expect(archive.page("articles/one.html")).toContain(
      '<link rel="search" type="application/opensearchdescription+xml" title="A &amp; B, the long name of it" href="../opensearch.xml">',
    );
  });

  it.each([
    ["without an address", {}],
    ["without a search page", { url: "https://archive.example", search: "off" as const }],
  ])("is not there %s", (_, site) => {
    const archive = archiveOf(article, { site });
    expect(archive.keys().has("opensearch.xml")).toBe(false);
    expect(archive.page("index.html")).not.toContain("opensearch");
  });
});
