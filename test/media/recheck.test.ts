import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createLinkBook } from "../../src/api/links.ts";
import type { Config } from "../../src/config.ts";
import { buildArchive } from "../../src/publish/build.ts";
import type { SnapshotManifest } from "../../src/store/snapshots.ts";
import { fileOf, id, picture, pictures, useStage } from "./fixture.ts";

const stage = useStage();
const { start, configOf, crawl, media, downloads, listings } = stage;

/** A file as a server has it; `etag` alone decides whether it is another one. */
interface ServedFile {
  bytes: Buffer;
  etag: string;
  /** Of the answer in its place. */
  status?: number;
}

/** An origin's binaries behind a server that knows conditions, which the demo origin's do not. */
function serving(files: Map<string, ServedFile>, { looksAtConditions = true } = {}) {
  const statuses: number[] = [];
  const intercept = (request: IncomingMessage, response: ServerResponse): boolean => {
    const file = files.get(/([0-9a-f-]{36})\/download/.exec(request.url ?? "")?.[1] ?? "");
    if (file === undefined) return false;
    const same = looksAtConditions && request.headers["if-none-match"] === file.etag;
    const status = file.status ?? (same ? 304 : 200);
    statuses.push(status);
    response.writeHead(status, { etag: file.etag, "content-type": "image/jpeg" });
    response.end(status === 200 ? file.bytes : undefined);
    return true;
  };
  return { statuses, intercept };
}

async function servedPictures(count: number): Promise<Map<string, ServedFile>> {
  const files = new Map<string, ServedFile>();
  for (let n = 0; n < count; n++) {
    files.set(id(100 + n), { bytes: await picture(n), etag: `"first-${n}"` });
  }
  return files;
}

const allOfThem = { crawl: { refreshShare: 1 } };

/** One night: a crawl, and the stage with the links that it saw. */
async function night(config: Config, round = 0) {
  const links = createLinkBook();
  const manifest: SnapshotManifest = await crawl(config, links);
  return await media(config, manifest, { links, round });
}

describe("originals under records that did not change", () => {
  it("are asked for again, and nothing is written where nothing changed", async () => {
    const { intercept, statuses } = serving(await servedPictures(5));
    await start({ images: await pictures(5) }, { intercept });
    const config = configOf(allOfThem);
    expect(await night(config)).toMatchObject({ downloaded: 5, rechecked: 0 });
    expect(stage.store.media.get("images", id(101))?.validators).toEqual({ etag: '"first-1"' });
    const before = stage.store.media.bytes;
    statuses.length = 0;
    const second = await night(config);
    expect(second).toMatchObject({ upToDate: 5, rechecked: 5, downloaded: 0, problems: [] });
    expect(statuses).toEqual([304, 304, 304, 304, 304]);
    expect(stage.store.media.bytes).toBe(before);
  });

  it("are taken where they were replaced", async () => {
    const files = await servedPictures(3);
    const { intercept } = serving(files);
    await start({ images: await pictures(3) }, { intercept });
    const config = configOf(allOfThem);
    await night(config);
    const bytes = await picture(50, 300, 200);
    files.set(id(101), { bytes, etag: '"second"' });
    const result = await night(config);
    expect(result).toMatchObject({ upToDate: 2, rechecked: 3, encoded: 1, problems: [] });
    const entry = stage.store.media.get("images", id(101));
    expect(entry?.original).toMatchObject({ width: 300, height: 200 });
    expect(entry?.validators).toEqual({ etag: '"second"' });
    expect(readFileSync(stage.store.blobs.own.pathOf(entry?.original.blob ?? ""))).toEqual(bytes);
    expect(await night(config)).toMatchObject({ upToDate: 3, downloaded: 0 });
  });

  it("get new validators where the file is the same", async () => {
    const files = await servedPictures(1);
    const { intercept } = serving(files);
    await start({ images: await pictures(1) }, { intercept });
    const config = configOf(allOfThem);
    await night(config);
    const before = stage.store.media.get("images", id(100));
    files.set(id(100), { bytes: await picture(0), etag: '"moved"' });
    expect(await night(config)).toMatchObject({ upToDate: 1, rechecked: 1, encoded: 0 });
    const after = stage.store.media.get("images", id(100));
    expect(after).toEqual({ ...before, validators: { etag: '"moved"' } });
  });

  it.each<[string, Partial<ServedFile>, RegExp]>([
    ["refused", { status: 403 }, /403.*\(kept the previous original\)$/],
    [
      "a text",
      { bytes: Buffer.from("no picture") },
      /text\/plain.*\(kept the previous original\)$/,
    ],
  ])("stay as they were where the origin's is %s", async (_, change, reason) => {
    const files = await servedPictures(2);
    const { intercept } = serving(files);
    await start({ images: await pictures(2) }, { intercept });
    const config = configOf(allOfThem);
    await night(config);
    const before = stage.store.media.get("images", id(100));
    files.set(id(100), { bytes: await picture(0), etag: '"other"', ...change });
    const { problems, upToDate } = await night(config);
    expect(upToDate).toBe(1);
    expect(problems.map((problem) => problem.reason)).toEqual([expect.stringMatching(reason)]);
    const after = stage.store.media.get("images", id(100));
    expect(after).toEqual({ ...before, recheckFailed: true });
    const { blob, bytes } = before?.original ?? { blob: "", bytes: 0 };
    expect(await stage.store.blobs.has(blob, bytes)).toBe(true);
  });

  it("are asked for in turns, each in every second time around", async () => {
    const { intercept } = serving(await servedPictures(12));
    await start({ images: await pictures(12) }, { intercept });
    const config = configOf({ crawl: { recheck: { share: 0.5 } } });
    await night(config);
    const asked: string[][] = [];
    for (const round of [5, 6, 7, 8]) {
      const { rechecked } = await night(config, round);
      asked.push([...downloads()]);
      expect(rechecked).toBe(downloads().length);
      expect(rechecked).toBeLessThan(12);
    }
    expect(asked.flat()).toHaveLength(12);
    expect(new Set(asked.flat()).size).toBe(12);
  });

  it("cost no request where the origin gives no validators, or the crawl saw no link", async () => {
    await start({ images: await pictures(3) });
    const config = configOf(allOfThem);
    await night(config);
    expect(await night(config)).toMatchObject({ upToDate: 3, rechecked: 0 });
    expect(stage.origin.requests).toEqual([]);
    await stage.origin.close();

    const { intercept } = serving(await servedPictures(3));
    await start({ images: await pictures(3) }, { intercept });
    const other = configOf(allOfThem);
    await night(other);
    expect(await media(other, await crawl(other))).toMatchObject({ upToDate: 3, rechecked: 0 });
    expect([...listings(), ...downloads()]).toEqual([]);
  });

  it("are asked for by new links where the crawl's were too many to be kept", async () => {
    const { intercept, statuses } = serving(await servedPictures(30));
    await start({ images: await pictures(30) }, { intercept });
    const config = configOf(allOfThem);
    await night(config);
    statuses.length = 0;
    const links = createLinkBook(Date.now, { maxLinks: 5 });
    const manifest = await crawl(config, links);
    const result = await media(config, manifest, { links, round: 1 });
    expect(result).toMatchObject({ rechecked: 30, upToDate: 30, problems: [] });
    expect(statuses).toEqual(Array(30).fill(304));
  });

  it("are left alone once the origin proves to look at no conditions", async () => {
    const { intercept } = serving(await servedPictures(30), { looksAtConditions: false });
    await start({ images: await pictures(30) }, { intercept });
    const config = configOf({ crawl: { refreshShare: 1, concurrency: 1 } });
    await night(config);
    const result = await night(config);
    expect(result).toMatchObject({ upToDate: 30, encoded: 0, problems: [] });
    expect(result.remarks.unconditional).toBe(true);
    // Three in a row, and those that were underway by then.
    expect(result.rechecked).toBeGreaterThanOrEqual(3);
    expect(result.rechecked).toBeLessThanOrEqual(10);
  });
});

describe("an original that the origin has no more", () => {
  const cut = async () => ({ bytes: (await picture(0)).subarray(0, 450), etag: '"cut"' });

  it.each<[string, () => Promise<Partial<ServedFile>>, RegExp]>([
    ["gone (404)", async () => ({ status: 404 }), /^the origin has no file for it \(404\) \(kept/],
    ["gone (410)", async () => ({ status: 410 }), /^the origin has no file for it \(410\) \(kept/],
    ["cut short", cut, /^the origin's file is now damaged: .*premature end.*\(kept/],
  ])("is kept and remarked where it is %s, and asked for in its turn", async (...row) => {
    const [, change, remark] = row;
    const files = await servedPictures(2);
    const { intercept } = serving(files);
    // Without a size in the record, nothing says that it is not all that there is.
    const images = (await pictures(2)).map((image) => ({ ...image, filesize: 0 }));
    await start({ images }, { intercept });
    const config = configOf(allOfThem);
    await night(config);
    const before = stage.store.media.get("images", id(100));
    files.set(id(100), { bytes: await picture(0), etag: '"other"', ...(await change()) });
    for (const settings of [allOfThem, { crawl: { refreshShare: 0 } }]) {
      const { problems, remarks } = await night(configOf(settings), 1);
      expect([problems, remarks.absent]).toEqual([[], 1]);
      expect(remarks.first[0]?.remark).toMatch(remark);
      expect(stage.store.media.get("images", id(100))).toEqual(before);
    }
    expect(downloads()).toEqual([]);
    files.set(id(100), { bytes: await picture(0), etag: '"moved"' });
    expect(await night(config, 2)).toMatchObject({ problems: [], remarks: { absent: 0 } });
  });
});

describe("a recheck that failed", () => {
  const neverInTurn = { crawl: { refreshShare: 0 } };
  const text = { bytes: Buffer.from("no picture"), etag: '"text"' };

  /** An origin with two pictures that are in the store, of which the first one's file is another thing by now. */
  async function replaced(file: ServedFile) {
    const files = await servedPictures(2);
    const { intercept } = serving(files);
    await start({ images: await pictures(2) }, { intercept });
    await night(configOf(allOfThem));
    files.set(id(100), file);
    return files;
  }

  it.each<[string, Partial<ServedFile>, string, Partial<ServedFile>, number]>([
    ["a text", text, "a good one", { etag: '"good"' }, 1],
    ["a text", text, "the old one", { etag: '"first-0"' }, 0],
    ["refused", { status: 403 }, "the old one, named anew", { etag: '"moved"' }, 0],
    ["refused", { status: 403 }, "the old one", { etag: '"first-0"' }, 0],
  ])("for a file that is %s is named each night until there is %3$s", async (...row) => {
    const [, bad, , good, encoded] = row;
    const bytes = await picture(encoded === 0 ? 0 : 50);
    const files = await replaced({ bytes, etag: '"first-0"', ...bad });
    const { problems } = await night(configOf(allOfThem), 1);
    expect(problems).toHaveLength(1);
    const written = stage.store.media.bytes;
    for (const round of [2, 3]) {
      const again = await night(configOf(neverInTurn), round);
      expect(again).toMatchObject({ rechecked: 1, upToDate: 1, problems });
    }
    expect(stage.store.media.bytes).toBe(written);
    files.set(id(100), { bytes, etag: "", ...good });
    const found = await night(configOf(neverInTurn), 4);
    expect(found).toMatchObject({ rechecked: 1, encoded, problems: [] });
    expect(stage.store.media.get("images", id(100))?.recheckFailed).toBeUndefined();
    const quiet = await night(configOf(neverInTurn), 5);
    expect(quiet).toMatchObject({ rechecked: 0, downloaded: 0, upToDate: 2, problems: [] });
  });

  it("is made again without a link from the crawl", async () => {
    await replaced({ bytes: Buffer.from("no picture"), etag: '"damaged"' });
    const { problems } = await night(configOf(allOfThem), 1);
    expect(problems).toHaveLength(1);
    const manifest = await crawl(configOf());
    const again = await media(configOf(), manifest, { round: 1 });
    expect(again).toMatchObject({ rechecked: 1, problems });
  });

  it("is named in a night of other settings, too", async () => {
    await replaced({ bytes: Buffer.from("no picture"), etag: '"damaged"' });
    const { problems } = await night(configOf(allOfThem));
    const other = configOf({ ...neverInTurn, media: { variants: [{ width: 100 }] } });
    expect(await night(other)).toMatchObject({ encoded: 2 });
    expect(await night(other)).toMatchObject({ encoded: 0, problems });
  });

  it("changes nothing that is published", async () => {
    await replaced({ bytes: Buffer.from("no picture"), etag: '"damaged"' });
    const config = configOf(allOfThem);
    const out = `${stage.folder}/out`;
    const input = { config, store: stage.store, out, templates: `${out}/templates` };
    const build = () => buildArchive({ ...input, allowIncomplete: false });
    expect(await build()).toMatchObject({ published: true });
    expect((await night(config)).problems).toHaveLength(1);
    expect(await build()).toMatchObject({ published: false, rendered: 0 });
  });
});

describe("files of which only the end of the connection tells that they are whole", () => {
  /** Sends each time the next of some bodies, and then closes the connection. */
  const closing = (bodies: string[]) => {
    let asked = 0;
    const intercept = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (!request.url?.includes("/download")) return false;
      const body = bodies[asked++ % bodies.length];
      response.socket?.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`);
      return true;
    };
    return { intercept, asked: () => asked };
  };
  const document = () => ({ documents: [fileOf(63, "text/plain", Buffer.from("all the words"))] });

  it("are downloaded twice, and taken where both agree", async () => {
    const { intercept, asked } = closing(["all the words"]);
    await start(document(), { filesizes: "zero", intercept });
    const config = configOf();
    expect((await media(config, await crawl(config))).problems).toEqual([]);
    expect(asked()).toBe(2);
    const { blob = "" } = stage.store.media.get("documents", id(63))?.original ?? {};
    expect(readFileSync(stage.store.blobs.own.pathOf(blob), "utf8")).toBe("all the words");
  });

  it("are a problem where they do not", async () => {
    const { intercept, asked } = closing(["all the", "all the words"]);
    await start(document(), { filesizes: "zero", intercept });
    const config = configOf();
    const { problems } = await media(config, await crawl(config));
    expect(problems.map(({ reason }) => reason)).toEqual([
      "13 bytes, the record says nothing, and each download gives a different file",
    ]);
    expect(asked()).toBe(2);
    expect(stage.store.media.get("documents", id(63))).toBeUndefined();
  });

  it("are downloaded once where the record has the size", async () => {
    const { intercept, asked } = closing(["all the words"]);
    await start(document(), { intercept });
    const config = configOf();
    expect((await media(config, await crawl(config))).problems).toEqual([]);
    expect(asked()).toBe(1);
  });
});
