/**
 * What readers wait for: Lighthouse for telephones (median of the runs) on five kinds of page, the bytes of each on a
 * small screen, and the time to the first hit of a search on a slow processor.
 *
 *     pages [--public DIR] [--runs 5] [--query harbour]
 *
 * Shows the demo's archive where no folder is named. Needs Chromium; npx fetches Lighthouse. Nothing else should run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { lookup } from "mrmime";
import type { Browser, Page } from "playwright-core";
import { chromiumFlags, chromiumPath, startChromium } from "../test/support/browser.ts";
import { printCells } from "./lib.ts";

/** Lighthouse's names of what is shown of its report. Scores are of 100; times in milliseconds. */
const scores = ["performance", "accessibility", "best-practices", "seo"];
const audits = {
  "first paint": "first-contentful-paint",
  "largest paint": "largest-contentful-paint",
  blocked: "total-blocking-time",
  "layout shift": "cumulative-layout-shift",
};

interface LighthouseReport {
  categories: Record<string, { score: number }>;
  audits: Record<string, { numericValue: number }>;
}

/** As a host does: texts are compressed. */
async function serve(root: string): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = decodeURIComponent(pathname).replace(/\/$/, "/index.html");
    const type = lookup(path) ?? "application/octet-stream";
    const isText = /text|json|xml|javascript|svg/.test(type);
    try {
      const bytes = readFileSync(join(root, path));
      response.setHeader("Content-Type", type);
      if (isText) response.setHeader("Content-Encoding", "gzip");
      response.end(isText ? gzipSync(bytes) : bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Not synchronous: this process serves the pages. @throws Error when the program fails */
async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    env: { ...process.env, CHROME_PATH: chromiumPath },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}: exit ${code}`);
}

async function makeDemo(folder: string): Promise<string> {
  const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  await run(process.execPath, [main, "demo", "--quiet", "--out", folder]);
  return join(folder, "public");
}

/** The page of a kind with most to show. */
function largestIn(root: string, folder: string): string {
  const pages = readdirSync(join(root, folder)).filter((name) => /^(?!index).*\.html$/.test(name));
  const bytes = pages.map((name) => statSync(join(root, folder, name)).size);
  return `/${folder}/${encodeURIComponent(pages[bytes.indexOf(Math.max(...bytes))] as string)}`;
}

async function lighthouse(url: string, file: string): Promise<number[]> {
  const flags = `--chrome-flags=--headless ${chromiumFlags.join(" ")}`;
  const only = `--only-categories=${scores.join(",")}`;
  const output = ["--output=json", `--output-path=${file}`];
  await run("npx", ["--yes", "lighthouse@12.8.2", url, "--quiet", ...output, only, flags]);
  const report = JSON.parse(readFileSync(file, "utf8")) as LighthouseReport;
  return [
    ...scores.map((name) => (report.categories[name]?.score ?? 0) * 100),
    ...Object.values(audits).map((name) => report.audits[name]?.numericValue ?? Number.NaN),
  ];
}

/** Bytes on the wire for a page that is read to its end, on a screen of 390 × 844 with two pixels each way. */
async function weigh(browser: Browser, url: string): Promise<{ all: number; pictures: number }> {
  const page = await browser.newPage({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
  });
  const weight = { all: 0, pictures: 0 };
  page.on("requestfinished", async (request) => {
    const { responseBodySize, responseHeadersSize } = await request.sizes();
    weight.all += responseBodySize + responseHeadersSize;
    if (request.resourceType() === "image") weight.pictures += responseBodySize;
  });
  await page.goto(url, { waitUntil: "networkidle" });
  await readToTheEnd(page);
  await page.close();
  return weight;
}

async function readToTheEnd(page: Page): Promise<void> {
  const height = await page.evaluate<number>("document.documentElement.scrollHeight");
  for (let top = 0; top < height; top += 600) {
    await page.evaluate(`scrollTo(0, ${top})`);
    await page.waitForTimeout(100);
  }
  await page.waitForLoadState("networkidle");
}

/** Runs in the page: `waited` becomes the milliseconds from the last letter to the first hit. */
const timeResults = `
  document.addEventListener("input", () => { globalThis.typed = performance.now(); });
  new MutationObserver(() => { globalThis.waited ??= performance.now() - typed; })
    .observe(document.querySelector("#results"), { childList: true });`;

/** Milliseconds from the last letter of a fast typist to the first hit, on a processor made four times as slow. */
async function firstHit(browser: Browser, url: string, query: string): Promise<number> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(url, { waitUntil: "networkidle" });
  await page.evaluate(timeResults);
  await page.focus("#q");
  await page.keyboard.type(query, { delay: 50 });
  await page.waitForSelector("#results li");
  const waited = await page.evaluate<number>("waited");
  await page.close();
  return waited;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] as number;

const shown = (number: number): string => (number < 10 ? number.toFixed(2) : number.toFixed(0));
const kB = (bytes: number): string => (bytes / 1000).toFixed(1);

const { values } = parseArgs({
  options: {
    public: { type: "string" },
    runs: { type: "string", default: "5" },
    query: { type: "string", default: "harbour" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "stillpress-pages-"));
const browser = await startChromium();
try {
  const root = values.public ?? (await makeDemo(folder));
  const base = await serve(root);
  const kinds = ["articles", "galleries", "images"].map((kind) => largestIn(root, kind));
  const weights: string[][] = [];
  const rows: string[][] = [];
  for (const path of ["/", ...kinds, "/search.html"]) {
    const { all, pictures } = await weigh(browser, base + path);
    weights.push([path, kB(all), kB(all - pictures)]);
    const runs: number[][] = [];
    for (let n = 0; n < Number(values.runs); n++) {
      runs.push(await lighthouse(base + path, join(folder, "lighthouse.json")));
    }
    const columns = (runs[0] as number[]).map((_, at) => runs.map((one) => one[at] as number));
    rows.push([path, ...columns.map((column) => shown(median(column)))]);
  }
  printCells(`Lighthouse, median of ${values.runs}; milliseconds`, [
    ["", ...scores, ...Object.keys(audits)],
    ...rows,
  ]);
  printCells("kB at 390 px, two pixels each way", [["", "all", "without pictures"], ...weights]);
  const waits: number[] = [];
  for (let n = 0; n < Number(values.runs); n++) {
    waits.push(await firstHit(browser, `${base}/search.html`, values.query));
  }
  const searched = `"${values.query}", processor a quarter as fast`;
  printCells(searched, [
    ["", "milliseconds"],
    ["first hit after the last letter", shown(median(waits))],
  ]);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
