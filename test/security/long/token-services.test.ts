// Nobody: services whose files need the token, which must keep them however carefully it is sent.
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../../src/api/links.ts";
import type { Config } from "../../../src/config.ts";
import type { Image } from "../../../src/demo/model.ts";
import { type Personality, personalities } from "../../../src/demo/options.ts";
import type { MediaKind } from "../../../src/routes/table.ts";
import { serve } from "../../api/support.ts";
import { articleOf, fileOf, id, imageOf, picture, useStage, wav } from "../../media/fixture.ts";
import { mixedIds } from "../../support/content.ts";

const stage = useStage();
const { start, configOf, crawl, media } = stage;

const plain = { formats: ["jpeg"], variants: [] };

/** Takes the signatures out of what an origin answers, and gives its files to whoever shows the token. */
async function unsignedOrigin(origin: string, refuse: (response: ServerResponse) => void) {
  const queries = new Map<string, string>();
  const asked: { path: string; token: boolean; status: number }[] = [];
  const { url } = await serve(async (request, response) => {
    const path = request.url ?? "";
    const query = queries.get(path);
    const { authorization } = request.headers;
    if (query !== undefined && authorization === undefined) {
      asked.push({ path, token: false, status: 401 });
      return refuse(response);
    }
    const answer = await fetch(`${origin}${path}${query ?? ""}`, {
      headers: query === undefined && authorization ? { authorization } : {},
      redirect: "manual",
    });
    if (query !== undefined) asked.push({ path, token: true, status: answer.status });
    let body = Buffer.from(await answer.arrayBuffer());
    if (answer.headers.get("content-type")?.includes("json")) {
      const signed = /((?:\\?\/)[^"?]*)(\?expires=[^"]*)/g;
      const text = body
        .toString()
        .replaceAll(origin.replaceAll("/", "\\/"), url)
        .replaceAll(origin, url);
      const plain = text
        .replaceAll(origin.slice(5), url.slice(5))
        .replace(signed, (_, link, found) => {
          const { pathname } = new URL(link.replaceAll("\\/", "/"), url);
          // Thumbnails and web versions keep theirs.
          if (pathname.endsWith(".jpg")) return link + found;
          queries.set(pathname, found.replaceAll("\\u0026", "&"));
          return link;
        });
      body = Buffer.from(plain);
    }
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(body);
  });
  return { url, asked };
}

function signIn(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><h1>Sign in</h1>");
}

describe("a service whose files need the token keeps them", () => {
  const rows: [Personality, string, (response: ServerResponse) => void][] = [
    ["plain", "401", (response) => response.writeHead(401).end()],
    ["plain", "403", (response) => response.writeHead(403).end()],
    ["plain", "404", (response) => response.writeHead(404).end()],
    ["plain", "a page to sign in", signIn],
    [
      "plain",
      "a redirect elsewhere",
      (r) => r.writeHead(302, { location: "https://x.test/" }).end(),
    ],
    ["odd", "401", (response) => response.writeHead(401).end()],
    ["strict", "401", (response) => response.writeHead(401).end()],
  ];
  it.each(rows)("%s, refused by %s", async (personality, _, refuse) => {
    const { files, config } = await startWith(personality);
    const { url, asked } = await unsignedOrigin(new URL(stage.origin.baseUrl).origin, refuse);
    const baseUrl = url + new URL(config.origin.baseUrl).pathname.replace(/\/$/, "");
    const own: Config = { ...config, origin: { ...config.origin, baseUrl } };
    const links = createLinkBook();
    const manifest = await crawl(own, links);
    const { problems, downloaded } = await media(own, manifest, { links });
    expect(problems).toEqual([]);
    expect(downloaded).toBe(files.length);
    for (const { kind, id: item, bytes } of files) {
      const entry = stage.store.media.get(kind, item);
      expect(entry && readFileSync(stage.store.blobs.own.pathOf(entry.original.blob))).toEqual(
        bytes,
      );
    }
    // That the token is needed is learnt once for each kind, by the items that are underway then.
    const refused = asked.filter(({ token }) => !token).length;
    const kinds = new Set(files.map(({ kind }) => kind)).size;
    expect(asked.length - refused).toBe(files.length);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(kinds * (config.crawl.concurrency + 4));
  });

  it.each(Object.keys(personalities) as Personality[])(
    "%s, with its signed links, for which nothing is asked twice",
    async (personality) => {
      const { files, config } = await startWith(personality);
      const links = createLinkBook();
      const { problems, downloaded } = await media(config, await crawl(config, links), { links });
      expect([problems, downloaded]).toEqual([[], files.length]);
      expect(stage.origin.requests).toHaveLength(files.length);
      expect(stage.origin.requests.filter(({ authorization }) => authorization)).toEqual([]);
    },
  );
});

async function startWith(personality: Personality) {
  const idOf = (kind: string, n: number): string =>
    personality === "strict" ? mixedIds(kind, 1, n) : id(n);
  const found: { kind: MediaKind; id: string; bytes: Buffer }[] = [];
  const images: Image[] = [];
  // Equal pictures, so that they are encoded once.
  const bytes = await picture(1, 8, 8);
  for (let n = 0; n < 12; n++) {
    const image = await imageOf(100 + n, bytes, { id: idOf("image", n) });
    images.push(image);
    found.push({ kind: "images", id: image.id, bytes });
  }
  const documents = Array.from({ length: 30 }, (_, n) => {
    const paper = Buffer.from(`%PDF-1.4 ${n}`);
    const one = { ...fileOf(300 + n, "application/pdf", paper), id: idOf("document", n) };
    found.push({ kind: "documents", id: one.id, bytes: paper });
    return one;
  });
  const audio = [{ ...fileOf(400, "audio/wav", wav()), id: idOf("audio", 0) }];
  found.push({ kind: "audio", id: audio[0]?.id ?? "", bytes: wav() });
  const described = personalities[personality];
  const article = {
    ...articleOf(
      7,
      images.slice(0, 1).map((image) => image.id),
    ),
    documents: documents.map((one) => one.id),
    audio: audio.map((one) => one.id),
  };
  await start({ images, documents, audio, articles: [article] }, { ...described, rate: null });
  const { paths, bodyField, timezone } = described;
  const origin = {
    ...(paths && { paths }),
    ...(bodyField && { bodyField }),
    ...(timezone && { timezone }),
  };
  return { files: found, config: configOf({ origin, crawl: { concurrency: 2 }, media: plain }) };
}
