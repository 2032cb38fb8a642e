import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lookup } from "mrmime";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import type { Config } from "../../src/config.ts";
import { startChromium } from "../support/browser.ts";
import { type Archive, api, type Content, createArchive, writeSite } from "./fixture.ts";

/** A website in a folder, and a browser to open it with. */
export interface OpenSite {
  archive: Archive;
  folder: string;
  /** Files of the website, relative to the folder. */
  paths: string[];
  browser: Browser;
  urlOf(path: string): string;
  close(): Promise<void>;
}

const long =
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3);
/** Every kind of page, with content that tries to load things from elsewhere. */
async function everyKind(): Promise<Content> {
  const dot = sharp({ create: { width: 9, height: 9, channels: 3, background: "#a33" } });
  const inline = `data:image/png;base64,${(await dot.png().toBuffer()).toString("base64")}`;
  const images = Array.from({ length: 7 }, (_, at) => `i${at}`);
  return {
    categories: [
      { id: "c", title: "Nature", slug: "nature" },
      { id: "d", title: "Application programming interface", slug: "api" },
    ],
    tags: [{ slug: "sea", title: long }],
    images: [
      ...images.map((id, at) => ({
        ...{ id, moves: at === 0, size: [900 + at * 100, 700] as [number, number] },
      })),
      { id: "lost", kept: false, title: long },
      { id: "held", state: "attached" as const },
    ],
    files: [
      { id: "v", kind: "videos", type: "video/mp4", extension: "mp4" },
      { id: "s", kind: "audio", type: "audio/mpeg", extension: "mp3" },
      { id: "d", kind: "documents", title: long },
    ],
    articles: [
      {
        id: "rich",
        title: long,
        synopsis: long,
        category: { id: "c", title: "Nature" },
        tags: ["sea", long],
        images: [...images.slice(0, 3), "lost", "held"],
        videos: ["v"],
        audio: ["s"],
        documents: ["d"],
        body: `<h1>Head</h1><p>${long} <a href="https://media.example.org/view/articles/plain#x">other</a></p>
            <p><img src="${api}/images/i0.jpg?width=640" alt="a"></p>
            <p><img src="https://tracker.example/p.gif"><img src="${api}/images/held.jpg"></p>
            <iframe src="https://video.example/1"></iframe><script src="https://evil.example/x.js"></script>
            <video src="https://video.example/1.mp4"></video><link rel="stylesheet" href="https://evil.example/x.css">
            <p style="background:url(https://evil.example/x.png)">styled</p>
            <table><tr>${"<td>a wide cell</td>".repeat(30)}</tr></table><pre>${"x".repeat(300)}</pre>`,
      },
      {
        id: "plain",
        title: "مقال بالعربية",
        images: ["i4"],
        body: `<p id="x">Text</p><p><img alt="inline" src="${inline}"></p>`,
      },
      ...Array.from({ length: 30 }, (_, at) => ({
        id: `n${at}`,
        images: ["i5", "i6"],
        category: { id: "d", title: "Application programming interface" },
      })),
    ],
    galleries: [
      { id: "g", images, videos: ["v"], audio: ["s"] },
      { id: "h", images: ["i6", "i2"] },
      { id: "empty" },
    ],
    problems: [{ subject: `image ${long}`, reason: "download: 404" }],
  };
}

/** Writes a website to a folder, and starts a browser. @param content by default, every kind of page */
export async function openSite(
  content?: Content,
  language = "en",
  settings: Partial<Config["site"]> = {},
): Promise<OpenSite> {
  const site = { title: "The Archive", language, ...settings };
  const archive = createArchive(content ?? (await everyKind()), { site });
  const folder = mkdtempSync(join(tmpdir(), "stillpress-browser-"));
  const paths = await writeSite(archive, folder);
  const browser = await startChromium();
  return {
    archive,
    folder,
    paths,
    browser,
    urlOf: (path) => pathToFileURL(join(folder, path)).href,
    async close() {
      await browser.close();
      archive.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A website in a folder that is served over HTTP, too. */
export interface ServedSite extends OpenSite {
  /** Without a slash at its end. */
  root: string;
}

/** As `openSite`. */
export async function openServedSite(content: Content, language = "en"): Promise<ServedSite> {
  const site = await openSite(content, language);
  const { url: root, close: stop } = await serveFolder(site.folder);
  const close = (): Promise<void> => {
    stop();
    return site.close();
  };
  return { ...site, root, close };
}

/** Serves a folder over HTTP, as a plain web server does. */
export async function serveFolder(folder: string) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    response.setHeader("Content-Type", lookup(pathname) ?? "text/plain");
    response.end(readFileSync(join(folder, decodeURIComponent(pathname))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

/** What a page complains of while something is done with it, and what it requests from elsewhere. */
export async function watched(
  page: Page,
  run: () => Promise<void>,
  base = "file:",
): Promise<string[]> {
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) complaints.push(`request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    // The fixture's videos are no videos, and a page that is left early ends its requests.
    const aborted = request.failure()?.errorText === "net::ERR_ABORTED";
    if (!aborted && !/\/media\//.test(request.url())) complaints.push(`failed: ${request.url()}`);
  });
  await run();
  return complaints;
}
