import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MappedUrl } from "../../src/routes/url-map.ts";
import { type Press, startPress } from "../support/archive.ts";
import { found, requireProgram } from "../support/programs.ts";

type Walk = (
  url: string,
  headers?: Record<string, string>,
) => AsyncIterable<{ id?: string; slug?: string }>;

const walkFile = new URL("../../examples/walk.mjs", import.meta.url);
const { walk } = (await import(walkFile.href)) as { walk: Walk };

requireProgram("python3");

/** Python's server for files, which knows nothing but folders and names. */
async function startPlainHost(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const args = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder];
  const child = spawn("python3", args, { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const port = /port (\d+)/.exec(line)?.[1];
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill();
      await once(child, "exit");
    },
  };
}

describe.runIf(found("python3")).each(["plain", "odd"] as const)(
  "the %s mirror on a host without rules",
  (personality) => {
    let press: Press;
    let host: Awaited<ReturnType<typeof startPlainHost>>;
    let lists: MappedUrl[];

    beforeAll(async () => {
      press = await startPress({
        personality,
        size: { articles: 50, galleries: 24, images: 60 },
        // Nothing tells which images are private, so that none is left out.
        origin: { rate: null, privateMarker: null },
        config: { media: { unproved: "publish", formats: ["jpeg"], variants: [] } },
      });
      const { code, stderr } = await press.run("snapshot");
      expect([code, stderr]).toEqual([0, expect.anything()]);
      // The folder above the publish root: an archive need not lie at the root of its host.
      host = await startPlainHost(press.out);
      const urlmap = readFileSync(join(press.out, "deploy/urlmap.json"), "utf8");
      lists = (JSON.parse(urlmap) as MappedUrl[]).filter(
        ({ url, file }) =>
          file.endsWith("/index.json") && !/[?&]page=/.test(url) && url !== `/${file}`,
      );
    });
    afterAll(async () => {
      await host.close();
      await press.close();
    });

    it("can be walked by its links: every list, every page, every item once, as at the origin", async () => {
      const { origin } = press;
      const authorization = { authorization: `Bearer ${origin.tokens.organisation}` };
      const root = new URL(origin.baseUrl).pathname;
      let walked = 0;
      let pages = 0;
      for (const { url, file } of lists) {
        // Lists without pages have nothing to be followed.
        if (/\/(?:categories|tags)\/index\.json$/.test(file)) continue;
        const ids: string[] = [];
        for await (const item of walk(`${host.url}/public/${file}`)) ids.push(String(item.id));
        expect(new Set(ids).size, url).toBe(ids.length);
        const expected: string[] = [];
        const there = origin.baseUrl + url.slice(root.length);
        for await (const item of walk(there, authorization)) expected.push(String(item.id));
        expect(ids, url).toEqual(expected);
        walked++;
        pages += Math.max(1, Math.ceil(ids.length / (personality === "plain" ? 20 : 7)));
      }
      // Indexes, filters, and the attachments of all articles and galleries.
      expect(walked).toBeGreaterThan(50 * 4 + 24 * 3);
      expect(pages).toBeGreaterThan(walked);
    });

    it("has types that a browser and a client understand", async () => {
      const expected: Record<string, RegExp> = {
        "index.html": /^text\/html/,
        "snapshot.html": /^text\/html/,
      };
      const some = lists[0] as MappedUrl;
      expected[some.file] = /^application\/json/;
      for (const [path, type] of Object.entries(expected)) {
        const response = await fetch(`${host.url}/public/${path}`);
        await response.arrayBuffer();
        expect([path, response.status]).toEqual([path, 200]);
        expect(response.headers.get("content-type")).toMatch(type);
      }
    });

    it("is printed by the example as its users run it", async () => {
      const articles = lists.find(({ url }) => url.endsWith("/articles")) as MappedUrl;
      const { stdout } = await promisify(execFile)(process.execPath, [
        walkFile.pathname,
        `${host.url}/public/${articles.file}`,
      ]);
      expect(stdout.trim().split("\n")).toHaveLength(50);
    });
  },
);
