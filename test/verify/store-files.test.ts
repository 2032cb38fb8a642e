import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sha256 } from "../../src/lib/digest.ts";
import { requireSnapshot } from "../../src/publish/build.ts";
import { checkMedia } from "../../src/verify/snapshots.ts";
import { Digests, damagedFiles } from "../../src/verify/store-files.ts";
import { verifyArchive } from "../../src/verify/verify.ts";
import { ids, makeFixture } from "../mirror/fixture.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stillpress-blobs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a file among the blobs; returns its path in the output folder. */
function put(name: string, text: string): string {
  const path = `store/blobs/${name}`;
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  return path;
}

it("looks for damage where blobs lie, and leaves alone what waits to become one", async () => {
  const digest = sha256("whole");
  put(`${digest.slice(0, 2)}/${digest}`, "whole");
  put("fetched/journal/000001.ndjson", "a line\n");
  put("fetched/0123456789abcdef0123456789abcdef", "a download");
  put("incoming/1-2-3", "half");
  const damaged = [put(`aa/aa${digest.slice(2)}`, "flipped"), put("ab/stray", "no digest")];
  const found: string[] = [];
  for await (const { path } of damagedFiles(folder, new Digests())) found.push(path);
  expect(found).toEqual(damaged);
});

it.each([
  ["no store", []],
  ["an empty store", ["store"]],
  ["a store without a snapshot", ["store/snapshots/parts", "store/blobs/incoming"]],
  ["a draft of the first crawl", ["store/draft/tasks"]],
])("ends with 5 and says what to do where there is %s", async (_, folders) => {
  for (const path of folders) mkdirSync(join(folder, path), { recursive: true });
  for (const full of [false, true]) {
    await expect(verifyArchive({ out: folder, full })).rejects.toMatchObject({
      exitCode: 5,
      message: `${folder} holds no snapshot`,
      hint: 'run "stillpress snapshot" first',
    });
  }
});

it.each([
  ["public", ids.images[0] as string],
  ["held", ids.unprovedImage],
  ["private", ids.privateImage],
])("misses the original of an image that is %s", async (_, id) => {
  const fixture = makeFixture();
  try {
    const { store } = fixture;
    const blob = store.media.get("images", id)?.original.blob as string;
    rmSync(store.blobs.own.pathOf(blob));
    const { findings } = await checkMedia(store, store.reader(requireSnapshot(store)));
    expect(findings).toEqual([
      {
        path: `store/blobs/${blob.slice(0, 2)}/${blob}`,
        reason: expect.stringContaining(`for images/${id}`),
      },
    ]);
  } finally {
    fixture.close();
  }
});
