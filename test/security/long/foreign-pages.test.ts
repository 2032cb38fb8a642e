// A page of another site in the reviewer's browser while `serve --watch` runs: by this machine's address, and by a name
// of its own that it points there.
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { previewHandler } from "../../../src/preview/handler.ts";
import { OpenPages } from "../../../src/preview/open-pages.ts";
import { listen, localArchive, type RunningServer } from "../../../src/serve/server.ts";
import { chromiumPath, startChromium } from "../../support/browser.ts";
import { found, requireProgram } from "../../support/programs.ts";
import { api, article, type Published, publishArchive } from "../served.ts";

const inPage = readFileSync(new URL("../in-page/tried.js", import.meta.url), "utf8");

requireProgram(chromiumPath);

describe.runIf(found(chromiumPath))("a page of another site", () => {
  let published: Published;
  let archive: ReturnType<typeof localArchive>;
  let server: RunningServer;
  let evil: Server;
  let browser: Browser;
  let page: Page;
  const pages = new OpenPages();
  let answered: string[] = [];

  beforeAll(async () => {
    published = publishArchive();
    archive = localArchive(published);
    const handler = previewHandler({
      answer: archive.handler,
      pages,
      version: () => "first",
      onFailure: () => {},
    });
    server = await listen(handler, {
      log: ({ url, status }) => answered.push(`${status} ${url}`),
    });
    evil = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><p>evil");
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    browser = await startChromium(
      "--host-resolver-rules=MAP *.example 127.0.0.1",
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    );
    page = await browser.newPage();
    await page.goto(`http://evil.example:${(evil.address() as AddressInfo).port}/`);
  });
  afterAll(async () => {
    await browser?.close();
    evil?.close();
    await server?.close();
    await archive?.close();
    published?.close();
  });

  /** What a script of that page can find out about an address by each means that it has. */
  async function tried(url: string): Promise<string[]> {
    await page.evaluate(inPage);
    return page.evaluate<string[]>(`tried(${JSON.stringify(url)})`);
  }

  it.each([
    "/",
    "/search/subjects.js",
    `${api}/articles/${article}`,
    `${api}/articles?tags=a,b`,
    `${api}/images/x.jpg?width=7`,
    "/_preview/changes",
    "/_preview/reload.js",
  ])("reads nothing and makes nothing be made by this machine's address: %s", async (path) => {
    answered = [];
    const result = await tried(server.url + path);
    expect(result).toEqual(["failed", "failed", "failed", "failed"]);
    // Each of its requests was heard, and none was answered.
    expect(answered.length).toBeGreaterThanOrEqual(5);
    expect(answered.filter((one) => !one.startsWith("403 "))).toEqual([]);
    expect(pages.count).toBe(0);
  });

  it("reads nothing by a name of its own that it points at this machine", async () => {
    const other = await browser.newPage();
    const answer = await other.goto(`http://evil.example:${server.port}/`);
    expect(answer?.status()).toBe(421);
    const statuses = await other.evaluate(
      async (all) => {
        const asked = all.map(async (path) => (await fetch(path)).status);
        return Promise.all(asked);
      },
      ["/", `${api}/articles`, "/_preview/changes", "/search/subjects.js"],
    );
    expect(statuses).toEqual([421, 421, 421, 421]);
    await other.close();
  });

  it("may link to the archive, which then works as ever and hears of changes", async () => {
    await page.setContent(`<a href="${server.url}/">archive</a>`);
    await page.getByText("archive", { exact: true }).click();
    await page.waitForURL(`${server.url}/`);
    expect(await page.textContent("body")).toContain("the archive");
    const stream = 'new EventSource("/_preview/changes?shown=none")';
    const told = await page.evaluate(
      `new Promise((resolve) => { ${stream}.onmessage = () => resolve("told"); })`,
    );
    expect(told).toBe("told");
    const title = await page.evaluate(
      `fetch("${api}/articles/${article}").then(async (answer) => (await answer.json()).data.id)`,
    );
    expect(title).toBe(article);
  });

  it("cannot hold more than a bounded number of event streams", async () => {
    const streams = Array.from({ length: 80 }, () => fetch(`${server.url}/_preview/changes`));
    const statuses = (await Promise.all(streams)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(80 - 64);
    expect((await fetch(`${server.url}/`)).status).toBe(200);
  });
});
