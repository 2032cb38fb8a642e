/**
 * What a crawl costs, beside what fetching the same URLs alone costs.
 *
 *     crawl [--articles 2000] [--images 1000] [--concurrency 8]
 *
 * A demo origin runs in a process of its own. Each row is another process:
 *
 * - `fetch` is the floor: undici reads the text of every URL that the crawl asks for, with as many connections.
 * - `crawl` reads the origin into a new store, without a rate limit.
 * - `again` crawls the unchanged origin once more, as a quiet night does.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { createClient } from "../src/api/client.ts";
import { createLinkBook } from "../src/api/links.ts";
import { ConfigSchema } from "../src/config.ts";
import { runCrawl } from "../src/crawl/crawl.ts";
import { eachLimited } from "../src/lib/concurrency.ts";
import { createRoutes } from "../src/routes/table.ts";
import { openStore } from "../src/store/store.ts";
import { generateContent } from "../test/support/content.ts";
import { startOrigin } from "../test/support/origin.ts";
import { benchOptions, type Figures, inChild, printTable, report } from "./lib.ts";

const { sizes, part, args } = benchOptions({ articles: 2_000, images: 1_000, concurrency: 8 });
const file = fileURLToPath(import.meta.url);

/** What the processes of one run know of each other, through the environment. */
interface Run {
  baseUrl: string;
  token: string;
  folder: string;
}

const runVariable = "STILLPRESS_BENCH_RUN";
const urlsPath = ({ folder }: Run): string => join(folder, "urls.json");

/** The origin's process: tells its address, and the URLs it was asked for whenever it gets a message. */
async function serveOrigin(): Promise<void> {
  const { articles, images } = sizes;
  const galleries = Math.ceil(articles / 20);
  const content = await generateContent({ articles, galleries, images, seed: 1 });
  const origin = await startOrigin({ content });
  process.on("message", () => {
    process.send?.(origin.requests.splice(0).map(({ url }) => url));
  });
  process.once("disconnect", () => void origin.close());
  process.send?.({ baseUrl: origin.baseUrl, token: origin.tokens.organisation });
}

async function crawl({ baseUrl, token, folder }: Run): Promise<void> {
  const config = ConfigSchema.parse({
    origin: { baseUrl, rate: { requests: 1_000_000, perSeconds: 1 } },
    crawl: { concurrency: sizes.concurrency },
  });
  const store = openStore(join(folder, "store"));
  const client = createClient({ config, token });
  const links = createLinkBook();
  const { manifest } = await runCrawl({
    config,
    store,
    client,
    routes: createRoutes(config),
    links,
  });
  if (!manifest.complete) throw new Error("the crawl is not complete");
  store.close();
  await client.close();
}

async function fetchAll(run: Run): Promise<void> {
  const urls = JSON.parse(readFileSync(urlsPath(run), "utf8")) as string[];
  const pool = new Pool(new URL(run.baseUrl).origin, { connections: sizes.concurrency });
  const headers = { authorization: `Bearer ${run.token}`, accept: "application/json" };
  await eachLimited(urls, sizes.concurrency, async (path) => {
    const { statusCode, body } = await pool.request({ path, method: "GET", headers });
    await body.text();
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
  });
  await pool.close();
}

async function ask<T>(origin: ChildProcess): Promise<T> {
  const [answer] = (await once(origin, "message")) as [T];
  return answer;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "stillpress-bench-"));
  const origin = fork(file, ["--part", "origin", ...args], { execArgv: ["--import", "tsx"] });
  try {
    const run: Run = { ...(await ask<Omit<Run, "folder">>(origin)), folder };
    process.env[runVariable] = JSON.stringify(run);
    const requests = async (): Promise<string[]> => {
      origin.send("urls");
      return await ask<string[]>(origin);
    };
    const measured: { name: string; figures: Figures; requests: number }[] = [];
    for (const name of ["crawl", "again", "fetch"]) {
      const figures = inChild(file, name, args);
      const urls = await requests();
      if (name === "crawl") writeFileSync(urlsPath(run), JSON.stringify(urls));
      measured.push({ name, figures, requests: urls.length });
    }
    printTable(
      `a crawl of ${sizes.articles} articles and ${sizes.images} images`,
      measured,
      "fetch",
    );
    for (const { name, figures, requests } of measured) {
      const cpu = ((figures.cpuMs * 1000) / requests).toFixed(0);
      const rate = ((requests * 1000) / figures.wallMs).toFixed(0);
      process.stdout.write(
        `  ${name}: ${requests} requests, ${rate} a second, ${cpu} µs CPU each\n`,
      );
    }
  } finally {
    origin.disconnect();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (part === "origin") await serveOrigin();
else if (part === undefined) await main();
else {
  const run = JSON.parse(process.env[runVariable] as string) as Run;
  await report(() => (part === "fetch" ? fetchAll(run) : crawl(run)));
}
