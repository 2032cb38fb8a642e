import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import { kindOf } from "../../src/lib/groups.ts";
import { fileOf, id, useStage, wav } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media } = stage;
const clip = Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isomavc1", "latin1");

it.each([true, false])(
  "files are had by flat addresses, with links of the crawl: %s",
  async (known) => {
    await start(
      {
        videos: [fileOf(60, "video/mp4", clip)],
        documents: [fileOf(63, "text/plain", Buffer.from("words"))],
        audio: [fileOf(62, "audio/wav", wav())],
      },
      { fileAddress: "flat" },
    );
    const config = configOf();
    const links = createLinkBook();
    const manifest = await crawl(config, links);
    const result = await media(config, manifest, known ? { links } : {});
    expect(result).toMatchObject({ wanted: 3, downloaded: 3, problems: [] });
    const { blob = "" } = stage.store.media.get("videos", id(60))?.original ?? {};
    expect(readFileSync(stage.store.blobs.own.pathOf(blob))).toEqual(clip);
  },
);

it.each([true, false])(
  "files are had by the address in the configured member, with links of the crawl: %s",
  async (known) => {
    await start({}, listing([{ id: id(50), title: "A", asset: { master: "/raw/50" } }]));
    const config = configOf({ origin: { mediaLink: "asset.master" } });
    const links = createLinkBook();
    const manifest = await crawl(config, links);
    const result = await media(config, manifest, known ? { links } : {});
    expect(result).toMatchObject({ wanted: 1, downloaded: 1, problems: [] });
    const { blob = "" } = stage.store.media.get("audio", id(50))?.original ?? {};
    expect(readFileSync(stage.store.blobs.own.pathOf(blob))).toEqual(wav());
  },
);

it("files without a known address are none where the configuration says so", async () => {
  await start({}, listing([{ id: id(50), title: "A", ref: "seven" }]));
  const config = configOf({ origin: { mediaLink: null } });
  const { problems, remarks } = await media(config, await crawl(config));
  expect({ problems, absent: remarks.absent }).toEqual({ problems: [], absent: 1 });
});

it.each<[string, number, object, string[]]>([
  ["one by one", 2, { ref: "seven" }, [`audio ${id(50)}`, `audio ${id(51)}`]],
  ["none where the origin says null", 6, { links: { download: null } }, []],
])("files without a known address are named %s", async (_, count, members, subjects) => {
  const items = Array.from({ length: count }, (__, n) => ({
    id: id(50 + n),
    title: "A",
    ...members,
  }));
  await start({}, listing(items));
  const config = configOf();
  const { problems, remarks } = await media(config, await crawl(config));
  expect(problems.map(({ subject }) => subject).sort()).toEqual(subjects);
  expect(remarks.absent).toBe(subjects.length === 0 ? count : 0);
  for (const { reason, hint } of problems) {
    expect(reason).toContain("id, title, ref");
    expect(hint).toContain("origin.mediaLink");
  }
  // In a report they are one.
  expect(new Set(problems.map(kindOf)).size).toBe(Math.min(1, problems.length));
});

it("images without a download link are brought by their web version", async () => {
  const links = { download: null, web: "/raw/50" };
  const items = [{ id: id(50), title: "A", filesize: 7, links }];
  await start({}, listing(items, "images"));
  const config = configOf();
  const { problems, remarks } = await media(config, await crawl(config));
  expect(problems).toEqual([]);
  // The record's size is the original's: nothing is said of it.
  const remark = expect.stringMatching(
    /; no download link; the web version replaces the original$/,
  );
  expect(remarks.first).toEqual([{ subject: `image ${id(50)}`, remark }]);
});

/** An origin whose index of a kind is made of these items, and whose files are below /raw. */
function listing(data: object[], kind = "audio") {
  const meta = { current_page: 1, last_page: 1, per_page: 20, total: data.length };
  const links = { first: null, last: null, prev: null, next: null };
  return {
    intercept: ({ url = "" }: IncomingMessage, response: ServerResponse): boolean => {
      if (url.startsWith("/raw/")) {
        response.writeHead(200, { "content-type": "audio/wav" }).end(wav());
        return true;
      }
      if (!new RegExp(`/${kind}(?:\\?|$)`).test(url)) return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data, links, meta }));
      return true;
    },
  };
}
