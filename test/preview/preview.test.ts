import { existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { ConfigError } from "../../src/errors.ts";
import { walkSorted } from "../../src/lib/files.ts";
import { withReload } from "../../src/preview/open-pages.ts";
import { Preview } from "../../src/preview/preview.ts";
import { builtInTemplates } from "../../src/site/templates.ts";
import { type Press, startPress } from "../support/archive.ts";
import { configure, save, themeOf } from "./support.ts";

const root = "api/v1";
let press: Press;
let preview: Preview;

beforeAll(async () => {
  press = await startPress({ pressed: true });
  configure(press);
  const { out, configFile } = press;
  preview = new Preview({ out, root, configFile, load: () => loadConfig({ file: configFile }) });
  await preview.refresh();
});
afterAll(async () => {
  preview.close();
  await press.close();
});

const saveInTheme = (name: string, content: string | Uint8Array): void =>
  save(join(themeOf(press), name), content);
const builtIn = (name: string): string => readFileSync(join(builtInTemplates, name), "utf8");

async function contentOf(path: string): Promise<Buffer | undefined> {
  const file = await preview.open(path);
  if (file === undefined) return undefined;
  const body = await file.body();
  return body instanceof Uint8Array ? Buffer.from(body) : buffer(body);
}

/** Paths of the website's files that a build makes otherwise than the preview shows them. */
async function differencesFromBuild(): Promise<string[]> {
  const { code, stderr } = await press.run("build");
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const folder = join(press.out, "public");
  const differing: string[] = [];
  for (const path of walkSorted(folder)) {
    if (path.startsWith(`${root}/`) || path === ".nojekyll") continue;
    const made = readFileSync(join(folder, path));
    const isPage = path.endsWith(".html");
    const expected = isPage ? Buffer.from(withReload(String(made), preview.version())) : made;
    if ((await contentOf(path))?.equals(expected) !== true) differing.push(path);
  }
  return differing;
}

describe("the files of a preview", () => {
  it("are those of a build with another theme, each of them", async () => {
    const dot = sharp({ create: { width: 64, height: 64, channels: 3, background: "#36a" } });
    save(join(press.folder, "logo.png"), await dot.png().toBuffer());
    saveInTheme("assets/custom.css", ":root { --paper: #fffdf0; }");
    saveInTheme("partials/foot.eta", "<p>foot of <%= it.siteTitle %></p>");
    const searchWords = builtIn("assets/search-words.js");
    saveInTheme("assets/search-words.js", searchWords.replaceAll("toLowerCase", "toUpperCase"));
    configure(press, { logo: join(press.folder, "logo.png"), accent: "#a02050" });
    await preview.refresh();
    expect(await differencesFromBuild()).toEqual([]);
    expect(String(await contentOf("index.html"))).toContain("<p>foot of ");
  });

  it("are those of a build with other words, each of them", async () => {
    saveInTheme("words/en.json", '{ "section.archive": "Years and months" }');
    await preview.refresh();
    expect(await differencesFromBuild()).toEqual([]);
    expect(String(await contentOf("index.html"))).toContain("Years and months");
  });

  it("are those of a build with other settings, each of them", async () => {
    configure(press, { title: "Another title", perPage: 5, search: "off", url: "https://a.test" });
    await preview.refresh();
    expect(existsSync(join(press.out, "public/search.html"))).toBe(true);
    expect(await preview.open("search.html")).toBeUndefined();
    expect(await differencesFromBuild()).toEqual([]);
  });

  it("are of one build for each request, while another one is published", async () => {
    const publicRoot = join(press.out, "public");
    const path = `${root}/mirror.json`;
    const before = readFileSync(join(publicRoot, path), "utf8");
    save(join(press.folder, "other", path), "another build");
    const files = preview.pinned();
    renameSync(publicRoot, `${publicRoot}-before`);
    symlinkSync(join(press.folder, "other"), publicRoot);
    const texts = [files, preview].map(async (of) => (await of.open(path))?.text());
    expect(await Promise.all(texts)).toEqual([before, "another build"]);
    rmSync(publicRoot);
    renameSync(`${publicRoot}-before`, publicRoot);
  });

  it("stay away while the theme has a mistake, and the API's do not", async () => {
    await preview.refresh();
    const version = preview.version();
    saveInTheme("home.eta", "<% if ( %>");
    await preview.refresh();
    await expect(preview.open("articles/index.html")).rejects.toThrow(ConfigError);
    expect(await preview.open(`${root}/articles/index.json`)).toBeDefined();
    saveInTheme("home.eta", builtIn("home.eta"));
    await preview.refresh();
    expect(await preview.open("articles/index.html")).toBeDefined();
    expect(preview.version()).toBe(version);
  });
});
