import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { type Press, startPress } from "../../support/archive.ts";
import { altered } from "../altered.ts";
import { type Carriers, loadContent, withViews } from "../browser/content.ts";
import { drawPayloads, type Payload } from "../browser/payloads.ts";
import { startServe } from "../browser/serve.ts";
import { faultOfXml, search, startBrowser, visitPages } from "../browser/visit.ts";
import type { Finding, Scenario } from "../scenario.ts";

const counted = (value: number): string => value.toLocaleString("en");

const payloadCount = 400;
/** Of the raw vectors that are opened unprotected, the share that must be noticed. */
const noticedShare = 0.9;

/** All payloads in each of nine fields, and a share of them in the others. */
const short: Carriers = { articles: 400, galleries: 60, images: 400, categories: 30, tags: 60 };
const whole: Carriers = { articles: 400, galleries: 400, images: 400, categories: 400, tags: 400 };

/** What somebody at the origin can write never runs in the browser of somebody who reads the archive. */
export const browser: Scenario = {
  name: "browser",
  what: "400 payloads in every field of the API, every page opened in Chromium",
  async run({ long, seed, folder, note }) {
    const chromium = await startBrowser();
    try {
      note("raw vectors, unprotected");
      const control = await openUnprotected(chromium, seed, folder);
      note("pressing");
      const pressed = await pressAndVisit(chromium, drawPayloads(seed, payloadCount), long, note);
      return {
        figures: [...control.figures, ...pressed.figures],
        violations: [...control.violations, ...pressed.violations],
      };
    } finally {
      await chromium.close();
    }
  },
};

/** What the net catches when nothing is in its way: a net with holes proves nothing. */
async function openUnprotected(chromium: Browser, seed: number, folder: string): Promise<Finding> {
  const own = `${pathToFileURL(folder).href}/`;
  const vectors = new Map<string, Payload>();
  for (const payload of drawPayloads(seed, 2_500)) {
    if (payload.context === "bare") vectors.set(payload.vector, payload);
  }
  const urls = [...vectors.values()].map(({ number, text }) => {
    writeFileSync(join(folder, `${number}.html`), `<!doctype html><title>x</title><body>${text}`);
    return `${own}${number}.html`;
  });
  const { faults } = await visitPages(chromium, urls, own);
  const noticed = {
    pages: new Set(faults.map((fault) => fault.split(":")[0])).size,
    feeds: 0,
  };
  for (const { text } of vectors.values()) {
    const feed = `<feed><summary>${text}</summary></feed>`;
    if ((await faultOfXml(chromium, feed)) !== undefined) noticed.feeds++;
  }
  const all = urls.length;
  const few = Object.entries(noticed).filter(([, count]) => count < all * noticedShare);
  return {
    figures: [
      `of ${all} vectors that nothing cleans, ${noticed.pages} are noticed in pages, ${noticed.feeds} in feeds`,
    ],
    violations: few.map(
      ([place, count]) => `only ${count} of ${all} raw vectors are noticed in ${place}`,
    ),
  };
}

async function pressAndVisit(
  chromium: Browser,
  payloads: readonly Payload[],
  long: boolean,
  note: (text: string) => void,
): Promise<Finding> {
  const { content, viewOf, pairs } = await loadContent(payloads, long ? whole : short);
  const press: Press = await startPress({
    origin: {
      content,
      pageSize: 100,
      intercept: altered(
        () => press.origin.baseUrl,
        (text) => withViews(text, viewOf),
      ),
    },
    config: {
      origin: { rate: { requests: 100_000, perSeconds: 1 } },
      media: { formats: ["jpeg"], variants: [] },
      site: { url: "https://archive.example" },
    },
    size: { articles: 1, galleries: 1, images: 1 },
  });
  try {
    const { code, stderr } = await press.run("snapshot");
    if (code !== 0) {
      const last = stderr.trim().split("\n").slice(-3).join(" | ");
      return { figures: [], violations: [`the snapshot ended with ${code}: ${last}`] };
    }
    const root = join(press.out, "public");
    const files = readdirSync(root, { recursive: true }) as string[];
    const pages = files.filter((path) => path.endsWith(".html"));
    const own = `${pathToFileURL(root).href}/`;
    note(`${pages.length} pages from the folder`);
    // The page for missing addresses is shown at any depth: its links start at the root of a host.
    const inFolder = pages.filter((path) => path !== "404.html");
    const fromFolder = await visitPages(
      chromium,
      inFolder.map((path) => own + path),
      own,
    );
    const served = await startServe(press.configFile);
    const chosen = long ? pages : pages.filter((_, at) => at % 6 === 0);
    note(`${chosen.length} pages from the server`);
    const faults: string[] = [];
    let fromServer = { pages: 0, elements: 0, faults };
    let searched = 0;
    try {
      const base = `${served.url}/`;
      fromServer = await visitPages(
        chromium,
        chosen.map((path) => base + path),
        base,
      );
      const words = ["article", "alert", "onerror", "script", "window", "<img", "canary"];
      searched = await search(chromium, `${base}search.html`, base, words, faults);
    } finally {
      await served.stop();
    }
    const feeds = files.filter((path) => /\.(?:xml|atom|rss)$/.test(path));
    for (const path of feeds) {
      const fault = await faultOfXml(chromium, readFileSync(join(root, path), "utf8"));
      if (fault !== undefined) faults.push(`${path}: ${fault}`);
    }
    return {
      figures: [
        `${payloads.length} payloads, ${counted(pairs)} pairs of a payload and a field`,
        `${counted(fromFolder.pages)} pages from the folder and ${counted(fromServer.pages)} from the server, ` +
          `${counted(fromFolder.elements + fromServer.elements)} elements looked at`,
        `${searched} searches, ${feeds.length} XML files`,
      ],
      violations: [
        ...(searched === 0 ? ["nothing could be searched for"] : []),
        ...[...fromFolder.faults, ...fromServer.faults, ...faults],
      ],
    };
  } finally {
    await press.close();
  }
}
