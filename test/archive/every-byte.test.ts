/** Written from the API document: what an origin offers is looked for in what the product wrote. */
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultOptions, type Personality, personalities } from "../../src/demo/options.ts";
import { type Press, startPress } from "../support/archive.ts";
import { contents } from "../support/contents.ts";
import { type Item, type Offer, walkOrigin } from "../support/walker.ts";

/** Whether a value of the mirror is that of the origin, apart from URLs, which lead elsewhere. */
function same(origin: unknown, mirror: unknown): boolean {
  if (typeof origin === "string") {
    if (/^(?:https?:\/)?\/\S*$/.test(origin)) return true;
    return typeof mirror === "string" && withoutUrls(origin) === withoutUrls(mirror);
  }
  if (typeof origin !== "object" || origin === null) return Object.is(origin, mirror);
  if (typeof mirror !== "object" || mirror === null) return false;
  const keys = Object.keys(origin);
  return (
    keys.join() === Object.keys(mirror).join() &&
    keys.every((key) => same((origin as Item)[key], (mirror as Item)[key]))
  );
}

function withoutUrls(html: string): string {
  return html.replace(/\b(href|src|srcset)=(?:"[^"]*"|'[^']*'|[^\s>]+)/g, "$1");
}

describe.each(Object.keys(personalities) as Personality[])(
  "an archive of the %s origin",
  (name) => {
    let press: Press;
    let offer: Offer;
    let code: number | null;
    let stderr: string;
    /** The report as text: what is not in the archive is named there. */
    let report: string;
    let held: number;
    /** Files of the archive by the URL that they answer. */
    const answers = new Map<string, string>();
    const published = new Set<string>();
    const stored = new Set<string>();

    beforeAll(async () => {
      press = await startPress({
        personality: name,
        size: { articles: 44, galleries: 4, images: 16 },
        config: { media: { formats: ["jpeg"], variants: [{ width: 320 }] } },
      });
      const run = await press.run("snapshot");
      ({ code, stderr } = run);
      const { out, origin } = press;
      report = readFileSync(join(out, "report.json"), "utf8");
      held = run.report.output?.held ?? 0;
      if (code !== 0) return;
      offer = await walkOrigin(
        origin.baseUrl,
        origin.tokens.organisation,
        personalities[name].paths ?? defaultOptions.paths,
      );
      const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
      const shown = realpathSync(join(out, "public"));
      for (const { bytes } of contents(shown)) published.add(digest(bytes));
      for (const { bytes } of contents(join(out, "store", "blobs"))) stored.add(digest(bytes));
      const map = JSON.parse(readFileSync(join(out, "deploy", "urlmap.json"), "utf8"));
      for (const { url, file } of map) answers.set(url, join(shown, file));
    });
    afterAll(() => press.close());

    /** `data` of the mirror's answer to a path; the root of the mirror is the origin's base path, or /api. */
    const mirrored = (path: string): unknown => {
      const base = personalities[name].basePath ?? defaultOptions.basePath;
      const file = answers.get((base || "/api") + path);
      return file === undefined ? undefined : JSON.parse(readFileSync(file, "utf8")).data;
    };
    const mirroredRows = (path: string): Item[] => {
      const rows: Item[] = [];
      for (let page = 1; ; page += 1) {
        const more = mirrored(page === 1 ? path : `${path}?page=${page}`) as Item[] | undefined;
        if (more === undefined) return rows;
        rows.push(...more);
      }
    };
    /** Images that are attached and in no index: nothing says that they may be shown. */
    const unproved = (): Set<unknown> => {
      const indexed = new Set(offer.lists.get("/images")?.map(({ id }) => id));
      const lists = [...offer.lists].filter(([path]) => /(images|pictures)$/.test(path));
      const ids = lists.flatMap(([, rows]) => rows.map(({ id }) => id));
      return new Set(ids.filter((id) => !indexed.has(id)));
    };

    it("comes about at the first run", () => {
      expect([code, stderr]).toEqual([0, expect.anything()]);
    });

    it("has every row of every list", () => {
      const kept = unproved();
      expect(held).toBe(kept.size);
      const missing: string[] = [];
      for (const [path, rows] of offer.lists) {
        const mirror = mirroredRows(path);
        const ids = rows.map(({ id, slug }) => id ?? slug).filter((id) => !kept.has(id));
        const inMirror = mirror.map(({ id, slug }) => id ?? slug);
        const isIndex = path.lastIndexOf("/") === 0;
        if (
          isIndex
            ? [...ids].sort().join() !== [...inMirror].sort().join()
            : ids.join() !== inMirror.join()
        ) {
          missing.push(`${path}: ${inMirror} instead of ${ids}`);
        }
        for (const row of rows) {
          if (kept.has(row.id) || mirror.some((one) => same(row, one))) continue;
          missing.push(`${path}: ${row.id ?? row.slug} has another value`);
        }
      }
      expect(missing).toEqual([]);
      expect(offer.lists.size).toBeGreaterThan(48);
    });

    it("has every object that is asked for by its id", () => {
      const other = [...offer.singles].filter(([path, item]) => !same(item, mirrored(path)));
      expect(other.map(([path]) => path)).toEqual([]);
      expect(offer.singles.size).toBeGreaterThan(48);
    });

    it("has every byte of every file, or says which the origin does not have", () => {
      const kept = unproved();
      const missing = offer.files.filter(({ kind, id, status, sha256 }) => {
        const named = new RegExp(`\\b${kind.replace(/s$/, "")}s?[ /]${id}\\b`);
        if (status !== 200) return !named.test(report);
        return !(kept.has(id) ? stored : published).has(sha256);
      });
      expect(missing).toEqual([]);
      expect(offer.files.length).toBeGreaterThan(15);
    });
  },
);
