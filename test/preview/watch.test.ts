import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { command, type Press, startPress } from "../support/archive.ts";
import { startChromium } from "../support/browser.ts";
import { contents } from "../support/contents.ts";
import { configure, save, themeOf } from "./support.ts";

let press: Press;
let server: ChildProcess;
let log: Promise<string>;
let url: string;
let browser: Browser;
let page: Page;
let filesBefore: Map<string, string>;

/** Digests of all files of the output folder. */
const filesIn = (folder: string): Map<string, string> =>
  new Map(Array.from(contents(folder), ({ path, bytes }) => [path, sha256(bytes)]));

const saveInTheme = (name: string, content: string): void =>
  save(join(themeOf(press), name), content);

/** Waits for what the browser shows after the last change, which may be on its way still. */
async function shown(look: (page: Page) => Promise<unknown>, expected: unknown): Promise<void> {
  await expect
    .poll(() => look(page).catch(() => "on its way"), { timeout: 20_000, interval: 20 })
    .toEqual(expected);
}

const title = (page: Page): Promise<string> => page.title();
const foot = (page: Page): Promise<string | null> =>
  page.locator("#own").textContent({ timeout: 200 });
const mistake = (page: Page): Promise<string | null> =>
  page.locator("pre").textContent({ timeout: 200 });

beforeAll(async () => {
  press = await startPress({ pressed: true });
  configure(press, { title: "First" });
  saveInTheme("partials/foot.eta", "<p id=own>one</p>");
  filesBefore = filesIn(press.out);
  const args = ["serve", "--watch", "--port", "0", "--config", press.configFile];
  server = spawn(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  log = text(server.stderr as NodeJS.ReadableStream);
  url = await new Promise((resolve) => {
    server.stdout?.once("data", (line: Buffer) => resolve(String(line).trim()));
  });
  browser = await startChromium();
  page = await browser.newPage();
  await page.goto(`${url}/index.html`);
});
afterAll(async () => {
  await browser?.close();
  server?.kill("SIGKILL");
  await press.close();
});

describe("a page that is open while its theme changes", () => {
  it("begins with the theme of the configuration, not with what is published", async () => {
    await shown(title, "First");
    await shown(foot, "one");
    const published = readFileSync(join(press.out, "public/index.html"), "utf8");
    expect(published).not.toContain("id=own");
    expect(published).not.toContain("_preview");
  });

  it("shows each change of a template, a style sheet and a setting by itself", async () => {
    for (const word of ["two", "three"]) {
      saveInTheme("partials/foot.eta", `<p id=own>${word}</p>`);
      await shown(foot, word);
    }
    for (const colour of ["rgb(1, 2, 3)", "rgb(4, 5, 6)"]) {
      saveInTheme("assets/custom.css", `body { background: ${colour} }`);
      await shown(
        (page) => page.evaluate("getComputedStyle(document.body).backgroundColor"),
        colour,
      );
    }
    configure(press, { title: "Second" });
    await shown(title, "Second");
  });

  it("says what is wrong with a template, and comes back when it is mended", async () => {
    saveInTheme("partials/foot.eta", "<p>\n<%= it.titel %></p>");
    await shown(
      async (page) =>
        /foot\.eta: line 2\n.*it\.titel.*undefined$/s.test((await mistake(page)) ?? ""),
      true,
    );
    saveInTheme("partials/foot.eta", "<p>\n<% if ( { %></p>");
    await shown(
      async (page) => /foot\.eta: line 2\n.*<% if/s.test((await mistake(page)) ?? ""),
      true,
    );
    saveInTheme("partials/foot.eta", "<p id=own>four</p>");
    await shown(foot, "four");
  });

  it("says what is wrong with the configuration, and comes back when it is mended", async () => {
    const good = readFileSync(press.configFile, "utf8");
    save(press.configFile, good.replace('"title"', '"titel"'));
    await shown(async (page) => /site\.titel/.test((await mistake(page)) ?? ""), true);
    save(press.configFile, good);
    await shown(title, "Second");
  });

  it("follows the configuration to another folder", async () => {
    const footElsewhere = join(press.folder, "other/partials/foot.eta");
    save(footElsewhere, "<p id=own>other</p>");
    configure(press, { title: "Third", templates: join(press.folder, "other") });
    await shown(foot, "other");
    save(footElsewhere, "<p id=own>changed there</p>");
    await shown(foot, "changed there");
  });

  it("has its pictures, and the API beside it, from what is published", async () => {
    await page.goto(`${url}/images/index.html`);
    await shown((page) => page.evaluate("document.images[0]?.naturalWidth > 0"), true);
    await page.goto(`${url}/index.html`);
    const answer = await fetch(`${url}/api/v1/articles?page=2`);
    const published = readFileSync(join(press.out, "public/api/v1/articles/page/2.json"), "utf8");
    const { meta, data } = JSON.parse(published);
    expect(await answer.json()).toMatchObject({
      meta: { total: meta.total },
      data: data.map(({ id }: { id: string }) => ({ id })),
    });
  });
});

describe("serve --watch", () => {
  it("changes no file of the output folder", () => {
    expect(filesIn(press.out)).toEqual(filesBefore);
  });

  it("shows a build that is published meanwhile", async () => {
    await page.evaluate("globalThis.isOld = true");
    expect((await press.run("build")).code).toBe(0);
    await shown((page) => page.evaluate("globalThis.isOld"), undefined);
    await shown(title, "Third");
  });

  it("tells a line for each change, and each mistake once, and ends as serve does", async () => {
    const ended = once(server, "exit");
    server.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    const lines = (await log).split("\n");
    const changes = lines.filter((line) => /^\d\d:\d\d:\d\d /.test(line));
    // A page that is being loaded at that moment may count as none, or as two.
    const told = changes.map((line) => line.slice(9).replace(/, \d pages? open, \d+ ms$/, ""));
    const [template, sheet, config] = ["partials/foot.eta", "assets/custom.css", "config.json"];
    expect(told).toEqual([
      ...[template, template, sheet, sheet, config],
      ...[template, template, template, config, config],
      ...[config, template, "the published build"],
    ]);
    expect(lines.filter((line) => line.startsWith("error: "))).toEqual([
      expect.stringMatching(/layout\.eta: line \d+$/),
      expect.stringMatching(/foot\.eta: line 2$/),
      expect.stringMatching(/site\.titel/),
    ]);
  });

  it("refuses a mistake that is there when it begins", async () => {
    configure(press);
    saveInTheme("home.eta", "<% if ( %>");
    const run = await press.run("serve", "--watch", "--port", "0");
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/home\.eta: line 1\n/);
  });
});
