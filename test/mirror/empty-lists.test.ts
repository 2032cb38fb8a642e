import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { ConfigSchema } from "../../src/config.ts";
import type { OriginOptions } from "../../src/demo/options.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { createRoutes } from "../../src/routes/table.ts";
import {
  type Answer,
  altering,
  type Bench,
  type Crawled,
  send,
  startBench,
} from "../crawl/support.ts";

const lists = /^\/(articles|galleries)\/[^/]+\/(images|videos|documents|audio)(?:\?|$)/;

/** The mirror's answers by path and query below the base, links as the API's own. */
function answersOf(bench: Bench, crawled: Crawled): Map<string, Answer> {
  return crawled.look((reader, store) => {
    const config = ConfigSchema.parse({ ...bench.config, mirror: { links: "api" } });
    const catalogue = openCatalogue(reader, store.media, createRoutes(config), config);
    const answers = new Map<string, Answer>();
    for (const file of mirrorFiles(catalogue, config)) {
      if (file.url === undefined || !("content" in file)) continue;
      answers.set(file.url.slice("/api/v1".length), JSON.parse(String(file.content())));
    }
    return answers;
  });
}

/** The origin's answer with its host cut. */
async function ask(bench: Bench, path: string): Promise<unknown> {
  const { baseUrl, tokens } = bench.origin;
  const headers = { authorization: `Bearer ${tokens.organisation}` };
  const text = await (await fetch(baseUrl + path, { headers })).text();
  return JSON.parse(text.replaceAll(new URL(baseUrl).origin, ""));
}

/** Attachment lists have other pages than indexes, and those of each endpoint a form of their own. */
function tens(answer: Answer, path: string): Answer {
  const [, parent, kind] = lists.exec(path) ?? [];
  return { ...answer, meta: { ...answer.meta, per_page: 10, request: `${parent} ${kind}` } };
}

describe("a list of attachments where there are none", () => {
  it.each<[string, Partial<OriginOptions>, boolean]>([
    ["another page size and another member", {}, true],
    ["another pager", { otherPager: true, attachmentPageSize: 3 }, false],
  ])(
    "is that of the origin, after the lists of the same endpoint: %s",
    async (_, options, altered) => {
      const bench = await startBench(options);
      if (altered) bench.intercept = altering(bench, (path) => lists.test(path), tens);
      const answers = answersOf(bench, await bench.crawl());
      const seen = new Set<string>();
      for (const [path, answer] of answers) {
        const [, parent, kind] = lists.exec(path) ?? [];
        if (parent === undefined || answer.data.length > 0) continue;
        if (seen.size > 40) break;
        seen.add(`${parent} ${kind} ${path}`);
        expect(answer, path).toEqual(await ask(bench, path));
      }
      expect(seen.size).toBeGreaterThan(10);
    },
  );

  it("is asked for once where the endpoint gave no list, and not again in later nights", async () => {
    const bench = await startBench();
    // Nothing has audio files.
    bench.intercept = altering(
      bench,
      () => true,
      (answer, path) => {
        if (lists.test(path)) return { ...answer, meta: { ...answer.meta, from: 0, to: 0 } };
        const none = (item: Record<string, unknown>) => ({
          ...item,
          ...("attachments" in item
            ? { attachments: { ...(item.attachments as object), audio: 0 } }
            : {}),
        });
        return {
          ...answer,
          data: Array.isArray(answer.data) ? answer.data.map(none) : none(answer.data),
        };
      },
    );
    const first = await bench.crawl();
    const asked = (requests: string[]): string[] =>
      requests.filter((path) => /\/audio$/.test(path));
    // Each request stands there twice: it is answered with a changed answer of the same origin.
    const own = new Set(asked(first.requests).filter((path) => lists.test(path)));
    expect([...own].map((path) => path.split("/")[1]).sort()).toEqual(["articles", "galleries"]);
    const answers = answersOf(bench, first);
    const { id } = bench.content.articles.at(3) ?? { id: "" };
    const answer = answers.get(`/articles/${id}/audio`);
    expect(answer?.meta).toMatchObject({ from: 0, to: 0, total: 0 });
    expect(answer).toEqual(await ask(bench, `/articles/${id}/audio`));
    const second = await bench.crawl();
    expect(second.changed).toBe(false);
    expect(asked(second.requests).filter((path) => lists.test(path))).toEqual([]);
  });

  it("that has rows all the same is not learned, and its rows are not kept", async () => {
    const bench = await startBench();
    bench.intercept = altering(
      bench,
      () => true,
      (answer, path) => {
        const text = JSON.stringify(answer).replaceAll(/"audio":\d+/g, '"audio":0');
        if (lists.exec(path)?.[2] !== "audio") return JSON.parse(text);
        return { ...answer, data: [{ id: "9", title: "Behind the count", links: {} }] };
      },
    );
    const crawled = await bench.crawl();
    expect(crawled.manifest.learned?.emptyLists?.["articles/audio"]).toBeUndefined();
    const stored = readdirSync(join(bench.folder, "objects"))
      .map((name) => readFileSync(join(bench.folder, "objects", name), "utf8"))
      .join("");
    expect(stored).not.toContain("Behind the count");
  });

  it("is not there where the origin has no such endpoint", async () => {
    const bench = await startBench();
    bench.intercept = (request, response) => {
      const path = (request.url ?? "").replace("/api/v1", "");
      if (lists.exec(path)?.[2] === "audio") return send(response, { message: "none" }, 404);
      return altering(
        bench,
        (one) => /^\/(?:articles|galleries)/.test(one),
        (answer) =>
          JSON.parse(JSON.stringify(answer).replaceAll(/"audio":\d+/g, '"audio":0')) as Answer,
      )(request, response);
    };
    const crawled = await bench.crawl();
    const paths = [...answersOf(bench, crawled).keys()];
    expect(paths.filter((path) => lists.exec(path)?.[2] === "audio")).toEqual([]);
    expect(paths.filter((path) => lists.exec(path)?.[2] === "videos").length).toBeGreaterThan(20);
    expect(crawled.problems).toEqual([]);
  });
});
