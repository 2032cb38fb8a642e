import { describe, expect, it } from "vitest";
import { openCatalogue } from "../../src/catalogue/catalogue.ts";
import { ConfigSchema } from "../../src/config.ts";
import type { OriginOptions } from "../../src/demo/options.ts";
import { mirrorFiles } from "../../src/mirror/files.ts";
import { createRoutes } from "../../src/routes/table.ts";
import { type Answer, altering, type Bench, type Crawled, startBench } from "../crawl/support.ts";

const lists = /^\/(articles|galleries)\/[^/]+\/(images|videos|documents|audio)(?:\?|$)/;

/** The mirror's answers by path and query below the base, links as the API's own. */
function answersOf(bench: Bench, crawled: Crawled): Map<string, Answer> {
  return crawled.look((reader, store) => {
    const config = ConfigSchema.parse({ ...bench.config, mirror: { links: "api" } });
    const catalogue = openCatalogue(reader, store.media, createRoutes(config), config);
    const answers = new Map<string, Answer>();
    for (const file of mirrorFiles({ catalogue, config })) {
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

/** Attachment lists have other pages than indexes, and another form. */
function tens(answer: Answer): Answer {
  return { ...answer, meta: { ...answer.meta, per_page: 10, request: "attachments" } };
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

  it("is like the other lists of the same parent where its endpoint gave no list", async () => {
    const bench = await startBench();
    // Nothing has audio files.
    bench.intercept = altering(
      bench,
      () => true,
      (answer, path) => {
        if (lists.test(path)) return tens(answer);
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
    const answers = answersOf(bench, first);
    const { id } = bench.content.articles.at(3) ?? { id: "" };
    const answer = answers.get(`/articles/${id}/audio`);
    expect(answer?.meta).toMatchObject({ total: 0, per_page: 10 });
    expect(answer).toEqual(await ask(bench, `/articles/${id}/audio`));
  });
});
