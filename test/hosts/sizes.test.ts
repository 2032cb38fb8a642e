import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostNames } from "../../src/config/host-names.ts";
import { loadContent } from "../../src/demo/folder.ts";
import type { Report } from "../../src/publish/report.ts";
import { startServer } from "../../src/serve/server.ts";
import { type Press, startPress } from "../support/archive.ts";
import {
  installed,
  isHere,
  type RunningHost,
  serverNames,
  startWebServer,
} from "../support/web-servers.ts";
import { deployOf, startCloudflare } from "./emulate.ts";

/*
 * What the document says of sizes, "Image binary retrieval", with pixels of 4,000 × 3,000. Rule 3: "Scaling never
 * exceeds the original dimensions. A larger request returns the original size (scale of 200 returns 100%)." Where a
 * host cannot make images, it must not send less than what was asked for, nor another picture.
 */
const root = "api/v1";
const hosts = ["serve", "cloudflare", ...serverNames] as const;

let folder: string;
let press: Press;
let limits: Report["limits"];
const running = new Map<string, RunningHost>();
const images: Record<string, string> = {};

/** Pixels that tell which part of the picture is where, of a camera that may have been held on its side. */
async function picture(orientation: number): Promise<Buffer> {
  const [width, height] = orientation > 4 ? [3000, 4000] : [4000, 3000];
  const create = { width, height, channels: 3 as const, background: "#246" };
  return sharp({ create }).jpeg({ quality: 30 }).withMetadata({ orientation }).toBuffer();
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-sizes-"));
  writeFileSync(
    join(folder, "articles.ndjson"),
    JSON.stringify({
      title: "One",
      slug: "one",
      date: "2024-05-02T10:00:00Z",
      html: "<p>One.</p>",
    }),
  );
  writeFileSync(join(folder, "upright.jpg"), await picture(1));
  writeFileSync(join(folder, "turned.jpg"), await picture(6));
  press = await startPress({
    origin: { content: await loadContent(folder), rate: null },
    config: {
      media: { formats: ["jpeg"], unproved: "publish" },
      hosts: hostNames as unknown as Record<string, unknown>,
    },
  });
  const { code, stderr, report } = await press.run("snapshot");
  expect([code, stderr]).toEqual([0, expect.anything()]);
  limits = report.limits;
  const publicRoot = realpathSync(join(press.out, "public"));
  running.set("serve", await startServer({ publicRoot, root }));
  running.set("cloudflare", await startCloudflare(deployOf(press.out, "cloudflare")));
  for (const name of serverNames.filter(installed)) {
    const deploy = join(press.out, "deploy", name);
    running.set(name, await startWebServer(name, { publicRoot, deploy }));
  }
  const list = (await json("serve", "/images")) as { data: { id: string; title: string }[] };
  for (const { id, title } of list.data) images[title.toLowerCase()] = id;
}, 300_000);

afterAll(async () => {
  for (const host of running.values()) await host.close();
  await press?.close();
  rmSync(folder, { recursive: true });
});

async function get(host: string, path: string): Promise<Response> {
  return fetch(`${running.get(host)?.url}/${root}${path}`);
}

async function json(host: string, path: string): Promise<unknown> {
  return (await get(host, path)).json();
}

describe.each(hosts)("%s", (host) => {
  if (!isHere(host)) return;
  it.each([
    // Larger than each rendition in between: the original's size, or exactly where images can be made.
    ["width=2000", [4000, 3000], [2000, 1500]],
    ["width=5000", [4000, 3000], [4000, 3000]],
    ["height=1400", [4000, 3000], [1867, 1400]],
    ["height=9999", [4000, 3000], [4000, 3000]],
    ["scale=100", [4000, 3000], [4000, 3000]],
    ["scale=200", [4000, 3000], [4000, 3000]],
    ["scale=60", [4000, 3000], [2400, 1800]],
    ["scale=50", [2000, 1500], [2000, 1500]],
    ["width=500", [640, 480], [500, 375]],
    // "Scale and crop to that size", by a larger box of the same shape, never by the whole picture.
    ["width=300&height=200", [600, 400], [300, 200]],
    ["width=250&height=250", [300, 300], [250, 250]],
    ["width=500&height=300", undefined, [500, 300]],
    ["width=5000&height=100", undefined, [4000, 100]],
    // The document tells of each alone.
    ["width=320&scale=10", [320, 240], [320, 240]],
    ["scale=200&height=480", [640, 480], [640, 480]],
    ["scale=50&width=600&height=400", [600, 400], [600, 400]],
  ])("answers ?%s with %j, or %j where it makes images", async (query, stored, exact) => {
    const size = host === "serve" ? exact : stored;
    for (const name of ["upright", "turned"]) {
      const answer = await get(host, `/images/${images[name]}.jpg?${query}`);
      const type = size === undefined ? "application/json" : "image/jpeg";
      const status = size === undefined ? 404 : 200;
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, type]);
      if (size === undefined) continue;
      const { width, height, orientation } = await sharp(await answer.arrayBuffer()).metadata();
      expect([name, width, height, orientation ?? 1]).toEqual([name, ...size, 1]);
    }
  });
});

it("says of each host what it does with sizes that are not there", () => {
  const said = (host: string): string[] =>
    limits.filter((limit) => limit.host === host).map(({ text }) => text);
  const nearest =
    "images in a width, height or scale that was not precomputed are answered with the nearest larger one, up to the original's size";
  const boxes =
    "images in a width and height together that were not precomputed are answered with the nearest larger one of nearly that shape, or with 404 where there is none";
  for (const host of hostNames) {
    expect(said(host)).toEqual(expect.arrayContaining([nearest, boxes]));
  }
});
