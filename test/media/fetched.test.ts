import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { type FetchedFiles, openFetchedFiles } from "../../src/media/fetched.ts";
import type { WantedItem } from "../../src/media/jobs.ts";
import type { Fetched } from "../../src/media/original.ts";
import { type Blobs, openBlobs } from "../../src/store/blobs.ts";
import type { MediaEntry } from "../../src/store/media.ts";
import { id, imageOf, picture, pictures, useStage } from "./fixture.ts";

const item = (record = "r1", id = "a"): WantedItem => ({
  kind: "images",
  id,
  record,
  list: "images",
  position: 0,
});

describe("openFetchedFiles", () => {
  let folder: string;
  let blobs: Blobs;
  let files: FetchedFiles;
  const kept = () => join(folder, "fetched");

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "stillpress-fetched-"));
    blobs = openBlobs(folder);
    files = openFetchedFiles(kept(), blobs);
  });
  afterEach(() => {
    files.close(true);
    rmSync(folder, { recursive: true, force: true });
  });

  function download(text: string): Fetched {
    const path = blobs.temporaryPath();
    writeFileSync(path, text);
    const digest = { sha256: sha256(text), bytes: text.length };
    const answer = { type: "image/png", validators: { etag: '"1"' }, delimited: "length" as const };
    return { path, ...digest, ...answer, settled: true };
  }

  /** As another process would find it after this one was killed: nothing is closed. */
  const reopen = (): FetchedFiles => openFetchedFiles(kept(), blobs);

  const entry = (record: string, { sha256: blob, bytes }: Fetched): MediaEntry => ({
    kind: "images",
    id: "a",
    record,
    recipe: "",
    original: { blob, bytes, type: "image/png", extension: "png" },
    renditions: [],
  });

  it("gives a download to the run after one that was killed, with all that is known of it", () => {
    const file = files.keep(item(), download("picture"));
    const other = reopen();
    expect(other.find(item(), undefined)).toEqual(file);
    expect(readFileSync(file.path, "utf8")).toBe("picture");
    expect(readdirSync(join(folder, "incoming"))).toEqual([]);
    other.close(false);
  });

  it("gives none of another record, of another item, or that is not all there", () => {
    const file = files.keep(item(), download("picture"));
    expect(files.find(item("r2"), undefined)).toBeUndefined();
    expect(files.find(item("r1", "b"), undefined)).toBeUndefined();
    writeFileSync(file.path, "pict");
    expect(files.find(item(), undefined)).toBeUndefined();
  });

  it("gives none that was found damaged", () => {
    const file = files.keep(item(), download("picture"));
    files.drop(item(), file);
    expect(existsSync(file.path)).toBe(false);
    expect(files.find(item(), undefined)).toBeUndefined();
    const other = reopen();
    expect(other.find(item(), undefined)).toBeUndefined();
    other.close(false);
  });

  it("finds the blob where the run was killed before its entry was put, and not later", () => {
    const file = files.keep(item(), download("picture"));
    blobs.adopt(file.path, file.sha256);
    const before = entry("r0", download("older"));
    expect(files.find(item(), before)?.path).toBe(blobs.pathOf(file.sha256));
    // With an entry of this record the blob has been examined, and is asked for only if it is damaged.
    expect(files.find(item(), entry("r1", file))).toBeUndefined();
  });

  it("begins anew where its journal is damaged", () => {
    files.keep(item(), download("picture"));
    files.close(false);
    for (const name of readdirSync(join(kept(), "journal"))) {
      if (name.endsWith(".ndjson")) writeFileSync(join(kept(), "journal", name), "");
    }
    files = reopen();
    expect(files.find(item(), undefined)).toBeUndefined();
    files.keep(item(), download("picture"));
    expect(files.find(item(), undefined)).toBeDefined();
  });

  it("leaves nothing behind when the run has finished", () => {
    files.keep(item(), download("picture"));
    files.close(true);
    expect(existsSync(kept())).toBe(false);
    files = reopen();
    expect(existsSync(kept())).toBe(false);
  });
});

describe("runMedia after a run that was ended", () => {
  const stage = useStage();
  const { start, configOf, crawl, media, downloads } = stage;

  /** What a run leaves that is killed when it has downloaded an image and not yet examined it. */
  function leaveFetched(record: string, bytes: Buffer, settled = true): void {
    const { blobs } = stage.store;
    const files = openFetchedFiles(join(stage.folder, "blobs", "fetched"), blobs);
    const path = blobs.temporaryPath();
    writeFileSync(path, bytes);
    const answer = { type: "image/jpeg", validators: undefined, delimited: "length" as const };
    const digest = { sha256: sha256(bytes), bytes: bytes.length };
    const wanted = { ...item(record), id: id(100) };
    files.keep(wanted, { path, ...digest, ...answer, settled });
    files.close(false);
  }

  it("takes what that one had downloaded, without a request", async () => {
    await start({ images: await pictures(1) });
    const config = configOf();
    const manifest = await crawl(config);
    const [ref] = stage.store.reader(manifest).refs("images");
    leaveFetched(ref?.digest ?? "", await picture(0));
    const result = await media(config, manifest);
    expect(result).toMatchObject({ downloaded: 0, bytes: 0, encoded: 1, problems: [] });
    expect(stage.origin.requests).toEqual([]);
    const entry = stage.store.media.get("images", id(100));
    expect(readFileSync(stage.store.blobs.pathOf(entry?.original.blob ?? ""))).toEqual(
      await picture(0),
    );
    expect(existsSync(join(stage.folder, "blobs", "fetched"))).toBe(false);
  });

  it("does not try a damaged download again and again", async () => {
    const cut = (await picture(0)).subarray(0, 450);
    await start({ images: [await imageOf(100, await picture(0))] });
    const config = configOf();
    const manifest = await crawl(config);
    const [ref] = stage.store.reader(manifest).refs("images");
    leaveFetched(ref?.digest ?? "", cut, false);
    expect((await media(config, manifest)).problems).toHaveLength(1);
    expect(stage.store.blobs.has(sha256(cut), cut.length)).toBe(false);
    expect(await media(config, manifest)).toMatchObject({ downloaded: 1, problems: [] });
    expect(downloads()).toHaveLength(1);
  });
});
